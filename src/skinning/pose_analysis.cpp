#include "skinning/pose_analysis.h"

#include <algorithm>
#include <cmath>

#include "skinning/joint_turns.h"
#include "skinning/mesh_evaluator.h"

namespace skinlint {
namespace {

// A bend that keeps more than this of its volume looks sound.
constexpr double kVolumeKept = 0.9;

std::vector<MatrixFault> matrix_faults(const BindAnalysis& bind) {
  std::vector<MatrixFault> faults;
  const bool drifting = bind.state == BindState::drift || bind.state == BindState::exploded;
  for (std::size_t j = 0; j < bind.joints.size(); ++j) {
    const JointBind& joint = bind.joints[j];
    if (!joint.weighted) continue;
    const bool drifts = drifting && joint.drifts;
    if (joint.use == JointBind::Use::usable && !drifts) continue;
    faults.push_back({static_cast<std::int32_t>(j), joint.use,
                      joint.use == JointBind::Use::usable ? joint.relative.displacement : 0.0,
                      joint.use != JointBind::Use::usable || joint.subtree_root});
  }
  std::stable_sort(faults.begin(), faults.end(), [](const MatrixFault& a, const MatrixFault& b) {
    return a.starts != b.starts ? a.starts : a.displacement > b.displacement;
  });
  return faults;
}

PoseKind kind_of(const PoseFigures& figures, bool matrix, bool weight) {
  if (matrix) return PoseKind::matrix;
  if (weight) return PoseKind::weight;
  const bool lost = figures.volume_ratio && *figures.volume_ratio < kVolumeKept;
  return lost || figures.inverted_triangles != 0 ? PoseKind::blending : PoseKind::none;
}

}  // namespace

std::string_view pose_kind_name(PoseKind kind) {
  switch (kind) {
    case PoseKind::none:
      return "none";
    case PoseKind::matrix:
      return "matrix";
    case PoseKind::weight:
      return "weight";
    case PoseKind::blending:
      return "blending";
  }
  return "";
}

std::vector<Turn> turns_of(std::int32_t slot) {
  std::vector<Turn> turns;
  for (const Turn::Axis axis : {Turn::Axis::x, Turn::Axis::y, Turn::Axis::z})
    for (const double angle : {90.0, -90.0}) turns.push_back({slot, axis, angle});
  turns.push_back({slot, Turn::Axis::twist, 180.0});
  return turns;
}

std::string turn_name(const Asset& asset, const BoundMesh& mesh, const Turn& turn) {
  const std::string joint = asset.node_name(mesh.bones[static_cast<std::size_t>(turn.slot)].node);
  if (turn.axis == Turn::Axis::twist) return joint + ":twist180";
  const char axis = turn.axis == Turn::Axis::x ? 'x' : turn.axis == Turn::Axis::y ? 'y' : 'z';
  return joint + ":" + axis + (turn.angle_deg < 0 ? "-90" : "+90");
}

Vec3 turn_axis(const BoundJoint& bone, const Turn& turn) {
  switch (turn.axis) {
    case Turn::Axis::x:
      return bone.axes.col(0);
    case Turn::Axis::y:
      return bone.axes.col(1);
    case Turn::Axis::z:
      return bone.axes.col(2);
    case Turn::Axis::twist:
      break;
  }
  return bone.along;
}

PoseAnalysis analyse_poses(const PoseInput& input) {
  const Asset& asset = *input.asset;
  const BindAnalysis& bind = *input.bind;
  PoseAnalysis out;
  out.binding = input.binding;
  if (bind.state == BindState::unknown) {
    out.because = bind.unknown_because;
    out.matrix_faults = matrix_faults(bind);
    return out;
  }
  if (!is_finite(bind.consensus) || !(bind.size > 0.0)) {
    out.because = "no vertex has both a finite position and an influence";
    return out;
  }
  out.mesh = bound_mesh(asset, input.binding, bind.consensus, bind.size);
  out.matrix_faults = matrix_faults(bind);
  out.weight_faults = find_weight_faults(out.mesh, input.limits);
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
  const bool quaternions = input.method.value_or(skin.method) == SkinningMethod::dual_quaternion;
  std::vector<bool> off(out.mesh.bones.size(), false), torn(out.mesh.bones.size(), false);
  for (const MatrixFault& fault : out.matrix_faults)
    off[static_cast<std::size_t>(fault.slot)] = true;
  for (const WeightFault& fault : out.weight_faults)
    for (const std::int32_t slot : fault.shown_by) torn[static_cast<std::size_t>(slot)] = true;
  for (std::size_t j = 0; input.turns && j < out.mesh.bones.size(); ++j) {
    const BoundJoint& bone = out.mesh.bones[j];
    if (!bone.usable) continue;
    const auto slot = static_cast<std::int32_t>(j);
    const std::vector<float> below = weights_below(out.mesh, slot);
    const Zone zone = zone_of_turn(out.mesh, below);
    if (zone.triangles.empty()) {
      ++out.still_joints;
      continue;
    }
    for (const Turn& turn : turns_of(slot)) {
      PoseResult result;
      result.name = turn_name(asset, out.mesh, turn);
      result.turn = turn;
      const PointMover mover(out.mesh,
                             turn_motions(out.mesh, slot, turn_axis(bone, turn),
                                          turn.angle_deg * std::acos(-1.0) / 180.0),
                             quaternions);
      result.figures = measure_pose(out.mesh, zone, mover);
      result.kind = kind_of(result.figures, off[j], torn[j]);
      out.poses.push_back(std::move(result));
    }
    out.limits.push_back(measure_joint(out.mesh, slot, zone, below));
  }
  if (input.poses.empty()) return out;
  const std::optional<Mat4> mesh_from_world = affine_inverse(bind.consensus);
  if (!mesh_from_world) return out;
  const Zone everything = whole_mesh(out.mesh);
  const bool any_off = !out.matrix_faults.empty();
  for (const AssetPose* pose : input.poses) {
    PoseResult result;
    result.name = pose->name;
    SkinMatrices matrices = skin_matrices(asset, input.binding, pose->world_from_node);
    for (Mat4& m : matrices.world_from_mesh) m = m * *mesh_from_world;
    const PointMover mover(out.mesh, std::move(matrices.world_from_mesh), quaternions);
    result.figures = measure_pose(out.mesh, everything, mover);
    result.kind = kind_of(result.figures, any_off, false);
    if (pose->compare)
      result.comparisons = compare_evaluations(asset, input.binding, bind.consensus, *pose);
    out.poses.push_back(std::move(result));
  }
  return out;
}

}  // namespace skinlint
