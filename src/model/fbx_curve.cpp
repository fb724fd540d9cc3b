#include "model/fbx_curve.h"

#include <algorithm>
#include <cmath>

namespace skinlint {
namespace {

double bezier(double p0, double p1, double p2, double p3, double t) {
  const double u = 1.0 - t;
  return u * u * u * p0 + 3.0 * u * u * t * p1 + 3.0 * u * t * t * p2 + t * t * t * p3;
}

/// t in 0..1 where the Bezier of times (0, p1, p2, 1) is x.
double bezier_parameter(double p1, double p2, double x) {
  double low = 0.0, high = 1.0, t = x;
  for (int step = 0; step < 100; ++step) {
    const double error = bezier(0.0, p1, p2, 1.0, t) - x;
    if (std::abs(error) < 1e-15) break;
    (error > 0.0 ? high : low) = t;
    const double u = 1.0 - t;
    const double slope = 3.0 * (u * u * p1 + 2.0 * u * t * (p2 - p1) + t * t * (1.0 - p2));
    const double next = t - error / slope;
    // Flat places and handles that overlap send Newton away; the bracket halves then.
    t = next > low && next < high ? next : 0.5 * (low + high);
    if (!(high - low > 1e-16)) break;
  }
  return t;
}

double between(const FbxKey& a, const FbxKey& b, std::int64_t ticks) {
  const double span = static_cast<double>(b.ticks) - static_cast<double>(a.ticks);
  const double x = (static_cast<double>(ticks) - static_cast<double>(a.ticks)) / span;
  switch (a.after) {
    case FbxInterpolation::constant:
      return a.value;
    case FbxInterpolation::constant_next:
      return b.value;
    case FbxInterpolation::linear:
      return a.value + (b.value - a.value) * x;
    case FbxInterpolation::cubic:
      break;
  }
  constexpr float third = 1.0F / 3.0F;
  const bool plain = a.right_weight == third && b.left_weight == third;
  const double w1 = plain ? 1.0 / 3.0 : static_cast<double>(a.right_weight);
  const double w2 = plain ? 1.0 / 3.0 : static_cast<double>(b.left_weight);
  const double seconds = span / kFbxTicksPerSecond;
  const double t = plain ? x : bezier_parameter(w1, 1.0 - w2, x);
  return bezier(a.value, a.value + a.right_slope * w1 * seconds,
                b.value - b.left_slope * w2 * seconds, b.value, t);
}

}  // namespace

std::int64_t fbx_ticks(double seconds) {
  constexpr double limit = 4.6e18;
  const double ticks = std::round(seconds * kFbxTicksPerSecond);
  return std::isnan(ticks) ? 0 : static_cast<std::int64_t>(std::clamp(ticks, -limit, limit));
}

double fbx_curve_value(const FbxCurve& curve, std::int64_t ticks, double fallback) {
  if (curve.keys.empty()) return fallback;
  const auto after =
      std::upper_bound(curve.keys.begin(), curve.keys.end(), ticks,
                       [](std::int64_t time, const FbxKey& key) { return time < key.ticks; });
  if (after == curve.keys.begin()) return after->value;
  const auto before = after - 1;
  if (after == curve.keys.end() || before->ticks == ticks) return before->value;
  return between(*before, *after, ticks);
}

}  // namespace skinlint
