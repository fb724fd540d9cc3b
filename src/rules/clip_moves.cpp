#include "rules/clip_moves.h"

#include <algorithm>
#include <cmath>

#include "rules/clip_keys.h"

namespace skinlint::rules {
namespace {

constexpr double tolerance = 1e-5;
constexpr double translation_floor = 1e-6;
constexpr double turn_tolerance = 1e-4;  // radians, more than a float's rounding of a quaternion

bool is_turned(const Vec4& a, const Vec4& b) {
  const double lengths = a.norm() * b.norm();
  if (!(lengths > 0.0)) return false;  // transform-non-finite's
  const double half_sine =
      std::min((a / a.norm() - b / b.norm()).norm(), (a / a.norm() + b / b.norm()).norm());
  return half_sine > turn_tolerance;
}

}  // namespace

bool leaves_rest(const Asset& asset, const Channel& channel) {
  if (!is_readable_transform(channel)) return false;
  const LocalTransform& rest = asset.nodes[static_cast<std::size_t>(channel.node)].local;
  if (rest.has_matrix) return true;
  bool leaves = false;
  for_each_key(channel, [&](std::size_t, const Vec4& value) {
    if (!value.allFinite()) return true;
    if (channel.path == ChannelPath::rotation) {
      leaves = is_turned(value, rest.rotation);
    } else {
      const bool scale = channel.path == ChannelPath::scale;
      const Vec3& at_rest = scale ? rest.scale : rest.translation;
      const double size = std::max(at_rest.norm(), value.head<3>().norm());
      const double floor = scale ? 0.0 : translation_floor;
      leaves = (value.head<3>() - at_rest).norm() > std::max(floor, tolerance * size);
    }
    return !leaves;
  });
  return leaves;
}

}  // namespace skinlint::rules
