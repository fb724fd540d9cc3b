#pragma once
// Globals and ancestry of the node forest.

#include <vector>

#include "model/asset.h"

namespace skinlint {

/// world_from_node per node from the rest transforms; parents precede children (I1), one pass.
std::vector<Mat4> world_from_nodes(const Asset& asset);
/// Topmost ancestor per node.
std::vector<std::int32_t> root_of_nodes(const Asset& asset);
/// Distance from the root per node.
std::vector<std::int32_t> depth_of_nodes(const Asset& asset);
/// Deepest node that is an ancestor of, or is, every node of `nodes` (-1 entries are ignored); -1
/// when they share none or `nodes` is empty.
std::int32_t common_ancestor(const Asset& asset, const std::vector<std::int32_t>& depth,
                             const std::vector<std::int32_t>& nodes);

}  // namespace skinlint
