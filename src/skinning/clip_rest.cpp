#include "skinning/clip_rest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace skinlint {
namespace {

constexpr double translation_tolerance = 1e-3;  // of the longer of the two translations
constexpr double translation_floor = 1e-6;
constexpr double rotation_tolerance_deg = 0.2;
constexpr double scale_tolerance = 1e-3;
constexpr std::size_t max_times = 64;  // later key times tried per clip

struct RestParts {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
};

RestParts parts_of(const Mat4& parent_from_node) {
  const TransformParts parts = decompose(parent_from_node);
  return {parts.translation, parts.rotation, linear(parent_from_node).colwise().norm()};
}

RestParts rest_parts(const Asset& asset, const Node& node) {
  if (is_fbx(asset.format) || node.local.has_matrix) return parts_of(node.parent_from_node);
  const Vec4& q = node.local.rotation;
  return {node.local.translation, Quat(q[3], q[0], q[1], q[2]), node.local.scale};
}

std::size_t width(ChannelPath path) { return path == ChannelPath::rotation ? 4 : 3; }

bool is_usable(const Channel& channel) {
  if (channel.path != ChannelPath::translation && channel.path != ChannelPath::rotation &&
      channel.path != ChannelPath::scale) {
    return false;
  }
  const std::size_t per_key = channel.interpolation == Interpolation::cubic ? 3 : 1;
  return channel.values.data != nullptr && channel.values.components == width(channel.path) &&
         channel.times.data != nullptr && channel.times.components == 1 &&
         channel.times.count > 0 && channel.values.count >= channel.times.count * per_key;
}

Vec4 key_value(const Channel& channel, std::size_t key) {
  const std::size_t element = channel.interpolation == Interpolation::cubic ? 3 * key + 1 : key;
  Vec4 value = Vec4::Zero();
  read_values(channel.values, element, 1, value.data());
  return value;
}

double key_time(const Channel& channel, std::size_t key) {
  double time = 0.0;
  read_values(channel.times, key, 1, &time);
  return time;
}

/// Last key at or before `time` (0 when all are later), by bisection.
std::size_t key_before(const Channel& channel, double time) {
  std::size_t low = 0, high = channel.times.count;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (key_time(channel, middle) <= time ? low : high) = middle;
  }
  return low;
}

/// Linear between keys, tangents left out: only compared where it meets a key anyway.
Vec4 value_at(const Channel& channel, double time) {
  const std::size_t key = key_before(channel, time);
  Vec4 a = key_value(channel, key);
  if (channel.interpolation == Interpolation::step || key + 1 >= channel.times.count) return a;
  const double t0 = key_time(channel, key), t1 = key_time(channel, key + 1);
  if (!(time > t0) || !(t1 > t0)) return a;
  Vec4 b = key_value(channel, key + 1);
  if (channel.path == ChannelPath::rotation && a.dot(b) < 0.0) b = -b;
  return a + (b - a) * ((time - t0) / (t1 - t0));
}

bool equals_rest(ChannelPath path, const Vec4& value, const RestParts& rest) {
  if (!value.allFinite()) return false;
  if (path == ChannelPath::rotation) {
    Quat q(value[3], value[0], value[1], value[2]);
    if (!(q.norm() > 0.0) || !(rest.rotation.norm() > 0.0)) return false;
    q.normalize();
    const double angle_deg = q.angularDistance(rest.rotation.normalized()) * 57.29577951308232;
    return angle_deg <= rotation_tolerance_deg;
  }
  const Vec3 v = value.head<3>();
  if (path == ChannelPath::scale) {
    return (v - rest.scale).cwiseAbs().maxCoeff() <=
           scale_tolerance * std::max(1e-9, rest.scale.cwiseAbs().maxCoeff());
  }
  const double longer = std::max(v.norm(), rest.translation.norm());
  return (v - rest.translation).norm() <=
         std::max(translation_floor, translation_tolerance * longer);
}

bool equals_rest(const RestParts& key, const RestParts& rest) {
  const auto wide = [](const Vec3& v) { return Vec4(v[0], v[1], v[2], 0.0); };
  return equals_rest(ChannelPath::translation, wide(key.translation), rest) &&
         equals_rest(ChannelPath::rotation, key.rotation.coeffs(), rest) &&
         equals_rest(ChannelPath::scale, wide(key.scale), rest);
}

/// Which paths of a segment a clip keys.
struct KeyedPaths {
  bool translation = false, rotation = false, scale = false;
  void add(ChannelPath path) {
    translation = translation || path == ChannelPath::translation;
    rotation = rotation || path == ChannelPath::rotation;
    scale = scale || path == ChannelPath::scale;
  }
  void add(const KeyedPaths& other) {
    translation = translation || other.translation;
    rotation = rotation || other.rotation;
    scale = scale || other.scale;
  }
  bool any() const { return translation || rotation || scale; }
  bool covers(const ChangedParts& changed) const {
    return any() && (rotation || !changed.rotation) && (scale || !changed.scale);
  }
};

/// Segments that the clip keys where they changed.
std::size_t keyed_segments(const std::vector<KeyedPaths>& paths,
                           const std::vector<ChangedParts>& changed) {
  std::size_t keyed = 0;
  for (std::size_t s = 0; s < paths.size(); ++s) {
    if (s < changed.size() ? paths[s].covers(changed[s]) : paths[s].any()) ++keyed;
  }
  return keyed;
}

struct KeyedChannel {
  const Channel* channel;
  const RestParts* rest;
};

/// Channels of the clip on the segments' nodes, in segment order; and how many segments they touch.
std::vector<KeyedChannel> channels_on(const Clip& clip, const std::vector<std::int32_t>& segment_of,
                                      const std::vector<RestParts>& rest,
                                      const std::vector<std::int32_t>& rest_of,
                                      std::size_t segment_count,
                                      const std::vector<ChangedParts>& changed,
                                      std::size_t& keyed) {
  std::vector<std::vector<KeyedChannel>> by_segment(segment_count);
  std::vector<KeyedPaths> paths(segment_count);
  for (const Channel& channel : clip.channels) {
    if (channel.node < 0 || !is_usable(channel)) continue;
    const auto node = static_cast<std::size_t>(channel.node);
    if (segment_of[node] < 0) continue;
    by_segment[static_cast<std::size_t>(segment_of[node])].push_back(
        {&channel, &rest[static_cast<std::size_t>(rest_of[node])]});
    paths[static_cast<std::size_t>(segment_of[node])].add(channel.path);
  }
  std::vector<KeyedChannel> channels;
  keyed = keyed_segments(paths, changed);
  for (const auto& segment : by_segment) {
    channels.insert(channels.end(), segment.begin(), segment.end());
  }
  return channels;
}

bool first_keys_rest(const std::vector<KeyedChannel>& channels) {
  return std::all_of(channels.begin(), channels.end(), [](const KeyedChannel& c) {
    return equals_rest(c.channel->path, key_value(*c.channel, 0), *c.rest);
  });
}

/// A later key time of the first channel that moves at which every channel rests.
std::optional<double> later_rest_time(const std::vector<KeyedChannel>& channels) {
  // The channel that rests at the fewest keys narrows the search most; the first that does not rest
  // at its first key is such a one.
  const auto guide = std::find_if(channels.begin(), channels.end(), [](const KeyedChannel& c) {
    return !equals_rest(c.channel->path, key_value(*c.channel, 0), *c.rest);
  });
  if (guide == channels.end()) return std::nullopt;
  std::size_t tried = 0;
  for (std::size_t key = 1; key < guide->channel->times.count && tried < max_times; ++key) {
    if (!equals_rest(guide->channel->path, key_value(*guide->channel, key), *guide->rest)) continue;
    ++tried;
    const double time = key_time(*guide->channel, key);
    const bool all = std::all_of(channels.begin(), channels.end(), [time](const KeyedChannel& c) {
      return equals_rest(c.channel->path, value_at(*c.channel, time), *c.rest);
    });
    if (all) return time;
  }
  return std::nullopt;
}

double first_time(const Clip& clip) {
  double first = std::numeric_limits<double>::infinity();
  for (const Channel& channel : clip.channels) {
    if (channel.times.data != nullptr && channel.times.components == 1 && channel.times.count > 0)
      first = std::min(first, key_time(channel, 0));
  }
  return std::isfinite(first) ? first : 0.0;
}

/// FBX: what of a node that has a first key the clip keys.
KeyedPaths paths_of_node(const Clip& clip, std::int32_t node) {
  KeyedPaths paths;
  for (const Channel& channel : clip.channels) {
    if (channel.node == node) paths.add(channel.path);
  }
  return paths.any() ? paths : KeyedPaths{true, true, true};
}

std::optional<RestKey> fbx_rest_key(const Asset& asset, const std::vector<std::int32_t>& segment_of,
                                    const std::vector<RestParts>& rest,
                                    const std::vector<std::int32_t>& rest_of,
                                    std::size_t segment_count,
                                    const std::vector<ChangedParts>& changed) {
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    std::vector<KeyedPaths> keyed(segment_count);
    bool rests = true;
    for (const Clip::KeyedNode& key : asset.clips[c].first_key) {
      const auto node = static_cast<std::size_t>(key.node);
      if (key.node < 0 || segment_of[node] < 0) continue;
      const KeyedPaths paths = paths_of_node(asset.clips[c], key.node);
      keyed[static_cast<std::size_t>(segment_of[node])].add(paths);
      rests = equals_rest(parts_of(key.parent_from_node),
                          rest[static_cast<std::size_t>(rest_of[node])]);
      if (!rests) break;
    }
    const std::size_t count = keyed_segments(keyed, changed);
    if (rests && count > 0 && 2 * count >= segment_count)
      return RestKey{static_cast<std::int32_t>(c), first_time(asset.clips[c]), true, count};
  }
  return std::nullopt;
}

}  // namespace

JointSegment joint_segment(const Asset& asset, std::int32_t node) {
  JointSegment segment;
  for (std::int32_t n = node; n >= 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
    if (n != node && asset.nodes[static_cast<std::size_t>(n)].is_joint) break;
    segment.push_back(n);
  }
  return segment;
}

ChangedParts changed_parts(const RelativeTransform& own) {
  ChangedParts out;
  const bool turned = own.angle_deg > rotation_tolerance_deg;
  const bool uneven = own.non_uniformity > 10.0 * scale_tolerance;
  // Turned and stretched unevenly at once is sheared: a turn below an uneven scale, or a scale that
  // FBX inherits in other axes. Which of the two changed is not in the matrix.
  if (turned && uneven && !own.mirrored) return out;
  // A mirror's rotation is what is left of it when one axis is picked to be flipped.
  out.rotation = turned && !own.mirrored;
  out.scale = own.mirrored || uneven || std::abs(own.log_scale) > scale_tolerance;
  return out;
}

std::optional<RestKey> find_rest_key(const Asset& asset, const std::vector<JointSegment>& segments,
                                     const std::vector<ChangedParts>& changed) {
  if (segments.empty()) return std::nullopt;
  std::vector<std::int32_t> segment_of(asset.nodes.size(), -1);
  std::vector<std::int32_t> rest_of(asset.nodes.size(), -1);
  std::vector<RestParts> rest;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    for (const std::int32_t node : segments[s]) {
      if (node < 0 || segment_of[static_cast<std::size_t>(node)] >= 0) continue;
      segment_of[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(s);
      rest_of[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(rest.size());
      rest.push_back(rest_parts(asset, asset.nodes[static_cast<std::size_t>(node)]));
    }
  }
  if (is_fbx(asset.format))
    return fbx_rest_key(asset, segment_of, rest, rest_of, segments.size(), changed);
  std::optional<RestKey> later;
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    std::size_t keyed = 0;
    const std::vector<KeyedChannel> channels =
        channels_on(asset.clips[c], segment_of, rest, rest_of, segments.size(), changed, keyed);
    if (keyed == 0 || 2 * keyed < segments.size()) continue;
    if (first_keys_rest(channels)) {
      return RestKey{static_cast<std::int32_t>(c), key_time(*channels.front().channel, 0), true,
                     keyed};
    }
    if (later) continue;
    if (const std::optional<double> time = later_rest_time(channels)) {
      later = RestKey{static_cast<std::int32_t>(c), *time, false, keyed};
    }
  }
  return later;
}

}  // namespace skinlint
