#pragma once
// What FBX stores of the bind beside the clusters' matrices, and how two matrices of one node are
// compared: shared by the rules about clusters, bind poses and moved mesh nodes.

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

/// How one matrix differs from another, seen at some points.
struct MatrixChange {
  double displacement = 0.0;  // largest over the box's corners, metres
  double angle_deg = 0.0;
  double scale = 1.0;  // uniform factor
  double non_uniformity = 0.0;
  bool mirrored = false;
  bool valid = false;  // false: not finite, or `from` is singular; displacement is NaN or unset
};

/// From `from` to `to`, both mapping the space of `box` to the world. An empty box has no
/// displacement.
MatrixChange change_between(const Mat4& from, const Mat4& to, const Box& box);

/// Where the vertices that a joint moves lie, in the joint's own space at bind: the box of those it
/// weights most and their centroid; its origin when it carries no weight. Empty when the joint has
/// no usable matrix.
Box box_in_joint(const RuleInput& input, std::size_t binding, std::size_t slot);

/// World of the mesh node when the mesh was bound (FBX: TransformLink * Transform, which the skin's
/// joints share). Empty for glTF, and where the bind could not be analysed.
std::optional<Mat4> mesh_node_at_bind(const RuleInput& input, std::size_t binding);

/// FBX: the mesh node and every joint with weight took one and the same transform since the bind,
/// so that nothing is deformed: the character was moved as a whole. False when nothing moved.
bool moved_as_a_whole(const RuleInput& input, std::size_t binding);

/// Per node: its matrices in all bind poses, in file order. Entries that name no node are left out.
std::vector<std::vector<const Mat4*>> bind_pose_matrices(const Asset& asset);

/// Per node: FBX. The largest distance of its own scale from 1, at rest and at any key of a clip.
/// Constant keys of 1, as most exporters write for every node, count as no scale.
double largest_scale_change(const Asset& asset, std::int32_t node);

}  // namespace skinlint::rules
