#include "rules/skeleton_nodes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "rules/joint_list.h"
#include "skinning/hierarchy.h"

namespace skinlint::rules {

bool is_joint_or_bone(const Node& node) { return node.is_joint || is_bone(node); }

std::vector<bool> nodes_moving_vertices(const RuleInput& input) {
  const Asset& asset = input.asset;
  std::vector<bool> moving(asset.nodes.size(), false);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<bool> weighted = weighted_slots(input, s);
    for (std::size_t slot = 0; slot < weighted.size(); ++slot) {
      const std::int32_t node = asset.skins[s].joints[slot];
      if (weighted[slot] && node >= 0) moving[static_cast<std::size_t>(node)] = true;
    }
  }
  for (std::size_t n = asset.nodes.size(); n-- > 0;) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (moving[n] && parent >= 0) moving[static_cast<std::size_t>(parent)] = true;
  }
  return moving;
}

std::int32_t skeleton_top(const RuleInput& input, std::size_t skin) {
  return common_ancestor(input.asset, input.facts.depth_of_node(), input.asset.skins[skin].joints);
}

std::vector<bool> nodes_above_skeleton(const RuleInput& input, std::size_t skin) {
  std::vector<bool> above(input.asset.nodes.size(), false);
  for (std::int32_t n = skeleton_top(input, skin); n >= 0;
       n = input.asset.nodes[static_cast<std::size_t>(n)].parent) {
    above[static_cast<std::size_t>(n)] = true;
  }
  return above;
}

std::vector<bool> rescaled_since_bind(const RuleInput& input, std::size_t skin) {
  constexpr double limit = 1e-3;
  std::vector<bool> rescaled(input.asset.skins[skin].joints.size(), false);
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const BindAnalysis& bind = input.facts.bind(b);
    for (std::size_t slot = 0; slot < rescaled.size() && slot < bind.joints.size(); ++slot) {
      const JointBind& joint = bind.joints[slot];
      if (joint.subtree_root &&
          (std::abs(joint.own.log_scale) > limit || joint.own.non_uniformity > limit)) {
        rescaled[slot] = true;
      }
    }
  }
  return rescaled;
}

double smallest_scale(const Node& node) {
  if (!node.parent_from_node.allFinite()) return std::nan("");
  if (!node.local.has_matrix && node.local.scale.allFinite() &&
      node.local.scale.cwiseAbs().minCoeff() == 0.0) {
    return 0.0;  // exactly, whatever rotation rounds it to
  }
  return smallest_singular_value(linear(node.parent_from_node));
}

std::vector<std::int32_t> flattened_by(const Asset& asset, double limit) {
  std::vector<std::int32_t> blamed(asset.nodes.size(), -1);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const Node& node = asset.nodes[i];
    if (node.parent >= 0) blamed[i] = blamed[static_cast<std::size_t>(node.parent)];
    if (blamed[i] < 0 && smallest_scale(node) < limit) blamed[i] = static_cast<std::int32_t>(i);
  }
  return blamed;
}

bool has_flattened_joint(const RuleInput& input, std::size_t skin,
                         const std::vector<std::int32_t>& flattened) {
  const std::vector<std::int32_t>& joints = input.asset.skins[skin].joints;
  const std::vector<bool> weighted = weighted_slots(input, skin);
  for (std::size_t slot = 0; slot < joints.size(); ++slot) {
    if (weighted[slot] && joints[slot] >= 0 &&
        flattened[static_cast<std::size_t>(joints[slot])] >= 0) {
      return true;
    }
  }
  return false;
}

bool is_bone(const Node& node) {
  return node.attribute == "LimbNode" || node.attribute == "Limb" || node.attribute == "Root";
}

std::vector<std::size_t> distinct_skeletons(const Asset& asset) {
  std::vector<std::size_t> first;
  std::set<std::vector<std::int32_t>> known;
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (known.insert(asset.skins[s].joints).second) first.push_back(s);
  }
  return first;
}

Subtrees::Subtrees(const Asset& asset)
    : first_(asset.nodes.size(), 0), size_(asset.nodes.size(), 1) {
  const auto parent = [&asset](std::size_t n) { return asset.nodes[n].parent; };
  for (std::size_t n = size_.size(); n-- > 0;) {
    if (parent(n) >= 0) size_[static_cast<std::size_t>(parent(n))] += size_[n];
  }
  std::vector<std::size_t> free(size_.size());  // next place below each node
  std::size_t free_root = 0;
  for (std::size_t n = 0; n < size_.size(); ++n) {
    std::size_t& next = parent(n) >= 0 ? free[static_cast<std::size_t>(parent(n))] : free_root;
    first_[n] = next;
    next += size_[n];
    free[n] = first_[n] + 1;
  }
}

bool Subtrees::holds(std::int32_t above, std::int32_t node) const {
  const auto a = static_cast<std::size_t>(above), n = static_cast<std::size_t>(node);
  return first_[a] <= first_[n] && first_[n] < first_[a] + size_[a];
}

}  // namespace skinlint::rules
