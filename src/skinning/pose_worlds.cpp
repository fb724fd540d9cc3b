#include "skinning/pose_worlds.h"

#include "skinning/mesh_evaluator.h"

namespace skinlint {

std::vector<Mat4> bind_worlds(const Asset& asset, const std::vector<Mat4>& rest,
                              const std::vector<Mat4>& bind) {
  std::vector<std::optional<Mat4>> bound(asset.nodes.size());
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    if (!is_finite(bind[b])) continue;
    const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[b].skin)];
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      if (skin.joints[j] < 0 || bound[static_cast<std::size_t>(skin.joints[j])]) continue;
      const std::optional<Mat4> stored = stored_joint_from_mesh(skin, j);
      const std::optional<Mat4> mesh_from_joint = stored ? affine_inverse(*stored) : std::nullopt;
      if (mesh_from_joint)
        bound[static_cast<std::size_t>(skin.joints[j])] = Mat4(bind[b] * *mesh_from_joint);
    }
  }
  std::vector<Mat4> world(rest);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (bound[n]) {
      world[n] = *bound[n];
    } else if (parent >= 0) {
      const auto above = static_cast<std::size_t>(parent);
      if (const std::optional<Mat4> inverse = affine_inverse(rest[above]))
        world[n] = world[above] * *inverse * rest[n];
    }
  }
  return world;
}

void move_below(const Asset& asset, std::int32_t node, const Mat4& motion,
                std::vector<Mat4>& world_from_node) {
  std::vector<bool> moves(asset.nodes.size(), false);
  for (auto n = static_cast<std::size_t>(node); n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    moves[n] = static_cast<std::int32_t>(n) == node ||
               (parent >= 0 && moves[static_cast<std::size_t>(parent)]);
    if (moves[n]) world_from_node[n] = motion * world_from_node[n];
  }
}

Mat4 own_motion(const Mat4& world, const Vec3& radians, const Vec3& offset) {
  Mat4 motion = Mat4::Identity();
  const TransformParts parts = decompose(world);
  if (!parts.valid) return motion;
  const Mat3 axes = parts.rotation.toRotationMatrix();
  Mat3 turn = Mat3::Identity();
  for (Eigen::Index a = 0; a < 3; ++a)
    turn = Eigen::AngleAxisd(radians[a], axes.col(a)).toRotationMatrix() * turn;
  motion.topLeftCorner<3, 3>() = turn;
  motion.topRightCorner<3, 1>() = parts.translation - turn * parts.translation + axes * offset;
  return motion;
}

}  // namespace skinlint
