#include "skinning/bind_analysis.h"

#include <algorithm>
#include <cmath>

#include "skinning/bind_parts.h"

namespace skinlint {
namespace {

using bind_detail::JointMatrix;

constexpr double exploded_box = 5.0;
constexpr double exploded_stretch = 10.0;
constexpr std::size_t placement_min_joints = 5;

RelativeTransform relative_transform(const Mat4& a, const Mat4& b, const Vec3& point) {
  RelativeTransform out;
  out.displacement = (transform_point(a, point) - transform_point(b, point)).norm();
  const std::optional<Mat4> inverse = affine_inverse(b);
  if (!inverse) return out;
  const TransformParts parts = decompose(a * *inverse);
  if (!parts.valid) return out;
  out.angle_deg = parts.angle_deg;
  out.log_scale = std::log(parts.uniform_scale());
  out.non_uniformity = parts.non_uniformity();
  out.mirrored = parts.mirrored;
  return out;
}

std::size_t slot_count(const BindInput& input) {
  const Asset& asset = *input.asset;
  return asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)].joints.size();
}

/// Nearest ancestor of each slot's node that is a usable slot of the same skin; -1 for top joints.
std::vector<std::int32_t> parent_slots(const BindInput& input,
                                       const std::vector<JointMatrix>& joints) {
  const Asset& asset = *input.asset;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
  std::vector<std::int32_t> slot_of_node(asset.nodes.size(), -1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use == JointBind::Use::usable)
      slot_of_node[static_cast<std::size_t>(skin.joints[j])] = static_cast<std::int32_t>(j);
  }
  // Parents precede children, so one sweep carries the nearest slot down.
  std::vector<std::int32_t> nearest(asset.nodes.size(), -1);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (parent < 0) continue;
    const auto p = static_cast<std::size_t>(parent);
    nearest[n] = slot_of_node[p] >= 0 ? slot_of_node[p] : nearest[p];
  }
  std::vector<std::int32_t> parents(joints.size(), -1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (skin.joints[j] >= 0) parents[j] = nearest[static_cast<std::size_t>(skin.joints[j])];
  }
  return parents;
}

void find_drift(const BindInput& input, const std::vector<JointMatrix>& joints, BindAnalysis& out) {
  const double tolerance = out.tau * out.size;
  const std::optional<Mat4> consensus_inverse = affine_inverse(out.consensus);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointBind& joint = out.joints[j];
    if (joint.use != JointBind::Use::usable) continue;
    // FBX: the joint's own bind (TransformLink) takes the place of S, so that a spread of binds is
    // not drift.
    const Mat4& bind = !is_fbx(input.asset->format) ? out.consensus : joints[j].vote;
    const std::optional<Mat4> inverse =
        !is_fbx(input.asset->format) ? consensus_inverse : affine_inverse(bind);
    if (inverse) joint.drift = joints[j].rest_from_mesh * *inverse;
    joint.relative = relative_transform(joints[j].rest_from_mesh, bind, joints[j].centroid);
    joint.drifts = largest_distance(joints[j].rest_from_mesh, bind, joints[j].reach) > tolerance;
    if (joint.drifts && joint.weighted) ++out.drifting_joints;
  }
  const std::vector<std::int32_t> parents = parent_slots(input, joints);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointBind& joint = out.joints[j];
    if (joint.use != JointBind::Use::usable || !joint.drifts) continue;
    const Mat4 parent_drift = parents[j] >= 0
                                  ? out.joints[static_cast<std::size_t>(parents[j])].drift
                                  : Mat4(Mat4::Identity());
    Box world_box;  // where the drift acts: the joint's vertices as bound
    for (int c = 0; c < 8; ++c)
      world_box.extend(
          transform_point(out.consensus, joints[j].reach.corner(static_cast<Box::CornerType>(c))));
    joint.own = relative_transform(joint.drift, parent_drift,
                                   transform_point(out.consensus, joints[j].centroid));
    joint.subtree_root = largest_distance(joint.drift, parent_drift, world_box) > tolerance;
  }
}

void find_placement(const BindInput& input, const std::vector<JointMatrix>& joints,
                    BindAnalysis& out) {
  const Asset& asset = *input.asset;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
  if (!skin.matrix_count && skin.clusters.empty())
    return;  // identity binds say nothing about where joints belong
  std::vector<double> distances;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use != JointBind::Use::usable || j >= input.influences->joints.size()) continue;
    const Box& box = input.influences->joints[j].heavy_box;
    if (box.isEmpty()) continue;
    const Vec3 origin = translation(*affine_inverse(*skin.joint_from_mesh[j]));
    const Vec3 nearest = origin.cwiseMax(box.min()).cwiseMin(box.max());
    distances.push_back((linear(out.consensus) * (origin - nearest)).norm() / out.size);
  }
  out.placement_joints = distances.size();
  if (distances.size() < placement_min_joints) return;
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  out.placement = n % 2 == 1 ? distances[n / 2] : 0.5 * (distances[n / 2 - 1] + distances[n / 2]);
}

double largest_world_coordinate(const BindInput& input, const std::vector<JointMatrix>& joints,
                                const Mat4& consensus) {
  const Asset& asset = *input.asset;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
  double largest = 0.0;
  for (int c = 0; c < 8; ++c) {
    const Vec3 corner =
        transform_point(consensus, input.influences->box.corner(static_cast<Box::CornerType>(c)));
    largest = std::max(largest, corner.cwiseAbs().maxCoeff());
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use != JointBind::Use::usable || !joints[j].weighted) continue;
    largest = std::max(
        largest, translation((*input.world_from_node)[static_cast<std::size_t>(skin.joints[j])])
                     .cwiseAbs()
                     .maxCoeff());
  }
  return largest;
}

}  // namespace

double largest_distance(const Mat4& a, const Mat4& b, const Box& box) {
  if (box.isEmpty()) return 0.0;
  const Mat3 difference = linear(a) - linear(b);
  const Vec3 middle = difference * box.center() + (translation(a) - translation(b));
  if (difference.isZero(0.0)) return middle.norm();
  const Mat3 half = difference * (0.5 * box.sizes()).asDiagonal();
  double largest = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 signs((corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0,
                     (corner & 4) != 0 ? 1.0 : -1.0);
    largest = std::max(largest, (middle + half * signs).norm());
  }
  return largest;
}

double bottom_row_error(const Mat4& m) {
  return (m.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

std::string_view bind_state_name(BindState state) {
  switch (state) {
    case BindState::identity:
      return "identity";
    case BindState::common:
      return "common";
    case BindState::drift:
      return "drift";
    case BindState::exploded:
      return "exploded";
    case BindState::unknown:
      return "unknown";
  }
  return "";
}

std::string_view candidate_name(Candidate candidate) {
  switch (candidate) {
    case Candidate::identity:
      return "identity";
    case Candidate::mesh_node:
      return "mesh-node";
    case Candidate::ancestor:
      return "ancestor";
    case Candidate::ancestor_parent:
      return "ancestor-parent";
    case Candidate::none:
      return "none";
  }
  return "";
}

BindAnalysis analyse_bind(const BindInput& input) {
  BindAnalysis out;
  out.joints.resize(slot_count(input));
  const std::vector<JointMatrix> joints = bind_detail::joint_matrices(input);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    out.joints[j].use = joints[j].use;
    out.joints[j].weighted = joints[j].weighted;
    out.joints[j].world_from_mesh = joints[j].rest_from_mesh;
    if (joints[j].use == JointBind::Use::usable && joints[j].weighted) ++out.weighted_joints;
  }
  if (input.influences->box.isEmpty()) {
    out.unknown_because = "no vertex has an influence and a finite position";
    return out;
  }
  if (out.weighted_joints == 0) {
    out.unknown_because = "no joint with weight has a usable matrix";
    return out;
  }
  bind_detail::find_consensus(input, joints, out);
  out.size = bind_detail::exact_size(input, out.consensus);
  if (!(out.size > 0.0) || !std::isfinite(out.size)) {
    out.unknown_because = "the weighted vertices have no extent";
    return out;
  }
  out.tau = bind_detail::relative_tolerance(largest_world_coordinate(input, joints, out.consensus),
                                            out.size);
  find_drift(input, joints, out);

  const double tolerance = out.tau * out.size;
  double bound = 0.0;
  for (const JointMatrix& joint : joints) {
    if (joint.use != JointBind::Use::usable || !joint.weighted) continue;
    bound = std::max(bound,
                     largest_distance(joint.rest_from_mesh, out.consensus, input.influences->box));
  }
  if (bound <= tolerance) {
    out.max_displacement = bound;
    for (int c = 0; c < 8; ++c) {
      out.posed_box.extend(transform_point(
          out.consensus, input.influences->box.corner(static_cast<Box::CornerType>(c))));
    }
  } else {
    bind_detail::measure_displacement(input, joints, out);
  }
  const bool moves = out.max_displacement > tolerance;
  if (moves && (out.posed_box_ratio > exploded_box || out.edge_stretch > exploded_stretch)) {
    out.state = BindState::exploded;
  } else if (moves) {
    out.state = BindState::drift;
  } else {
    out.state = out.candidate == Candidate::identity ? BindState::identity : BindState::common;
  }
  find_placement(input, joints, out);
  return out;
}

}  // namespace skinlint
