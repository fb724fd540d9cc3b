#pragma once
// Which node, mesh and vertex of another importer's scene is which of ours. Representation is
// undone here: helper nodes, meshes split by material, vertices repeated for each polygon corner.

#include <cstdint>
#include <vector>

#include "model/asset.h"
#include "model/importer_view.h"

namespace skinlint {

/// Per node of the asset the importer's node, -1 where there is none. Trees are walked side by
/// side: children by name and order of occurrence; "_$AssimpFbx$_" helpers are looked through. A
/// name that the importer made unique by digits behind it counts as the name.
std::vector<std::int32_t> match_nodes(const Asset& asset, const ImporterView& view);

struct VertexPair {
  std::uint32_t part = 0, vertex = 0;  // ours
  std::uint32_t mesh = 0, theirs = 0;  // theirs
};

struct VertexMatch {
  std::vector<VertexPair> pairs;  // each of our vertices at most once
  /// Vertices of ours that polygons use (FBX) or all (glTF) for which the importer has none.
  std::uint64_t unmatched = 0;
};

/// Vertices of one of our meshes and of the importer's meshes for it. glTF: one mesh for each
/// primitive, vertices in order. FBX: one mesh for each material, a vertex for each corner,
/// polygons in order; which material a polygon has is found by places, within a float's rounding.
VertexMatch match_vertices(const Asset& asset, const Mesh& mesh, const ImporterView& view,
                           const std::vector<std::int32_t>& meshes);

}  // namespace skinlint
