#pragma once
// The evaluator's inverse: joints and morph activations that put given vertices where they are.

#include <string>
#include <vector>

#include "model/asset.h"
#include "model/result.h"

namespace skinlint {

struct SolveBinding {
  std::size_t binding = 0;
  Mat4 bind = Mat4::Identity();  // S
  double size = 0.0;             // L
};

struct SolveOptions {
  double ridge = 1e-6;  // least lambda, relative to the largest singular value
  int max_rounds = 200;
  bool morphs = true;
};

struct SolvedJoint {
  std::int32_t node = -1;
  Mat4 world_from_joint = Mat4::Identity();
  /// Against the nearest solved joint above it: about its own axes (X, then Y, then Z, as in a
  /// pose file), and metres along them.
  Vec3 rotation_deg = Vec3::Zero(), translation = Vec3::Zero();
  double weight = 0.0;      // sum over vertices
  bool determined = false;  // the vertices say where it is; else the ridge decided
};

struct Solution {
  std::vector<SolvedJoint> joints;          // that move vertices, parents first
  std::vector<std::vector<double>> morphs;  // per SolveBinding, per target
  std::vector<double> residual;  // metres per vertex, bindings in order; NaN: cannot be evaluated
  double largest = 0.0, root_mean_square = 0.0;
  std::size_t worst = 0;       // index into residual
  std::uint64_t left_out = 0;  // vertices that cannot be evaluated
  int rounds = 0;
};

/// Finds a rigid motion per joint and an activation per target by damped least squares: each round
/// solves the linearised problem with a ridge of lambda * sigma_max, shrinking lambda towards
/// options.ridge while it helps, then puts rotations back on the sphere. Joints of one node are one
/// joint in all bindings; linear blending. Starts from the rigid motion that fits each joint's own
/// vertices best, so large turns are found.
/// `target` holds world positions of every vertex of every binding, parts in order. Errors: another
/// number of vertices, a target that is not finite, nothing that can be evaluated.
Result<Solution, std::string> solve_pose(const Asset& asset,
                                         const std::vector<SolveBinding>& bindings,
                                         const std::vector<Vec3>& target,
                                         const SolveOptions& options = {});

}  // namespace skinlint
