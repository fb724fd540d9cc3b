#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/stream_scan.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {
/// A node's own fault in words; empty when it has none.
std::string node_fault(const Node& node, double limit) {
  const LocalTransform& local = node.local;
  if (local.has_matrix) {
    return local.matrix.allFinite() ? std::string() : "the matrix holds NaN or infinity";
  }
  if (!local.translation.allFinite()) return "the translation holds NaN or infinity";
  if (!local.rotation.allFinite()) return "the rotation holds NaN or infinity";
  if (!local.scale.allFinite()) return "the scale holds NaN or infinity";
  if (is_off_unit(local.rotation, limit)) {
    return fmt::format("the rotation quaternion has length {:.4g} instead of 1",
                       local.rotation.norm());
  }
  if (!node.parent_from_node.allFinite()) return "the transform holds NaN or infinity";
  return {};
}

bool spoils_children(const Node& node) {
  return !node.parent_from_node.allFinite() ||
         (!node.local.has_matrix && !(node.local.rotation.norm() > 0.0));
}

void check_nodes(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("unit_length");
  // The topmost node whose NaN reaches each node: its finding names the joints that it spoils.
  std::vector<std::int32_t> spoilt_by(asset.nodes.size(), -1);
  std::vector<std::string> faults(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const Node& node = asset.nodes[i];
    faults[i] = node_fault(node, limit);
    if (node.parent >= 0) spoilt_by[i] = spoilt_by[static_cast<std::size_t>(node.parent)];
    if (spoilt_by[i] < 0 && !faults[i].empty() && spoils_children(node)) {
      spoilt_by[i] = static_cast<std::int32_t>(i);
    }
  }
  std::map<std::int32_t, std::vector<ElementRef>> joints;  // by the node to blame
  for (std::size_t skin = 0; skin < asset.skins.size(); ++skin) {
    for (std::size_t slot = 0; slot < asset.skins[skin].joints.size(); ++slot) {
      const std::int32_t node = asset.skins[skin].joints[slot];
      if (node < 0) continue;
      const std::int32_t blamed = faults[static_cast<std::size_t>(node)].empty()
                                      ? spoilt_by[static_cast<std::size_t>(node)]
                                      : node;
      if (blamed >= 0) joints[blamed].push_back(joint_ref(skin, static_cast<std::int32_t>(slot)));
    }
  }
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (faults[i].empty()) continue;
    const auto index = static_cast<std::int32_t>(i);
    Finding finding = finding_about(input, {ElementKind::node, index, 0}, Severity::error);
    const LocalTransform& local = asset.nodes[i].local;
    if (!local.has_matrix)
      finding.measured.push_back(real("rotation_length", local.rotation.norm()));
    if (const auto found = joints.find(index); found != joints.end()) {
      finding.related = std::move(found->second);
    }
    finding.message = fmt::format("node {}: {}", asset.node_name(index), faults[i]);
    sink.report(std::move(finding));
  }
}

void check_matrices(const RuleInput& input, Sink& sink) {
  for (std::size_t skin = 0; skin < input.asset.skins.size(); ++skin) {
    std::vector<JointAmount> broken;
    const auto& matrices = input.asset.skins[skin].joint_from_mesh;
    for (std::size_t slot = 0; slot < matrices.size(); ++slot) {
      if (!matrices[slot] || matrices[slot]->allFinite()) continue;
      const auto entries = 16 - matrices[slot]->array().isFinite().count();
      broken.push_back({static_cast<std::int32_t>(slot), static_cast<double>(entries)});
    }
    if (broken.empty()) continue;
    sort_worst_first(broken);
    Finding finding = finding_about(input, {ElementKind::skin, static_cast<std::int32_t>(skin), 0},
                                    Severity::error);
    finding.poisons_element = false;
    put_joints(finding, input, skin, broken);
    finding.sample_unit = "none";
    finding.message = fmt::format(
        "{} NaN or infinity ({})",
        counted(broken.size(), "inverse bind matrix holds", "inverse bind matrices hold"),
        joint_names(input.asset, skin, broken));
    sink.report(std::move(finding));
  }
}

struct PartTally {
  std::uint64_t count = 0;
  WorstSamples samples;
  void add(std::size_t vertex) {
    ++count;
    samples.add(0.0, static_cast<std::int64_t>(vertex), static_cast<double>(vertex));
  }
};

/// Parts with influences were read by the influence pass, which marked the vertices; the others are
/// read here.
void check_positions(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  std::map<std::pair<std::int32_t, std::int32_t>, PartTally> broken;  // by mesh and part
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  std::set<const InfluenceAnalysis*> poisoned;  // bindings that share one share its suspects
  const auto tally_of = [&](std::int32_t mesh, std::size_t part) -> PartTally& {
    return broken
        .try_emplace({mesh, static_cast<std::int32_t>(part)},
                     PartTally{0, WorstSamples(input.max_samples)})
        .first->second;
  };
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    const InfluenceAnalysis& analysis = input.facts.influences(b);
    if (!poisoned.insert(&analysis).second) continue;
    std::set<std::pair<std::int32_t, std::int32_t>> fresh;
    for (std::size_t part = 0; part < binding.influences.size(); ++part) {
      const std::pair key{binding.mesh, static_cast<std::int32_t>(part)};
      if (binding.influences[part] >= 0 && seen.insert(key).second) fresh.insert(key);
    }
    for (std::size_t i = 0; i < analysis.suspects.size(); ++i) {
      const auto& [part, vertex, flags] = analysis.suspects[i];
      if ((flags & suspect_position) == 0) continue;
      sink.poison_suspect(b, i);
      if (fresh.count({binding.mesh, static_cast<std::int32_t>(part)}) == 0) continue;
      tally_of(binding.mesh, part).add(vertex);
    }
  }
  for (std::size_t mesh = 0; mesh < asset.meshes.size(); ++mesh) {
    const std::vector<MeshPart>& parts = asset.meshes[mesh].parts;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto index = static_cast<std::int32_t>(mesh);
      if (seen.count({index, static_cast<std::int32_t>(part)}) > 0) continue;
      scan_vectors(parts[part].positions,
                   [&](std::size_t vertex) { tally_of(index, part).add(vertex); });
    }
  }
  for (auto& [key, tally] : broken) {
    Finding finding =
        finding_about(input, {ElementKind::part, key.first, key.second}, Severity::error);
    finding.poisons_element = false;
    finding.count = tally.count;
    finding.samples = tally.samples.take();
    finding.sample_of = "vertex";
    finding.sample_unit = "none";
    finding.message = fmt::format(
        "{} NaN or infinite", counted(tally.count, "vertex position is", "vertex positions are"));
    sink.report(std::move(finding));
  }
}

std::string_view path_name(ChannelPath path) {
  constexpr std::string_view names[] = {"translation", "rotation", "scale", "weights", "pointer"};
  return names[static_cast<std::size_t>(path)];
}

KeyKind key_kind(const Channel& channel) {
  if (channel.path != ChannelPath::rotation) return KeyKind::plain;
  return channel.interpolation == Interpolation::cubic ? KeyKind::cubic_rotation
                                                       : KeyKind::rotation;
}

void check_keys(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("unit_length");
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    WorstSamples samples(input.max_samples);
    std::uint64_t non_finite = 0, off_unit = 0, channels = 0;
    for (const Channel& channel : asset.clips[c].channels) {
      const std::string label =
          fmt::format("{} {}", channel.node >= 0 ? asset.node_name(channel.node) : channel.pointer,
                      path_name(channel.path));
      const std::uint64_t before = non_finite + off_unit;
      const auto bad = [&](std::size_t key, double value) {
        ++(std::isnan(value) ? non_finite : off_unit);
        samples.add(std::isnan(value) ? value : std::abs(value - 1.0),
                    static_cast<std::int64_t>(key), value, label);
      };
      scan_keys(channel.times, KeyKind::plain, limit, bad);
      scan_keys(channel.values, key_kind(channel), limit, bad);
      if (non_finite + off_unit > before) ++channels;
    }
    if (non_finite + off_unit == 0) continue;
    Finding finding =
        finding_about(input, {ElementKind::clip, static_cast<std::int32_t>(c), 0}, Severity::error);
    finding.count = non_finite + off_unit;
    finding.measured = {whole("non_finite_keys", non_finite), whole("off_unit_keys", off_unit),
                        whole("channels", channels)};
    finding.samples = samples.take();
    finding.sample_of = "key";
    finding.message = fmt::format("{} in {}: {} not finite, {} with a rotation not of unit length",
                                  counted(finding.count, "broken key", "broken keys"),
                                  counted(channels, "channel", "channels"), non_finite, off_unit);
    sink.report(std::move(finding));
  }
}

void check(const RuleInput& input, Sink& sink) {
  check_nodes(input, sink);
  check_matrices(input, sink);
  check_positions(input, sink);
  check_keys(input, sink);
}

constexpr ParamInfo params[] = {{"unit_length", 0.00769, 1e-6, 1.0, "",
                                 "how far the length of a rotation quaternion may be from 1",
                                 "the Khronos glTF validator's limit for four components"}};
constexpr std::string_view not_a_fault_when[] = {
    "a quaternion is off unit length by rounding alone: inside the limit it is normalised before "
    "use"};

}  // namespace

const Rule transform_non_finite = {
    {.id = "transform-non-finite",
     .severity = Severity::error,
     .stage = Stage::read,
     .scope = ElementKind::node,
     .summary = "A transform, vertex, inverse bind matrix or key is NaN, infinite or no rotation",
     .why = "One NaN spreads to every joint below it and every vertex they touch; a rotation not "
            "of unit length scales or collapses what it turns.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "The mesh, or all of it below one joint, is invisible or flickers; bounds "
                     "are broken and the camera cannot frame it.",
          .action = "Set what is named here anew; find the constraint or script that wrote it.",
          .maya = "Select the node, reset its channels in the Channel Box; Edit > Delete by "
                  "Type > Non-Deformer History on the mesh.",
          .max = "Select the node, Motion panel > Parameters > Assign Controller: a fresh PRS "
                 "controller; on the mesh, Edit Poly and delete the broken vertices.",
          .blender = "Pose mode: Pose > Clear Transform > All; mesh: Edit mode, Select > All, "
                     "Mesh > Clean Up > Degenerate Dissolve."},
     .source = "glTF 2.0 sections 3.5.3 and 3.6.2.1 (accessors must not hold NaN or infinity; "
               "rotation is a unit quaternion)",
     .params = params},
    check};

}  // namespace skinlint::rules
