#include "skinning/hierarchy.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace skinlint;

namespace {

Asset forest(const std::vector<std::int32_t>& parents) {
  Asset asset;
  for (const std::int32_t parent : parents) {
    Node node;
    node.parent = parent;
    asset.nodes.push_back(node);
  }
  return asset;
}

/// By definition: the deepest node on every chain to the root.
std::int32_t deepest_shared(const Asset& asset, const std::vector<std::int32_t>& nodes) {
  std::vector<std::size_t> chains(asset.nodes.size(), 0);
  std::size_t wanted = 0;
  for (const std::int32_t node : nodes) {
    if (node >= 0) ++wanted;
    for (std::int32_t n = node; n >= 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      ++chains[static_cast<std::size_t>(n)];
    }
  }
  // Parents precede children: among the shared ones, all on one chain, the last is the deepest.
  for (std::size_t n = chains.size(); n-- > 0;) {
    if (wanted > 0 && chains[n] == wanted) return static_cast<std::int32_t>(n);
  }
  return -1;
}

}  // namespace

TEST_CASE("common_ancestor: the deepest node at or above all", "[skinning]") {
  //   0        5
  //   1   4    6
  //  2 3
  const Asset asset = forest({-1, 0, 1, 1, 0, -1, 5});
  const std::vector<std::int32_t> depth = depth_of_nodes(asset);
  CHECK(depth == std::vector<std::int32_t>{0, 1, 2, 2, 1, 0, 1});
  CHECK(common_ancestor(asset, depth, {2, 3}) == 1);
  CHECK(common_ancestor(asset, depth, {2, 3, 4}) == 0);
  CHECK(common_ancestor(asset, depth, {2, 1}) == 1);
  CHECK(common_ancestor(asset, depth, {3, 3}) == 3);
  CHECK(common_ancestor(asset, depth, {-1, 3}) == 3);
  CHECK(common_ancestor(asset, depth, {2, 6}) == -1);
  CHECK(common_ancestor(asset, depth, {}) == -1);
}

TEST_CASE("property: common_ancestor agrees with its definition", "[skinning]") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int32_t> parents = {-1};
    while (parents.size() < 12) parents.push_back(below(parents.size() + 1) - 1);
    const Asset asset = forest(parents);
    std::vector<std::int32_t> nodes;
    for (int k = 0; k < 1 + round % 5; ++k) nodes.push_back(below(parents.size()));
    CAPTURE(parents, nodes);
    CHECK(common_ancestor(asset, depth_of_nodes(asset), nodes) == deepest_shared(asset, nodes));
  }
}
