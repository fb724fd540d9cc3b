#pragma once
// Keys of clips as the clip-* rules read them.

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/asset.h"

namespace skinlint::rules {

/// The channel moves a node of ours by three (rotation in glTF: four) numbers to a key, and can be
/// read.
inline bool is_readable_transform(const Channel& channel) {
  const bool transform = channel.path == ChannelPath::translation ||
                         channel.path == ChannelPath::rotation ||
                         channel.path == ChannelPath::scale;
  return transform && channel.node >= 0 && channel.values.data != nullptr &&
         channel.values.components >= 3 && channel.values.components <= 4;
}

/// Calls `visit(key, value)` for the value of every key, the tangents of cubic keys left out.
/// Missing components of `value` are 0. Stops when `visit` returns false.
template <class Visit>
void for_each_key(const Channel& channel, const Visit& visit) {
  const Stream& values = channel.values;
  const std::size_t per_key = channel.interpolation == Interpolation::cubic ? 3 : 1;
  const std::size_t width = values.components;
  constexpr std::size_t block = 240;  // whole keys, cubic or not
  std::array<double, 4 * block> numbers;
  for (std::size_t first = 0; first < values.count; first += block) {
    const std::size_t n = std::min(block, values.count - first);
    read_values(values, first, n, numbers.data());
    for (std::size_t i = per_key / 2; i < n; i += per_key) {
      Vec4 value = Vec4::Zero();
      std::copy_n(numbers.data() + i * width, width, value.data());
      if (!visit((first + i) / per_key, value)) return;
    }
  }
}

/// Scale of a node at rest as its channels would write it: glTF scale or FBX Lcl Scaling; the
/// lengths of the axes where the file gives a matrix.
inline Vec3 rest_scale(const Node& node) {
  if (node.fbx) return node.fbx->scaling;
  return node.local.has_matrix ? Vec3(linear(node.local.matrix).colwise().norm())
                               : node.local.scale;
}

}  // namespace skinlint::rules
