#pragma once
// The 48 ways to rename axes, minus doing nothing.

#include <vector>

#include "model/math.h"

namespace skinlint {

/// The 47 signed axis permutations other than the identity, proper ones first, fewest moved axes
/// first.
const std::vector<AxisTurn>& axis_turns();

}  // namespace skinlint
