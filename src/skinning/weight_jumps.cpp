#include "skinning/weight_jumps.h"

#include <cmath>

namespace skinlint {

void WeightJumps::add(std::uint32_t point, double factor) {
  const auto joints = mesh_.joints_of(point);
  const auto weights = mesh_.weights_of(point);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    for (const std::int32_t slot : mesh_.bones[joints[k]].ancestors) {
      const auto s = static_cast<std::uint32_t>(slot);
      if (change_[s] == 0.0) touched_.push_back(s);
      change_[s] += factor * weights[k];
    }
  }
}

WeightJumps::Jump WeightJumps::at(std::uint32_t a, std::uint32_t b, const Vec3& place) {
  Jump worst;
  each(a, b, [&](std::uint32_t slot, double step) {
    const double apart =
        std::abs(step) * std::sqrt(2.0) * (place - mesh_.bones[slot].origin).norm();
    if (apart > worst.apart) worst = {apart, step, static_cast<std::int32_t>(slot)};
  });
  return worst;
}

}  // namespace skinlint
