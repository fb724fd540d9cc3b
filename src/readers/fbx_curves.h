#pragma once
// Animation curves of FBX files: keys as stored (7.x arrays, 6.x key lists), and what their flags
// mean as slopes. Internal to the reader.

#include <cstdint>
#include <vector>

#include "readers/fbx_build.h"

namespace skinlint::fbx {

/// How the segment after a key runs, as stored. Few of a file's are distinct.
struct KeyShape {
  /// Where slopes come from. `automatic`: from the neighbours; right_slope and next_left_slope are
  /// then biases in percent.
  enum class Tangent : std::uint8_t { stored, automatic, tcb };
  FbxInterpolation after = FbxInterpolation::linear;
  Tangent tangent = Tangent::stored;
  bool clamp = false, time_independent = false, progressive = false;
  double right_slope = 0.0, next_left_slope = 0.0;         // per second
  double tension = 0.0, continuity = 0.0, tcb_bias = 0.0;  // tcb
  float right_weight = 1.0F / 3.0F, next_left_weight = 1.0F / 3.0F;
};

struct Curve {
  std::vector<std::int64_t> times;
  std::vector<double> values;
  /// Empty unless asked for: then one index into `shapes` per key.
  std::vector<std::uint32_t> shape_of;
  std::vector<KeyShape> shapes;
  bool shapes_lost = false;  // asked for, but stated inconsistently: all linear
  bool has_velocity = false, extrapolates = false;  // stated, and not followed
};

/// Value at a time: linear between keys, constant outside.
double sample(const Curve& curve, std::int64_t time, double fallback);

/// An AnimationCurve object (7.x). Unequal lengths are cut and unsorted keys sorted; both are
/// damage. Shapes only with ReadOptions::clip_curves.
void read_curve(Build& b, std::int32_t object, Curve& out);
/// A channel of a take (6.x and older); `fallback` becomes its default where it has one.
void read_take_curve(Build& b, const Record& channel, Curve& out, double& fallback);

/// Slopes and weights of every key. Linear where a key has no shape.
FbxCurve settled(const Curve& curve);

}  // namespace skinlint::fbx
