#include "rules/limb_shape.h"

#include <array>
#include <cmath>
#include <map>

namespace skinlint::rules {
namespace {

/// Joints of a skin as a tree of slots: nodes that are no joints are passed over.
struct SlotTree {
  SlotTree(const Asset& asset, const Skin& skin, const Places& places)
      : children(skin.joints.size()),
        longest(skin.joints.size(), -1),
        length(skin.joints.size(), 1),
        tip(skin.joints.size()) {
    std::map<std::int32_t, std::int32_t> slot_of_node;
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      if (places[slot]) slot_of_node.emplace(skin.joints[slot], static_cast<std::int32_t>(slot));
    }
    std::vector<std::int32_t> above(asset.nodes.size(), -1);  // slot at or above each node
    for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
      const std::int32_t parent = asset.nodes[n].parent;
      const std::int32_t up = parent >= 0 ? above[static_cast<std::size_t>(parent)] : -1;
      const auto found = slot_of_node.find(static_cast<std::int32_t>(n));
      above[n] = found != slot_of_node.end() ? found->second : up;
      if (found != slot_of_node.end() && up >= 0) {
        children[static_cast<std::size_t>(up)].push_back(found->second);
      }
    }
    for (std::size_t slot = 0; slot < tip.size(); ++slot) tip[slot] = slot;
    for (auto it = slot_of_node.rbegin(); it != slot_of_node.rend(); ++it) {  // children first
      const auto slot = static_cast<std::size_t>(it->second);
      for (const std::int32_t child : children[slot]) {
        const std::size_t below = 1 + length[static_cast<std::size_t>(child)];
        if (below <= length[slot]) continue;
        length[slot] = below;
        longest[slot] = child;
        tip[slot] = tip[static_cast<std::size_t>(child)];
      }
    }
  }
  /// The longest chain from a slot down.
  std::vector<std::int32_t> chain(std::int32_t from) const {
    std::vector<std::int32_t> slots;
    for (std::int32_t s = from; s >= 0; s = longest[static_cast<std::size_t>(s)])
      slots.push_back(s);
    return slots;
  }
  std::vector<std::vector<std::int32_t>> children;
  std::vector<std::int32_t> longest;
  std::vector<std::size_t> length;
  std::vector<std::size_t> tip;  // slot at the end of the longest chain
};

/// The two longest bones in a row are upper arm and forearm; clavicles and fingers are shorter.
ArmChain longest_bones(const std::vector<std::int32_t>& chain, const Places& places) {
  ArmChain best;
  double most = -1.0;
  for (std::size_t i = 0; i + 2 < chain.size(); ++i) {
    const auto at = [&](std::size_t k) { return *places[static_cast<std::size_t>(chain[k])]; };
    const double reach = (at(i + 1) - at(i)).norm() + (at(i + 2) - at(i + 1)).norm();
    if (reach <= most) continue;
    most = reach;
    best = {chain[i], chain[i + 1], chain[i + 2]};
  }
  return best;
}

/// Two chains of one joint that end at one height on opposite sides.
struct LimbPair {
  std::array<std::int32_t, 2> begin = {-1, -1};
  double tip_height = 0.0, fork_height = 0.0, spread = 0.0;
};

std::vector<LimbPair> limb_pairs(const SlotTree& tree, const Places& places, double height) {
  constexpr std::size_t most_children = 12;  // more leave one joint in hair and skirts only
  std::vector<LimbPair> pairs;
  for (std::size_t fork = 0; fork < tree.children.size(); ++fork) {
    const std::vector<std::int32_t>& children = tree.children[fork];
    if (children.size() < 2 || children.size() > most_children) continue;
    for (std::size_t i = 0; i < children.size(); ++i) {
      for (std::size_t k = i + 1; k < children.size(); ++k) {
        const auto a = static_cast<std::size_t>(children[i]),
                   b = static_cast<std::size_t>(children[k]);
        if (tree.length[a] < 3 || tree.length[a] != tree.length[b]) continue;
        LimbPair pair;
        pair.begin = {children[i], children[k]};
        const Vec3 tip_a = *places[tree.tip[a]];
        const Vec3 tip_b = *places[tree.tip[b]];
        const Vec3 root_a = *places[a], root_b = *places[b];
        const double same = 0.05 * height;
        Vec3 across = tip_a - tip_b;
        across.y() = 0.0;
        if (std::abs(tip_a.y() - tip_b.y()) > same || std::abs(root_a.y() - root_b.y()) > same ||
            across.norm() < same || across.dot(root_a - root_b) < 0.0) {
          continue;
        }
        pair.tip_height = 0.5 * (tip_a.y() + tip_b.y());
        pair.fork_height = 0.5 * (root_a.y() + root_b.y());
        pair.spread = across.norm();
        pairs.push_back(pair);
      }
    }
  }
  return pairs;
}

}  // namespace

Arms arms_by_shape(const Asset& asset, const Skin& skin, const Places& places,
                   const Heights& heights) {
  Arms arms;
  const SlotTree tree(asset, skin, places);
  const std::vector<LimbPair> pairs = limb_pairs(tree, places, heights.height);
  const LimbPair* legs = nullptr;
  const LimbPair* widest = nullptr;
  std::size_t standing = 0;
  for (const LimbPair& pair : pairs) {
    if (heights.grounded(Vec3(0, pair.tip_height, 0))) {
      ++standing;
      if (legs == nullptr || pair.spread > legs->spread) legs = &pair;
    } else if (widest == nullptr || pair.spread > widest->spread) {
      widest = &pair;
    }
  }
  // Two pairs on the ground belong to a creature of four legs.
  if (standing != 1 || widest == nullptr || widest->fork_height <= legs->fork_height) return arms;
  // Which side is left cannot be told without knowing the front: +Z is the canonical one.
  const auto x_of = [&](std::int32_t begin) {
    return places[tree.tip[static_cast<std::size_t>(begin)]]->x();
  };
  const std::size_t left = x_of(widest->begin[0]) >= x_of(widest->begin[1]) ? 0 : 1;
  arms.left = longest_bones(tree.chain(widest->begin[left]), places);
  arms.right = longest_bones(tree.chain(widest->begin[1 - left]), places);
  return arms;
}

}  // namespace skinlint::rules
