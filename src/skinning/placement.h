#pragma once
// Where the joints stand among the vertices they move (docs/model.md, part four of the bind
// question), and which simple change of the vertices would put them right.

#include <optional>
#include <string>

#include "skinning/bind_analysis.h"

namespace skinlint {

struct PlacementFix {
  std::string name;    // "the mesh node's transform", "-90° about X", "scale 0.01 (...)"
  double score = 0.0;  // placement with the change applied
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
