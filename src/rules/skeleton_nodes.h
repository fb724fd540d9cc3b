#pragma once
// What the transform-* rules ask of the nodes of a skin: which of them move vertices, where the
// skeleton begins, and which joints were scaled only after binding.

#include <cstdint>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

/// Some skin lists it, or FBX calls it a bone.
bool is_joint_or_bone(const Node& node);

/// Scale below which a transform counts as flat, when transform-zero-scale is not told otherwise.
inline constexpr double default_flat_scale = 1e-6;

/// Per node: a joint with weight stands at or below it.
std::vector<bool> nodes_moving_vertices(const RuleInput& input);

/// Deepest node at or above every joint of the skin; -1 when there is none.
std::int32_t skeleton_top(const RuleInput& input, std::size_t skin);

/// Per node of the asset: is it skeleton_top() of the skin or above it? It acts on all joints
/// alike.
std::vector<bool> nodes_above_skeleton(const RuleInput& input, std::size_t skin);

/// Per slot: the joint's own scale differs from the one it was bound with, in any mesh. That is a
/// change of pose, which bind-rest-differs reports.
std::vector<bool> rescaled_since_bind(const RuleInput& input, std::size_t skin);

/// Per node: the topmost node at or above it whose own scale is below `limit`; -1 for none. What
/// stands below one has no pose or size to speak of: transform-zero-scale's.
std::vector<std::int32_t> flattened_by(const Asset& asset, double limit = default_flat_scale);

/// Smallest scale of a node's own transform; NaN when it is not finite.
double smallest_scale(const Node& node);

/// A joint of the skin with weight is flattened; `flattened` as flattened_by() gives it.
bool has_flattened_joint(const RuleInput& input, std::size_t skin,
                         const std::vector<std::int32_t>& flattened);

/// FBX: the node is a bone by its type, whether or not a skin lists it (a bone without weight has
/// no cluster). False for glTF, which knows joints alone.
bool is_bone(const Node& node);

/// One skin per list of joints, in file order: what is said of the skeleton is said once, however
/// many skins repeat the list.
std::vector<std::size_t> distinct_skeletons(const Asset& asset);

/// Who stands below whom, answered at once.
class Subtrees {
 public:
  explicit Subtrees(const Asset& asset);
  /// `node` is `above` or stands below it, at any depth. Both must be nodes of the asset.
  bool holds(std::int32_t above, std::int32_t node) const;

 private:
  std::vector<std::size_t> first_, size_;  // place in depth-first order, nodes of the subtree
};

}  // namespace skinlint::rules
