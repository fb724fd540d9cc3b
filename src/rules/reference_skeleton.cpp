#include "rules/reference_skeleton.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
Skeleton skeleton_of(const Facts& facts, const Skeleton* like) {
  const Asset& asset = facts.asset();
  std::vector<std::optional<Mat4>> bind(asset.nodes.size());
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const BindAnalysis& analysis = facts.bind(b);
    if (analysis.state == BindState::unknown) continue;
    const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[b].skin)];
    for (std::size_t slot = 0; slot < skin.joints.size() && slot < analysis.joints.size(); ++slot) {
      const std::int32_t node = skin.joints[slot];
      if (node < 0 || analysis.joints[slot].use != JointBind::Use::usable) continue;
      std::optional<Mat4>& known = bind[static_cast<std::size_t>(node)];
      if (known || !skin.joint_from_mesh[slot]) continue;
      if (const auto mesh_from_joint = affine_inverse(*skin.joint_from_mesh[slot])) {
        known = analysis.consensus * *mesh_from_joint;
      }
    }
  }
  std::set<std::string_view> names;
  if (like != nullptr && std::any_of(asset.nodes.begin(), asset.nodes.end(), is_joint_or_bone)) {
    for (const Skeleton::Joint& joint : like->joints) names.insert(joint.name);
  }
  Skeleton skeleton;
  std::vector<std::int32_t> joint_of(asset.nodes.size(), -1);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    if (!is_joint_or_bone(node) && (node.mesh >= 0 || names.count(node.name) == 0)) continue;
    Skeleton::Joint joint;
    joint.name = node.name;
    joint.node = static_cast<std::int32_t>(n);
    joint.deforms = node.is_joint;
    joint.bind = bind[n];
    joint.rest = facts.world_from_node()[n];
    for (std::int32_t at = node.parent; at >= 0 && joint.parent < 0;
         at = asset.nodes[static_cast<std::size_t>(at)].parent) {
      joint.parent = joint_of[static_cast<std::size_t>(at)];
    }
    joint_of[n] = static_cast<std::int32_t>(skeleton.joints.size());
    skeleton.joints.push_back(std::move(joint));
  }
  return skeleton;
}

}  // namespace skinlint::rules
