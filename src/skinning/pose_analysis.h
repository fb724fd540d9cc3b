#pragma once
// `pose`: a binding under stress. Three things are told apart: matrix faults (the bind itself is
// broken), weight faults (neighbours tear) and what linear blending does to sound weights.

#include <optional>
#include <string>
#include <vector>

#include "skinning/bind_analysis.h"
#include "skinning/pose_comparisons.h"
#include "skinning/pose_figures.h"
#include "skinning/weight_faults.h"

namespace skinlint {

enum class PoseKind : std::uint8_t { none, matrix, weight, blending };
std::string_view pose_kind_name(PoseKind kind);

/// What a pose turns.
struct Turn {
  enum class Axis : std::uint8_t { x, y, z, twist };
  std::int32_t slot = -1;
  Axis axis = Axis::x;
  double angle_deg = 0.0;
};
/// "upper_arm.L:x+90", "upper_arm.L:twist180".
std::string turn_name(const Asset& asset, const BoundMesh& mesh, const Turn& turn);
/// +-90 degrees about each of the joint's axes and a twist of 180.
std::vector<Turn> turns_of(std::int32_t slot);
/// The turn's axis in the world and its angle.
Vec3 turn_axis(const BoundJoint& bone, const Turn& turn);

struct PoseResult {
  std::string name;
  std::optional<Turn> turn;  // empty: a whole pose
  PoseKind kind = PoseKind::none;
  PoseFigures figures;
  std::optional<PoseComparisons> comparisons;  // of whole poses
};

/// A joint whose matrices break the bind: it drifts, or cannot be used.
struct MatrixFault {
  std::int32_t slot = -1;
  JointBind::Use use = JointBind::Use::usable;
  double displacement = 0.0;  // metres; 0 where it cannot be computed
  bool starts = true;         // it moved by itself, not because the joint above did
};

struct PoseAnalysis {
  std::size_t binding = 0;
  BoundMesh mesh;
  std::vector<MatrixFault> matrix_faults;  // worst first
  std::vector<WeightFault> weight_faults;  // worst first
  std::vector<PoseResult> poses;           // turns by joint, then whole poses as given
  std::vector<JointLimits> limits;         // of joints that deform something, by slot
  std::size_t still_joints = 0;            // joints whose turn bends no triangle
  std::string because;                     // why there is nothing to pose; empty: there is
};

struct PoseInput {
  const Asset* asset = nullptr;
  std::size_t binding = 0;
  const BindAnalysis* bind = nullptr;
  std::vector<const AssetPose*> poses;  // whole poses beside the turns
  bool turns = true;
  std::optional<SkinningMethod> method;  // empty: as the skin says
  WeightFaultLimits limits;
};

/// Pure; O(joints * points + sum of zones), whole poses O(points) each.
PoseAnalysis analyse_poses(const PoseInput& input);

}  // namespace skinlint
