#pragma once
// When is a morph target taken for positions? Asked by morph-absolute, and by rules that would
// report its consequences.

#include <optional>

#include "rules/morph_offsets.h"

namespace skinlint::rules {

struct AbsoluteLimits {
  double correlation = 0.95;
  double ratio_low = 0.5, ratio_high = 2.0;
  double moving = 0.8;
  double grow_residual = 0.01, grow_map = 0.1;
};

bool is_absolute(const AbsoluteFit& fit, const AbsoluteLimits& limits = {});

/// The fit of the target's first shape that is; empty when none is.
std::optional<AbsoluteFit> absolute_fit(AbsoluteProbe& probe, const MorphTarget& target,
                                        const AbsoluteLimits& limits = {});

}  // namespace skinlint::rules
