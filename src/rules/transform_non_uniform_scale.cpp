#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// Difference of the largest and smallest scale of a node's own transform; 0 when it has none to
/// speak of (not finite, singular: other rules').
double unevenness(const Node& node) {
  if (node.fbx && node.fbx->inherit_type != InheritType::RSrs) {
    // parent_from_node then holds what the node does not inherit: transform-inherit-type's.
    const Vec3 s = node.fbx->scaling.cwiseAbs();
    return s.allFinite() && s.minCoeff() > 0.0 ? s.maxCoeff() / s.minCoeff() - 1.0 : 0.0;
  }
  const TransformParts parts = decompose(node.parent_from_node);
  return parts.valid ? parts.non_uniformity() : 0.0;
}

bool has_joint_below(const Asset& asset, std::int32_t node) {
  const std::vector<std::int32_t>& children = asset.nodes[static_cast<std::size_t>(node)].children;
  return std::any_of(children.begin(), children.end(), [&asset](std::int32_t child) {
    return asset.nodes[static_cast<std::size_t>(child)].is_joint;
  });
}

/// Joints whose world axes are no longer square.
std::uint64_t sheared_joints(const RuleInput& input, std::size_t skin, double limit) {
  const std::vector<std::int32_t>& nodes = input.asset.skins[skin].joints;
  return static_cast<std::uint64_t>(std::count_if(nodes.begin(), nodes.end(), [&](std::int32_t n) {
    if (n < 0) return false;
    const Mat4& world = input.facts.world_from_node()[static_cast<std::size_t>(n)];
    return world.allFinite() && off_orthogonality(linear(world)) > limit;
  }));
}

void report(const RuleInput& input, Sink& sink, Finding finding, std::size_t skin, double worst,
            const std::string& names, std::uint64_t count, double shear_limit) {
  const std::uint64_t sheared = sheared_joints(input, skin, shear_limit);
  finding.measured = {real("worst_unevenness", 100.0 * worst, "%"),
                      whole("sheared_joints", sheared, "joints")};
  finding.message = fmt::format(
      "{} scaled unevenly ({}), axes differing by up to {}{}",
      counted(count, "node is", "nodes are"), names, percent(100.0 * worst),
      sheared > 0 ? fmt::format("; {} sheared by it", counted(sheared, "joint is", "joints are"))
                  : "");
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("unevenness"), shear = input.param("shear");
  std::vector<bool> judged(asset.nodes.size(), false);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    const std::vector<bool> weighted = weighted_slots(input, s);
    std::vector<bool> rescaled;
    std::vector<JointAmount> uneven;
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      const std::int32_t node = skin.joints[slot];
      if (node < 0 || judged[static_cast<std::size_t>(node)]) continue;
      if (!weighted[slot] && !has_joint_below(asset, node)) continue;
      judged[static_cast<std::size_t>(node)] = true;
      const double amount = unevenness(asset.nodes[static_cast<std::size_t>(node)]);
      if (!(amount > limit)) continue;
      if (rescaled.empty()) rescaled = rescaled_since_bind(input, s);
      const auto index = static_cast<std::int32_t>(slot);
      if (rescaled[slot] || sink.skip(joint_ref(s, index))) continue;
      uneven.push_back({index, amount});
    }
    sort_worst_first(uneven);
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (!uneven.empty() && !sink.skip(element)) {
      Finding finding = finding_about(input, element, Severity::warning);
      put_joints(finding, input, s, uneven);
      report(input, sink, std::move(finding), s, uneven.front().amount,
             joint_names(asset, s, uneven), uneven.size(), shear);
    }
  }
  // Nodes above or between joints that are no joints themselves.
  const std::vector<bool> moving = nodes_moving_vertices(input);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (!moving[n] || asset.nodes[n].is_joint || judged[n]) continue;
    const double amount = unevenness(asset.nodes[n]);
    const auto index = static_cast<std::int32_t>(n);
    const ElementRef element{ElementKind::node, index, 0};
    if (!(amount > limit) || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::warning);
    finding.measured = {real("worst_unevenness", 100.0 * amount, "%")};
    finding.message = fmt::format("{}, above joints, is scaled unevenly: axes differ by {}",
                                  asset.node_name(index), percent(100.0 * amount));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"unevenness", 1e-3, 1e-6, 10.0, "", "difference of a node's scales, largest over smallest",
     "float32 transforms stay below 1e-5; one part in a thousand is meant or mistaken"},
    {"shear", 1e-3, 1e-6, 1.0, "", "cosine between world axes that counts as sheared",
     "float32 chains stay below 1e-5"}};
constexpr std::string_view not_a_fault_when[] = {
    "a joint without weight and without joints below, such as a socket",
    "the joint was scaled after binding: bind-rest-differs tells of it",
    "a rig that squashes and stretches on purpose: set the rule off for it"};

}  // namespace

const Rule transform_non_uniform_scale = {
    {.id = "transform-non-uniform-scale",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A joint, or a node above joints, is scaled unevenly",
     .why =
         "A rotated child of an unevenly scaled joint is sheared; engines that store translation, "
         "rotation and scale cannot hold shear and show another pose.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Limbs slant or change thickness as they turn, differently in each "
                           "engine.",
                .action =
                    "Set the joints' scales to 1 before binding; model proportions in the mesh, "
                    "not by scaling joints.",
                .maya = "Modify > Freeze Transformations (Scale) on the joints before Skin > Bind "
                        "Skin.",
                .max = "Hierarchy > Adjust Transform > Reset Scale on the bones; scale the mesh "
                       "instead.",
                .blender = "Object > Apply > Scale on the armature; Bone > Relations > Inherit "
                           "Scale: None or Average for the children."},
     .source = "singular values of the local transform; angles between world axes",
     .params = params},
    check};

}  // namespace skinlint::rules
