#include "rules/bind_records.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace skinlint::rules {

MatrixChange change_between(const Mat4& from, const Mat4& to, const Box& box) {
  MatrixChange out;
  if (!from.allFinite() || !to.allFinite()) {
    out.displacement = std::nan("");
    return out;
  }
  if (!box.isEmpty()) {
    for (int c = 0; c < 8; ++c) {
      const Vec3 corner = box.corner(static_cast<Box::CornerType>(c));
      out.displacement = std::max(
          out.displacement, (transform_point(from, corner) - transform_point(to, corner)).norm());
    }
  }
  const std::optional<Mat4> inverse = affine_inverse(from);
  if (!inverse) return out;
  const TransformParts parts = decompose(to * *inverse);
  if (!parts.valid) return out;
  out.angle_deg = parts.angle_deg;
  out.scale = parts.uniform_scale();
  out.non_uniformity = parts.non_uniformity();
  out.mirrored = parts.mirrored;
  out.valid = true;
  return out;
}

Box box_in_joint(const RuleInput& input, std::size_t binding, std::size_t slot) {
  const Asset& asset = input.asset;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  const InfluenceAnalysis& influences = input.facts.influences(binding);
  Box box;
  if (slot >= skin.joint_from_mesh.size() || !skin.joint_from_mesh[slot] ||
      slot >= influences.joints.size()) {
    return box;
  }
  const JointInfluence& joint = influences.joints[slot];
  if (!joint.weighted()) return box.extend(Vec3(Vec3::Zero()));
  const Mat4& joint_from_mesh = *skin.joint_from_mesh[slot];
  Box mesh_box = joint.heavy_box;
  mesh_box.extend(joint.centroid());
  for (int c = 0; c < 8; ++c) {
    box.extend(transform_point(joint_from_mesh, mesh_box.corner(static_cast<Box::CornerType>(c))));
  }
  return box;
}

std::optional<Mat4> mesh_node_at_bind(const RuleInput& input, std::size_t binding) {
  const Asset& asset = input.asset;
  const BindAnalysis& bind = input.facts.bind(binding);
  if (!is_fbx(asset.format) || bind.state == BindState::unknown) return std::nullopt;
  const std::optional<Mat4> geometry_from_node =
      affine_inverse(asset.bindings[binding].node_from_geometry);
  if (!geometry_from_node) return std::nullopt;
  return bind.consensus * *geometry_from_node;
}

bool moved_as_a_whole(const RuleInput& input, std::size_t binding) {
  const std::optional<Mat4> at_bind = mesh_node_at_bind(input, binding);
  if (!at_bind) return false;
  const std::optional<Mat4> node_from_world = affine_inverse(*at_bind);
  const std::int32_t node = input.asset.bindings[binding].node;
  const Mat4& now = input.facts.world_from_node()[static_cast<std::size_t>(node)];
  if (!node_from_world || !now.allFinite()) return false;
  const Mat4 moved = now * *node_from_world;
  const BindAnalysis& bind = input.facts.bind(binding);
  Box world_box;
  const Box& vertices = input.facts.influences(binding).box;
  for (int c = 0; c < 8; ++c) {
    world_box.extend(
        transform_point(bind.consensus, vertices.corner(static_cast<Box::CornerType>(c))));
  }
  // The joints' drift is itself known within tau only.
  const double tolerance = 10.0 * bind.tau * bind.size;
  if (change_between(Mat4::Identity(), moved, world_box).displacement <= tolerance) return false;
  return std::all_of(bind.joints.begin(), bind.joints.end(), [&](const JointBind& joint) {
    return !joint.weighted ||
           (joint.use == JointBind::Use::usable &&
            change_between(joint.drift, moved, world_box).displacement <= tolerance);
  });
}

std::vector<std::vector<const Mat4*>> bind_pose_matrices(const Asset& asset) {
  std::vector<std::vector<const Mat4*>> matrices(asset.nodes.size());
  for (const BindPose& pose : asset.bind_poses) {
    for (const BindPose::Entry& entry : pose.entries) {
      if (entry.node < 0) continue;
      matrices[static_cast<std::size_t>(entry.node)].push_back(&entry.world_from_node);
    }
  }
  return matrices;
}

double largest_scale_change(const Asset& asset, std::int32_t node) {
  const Node& scaled = asset.nodes[static_cast<std::size_t>(node)];
  double largest = scaled.fbx ? (scaled.fbx->scaling - Vec3::Ones()).cwiseAbs().maxCoeff() : 0.0;
  for (const Clip& clip : asset.clips) {
    for (const Channel& channel : clip.channels) {
      const Stream& values = channel.values;
      if (channel.node != node || channel.path != ChannelPath::scale || !values.readable() ||
          values.components != 3 || channel.interpolation == Interpolation::cubic) {
        continue;  // FBX curves arrive as linear keys; a tangent is no scale
      }
      std::array<double, 3> key{};
      for (std::size_t k = 0; k < values.count; ++k) {
        read_values(values, k, 1, key.data());
        for (const double s : key) largest = std::max(largest, std::abs(s - 1.0));
      }
    }
  }
  return largest;
}

}  // namespace skinlint::rules
