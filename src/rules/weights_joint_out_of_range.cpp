#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "a slot whose weight is zero and whose joint is in range, whatever joint it names",
    "the skin lists no joints at all: skeleton-joint-repeated says so"};

/// Every joint that the mesh names with weight is the node index of one of the skin's joints: the
/// exporter wrote nodes where slots belong.
bool look_like_nodes(const Asset& asset, const Binding& binding) {
  const Skin& skin = asset.skins[static_cast<std::size_t>(binding.skin)];
  const std::set<std::int64_t> nodes(skin.joint_ids.begin(), skin.joint_ids.end());
  for (const std::int32_t index : binding.influences) {
    if (index < 0) continue;
    InfluenceReader reader(asset.influences[static_cast<std::size_t>(index)]);
    for (InfluenceBlock block; reader.next(block);) {
      for (std::size_t v = 0; v < block.count; ++v) {
        const auto joints = block.joints_of(v);
        const auto weights = block.weights_of(v);
        for (std::size_t k = 0; k < joints.size(); ++k) {
          if (weights[k] > 0.0 && nodes.count(joints[k]) == 0) return false;
        }
      }
    }
  }
  return true;
}

void check_vertices(const RuleInput& input, Sink& sink, const BindingGroup& group) {
  const Binding& binding = input.asset.bindings[group.first];
  const std::size_t joint_count =
      input.asset.skins[static_cast<std::size_t>(binding.skin)].joints.size();
  if (joint_count == 0) return;
  VertexTally tally(input.max_samples);
  std::uint64_t entries = 0;
  std::uint32_t largest = 0;
  for_each_suspect(input, sink, group.first, suspect_out_of_range, [&](const SuspectVertex& at) {
    std::uint32_t worst = 0;
    double heaviest = 0.0;
    for (std::size_t k = 0; k < at.joints.size(); ++k) {
      if (at.joints[k] < joint_count) continue;
      ++entries;
      worst = std::max(worst, at.joints[k]);
      // A weight that is not a number is not zero.
      if (!(std::abs(at.weights[k]) <= heaviest)) heaviest = std::abs(at.weights[k]);
    }
    if (worst == 0) return;
    largest = std::max(largest, worst);
    const bool moves = heaviest != 0.0;
    if (moves) sink.poison_suspect(at.binding, at.index);
    tally.add(input.asset, at, moves ? Severity::error : Severity::warning,
              moves ? 1.0 + heaviest : 0.0, static_cast<double>(worst));
  });
  if (tally.total() == 0) return;
  Finding finding = finding_about(input, group, Severity::error);
  tally.put_into(finding);
  finding.measured.push_back(whole("largest_index", largest));
  finding.measured.push_back(whole("entries", entries));
  finding.limits = {whole("joints", joint_count)};
  finding.message =
      fmt::format("{} a joint that the skin does not have: index {} of {} joints",
                  counted(tally.total(), "vertex names", "vertices name"), largest, joint_count);
  if (tally.worst() == Severity::warning) finding.message += ", all with weight 0";
  if (look_like_nodes(input.asset, binding)) {
    finding.measured.push_back(words("hint", "node indices"));
    finding.message += "; the indices look like node indices, they must be places in skin.joints";
  }
  sink.report(std::move(finding));
}

void check_clusters(const RuleInput& input, Sink& sink) {
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const auto skin = static_cast<std::int32_t>(s);
    const std::vector<ClusterRecord>& clusters = input.asset.skins[s].clusters;
    Finding finding = finding_about(input, {ElementKind::skin, skin, 0}, Severity::error);
    finding.count = 0;
    finding.poisons_element = false;  // the matrices of these joints are sound
    WorstSamples samples(input.max_samples);
    std::uint64_t weighted = 0;
    std::int64_t worst = 0;
    for (std::size_t slot = 0; slot < clusters.size(); ++slot) {
      const ClusterRecord& cluster = clusters[slot];
      if (cluster.out_of_range == 0) continue;
      finding.count += cluster.out_of_range;
      weighted += cluster.out_of_range_weighted;
      if (std::abs(cluster.worst_index) > std::abs(worst)) {
        worst = cluster.worst_index;
      }
      samples.add(static_cast<double>(cluster.out_of_range), static_cast<std::int64_t>(slot),
                  static_cast<double>(cluster.worst_index), cluster.name);
      if (finding.related.size() < input.max_samples) {
        finding.related.push_back({ElementKind::joint, skin, static_cast<std::int32_t>(slot)});
      }
    }
    if (finding.count == 0) continue;
    if (weighted == 0) finding.severity = Severity::warning;
    finding.samples = samples.take();
    finding.sample_of = "joint";
    finding.measured = {real("worst_index", static_cast<double>(worst)),
                        whole("weighted_entries", weighted)};
    finding.message =
        fmt::format("{} a control point that the mesh does not have, e.g. {}",
                    counted(finding.count, "cluster entry names", "cluster entries name"), worst);
    sink.report(std::move(finding));
  }
}

void check(const RuleInput& input, Sink& sink) {
  check_clusters(input, sink);
  if (!is_gltf(input.asset.format)) return;
  for (const BindingGroup& group : influence_groups(input.asset)) {
    check_vertices(input, sink, group);
  }
}

}  // namespace

constinit const Rule weights_joint_out_of_range{
    {.id = "weights-joint-out-of-range",
     .severity = Severity::error,
     .stage = Stage::read,
     .scope = ElementKind::binding,
     .summary = "A weight names a joint, or a control point, that does not exist",
     .why = "Engines read past the end of the joint list: the vertex follows memory garbage, joint "
            "0, or the whole mesh is refused.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Vertices shoot to the origin or flicker; some drivers crash.",
                .action = "Export again with every joint that carries weight in the skin; scripts "
                          "that write files must count places in the skin's list, not nodes.",
                .maya = "Skin > Edit Influences > Add Influence for joints left out, then delete "
                        "history of deleted joints with Skin > Edit Influences > Remove Unused "
                        "Influences.",
                .max = "Skin modifier > Parameters > Bones: Add the missing bones, then reset the "
                       "vertices in Weight Properties > Weight Table.",
                .blender =
                    "Object Data Properties > Vertex Groups: remove groups without a bone; "
                    "in the exporter do not limit to deform bones when others carry weight."},
     .source = "glTF 2.0 section 3.7.3.3 (JOINTS_n are indices into skin.joints); FBX Cluster "
               "Indexes are control points of the deformed geometry",
     .params = {}},
    check};

}  // namespace skinlint::rules
