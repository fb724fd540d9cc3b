#pragma once
// Where the joints stand among the vertices they move (docs/model.md, part four of the bind
// question), and which simple change of the vertices would put them right.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "skinning/bind_analysis.h"

namespace skinlint {

struct PlacementFix {
  enum class Kind : std::uint8_t { mesh_node, mesh_node_inverse, unit, axis };
  Kind kind = Kind::unit;
  std::string name;    // "the mesh node's transform", "-90° about X", "scale 0.01 (...)"
  double score = 0.0;  // placement with the change applied
};

/// Placement as it would be with the vertices moved.
class PlacementProbe {
 public:
  /// Joints of one binding that have heavy vertices and a usable matrix, as bound, in the world.
  PlacementProbe(const Asset& asset, std::size_t binding, const BindAnalysis& bind,
                 const InfluenceAnalysis& influences);
  bool empty() const { return joints_.empty(); }
  /// Score with `change` (world to world) applied to all vertices; infinity when they lose their
  /// extent or no joint takes part.
  double score(const Mat4& change) const;

 private:
  struct PlacedJoint {
    Vec3 origin;
    std::array<Vec3, 8> corners;  // of its heavy vertices
  };
  std::vector<PlacedJoint> joints_;
  std::array<Vec3, 8> mesh_;
};

/// Tries, on the vertices as bound: the mesh node's transform and its inverse, the unit factors,
/// and the 48 axis turns about the origin. Returns the first of these kinds that brings the score
/// below `good`, within a kind the best. Empty when none does, or when `bind` has no placement.
/// O(joints) per trial; box corners stand for vertices.
std::optional<PlacementFix> find_placement_fix(const Asset& asset, std::size_t binding,
                                               const BindAnalysis& bind,
                                               const InfluenceAnalysis& influences,
                                               const Mat4& world_from_node, double good);

}  // namespace skinlint
