#pragma once
// The evaluator over whole meshes: every vertex of a binding in one pose, in one pass over the
// file's streams. The same operator as evaluator.h, v' = sum_k c_k f_k(v), morph targets first.

#include <cstdint>
#include <optional>
#include <vector>

#include "skinning/dual_quaternion.h"
#include "skinning/evaluator.h"

namespace skinlint {

/// joint_from_mesh of a slot as evaluation takes it: the identity in a glTF skin that stores none
/// at all. Empty: the file has none for it.
std::optional<Mat4> stored_joint_from_mesh(const Skin& skin, std::size_t slot);

/// S_j of a binding in any pose: world_from_node[joint] * joint_from_mesh (identity where a glTF
/// skin stores none). Slots without node or matrix, and non-finite products, are not usable.
SkinMatrices skin_matrices(const Asset& asset, std::size_t binding,
                           const std::vector<Mat4>& world_from_node);

/// One binding in one pose.
struct MeshPose {
  SkinMatrices skin;
  /// S, world_from_mesh at bind, and per slot the joint's place at bind in the world. Dual
  /// quaternions blend the motions from bind, S_j * S^-1, and stretch about that place; linear
  /// blending uses neither.
  Mat4 bind = Mat4::Identity();
  std::vector<Vec3> pivots;
  std::vector<double> morphs;  // activation per target of the mesh; missing ones are 0
};
/// `bind` as analysed. Pivots of joints without an invertible matrix are S applied to the origin.
MeshPose mesh_pose(const Asset& asset, std::size_t binding, SkinMatrices skin, const Mat4& bind,
                   std::vector<double> morphs);
/// The pose in which every joint stands where it was bound: all S_j are S.
SkinMatrices bind_pose_matrices(const Asset& asset, std::size_t binding, const Mat4& bind);

struct EvaluateOptions {
  /// Empty: as the skin says. Rigid skins are evaluated linearly; `blend` without shares is linear.
  std::optional<SkinningMethod> method;
  /// Method `blend`: per vertex of the mesh's only part, 0 linear to 1 dual quaternion; missing
  /// ones are linear.
  std::vector<float> quaternion_shares;
  bool normals = false;
  std::size_t max_influences = 0;  // keep the heaviest n and normalise again; 0: all
  bool morph_after_skin = false;   // what neither format does: offsets added to the skinned vertex
  ZeroWeightPolicy zero_weight;
};

struct PosedPart {
  std::vector<Vec3> positions;  // world; NaN where the vertex cannot be evaluated
  std::vector<Vec3> normals;    // world, unit; NaN where none; empty when the part stores none
  std::uint64_t rejected = 0, not_finite = 0, fell_back = 0;  // vertices, see SkinnedVertex::State
};

/// Link modes Additive and Total1 are evaluated as Normalize (skin-method reports them).
class MeshEvaluator {
 public:
  /// Keeps references to `asset` and `pose`.
  MeshEvaluator(const Asset& asset, std::size_t binding, const MeshPose& pose,
                const EvaluateOptions& options = {});

  /// A part without influences or readable positions gives NaN positions, all rejected.
  PosedPart evaluate(std::size_t part) const;

 private:
  struct Block;
  void skin_linear(const Block& block, PosedPart& out) const;
  void skin_checked(const Block& block, PosedPart& out) const;
  bool is_clean(const Block& block) const;
  /// The dual-quaternion share of a vertex: 0 linear, 1 dual quaternion.
  double share_of(std::size_t vertex) const;

  const Asset& asset_;
  const Binding& binding_;
  const MeshPose& pose_;
  EvaluateOptions options_;
  SkinningMethod method_;
  /// S_j, the rows that count, packed.
  std::vector<Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> matrices_;
  bool all_usable_ = true;
  bool quaternions_ = false;
  std::vector<RigidAndStretch> motions_;  // per slot, when quaternions_
  std::vector<float> shares_;             // per vertex, method blend
};

/// The same blend in single precision, as an engine computes it: matrices, weights and positions
/// rounded to float first. Linear, positions only; vertices that cannot be evaluated are NaN.
std::vector<Eigen::Vector3f> evaluate_float(const Asset& asset, std::size_t binding,
                                            std::size_t part,
                                            const std::vector<Eigen::Matrix4f>& matrices,
                                            const std::vector<double>& morphs);
/// S_j with the chain of locals multiplied in single precision, as engines do. Unusable slots are
/// NaN.
std::vector<Eigen::Matrix4f> float_skin_matrices(const Asset& asset, std::size_t binding,
                                                 const std::vector<Mat4>& world_from_node);

}  // namespace skinlint
