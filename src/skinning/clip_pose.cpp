#include "skinning/clip_pose.h"

#include <optional>

namespace skinlint {
namespace {

/// The value at a channel's first key; empty when it cannot be read or is not finite.
std::optional<Vec4> first_value(const Channel& channel, std::uint8_t components) {
  const std::size_t element = channel.interpolation == Interpolation::cubic ? 1 : 0;
  if (channel.values.data == nullptr || channel.values.components != components ||
      channel.values.count <= element) {
    return std::nullopt;
  }
  Vec4 value = Vec4::Zero();
  read_values(channel.values, element, 1, value.data());
  if (!value.allFinite()) return std::nullopt;
  return value;
}

void pose_gltf(const Asset& asset, const Clip& clip, std::vector<Mat4>& local) {
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
        if (const auto value = first_value(channel, 3)) t.translation = value->head<3>();
        break;
      case ChannelPath::rotation:
        if (const auto value = first_value(channel, 4)) t.rotation = *value;
        break;
      case ChannelPath::scale:
        if (const auto value = first_value(channel, 3)) t.scale = value->head<3>();
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

}  // namespace

std::vector<Mat4> world_at_first_keys(const Asset& asset, const Clip& clip) {
  std::vector<Mat4> world;
  world.reserve(asset.nodes.size());
  for (const Node& node : asset.nodes) world.push_back(node.parent_from_node);
  if (is_gltf(asset.format)) pose_gltf(asset, clip, world);
  for (const Clip::KeyedNode& key : clip.first_key) {
    if (key.node >= 0) world[static_cast<std::size_t>(key.node)] = key.parent_from_node;
  }
  for (std::size_t n = 0; n < world.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (parent >= 0) world[n] = world[static_cast<std::size_t>(parent)] * world[n];
  }
  return world;
}

}  // namespace skinlint
