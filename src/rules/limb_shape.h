#pragma once
// Limbs told by the shape of a skeleton alone, for rigs whose names say nothing.

#include <optional>
#include <vector>

#include "rules/arm_pose.h"

namespace skinlint::rules {

/// Per slot: where the joint stood at bind; empty where that is not known.
using Places = std::vector<std::optional<Vec3>>;

/// How tall a skeleton is (+Y up), and whether something of it stands on the ground: in the lowest
/// quarter. Height 0 without a place.
struct Heights {
  explicit Heights(const Places& places) {
    for (const std::optional<Vec3>& place : places) {
      if (place) box.extend(*place);
    }
    if (!box.isEmpty()) height = box.sizes().y();
  }
  bool grounded(const Vec3& p) const { return p.y() <= box.min().y() + 0.25 * height; }
  Box box;
  double height = 0.0;
};

/// The arms of a two-legged skeleton: of the pairs of chains of three or more joints that leave one
/// joint at the same height to opposite sides, the widest above the one pair that reaches the
/// ground. Empty when there is none, or more than one such pair. O(joints); joints with very many
/// children are passed over.
Arms arms_by_shape(const Asset& asset, const Skin& skin, const Places& places,
                   const Heights& heights);

}  // namespace skinlint::rules
