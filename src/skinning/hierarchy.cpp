#include "skinning/hierarchy.h"

namespace skinlint {

std::vector<Mat4> world_from_nodes(const Asset& asset) {
  std::vector<Mat4> world(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const Node& node = asset.nodes[i];
    if (node.world_from_node) {
      world[i] = *node.world_from_node;
      continue;
    }
    world[i] = node.parent < 0
                   ? node.parent_from_node
                   : Mat4(world[static_cast<std::size_t>(node.parent)] * node.parent_from_node);
  }
  return world;
}

std::vector<std::int32_t> root_of_nodes(const Asset& asset) {
  std::vector<std::int32_t> root(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const std::int32_t parent = asset.nodes[i].parent;
    root[i] = parent < 0 ? static_cast<std::int32_t>(i) : root[static_cast<std::size_t>(parent)];
  }
  return root;
}

std::vector<std::int32_t> depth_of_nodes(const Asset& asset) {
  std::vector<std::int32_t> depth(asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    const std::int32_t parent = asset.nodes[i].parent;
    depth[i] = parent < 0 ? 0 : depth[static_cast<std::size_t>(parent)] + 1;
  }
  return depth;
}

std::int32_t common_ancestor(const Asset& asset, const std::vector<std::int32_t>& depth,
                             const std::vector<std::int32_t>& nodes) {
  const auto parent = [&](std::int32_t n) {
    return asset.nodes[static_cast<std::size_t>(n)].parent;
  };
  const auto depth_of = [&](std::int32_t n) { return depth[static_cast<std::size_t>(n)]; };
  std::int32_t common = -1;
  // Nodes met at or below `common`: who reaches one of them has it as ancestor. No node is climbed
  // through twice, however long the chains.
  std::vector<bool> below(asset.nodes.size(), false);
  const auto met = [&below](std::int32_t n) { return below[static_cast<std::size_t>(n)]; };
  const auto meet = [&below](std::int32_t n) { below[static_cast<std::size_t>(n)] = true; };
  for (std::int32_t node : nodes) {
    if (node < 0) continue;
    if (common < 0) {
      common = node;
      meet(common);
      continue;
    }
    while (!met(node)) {
      if (depth_of(common) >= depth_of(node)) {
        common = parent(common);
        if (common < 0) return -1;
        // Passing by the node itself ends the climb.
        meet(common);
      } else {
        meet(node);
        node = parent(node);
      }
    }
  }
  return common;
}

}  // namespace skinlint
