#pragma once
// Weights that tear the mesh when a joint turns, told apart from what linear blending does to sound
// weights. Everything is measured between neighbours: sound weights change little from a vertex to
// the next compared with how they change around, whatever the blend does to the shape.
// docs/pose.md holds the reasons for each limit and what sound files measure.

#include <cstdint>
#include <string_view>
#include <vector>

#include "skinning/bound_mesh.h"

namespace skinlint {

struct WeightFault {
  enum class Kind : std::uint8_t {
    stray_vertex,  // disagrees with every neighbour
    far_island,    // a patch that agrees with itself and follows a joint far away
    open_seam,     // vertices at one place that part
    hard_edge,     // weights step over one edge where the mesh is smooth elsewhere
    beyond_reach,  // a joint moves vertices far outside what it holds
  };
  Kind kind = Kind::stray_vertex;
  std::int32_t joint = -1;    // slot whose weight is wrong
  std::int32_t turned = -1;   // slot whose turn by 90 degrees shows it most
  double tear = 0.0;          // metres that the worst point moves apart from its surroundings then
  double stretch = 1.0;       // of the worst edge then, posed over bind
  double ring_stretch = 1.0;  // median of the edges around it
  double distance = 0.0;      // metres, of the worst point from the joint's bone
  double usual_distance = 0.0;  // of the same point from the bones that move its surroundings
  std::uint64_t count = 0;      // points
  std::vector<std::int32_t> shown_by;  // slots whose turn shows at least half of the tear
  std::vector<std::uint32_t> points;   // worst first, at most 16
};
std::string_view weight_fault_name(WeightFault::Kind kind);  // "stray-vertex", ...

/// All relative to L where not said otherwise.
struct WeightFaultLimits {
  double cut = 0.05;             // a 90 degree turn that parts two neighbours by more disagrees
  double stray = 0.03;           // least tear of a stray vertex
  double stray_over_ring = 4;    // and over what its neighbours differ by among themselves
  double stray_stretch = 1.5;    // and over the mean length of its edges
  double far = 0.08;             // an island's joint is farther off than its surroundings' by this
  double far_ratio = 2.5;        // and by this factor
  double seam = 0.01;            // least opening of a seam
  double seam_share = 0.15;      // open pairs among all coincident ones: above, it is a design
  double island_share = 0.15;    // of the connected mesh that an island may have at most
  double hard = 0.9;             // hardness of a joint's transition that counts as a step
  double hard_step = 0.7;        // of the joint's weight over one edge, to name the vertex
  double hard_tear = 0.02;       // least tear of a step
  std::uint64_t hard_edges = 6;  // a transition has at least this many edges
  std::size_t hard_judged = 6;   // and the mesh this many transitions
  double soft = 0.7;             // hardness below which a transition is smooth
  double soft_median = 0.45;     // the mesh is smooth when its median is at most this
  double soft_share = 0.85;      // and this share of transitions is smooth
  double leak = 0.05;            // least weight of a leak
  double leak_tear = 0.03;       // and what it moves
  double reach_ratio = 3.0;      // times where 90 % of the joint's weight lies
  double reach = 0.1;            // and this much farther
};

/// Worst tear first. O(edges * influences * depth).
std::vector<WeightFault> find_weight_faults(const BoundMesh& mesh,
                                            const WeightFaultLimits& limits = {});

}  // namespace skinlint
