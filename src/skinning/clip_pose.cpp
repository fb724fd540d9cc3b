#include "skinning/clip_pose.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skinlint {
namespace {

double key_time(const Channel& channel, std::size_t key) {
  double time = 0.0;
  read_values(channel.times, key, 1, &time);
  return time;
}

bool has_times(const Channel& channel) {
  return channel.times.data != nullptr && channel.times.components == 1 && channel.times.count > 0;
}

/// Where a time lies among the keys: in the segment after `key`, at `part` of its way (0: at it).
struct Place {
  std::size_t key = 0;
  double part = 0.0, seconds = 0.0;  // seconds: length of the segment
};

Place place_of(const Channel& channel, double seconds) {
  std::size_t low = 0, high = channel.times.count;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (key_time(channel, middle) <= seconds ? low : high) = middle;
  }
  Place place{low, 0.0, 0.0};
  if (low + 1 >= channel.times.count) return place;
  const double begin = key_time(channel, low);
  place.seconds = key_time(channel, low + 1) - begin;
  if (seconds > begin && place.seconds > 0.0) place.part = (seconds - begin) / place.seconds;
  return place;
}

/// glTF appendix C: spherical linear interpolation the short way round.
Vec4 slerp(const Vec4& a, Vec4 b, double part) {
  const double lengths = a.norm() * b.norm();
  if (!(lengths > 0.0)) return a + (b - a) * part;
  double cosine = a.dot(b) / lengths;
  if (cosine < 0.0) {
    cosine = -cosine;
    b = -b;
  }
  const double angle = std::acos(std::min(1.0, cosine));
  const double sine = std::sin(angle);
  const Vec4 from = a.normalized(), to = b.normalized();
  if (sine < 1e-9) return from + (to - from) * part;
  return std::sin(angle * (1.0 - part)) / sine * from + std::sin(angle * part) / sine * to;
}

/// The value of a channel at a time, `width` numbers. False when it cannot be read or is not
/// finite. Without key times (a single value) that value holds.
bool sample(const Channel& channel, double seconds, std::size_t width, double* out) {
  const Stream& values = channel.values;
  if (values.data == nullptr || values.components == 0 || width == 0) return false;
  if (width % values.components != 0) return false;
  const std::size_t elements = width / values.components;
  const bool cubic = channel.interpolation == Interpolation::cubic;
  const auto read = [&](std::size_t block, double* to) {
    const std::size_t begin = block * elements;
    if (begin + elements > values.count) return false;
    read_values(values, begin, elements, to);
    return true;
  };
  const Place place = has_times(channel) ? place_of(channel, seconds) : Place{};
  const std::size_t per_key = cubic ? 3 : 1, middle = cubic ? 1 : 0;
  if (!read(place.key * per_key + middle, out)) return false;
  if (place.part > 0.0 && channel.interpolation != Interpolation::step) {
    std::vector<double> next(3 * width);
    if (!read((place.key + 1) * per_key + middle, next.data())) return false;
    const double t = place.part;
    if (cubic) {
      double* const out_tangent = next.data() + width;
      double* const in_tangent = out_tangent + width;
      if (!read(place.key * per_key + 2, out_tangent) ||
          !read((place.key + 1) * per_key, in_tangent)) {
        return false;
      }
      const double t2 = t * t, t3 = t2 * t;
      for (std::size_t i = 0; i < width; ++i) {
        out[i] = (2.0 * t3 - 3.0 * t2 + 1.0) * out[i] +
                 place.seconds * (t3 - 2.0 * t2 + t) * out_tangent[i] +
                 (3.0 * t2 - 2.0 * t3) * next[i] + place.seconds * (t3 - t2) * in_tangent[i];
      }
    } else if (channel.path == ChannelPath::rotation && width == 4) {
      Eigen::Map<Vec4> value(out);
      value = slerp(Vec4(value), Vec4(next.data()), t);
    } else {
      for (std::size_t i = 0; i < width; ++i) out[i] += (next[i] - out[i]) * t;
    }
  }
  return std::all_of(out, out + width, [](double v) { return std::isfinite(v); });
}

std::optional<Vec4> value_at(const Channel& channel, double seconds, std::uint8_t components) {
  Vec4 value = Vec4::Zero();
  if (channel.values.components != components ||
      !sample(channel, seconds, components, value.data())) {
    return std::nullopt;
  }
  return value;
}

void pose_gltf(const Asset& asset, const Clip& clip, double seconds, std::vector<Mat4>& local) {
  std::vector<std::pair<std::int32_t, LocalTransform>> keyed;
  std::vector<std::int32_t> place(asset.nodes.size(), -1);
  for (const Channel& channel : clip.channels) {
    if (channel.node < 0) continue;
    const auto node = static_cast<std::size_t>(channel.node);
    if (asset.nodes[node].local.has_matrix) continue;
    if (place[node] < 0) {
      place[node] = static_cast<std::int32_t>(keyed.size());
      keyed.emplace_back(channel.node, asset.nodes[node].local);
    }
    LocalTransform& t = keyed[static_cast<std::size_t>(place[node])].second;
    switch (channel.path) {
      case ChannelPath::translation:
        if (const auto value = value_at(channel, seconds, 3)) t.translation = value->head<3>();
        break;
      case ChannelPath::rotation:
        if (const auto value = value_at(channel, seconds, 4)) t.rotation = *value;
        break;
      case ChannelPath::scale:
        if (const auto value = value_at(channel, seconds, 3)) t.scale = value->head<3>();
        break;
      case ChannelPath::weights:
      case ChannelPath::pointer:
        break;
    }
  }
  for (const auto& [node, t] : keyed) {
    Quat rotation(t.rotation[3], t.rotation[0], t.rotation[1], t.rotation[2]);
    if (!(rotation.norm() > 0.0)) continue;
    rotation.normalize();
    local[static_cast<std::size_t>(node)] = compose_trs(t.translation, rotation, t.scale);
  }
}

std::vector<Mat4> local_at_rest(const Asset& asset) {
  std::vector<Mat4> local;
  local.reserve(asset.nodes.size());
  for (const Node& node : asset.nodes) local.push_back(node.parent_from_node);
  return local;
}

void make_global(const Asset& asset, std::vector<Mat4>& matrices) {
  for (std::size_t n = 0; n < matrices.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (parent >= 0) matrices[n] = matrices[static_cast<std::size_t>(parent)] * matrices[n];
  }
}

/// The value of an FBX channel, one to three numbers in the file's unit.
bool fbx_value(const Channel& channel, double seconds, std::size_t axes, double* out) {
  if (!channel.curves) {
    return channel.values.components == axes && sample(channel, seconds, axes, out);
  }
  if (channel.layer != 0) return false;
  const std::int64_t ticks = fbx_ticks(seconds);
  for (std::size_t a = 0; a < axes; ++a) {
    out[a] = fbx_curve_value(channel.curves->axis[a], ticks, channel.curves->fallback[a]);
  }
  return std::all_of(out, out + axes, [](double v) { return std::isfinite(v); });
}

std::vector<Mat4> fbx_world_at(const Asset& asset, const Clip& clip, double seconds) {
  std::vector<FbxTransform> transforms(asset.nodes.size());
  for (std::size_t n = 0; n < transforms.size(); ++n) {
    if (asset.nodes[n].fbx) transforms[n] = *asset.nodes[n].fbx;
  }
  for (const Channel& channel : clip.channels) {
    if (channel.node < 0) continue;
    FbxTransform& t = transforms[static_cast<std::size_t>(channel.node)];
    Vec3 value;
    Vec3* part = nullptr;
    switch (channel.path) {
      case ChannelPath::translation:
        part = &t.translation;
        break;
      case ChannelPath::rotation:
        part = &t.rotation;
        break;
      case ChannelPath::scale:
        part = &t.scaling;
        break;
      case ChannelPath::weights:
      case ChannelPath::pointer:
        break;
    }
    if (part != nullptr && fbx_value(channel, seconds, 3, value.data())) *part = value;
  }
  const Mat4& canonical = asset.canonical_from_file;
  const std::optional<Mat4> inverse = affine_inverse(canonical);
  const bool converts = inverse && !canonical.isIdentity(0.0);
  std::vector<FbxWorld> world(asset.nodes.size());
  std::vector<Mat4> out(asset.nodes.size());
  const FbxWorld root;
  for (std::size_t n = 0; n < world.size(); ++n) {
    const Node& node = asset.nodes[n];
    const FbxWorld& parent = node.parent < 0 ? root : world[static_cast<std::size_t>(node.parent)];
    if (node.fbx) {
      world[n] = fbx_world(parent, transforms[n]);
    } else {
      const Mat4 local =
          converts ? Mat4(*inverse * node.parent_from_node * canonical) : node.parent_from_node;
      world[n].world_from_node = parent.world_from_node * local;
      const TransformParts parts = decompose(local);
      world[n].rotation = parent.rotation * parts.rotation.toRotationMatrix();
    }
    out[n] =
        converts ? Mat4(canonical * world[n].world_from_node * *inverse) : world[n].world_from_node;
  }
  return out;
}

}  // namespace

std::vector<Mat4> world_at_first_keys(const Asset& asset, const Clip& clip) {
  std::vector<Mat4> world = local_at_rest(asset);
  if (!is_fbx(asset.format)) {
    pose_gltf(asset, clip, -std::numeric_limits<double>::infinity(), world);
  }
  for (const Clip::KeyedNode& key : clip.first_key) {
    if (key.node >= 0) world[static_cast<std::size_t>(key.node)] = key.parent_from_node;
  }
  make_global(asset, world);
  return world;
}

std::optional<ClipSpan> clip_span(const Clip& clip) {
  std::optional<ClipSpan> span;
  for (const Channel& channel : clip.channels) {
    if (!has_times(channel)) continue;
    const double first = key_time(channel, 0), last = key_time(channel, channel.times.count - 1);
    if (!std::isfinite(first) || !std::isfinite(last)) continue;
    if (!span) span = ClipSpan{first, last};
    span->first = std::min(span->first, first);
    span->last = std::max(span->last, last);
  }
  return span;
}

std::vector<Mat4> world_at_time(const Asset& asset, const Clip& clip, double seconds) {
  if (is_fbx(asset.format)) return fbx_world_at(asset, clip, seconds);
  std::vector<Mat4> world = local_at_rest(asset);
  pose_gltf(asset, clip, seconds, world);
  make_global(asset, world);
  return world;
}

std::vector<double> morph_activations_at_time(const Asset& asset, const Binding& binding,
                                              const Clip& clip, double seconds) {
  const std::vector<MorphTarget>& morphs =
      asset.meshes[static_cast<std::size_t>(binding.mesh)].morphs;
  std::vector<double> activations = binding.morph_weights;
  activations.resize(morphs.size(), 0.0);
  if (morphs.empty()) return activations;
  const bool gltf = !is_fbx(asset.format);
  for (const Channel& channel : clip.channels) {
    if (channel.path != ChannelPath::weights || channel.node < 0) continue;
    if (gltf) {
      std::vector<double> value(morphs.size());
      if (channel.node == binding.node && channel.values.components == 1 &&
          sample(channel, seconds, value.size(), value.data())) {
        activations = std::move(value);
      }
      continue;
    }
    if (asset.nodes[static_cast<std::size_t>(channel.node)].mesh != binding.mesh) continue;
    const auto morph = std::find_if(morphs.begin(), morphs.end(), [&](const MorphTarget& m) {
      return m.name == channel.pointer;
    });
    double percent = 0.0;
    if (morph == morphs.end() || !fbx_value(channel, seconds, 1, &percent)) continue;
    activations[static_cast<std::size_t>(morph - morphs.begin())] = percent / 100.0;
  }
  return activations;
}

}  // namespace skinlint
