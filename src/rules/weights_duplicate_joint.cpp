#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "all but one of the slots have weight zero (padding)",
    "an FBX skin has two clusters on one bone, and no vertex is in both"};

/// The first slot that has the same node; slots without a node stand for themselves. Empty when no
/// node repeats.
std::vector<std::uint32_t> first_slot_of_same_node(const Skin& skin) {
  std::map<std::int32_t, std::uint32_t> first;
  std::vector<std::uint32_t> slots(skin.joints.size());
  bool repeats = false;
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    slots[slot] = slot;
    if (skin.joints[slot] < 0) continue;
    const auto [entry, is_new] = first.try_emplace(skin.joints[slot], slot);
    if (!is_new) slots[slot] = entry->second;
    repeats = repeats || !is_new;
  }
  if (!repeats) slots.clear();
  return slots;
}

struct Repeat {
  std::size_t slots = 0;  // weighted slots beyond the first of their joint
  std::uint32_t joint = 0;
};

Repeat find_repeat(std::span<const std::uint32_t> joints, std::span<const double> weights,
                   const std::vector<std::uint32_t>& same, std::vector<std::uint32_t>& scratch) {
  scratch.clear();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (!(weights[k] > 0.0)) continue;
    scratch.push_back(joints[k] < same.size() ? same[joints[k]] : joints[k]);
  }
  std::sort(scratch.begin(), scratch.end());
  Repeat repeat;
  for (std::size_t k = 1; k < scratch.size(); ++k) {
    if (scratch[k] != scratch[k - 1]) continue;
    if (repeat.slots++ == 0) repeat.joint = scratch[k];
  }
  return repeat;
}

void judge_all_vertices(const Asset& asset, std::size_t binding,
                        const std::function<void(const SuspectVertex&)>& judge) {
  const Binding& bound = asset.bindings[binding];
  for (std::size_t p = 0; p < bound.influences.size(); ++p) {
    if (bound.influences[p] < 0) continue;
    SuspectVertex at;
    at.binding = binding;
    at.part = static_cast<std::uint32_t>(p);
    at.table = &asset.influences[static_cast<std::size_t>(bound.influences[p])];
    InfluenceReader reader(*at.table);
    for (InfluenceBlock block; reader.next(block);) {
      for (std::size_t v = 0; v < block.count; ++v) {
        at.vertex = static_cast<std::uint32_t>(block.first_vertex + v);
        at.joints = block.joints_of(v);
        at.weights = block.weights_of(v);
        judge(at);
      }
    }
  }
}

void check(const RuleInput& input, Sink& sink) {
  const bool gltf = is_gltf(input.asset.format);
  const Severity severity = gltf ? Severity::error : Severity::warning;
  for (const BindingGroup& group : influence_groups(input.asset)) {
    const std::int32_t skin = input.asset.bindings[group.first].skin;
    const Skin& joints = input.asset.skins[static_cast<std::size_t>(skin)];
    // Two clusters on one bone are two slots: the analysis, which knows slots, cannot see them.
    const std::vector<std::uint32_t> same =
        gltf ? std::vector<std::uint32_t>{} : first_slot_of_same_node(joints);
    VertexTally tally(input.max_samples);
    std::vector<std::uint32_t> scratch;
    std::size_t most = 0;
    const auto judge = [&](const SuspectVertex& at) {
      const Repeat repeat = find_repeat(at.joints, at.weights, same, scratch);
      if (repeat.slots == 0) return;
      most = std::max(most, repeat.slots + 1);
      if (same.empty()) sink.poison_suspect(at.binding, at.index);
      const std::int32_t node =
          repeat.joint < joints.joints.size() ? joints.joints[repeat.joint] : -1;
      tally.add(input.asset, at, severity, static_cast<double>(repeat.slots),
                static_cast<double>(repeat.slots + 1),
                node >= 0 ? input.asset.node_name(node) : std::string());
    };
    if (same.empty()) {
      for_each_suspect(input, sink, group.first, suspect_duplicate, judge);
    } else if (!sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0})) {
      judge_all_vertices(input.asset, group.first, judge);
    }
    if (tally.total() == 0) continue;
    Finding finding = finding_about(input, group, severity);
    tally.put_into(finding);
    finding.measured.push_back(whole("most_slots", most));
    const std::string joint = finding.samples.empty() ? std::string() : finding.samples[0].label;
    finding.message = fmt::format("{} one joint in several weighted slots{}",
                                  counted(tally.total(), "vertex has", "vertices have"),
                                  joint.empty() ? "" : ", e.g. " + joint);
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_duplicate_joint{
    {.id = "weights-duplicate-joint",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "A vertex is weighted to the same joint twice",
     .why = "Some importers add the two weights, others keep the last one, so the vertex moves "
            "differently from engine to engine; it also wastes one of few influence slots.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Vertices lag behind their joint in one engine and are right in another.",
                .action = "Merge the weights per joint and normalise; then export again.",
                .maya = "Skin > Prune Small Weights, then Skin > Normalize Weights; export with a "
                        "current FBX plug-in.",
                .max = "Skin modifier > Advanced Parameters > Remove Zero Weights; remove a bone "
                       "that is listed twice under Parameters > Bones.",
                .blender = "Look for two vertex groups of one bone after a Join; mix them with a "
                           "Vertex Weight Mix modifier (Add) and remove one."},
     .source = "glTF 2.0 section 3.7.3.3 (no joint more than once per vertex with weight)",
     .params = {}},
    check};

}  // namespace skinlint::rules
