#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

struct Victims {
  std::vector<ElementRef> joints;
  std::uint64_t weighted = 0;
  bool mesh = false;  // a skinned mesh node is at or below it
};

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> blamed = flattened_by(asset, input.param("scale"));
  if (std::all_of(blamed.begin(), blamed.end(), [](std::int32_t b) { return b < 0; })) return;

  std::vector<Victims> victims(asset.nodes.size());
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<bool> weighted = weighted_slots(input, s);
    for (std::size_t slot = 0; slot < asset.skins[s].joints.size(); ++slot) {
      const std::int32_t node = asset.skins[s].joints[slot];
      if (node < 0 || blamed[static_cast<std::size_t>(node)] < 0) continue;
      Victims& v = victims[static_cast<std::size_t>(blamed[static_cast<std::size_t>(node)])];
      v.joints.push_back(joint_ref(s, static_cast<std::int32_t>(slot)));
      if (weighted[slot]) ++v.weighted;
    }
  }
  for (const Binding& binding : asset.bindings) {
    const std::int32_t by = binding.node >= 0 ? blamed[static_cast<std::size_t>(binding.node)] : -1;
    if (by >= 0) victims[static_cast<std::size_t>(by)].mesh = true;
  }

  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    Victims& v = victims[i];
    if (v.joints.empty() && !v.mesh) continue;  // a hidden prop
    const auto index = static_cast<std::int32_t>(i);
    const ElementRef element{ElementKind::node, index, 0};
    if (sink.skip(element)) continue;
    const bool animated = input.facts.scale_animated(index);
    // glTF ignores the mesh node's own transform for a skin; only joints can then be flattened.
    const bool flattens = v.weighted > 0 || (v.mesh && is_fbx(asset.format));
    // A whole character shrunk out of sight by a node above it: tiny, but nothing is flat.
    const bool shrunk = !asset.nodes[i].is_joint &&
                        relative_determinant(linear(asset.nodes[i].parent_from_node)) >= 1e-12;
    Finding finding = finding_about(
        input, element, flattens && !animated && !shrunk ? Severity::error : Severity::warning);
    finding.count = std::max<std::uint64_t>(1, v.joints.size());
    finding.measured = {real("smallest_scale", smallest_scale(asset.nodes[i])),
                        whole("joints", v.joints.size()), whole("weighted_joints", v.weighted),
                        words("animated", animated ? "yes" : "no")};
    finding.sample_of = "joint";
    finding.sample_unit = "none";
    for (const ElementRef& joint : v.joints) {
      if (finding.samples.size() >= input.max_samples) break;
      finding.samples.push_back(
          {joint.sub, 0.0, joint_name(asset, static_cast<std::size_t>(joint.index), joint.sub)});
    }
    finding.message = fmt::format(
        "{} has scale 0: {}{}", asset.node_name(index),
        v.joints.empty()
            ? std::string("the skinned mesh node is flattened")
            : fmt::format("{} flat, {} with weight",
                          counted(v.joints.size(), "joint is", "joints are"), v.weighted),
        animated ? "; a clip keys the scale, so this may be a way to hide it" : "");
    finding.related = std::move(v.joints);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"scale", default_flat_scale, 0.0, 1e-2, "",
                                 "scale below which a transform counts as flat",
                                 "float32 chains lose such a scale in rounding"}};
constexpr std::string_view not_a_fault_when[] = {
    "a prop without skin below it is hidden by scale 0",
    "a clip keys the scale, or the joints below carry no weight: a warning",
    "a node above the skeleton shrinks all of it evenly to hide it: a warning"};

}  // namespace

const Rule transform_zero_scale = {
    {.id = "transform-zero-scale",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::node,
     .summary = "A joint, or a node above it, has scale 0",
     .why = "Everything below collapses into a plane, line or point; the joint's matrix has no "
            "inverse, so physics, retargeting and normals fail.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Part of the character is missing or shrunk to a point; lighting turns "
                           "black.",
                .action = "Give the node scale 1; hide parts by visibility or by a separate mesh "
                          "instead.",
                .maya = "Channel Box: Scale X, Y, Z to 1; check for set-driven keys on scale.",
                .max = "Hierarchy > Adjust Transform > Reset Scale on the bone.",
                .blender = "Pose mode: Pose > Clear Transform > Scale (Alt+S)."},
     .source = "skin matrix = world of joint x inverse bind matrix; 3x3 part of rank below 3",
     .params = params},
    check};

}  // namespace skinlint::rules
