#pragma once
// The pose a clip starts in.

#include <vector>

#include "model/asset.h"

namespace skinlint {

/// World of every node with the clip's channels at their first keys and all else at rest. glTF:
/// rotations are normalised; channels of nodes that have a matrix, unreadable and non-finite ones
/// are passed over. FBX: by Clip::first_key; a node whose world no local matrix can give
/// (Node::world_from_node) keeps its local matrix. O(nodes + channels).
std::vector<Mat4> world_at_first_keys(const Asset& asset, const Clip& clip);

}  // namespace skinlint
