#include <fmt/format.h>

#include <array>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "helpers, leaf, twist and socket bones: one note, whatever their number",
    "the joint carries weight in another mesh that shares the skin"};

constexpr std::array<ParamInfo, 1> params = {
    {{.name = "joints",
      .default_value = 256.0,
      .min = 0.0,
      .max = 65536.0,
      .unit = "joints",
      .meaning = "a skin with more joints than this, more than half of them unused, is a warning",
      .source = "joint palettes of common engines hold 256"}}};

/// Which slots carry weight in some mesh of the skin; empty when that cannot be known.
std::vector<bool> used_slots(const RuleInput& input, std::size_t skin) {
  std::vector<bool> used(input.asset.skins[skin].joints.size(), false);
  const std::vector<std::size_t>& bindings = input.facts.bindings_of_skin(skin);
  for (const std::size_t b : bindings) {
    for (const std::int32_t table : input.asset.bindings[b].influences) {
      if (table >= 0 && !is_complete(input.asset.influences[static_cast<std::size_t>(table)])) {
        return {};
      }
    }
    const InfluenceAnalysis& analysis = input.facts.influences(b);
    for (std::size_t slot = 0; slot < used.size() && slot < analysis.joints.size(); ++slot) {
      if (analysis.joints[slot].weighted() || analysis.joints[slot].weight_sum > 0.0) {
        used[slot] = true;
      }
    }
  }
  return bindings.empty() ? std::vector<bool>{} : used;
}

void check(const RuleInput& input, Sink& sink) {
  const double palette = input.param("joints");
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const auto skin = static_cast<std::int32_t>(s);
    const Skin& joints = input.asset.skins[s];
    const std::vector<bool> used = used_slots(input, s);
    std::uint64_t unused = 0;
    for (std::size_t slot = 0; slot < used.size(); ++slot) {
      if (!used[slot] && joints.joints[slot] >= 0) ++unused;
    }
    // Nothing used at all is weights-zero-sum's or skin-attributes-missing's to say.
    if (unused == 0 || unused == used.size()) continue;
    if (sink.skip({ElementKind::skin, skin, 0})) continue;
    const bool heavy = 2 * unused > used.size() && static_cast<double>(used.size()) > palette;
    Finding finding = finding_about(input, {ElementKind::skin, skin, 0},
                                    heavy ? Severity::warning : Severity::note);
    finding.count = unused;
    for (std::size_t slot = 0; slot < used.size(); ++slot) {
      if (finding.related.size() >= input.max_samples) break;
      if (used[slot] || joints.joints[slot] < 0) continue;
      finding.related.push_back({ElementKind::joint, skin, static_cast<std::int32_t>(slot)});
      finding.samples.push_back(
          {static_cast<std::int64_t>(slot), 0.0, input.asset.node_name(joints.joints[slot])});
    }
    finding.sample_of = "joint";
    finding.sample_unit = "none";
    finding.measured = {whole("unused_joints", unused, "joints"),
                        whole("joints", used.size(), "joints")};
    finding.message = fmt::format("{} of {} joints carry no weight", unused, used.size());
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_unused_joint{
    {.id = "weights-unused-joint",
     .severity = Severity::warning,
     .stage = Stage::budget,
     .scope = ElementKind::skin,
     .summary = "Joints of a skin move no vertex",
     .why = "They cost a matrix each in every frame and count against the engine's joint limit.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "None on screen; a skin beyond the joint limit is split or refused.",
                .action = "Take joints that move nothing out of the skin when it is over the "
                          "engine's limit; keep sockets and helpers in the scene as plain nodes.",
                .maya = "Skin > Edit Influences > Remove Unused Influences.",
                .max = "Skin modifier > Parameters > Bones: Remove the bones listed here.",
                .blender =
                    "Bone properties > Deform off for helpers; export with Export Deformation "
                    "Bones Only."},
     .source = "glTF 2.0 section 3.7.3 (every joint of a skin has a matrix); FBX empty clusters",
     .params = params},
    check};

}  // namespace skinlint::rules
