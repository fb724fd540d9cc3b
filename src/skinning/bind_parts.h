#pragma once
// The parts of bind analysis, private to this room: each a step of analyse_bind(), in its own file.

#include "skinning/bind_analysis.h"

namespace skinlint::bind_detail {

/// Per slot: the matrix that carries mesh space to world through this joint, where it can be
/// computed. glTF: M_j at rest. FBX: TransformLink * joint_from_mesh, the same at bind.
struct JointMatrix {
  JointBind::Use use = JointBind::Use::usable;
  Mat4 rest_from_mesh = Mat4::Identity();  // M_j at rest
  Mat4 vote = Mat4::Identity();            // what votes for the consensus
  Vec3 centroid = Vec3::Zero();  // mesh space: weighted centroid, joint origin without weight
  /// Mesh space: the centroid and the vertices it weights heavily. Where two placements of the
  /// joint are compared, so that a turn or a mirror about the centroid is a difference too.
  Box reach;
  double weight = 0.0;
  bool weighted = false;
};
std::vector<JointMatrix> joint_matrices(const BindInput& input);

/// A declared mesh space and where it comes from, in the order in which ties are broken.
struct DeclaredSpace {
  Candidate candidate = Candidate::none;
  Mat4 world_from_mesh = Mat4::Identity();
};
std::vector<DeclaredSpace> declared_spaces(const BindInput& input);

/// Diagonal of the image of `box` under `m`; exact when the linear part is a scaled axis turn, an
/// upper bound otherwise.
double image_diagonal(const Mat4& m, const Box& box);
/// tau of docs/model.md for a size and the largest coordinate met.
double relative_tolerance(double largest_coordinate, double size);

/// Steps 1 and 2: fills consensus, consensus_share, candidate, no_consensus, unexplained.
void find_consensus(const BindInput& input, const std::vector<JointMatrix>& joints,
                    BindAnalysis& out);

/// Exact size L: the diagonal of the box of {S v}. One pass over the positions unless S keeps boxes
/// boxes. 0 when no vertex has an influence and a finite position.
double exact_size(const BindInput& input, const Mat4& consensus);

/// Displacement of real vertices, posed box and edge stretch: one pass over vertices, one over
/// indices.
void measure_displacement(const BindInput& input, const std::vector<JointMatrix>& joints,
                          BindAnalysis& out);

}  // namespace skinlint::bind_detail
