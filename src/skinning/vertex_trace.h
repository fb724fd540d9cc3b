#pragma once
// One vertex through the whole chain of docs/model.md, every factor kept, so that the product can
// be checked by hand.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "skinning/bind_analysis.h"
#include "skinning/evaluator.h"

namespace skinlint {

struct PoseChoice {
  enum class Kind : std::uint8_t { rest, bind, clip } kind = Kind::rest;
  std::int32_t clip = -1;  // Kind::clip
  double seconds = 0.0;    // Kind::clip; within the clip
};

/// World of every node in a pose; at bind the nodes stand as at rest.
std::vector<Mat4> world_in_pose(const Asset& asset, const PoseChoice& pose);

/// One binding in one pose: all that its vertices need.
struct PosedBinding {
  std::size_t binding = 0;
  Mat4 world_from_node = Mat4::Identity();        // of the mesh node
  Mat4 world_from_mesh = Mat4::Identity();        // M_model in the pose
  Mat4 world_from_mesh_bound = Mat4::Identity();  // at bind: the consensus S of the binding
  std::vector<Mat4> world_from_joint;             // per slot
  std::vector<Mat4> mesh_from_posed_joint;        // G
  SkinMatrices skin;                              // S = G * joint_from_mesh, in mesh space
  std::vector<double> activations;                // per morph target
  bool total_one = false;  // FBX link mode Total1: what weights leave of 1 stays where it is
  std::vector<std::string> notes;     // what the reader of the numbers must know
  std::vector<std::string> problems;  // why the chain cannot be what it should be
};

/// Poses a binding. M_model: FBX world_from_node * node_from_geometry, glTF the consensus. At bind
/// world_from_joint is what the file says (FBX TransformLink), else M_model * B, so that S is the
/// identity. A singular or non-finite M_model is a problem; the chain then runs in world space.
PosedBinding pose_binding(const Asset& asset, std::size_t binding, const BindAnalysis& bind,
                          const PoseChoice& pose);

struct TracedInfluence {
  std::uint32_t slot = 0;
  std::int32_t node = -1;  // -1: the slot names none
  double weight = 0.0;     // as stored
  double normalised = 0.0;
  bool usable = false;
  bool is_fallback = false;             // the named joint of the zero-weight policy
  std::optional<Mat4> joint_from_mesh;  // B^-1, as stored
  std::optional<Mat4> mesh_from_joint;  // B; empty when B^-1 is singular or absent
  Mat4 world_from_joint = Mat4::Identity();
  Mat4 mesh_from_posed_joint = Mat4::Identity();  // G
  Mat4 skin = Mat4::Identity();                   // S
  Vec3 moved = Vec3::Zero();                      // S * v
};

struct TracedMorph {
  std::size_t target = 0;
  double activation = 0.0;
  Vec3 offset = Vec3::Zero();  // what it adds to the vertex at this activation
};

struct TracedNormal {
  Vec3 stored = Vec3::Zero();
  std::string source;                        // "vertex", or which corner of which polygon
  std::optional<Vec3> by_inverse_transpose;  // n'; empty: L is singular
  std::optional<Vec3> by_linear;             // normalize(L n)
  std::optional<double> angle_deg;           // between the two
  std::optional<Vec3> world;
};

struct VertexTrace {
  std::size_t part = 0, vertex = 0;  // of the part
  std::size_t index = 0;             // through all parts of the mesh
  Vec3 stored = Vec3::Zero();        // mesh space
  std::vector<TracedMorph> morphs;   // those that add something
  Vec3 morphed = Vec3::Zero();       // v of the chain: stored + offsets
  std::vector<TracedInfluence> influences;
  double weight_sum = 0.0;
  double kept = 0.0;  // Total1: 1 - weight_sum
  SkinnedVertex::State state = SkinnedVertex::State::rejected;
  Vec3 position = Vec3::Zero();     // v', mesh space
  Vec3 world = Vec3::Zero();        // M_model * v'
  Vec3 world_bound = Vec3::Zero();  // where bind puts it: world_from_mesh_bound * v
  double displacement = 0.0;        // between the two; the asset's unit of length
  Mat3 linear = Mat3::Zero();       // L
  double determinant = 0.0, condition = 0.0;
  Mat3 jacobian = Mat3::Zero();  // J = (M_model)_3 * L
  double jacobian_determinant = 0.0;
  std::optional<TracedNormal> normal;
  std::vector<std::string> problems;  // rejected, not finite, singular L or J: with joints
};

/// Traces vertex `vertex` of part `part`, which must exist and have influences. Nothing throws on
/// bad data: what cannot be computed is named in `problems` and NaN stays NaN.
VertexTrace trace_vertex(const Asset& asset, const PosedBinding& posed, std::size_t part,
                         std::size_t vertex, const ZeroWeightPolicy& policy);

/// A vertex found among all of a binding: where it is and the figure that chose it.
struct FoundVertex {
  std::size_t part = 0, vertex = 0;
  double distance = 0.0;
};
/// The vertex displaced most from bind; the first of equals. Vertices without usable weights are
/// passed over; empty when none is left. O(vertices).
std::optional<FoundVertex> worst_vertex(const Asset& asset, const PosedBinding& posed,
                                        const ZeroWeightPolicy& policy);
/// The vertex that the pose puts nearest to a place in the world.
std::optional<FoundVertex> nearest_vertex(const Asset& asset, const PosedBinding& posed,
                                          const ZeroWeightPolicy& policy, const Vec3& world);

}  // namespace skinlint
