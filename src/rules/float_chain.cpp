#include "rules/float_chain.h"

#include "rules/bind_records.h"
#include "rules/joint_list.h"

namespace skinlint::rules {
namespace {

/// Where the vertices lie that a joint moves most, in the joint's space. No stored matrices mean
/// identity: mesh space is the joint's.
Box moved_box(const RuleInput& input, std::size_t binding, std::size_t skin, std::size_t slot) {
  if (!has_no_matrices(input.asset, skin)) return box_in_joint(input, binding, slot);
  const JointInfluence& joint = input.facts.influences(binding).joints[slot];
  Box box = joint.heavy_box;
  return box.extend(joint.centroid());
}

}  // namespace

std::vector<Mat4f> float_worlds(const Asset& asset) {
  std::vector<Mat4f> world(asset.nodes.size());
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    if (node.world_from_node) {
      world[n] = node.world_from_node->cast<float>();
      continue;
    }
    const Mat4f local = node.parent_from_node.cast<float>();
    world[n] =
        node.parent < 0 ? local : Mat4f(world[static_cast<std::size_t>(node.parent)] * local);
  }
  return world;
}

FloatError float_error(const RuleInput& input, std::size_t binding,
                       const std::vector<Mat4f>& worlds) {
  const Asset& asset = input.asset;
  const auto s = static_cast<std::size_t>(asset.bindings[binding].skin);
  const Skin& skin = asset.skins[s];
  const BindAnalysis& bind = input.facts.bind(binding);
  FloatError worst;
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    if (!bind.joints[slot].weighted || skin.joints[slot] < 0) continue;
    const auto node = static_cast<std::size_t>(skin.joints[slot]);
    const Mat4& exact = input.facts.world_from_node()[node];
    const Box box = moved_box(input, binding, s, slot);
    if (!exact.allFinite() || !worlds[node].allFinite() || box.isEmpty()) continue;
    const double distance = largest_distance(exact, worlds[node].cast<double>(), box);
    if (worst.slot < 0 || distance > worst.distance) {
      worst = {distance, static_cast<std::int32_t>(slot)};
    }
  }
  return worst;
}

}  // namespace skinlint::rules
