#pragma once
// One animated FBX number over time: keys in the file's ticks, values as stored (degrees, the
// file's unit, percent). The reader settles what a key's flags ask for into slopes and weights, so
// that evaluation is one cubic.

#include <array>
#include <cstdint>
#include <vector>

namespace skinlint {

/// Ticks ("KTime") of one second in files up to version 7700.
inline constexpr double kFbxTicksPerSecond = 46186158000.0;

/// What happens from one key to the next.
enum class FbxInterpolation : std::uint8_t {
  constant,       // the value of the key before
  constant_next,  // the value of the key after
  linear,
  cubic,
};

struct FbxKey {
  std::int64_t ticks = 0;
  double value = 0.0;
  /// Slopes in value per second on either side of the key; cubic alone uses them.
  double left_slope = 0.0, right_slope = 0.0;
  /// Length of the tangents along time as a part of the way to the neighbouring key; a third when
  /// not weighted, which makes the cubic an ordinary Hermite one.
  float left_weight = 1.0F / 3.0F, right_weight = 1.0F / 3.0F;
  FbxInterpolation after = FbxInterpolation::linear;
};

struct FbxCurve {
  std::vector<FbxKey> keys;  // times strictly rising
};

/// Up to three curves of one property, with what stands where an axis has none.
struct FbxCurves {
  std::array<FbxCurve, 3> axis;
  std::array<double, 3> fallback = {0, 0, 0};
};

/// The tick nearest to a time in seconds, within +-2^62; 0 for NaN.
std::int64_t fbx_ticks(double seconds);

/// Value of a curve at a time; the first key's before it, the last key's after it (extrapolation
/// modes are not followed), `fallback` without keys. Cubic with weights: the Bezier curve through
/// both keys with handles of the given lengths and slopes, at the place where its time is `ticks`
/// (Newton within a bracket, to 1e-15 of the segment). O(log keys). Source: FBX SDK documentation
/// of FbxAnimCurveDef (interpolation, tangent and weight modes), and measured against the SDK.
double fbx_curve_value(const FbxCurve& curve, std::int64_t ticks, double fallback);

}  // namespace skinlint
