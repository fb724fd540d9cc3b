// Animation stacks (7.x) and takes (6.x and older) into clips. Curves are joined per property; the
// keys stay the file's numbers (degrees, the file's unit).

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "readers/fbx_build.h"
#include "readers/fbx_curves.h"

namespace skinlint::fbx {

namespace {

// Building every clip's first-key pose for nodes that inherit scale oddly costs nodes x clips.
constexpr std::uint64_t kMaxComposedNodes = 2'000'000;

/// Up to three curves of one property, with the values that stand where an axis has no curve.
struct PropertyCurves {
  std::int32_t node = -1;
  ChannelPath path = ChannelPath::translation;
  std::string pointer;
  std::int32_t layer = 0;  // of its clip
  std::size_t axes = 3;
  Curve curve[3];
  double fallback[3] = {0, 0, 0};
};

/// Adds a sentence once.
void leave_out(Clip& clip, std::string what) {
  if (std::find(clip.left_out.begin(), clip.left_out.end(), what) == clip.left_out.end())
    clip.left_out.push_back(std::move(what));
}

void note_left_out(Clip& clip, const Curve& curve) {
  if (curve.shapes_lost)
    leave_out(clip, "the tangents of some curves, which are missing or inconsistent: linear");
  if (curve.has_velocity) leave_out(clip, "the velocities of tangents");
  if (curve.extrapolates)
    leave_out(clip, "extrapolation: before the first and after the last key, curves are constant");
}

void add_channel(Build& b, Clip& clip, const PropertyCurves& property) {
  std::vector<std::int64_t> times;
  for (std::size_t a = 0; a < property.axes; ++a) {
    const auto& more = property.curve[a].times;
    if (times == more) continue;
    std::vector<std::int64_t> both;
    std::set_union(times.begin(), times.end(), more.begin(), more.end(), std::back_inserter(both));
    times = std::move(both);
  }
  if (times.empty()) return;
  NumberArray seconds, values;
  seconds.type = values.type = ComponentType::f64;
  seconds.count = times.size();
  values.count = times.size() * property.axes;
  seconds.data.reset(new std::byte[seconds.count * sizeof(double)]);
  values.data.reset(new std::byte[values.count * sizeof(double)]);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double s = static_cast<double>(times[k]) / kFbxTicksPerSecond;
    std::memcpy(seconds.data.get() + k * sizeof(double), &s, sizeof(double));
    clip.duration = std::max(clip.duration, s);
    for (std::size_t a = 0; a < property.axes; ++a) {
      const double v = sample(property.curve[a], times[k], property.fallback[a]);
      std::memcpy(values.data.get() + (k * property.axes + a) * sizeof(double), &v, sizeof(double));
    }
  }
  Channel channel;
  channel.node = property.node;
  channel.path = property.path;
  channel.pointer = property.pointer;
  channel.layer = property.layer;
  if (b.options.clip_curves) {
    auto curves = std::make_shared<FbxCurves>();
    for (std::size_t a = 0; a < property.axes; ++a) {
      curves->axis[a] = settled(property.curve[a]);
      curves->fallback[a] = property.fallback[a];
      note_left_out(clip, property.curve[a]);
    }
    channel.curves = std::move(curves);
  }
  channel.times = b.keep(seconds, 1);
  channel.values = b.keep(values, static_cast<std::uint8_t>(property.axes));
  clip.channels.push_back(std::move(channel));
}

void set_fallback(const Build& b, PropertyCurves& property) {
  if (property.node < 0) return;
  const FbxTransform& t = *b.asset.nodes[static_cast<std::size_t>(property.node)].fbx;
  const Vec3& rest = property.path == ChannelPath::rotation ? t.rotation
                     : property.path == ChannelPath::scale  ? t.scaling
                                                            : t.translation;
  for (int k = 0; k < 3; ++k) property.fallback[k] = rest[k];
}

bool path_of(std::string_view property, ChannelPath& path) {
  if (property == "Lcl Translation") {
    path = ChannelPath::translation;
  } else if (property == "Lcl Rotation") {
    path = ChannelPath::rotation;
  } else if (property == "Lcl Scaling") {
    path = ChannelPath::scale;
  } else {
    return false;
  }
  return true;
}

/// First node showing the mesh that a blend channel belongs to.
std::int32_t node_of_channel(const Build& b, std::int32_t channel) {
  for (const Connection& c : b.graph.out_of(channel)) {
    if (b.type(c.destination) != ObjectClass::blend_shape) continue;
    for (const Connection& d : b.graph.out_of(c.destination)) {
      if (d.destination < 0) continue;
      const std::int32_t mesh = b.mesh_of[static_cast<std::size_t>(d.destination)];
      if (mesh < 0) continue;
      const auto& nodes = b.nodes_of_mesh[static_cast<std::size_t>(mesh)];
      if (!nodes.empty()) return nodes.front();
    }
  }
  return -1;
}

/// Only the first layer is evaluated. Others that add nothing can be passed over in silence.
void note_layer(Build& b, std::int32_t layer, Clip& clip) {
  double weight = 100.0;
  bool mute = false;
  Properties properties(b.records, b.object(layer).record);
  while (properties.next()) {
    if (properties.name() == "Weight") weight = properties.number().value_or(weight);
    if (properties.name() == "Mute") mute = properties.number().value_or(0.0) != 0.0;
  }
  if (mute || weight == 0.0) return;
  const std::span<const Connection> content = b.graph.into(layer);
  if (std::none_of(content.begin(), content.end(), [&](const Connection& c) {
        return b.type(c.source) == ObjectClass::curve_node;
      })) {
    return;
  }
  leave_out(clip, "animation layer \"" + b.name(layer) + "\": the first layer alone counts");
}

void read_curve_node(Build& b, std::int32_t curve_node, std::int32_t layer, Clip& clip) {
  for (const Connection& target : b.graph.out_of(curve_node)) {
    if (target.property.empty()) continue;
    PropertyCurves property;
    property.layer = layer;
    if (b.type(target.destination) == ObjectClass::model) {
      if (!path_of(target.property, property.path)) continue;
      property.node = b.node_of[static_cast<std::size_t>(target.destination)];
    } else if (b.type(target.destination) == ObjectClass::blend_channel) {
      property.path = ChannelPath::weights;
      property.axes = 1;
      property.node = node_of_channel(b, target.destination);
      property.pointer = b.name(target.destination);
    } else {
      continue;
    }
    if (property.axes == 3) set_fallback(b, property);
    // The curve node's own values stand where an axis has no curve.
    Properties values(b.records, b.object(curve_node).record);
    while (values.next()) {
      const std::string_view n = values.name();
      const std::size_t axis = n == "d|X" || n == "d|DeformPercent" ? 0
                               : n == "d|Y"                         ? 1
                               : n == "d|Z"                         ? 2
                                                                    : 3;
      if (axis < property.axes) property.fallback[axis] = values.number().value_or(0.0);
    }
    for (const Connection& c : b.graph.into(curve_node)) {
      if (b.type(c.source) != ObjectClass::curve) continue;
      const std::string_view n = c.property;
      const std::size_t axis = n == "d|X" || n == "d|DeformPercent" ? 0
                               : n == "d|Y"                         ? 1
                               : n == "d|Z"                         ? 2
                                                                    : 3;
      if (axis < property.axes) read_curve(b, c.source, property.curve[axis]);
    }
    add_channel(b, clip, property);
  }
}

using ShapeNames = std::unordered_map<std::int32_t, std::unordered_set<std::string>>;

void read_take_model(Build& b, const Record& entry, Clip& clip, ShapeNames& shapes_of_mesh) {
  const std::int32_t model = b.graph.find(b.records.value(entry));
  if (model < 0 || b.type(model) != ObjectClass::model) return;
  const std::int32_t node = b.node_of[static_cast<std::size_t>(model)];
  Children walk = b.records.children(entry);
  Record channel;
  while (walk.next(channel)) {
    if (channel.name != "Channel") continue;
    const std::string_view name = b.records.value(channel).text;
    if (name != "Transform") {
      // A shape's channel bears the shape's name.
      const std::int32_t mesh = b.mesh_of[static_cast<std::size_t>(model)];
      if (mesh < 0) continue;
      const std::string shape = display_name(split_name(name).name, b.records.binary());
      const auto [known, is_new] = shapes_of_mesh.try_emplace(mesh);
      if (is_new) {
        for (const MorphTarget& m : b.asset.meshes[static_cast<std::size_t>(mesh)].morphs) {
          known->second.insert(m.name);
        }
      }
      if (known->second.count(shape) == 0) continue;
      PropertyCurves property;
      property.node = node;
      property.path = ChannelPath::weights;
      property.pointer = shape;
      property.axes = 1;
      read_take_curve(b, channel, property.curve[0], property.fallback[0]);
      add_channel(b, clip, property);
      continue;
    }
    Children parts = b.records.children(channel);
    Record part;
    while (parts.next(part)) {
      if (part.name != "Channel") continue;
      const std::string_view which = b.records.value(part).text;
      PropertyCurves property;
      property.node = node;
      if (which == "T") {
        property.path = ChannelPath::translation;
      } else if (which == "R") {
        property.path = ChannelPath::rotation;
      } else if (which == "S") {
        property.path = ChannelPath::scale;
      } else {
        continue;
      }
      set_fallback(b, property);
      Children axes = b.records.children(part);
      Record axis;
      while (axes.next(axis)) {
        if (axis.name != "Channel") continue;
        const std::string_view letter = b.records.value(axis).text;
        const std::size_t k = letter == "X" ? 0 : letter == "Y" ? 1 : letter == "Z" ? 2 : 3;
        if (k < 3) read_take_curve(b, axis, property.curve[k], property.fallback[k]);
      }
      add_channel(b, clip, property);
    }
  }
}

/// The local matrices of the keyed nodes at the clip's first key.
/// `slot` has one -1 per node and is left so.
void pose_first_key(Build& b, Clip& clip, std::vector<std::int32_t>& slot,
                    std::uint64_t& composed) {
  std::vector<std::pair<std::int32_t, FbxTransform>> keyed;
  bool odd = false;
  for (const Channel& c : clip.channels) {
    if (c.path == ChannelPath::weights || c.node < 0 || c.times.count == 0) continue;
    std::int32_t& at = slot[static_cast<std::size_t>(c.node)];
    if (at < 0) {
      at = static_cast<std::int32_t>(keyed.size());
      keyed.emplace_back(c.node, *b.asset.nodes[static_cast<std::size_t>(c.node)].fbx);
    }
    FbxTransform& t = keyed[static_cast<std::size_t>(at)].second;
    double v[3];
    read_values(c.values, 0, 1, v);  // a curve that starts later holds its first value before
    Vec3& part = c.path == ChannelPath::rotation ? t.rotation
                 : c.path == ChannelPath::scale  ? t.scaling
                                                 : t.translation;
    part = Vec3(v[0], v[1], v[2]);
  }
  for (const auto& [node, t] : keyed) odd = odd || t.inherit_type != InheritType::RSrs;
  if (odd && composed + b.asset.nodes.size() <= kMaxComposedNodes) {
    composed += b.asset.nodes.size();
    std::vector<Mat4> local(b.asset.nodes.size());
    compose_nodes(
        b.asset,
        [&](std::size_t k) -> const FbxTransform& {
          return slot[k] < 0 ? *b.asset.nodes[k].fbx
                             : keyed[static_cast<std::size_t>(slot[k])].second;
        },
        [&](std::size_t k, const Mat4& parent_from_node, const std::optional<Mat4>&) {
          local[k] = parent_from_node;
        });
    for (const auto& [node, t] : keyed) {
      clip.first_key.push_back({node, b.converted(local[static_cast<std::size_t>(node)])});
    }
  } else {
    for (const auto& [node, t] : keyed) {
      clip.first_key.push_back({node, b.converted(fbx_local_matrix(t))});
    }
  }
  for (const auto& [node, t] : keyed) slot[static_cast<std::size_t>(node)] = -1;
}

}  // namespace

void build_clips(Build& b) {
  const auto& objects = b.graph.objects();
  std::uint64_t composed = 0, visits = 0;
  std::vector<std::int32_t> slot(b.asset.nodes.size(), -1);
  // Stacks that share layers, and layers that share curve nodes, multiply; real files do not.
  const std::uint64_t max_visits = 4 * b.graph.connections().size() + 1024;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    if (objects[k].type != ObjectClass::stack) continue;
    const auto stack = static_cast<std::int32_t>(k);
    Clip clip;
    clip.name = b.name(stack);
    clip.id = objects[k].id;
    std::int32_t layers = 0;
    for (const Connection& layer : b.graph.into(stack)) {
      if (b.type(layer.source) != ObjectClass::layer || visits > max_visits) continue;
      if (layers > 0 && b.options.clip_curves) note_layer(b, layer.source, clip);
      for (const Connection& node : b.graph.into(layer.source)) {
        if (++visits > max_visits) break;
        if (b.type(node.source) == ObjectClass::curve_node) {
          read_curve_node(b, node.source, layers, clip);
        }
      }
      ++layers;
    }
    pose_first_key(b, clip, slot, composed);
    b.asset.clips.push_back(std::move(clip));
  }
  if (visits > max_visits) {
    b.repair(Repair::Kind::limit, false, {}, 1,
             "animation layers are shared too often; some channels were left out");
  }
  if (!b.asset.clips.empty() || b.graph.takes().name.empty()) return;
  Children takes = b.records.children(b.graph.takes());
  Record take;
  ShapeNames shapes;
  while (takes.next(take)) {
    if (take.name != "Take") continue;
    Clip clip;
    clip.name = display_name(b.records.value(take).text, b.records.binary());
    clip.id = static_cast<std::int64_t>(b.asset.clips.size()) + 1;
    Children models = b.records.children(take);
    Record entry;
    while (models.next(entry)) {
      if (entry.name == "Model") read_take_model(b, entry, clip, shapes);
    }
    pose_first_key(b, clip, slot, composed);
    b.asset.clips.push_back(std::move(clip));
  }
}

}  // namespace skinlint::fbx
