#pragma once
// The bind question in four parts (docs/model.md): consensus, common offset, drift, placement.

#include <optional>
#include <string>
#include <vector>

#include "model/asset.h"
#include "skinning/influence_analysis.h"

namespace skinlint {

enum class BindState : std::uint8_t { identity, common, drift, exploded, unknown };
enum class Candidate : std::uint8_t { identity, mesh_node, ancestor, ancestor_parent, none };
std::string_view bind_state_name(BindState state);  // as in the report schema
std::string_view candidate_name(Candidate candidate);

/// The difference of two transforms as a user reads it.
struct RelativeTransform {
  double displacement =
      0.0;  // metres, of the joint's weighted centroid (its origin without weight)
  double angle_deg = 0.0;
  double log_scale = 0.0;       // ln of the uniform scale ratio
  double non_uniformity = 0.0;  // sigma_max/sigma_min - 1
  bool mirrored = false;
};

struct JointBind {
  enum class Use : std::uint8_t { usable, no_node, no_matrix, not_finite, not_affine, singular };
  Use use = Use::usable;
  bool weighted = false;
  Mat4 world_from_mesh = Mat4::Identity();  // M_j = world_from_joint * joint_from_mesh
  Mat4 drift =
      Mat4::Identity();        // M_j * S^-1, world side (FBX: world_from_joint * TransformLink^-1)
  RelativeTransform relative;  // of `drift`
  bool drifts = false;         // displacement, angle or scale beyond the tolerance
  bool subtree_root = false;   // drifts, and not as its parent joint does: its own local changed
  RelativeTransform own;       // drift relative to the parent's drift
};

struct CommonOffset {
  Mat4 offset = Mat4::Identity();  // S relative to the candidate nearest to it
  TransformParts parts;
  double displacement_over_size = 0.0;
  bool is_axis_turn = false;  // pure, within 0.1 deg
  bool is_unit_factor = false;
  bool is_dequantisation =
      false;          // integer POSITION, S = candidate * (positive scale + translation): harmless
  std::string named;  // "-90° about X", "scale 100 (centimetres read as metres)", "mesh node's
                      // transform twice"...; empty: nothing named
};

struct BindAnalysis {
  BindState state = BindState::unknown;
  std::string unknown_because;
  std::vector<JointBind> joints;  // per slot
  std::size_t weighted_joints = 0;

  Mat4 consensus = Mat4::Identity();      // S
  double consensus_share = 0.0;           // 0..1
  Candidate candidate = Candidate::none;  // declared candidate that S equals within the tolerance
  bool consensus_from_declared = false;   // vote below 50 %: a declared candidate was taken
  bool no_consensus = false;
  std::optional<CommonOffset> unexplained;  // only when candidate == none

  double size = 0.0;  // L, metres: diagonal of the box of {S v} over weighted vertices
  double tau = 1e-4;  // relative to L
  Box posed_box;      // of the vertices as posed at rest (world)

  // Displacement of real vertices, |blend - S v|. When every joint agrees within tau only an upper
  // bound is computed (max over the mesh box's corners) and `displacement_is_bound` is set.
  double max_displacement = 0.0;  // metres
  bool displacement_is_bound = true;
  std::uint32_t worst_part = 0, worst_vertex = 0;
  double posed_box_ratio = 1.0;  // diagonal of posed box over L
  double edge_stretch = 1.0;     // 99.9 percentile, posed edge over bind edge; 1 when not computed
  std::size_t drifting_joints = 0;

  std::optional<double> placement;  // score; empty: fewer than 5 joints to judge by
  std::size_t placement_joints = 0;
};

struct BindInput {
  const Asset* asset = nullptr;
  std::size_t binding = 0;
  const std::vector<Mat4>* world_from_node = nullptr;
  const std::vector<std::int32_t>* depth = nullptr;
  const InfluenceAnalysis* influences = nullptr;
};

/// Pure; O(J^2) for the vote, one extra pass over the vertices only when some joint drifts. A
/// binding with fewer than two weighted joints has no drift of its own: its S is that joint's.
BindAnalysis analyse_bind(const BindInput& input);

/// Largest distance that two affine maps put between the images of one corner of `box` (an affine
/// difference is largest at a corner); the unit is that of the images. 0 for an empty box.
double largest_distance(const Mat4& a, const Mat4& b, const Box& box);
/// Largest difference of the last row from 0 0 0 1. NaN where an entry is.
double bottom_row_error(const Mat4& m);

}  // namespace skinlint
