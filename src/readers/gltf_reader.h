#pragma once
// The parts of the glTF reader and what they share. Private to this room.

#include <optional>
#include <string>
#include <vector>

#include "readers/gltf_accessor.h"
#include "readers/gltf_document.h"

namespace skinlint {

/// Reads .gltf or .glb from bytes already recognised as such.
Result<Asset> read_gltf(std::shared_ptr<const Source> source, const OpenCompanion& open,
                        const ReadOptions& options);

/// One read in progress.
struct GltfRead {
  const GltfDocument& document;
  const ReadOptions& options;
  Asset& asset;
  RepairLog& log;
  /// For what the model itself takes: a few bytes of JSON can ask for hundreds.
  Allowance& structure;
  GltfData& data;

  /// Asset node of a glTF node index; -1 for one that does not exist.
  std::vector<std::int32_t> node_of_id;
  /// Per mesh: some node binds it to a skin.
  std::vector<bool> mesh_is_bound;
  /// Per mesh and part: its influence table, -1: none.
  std::vector<std::vector<std::int32_t>> mesh_influences;
  /// Per node of the asset: node.weights, where given.
  std::vector<std::pair<std::int32_t, std::vector<double>>> node_weights;
  /// Node of the asset and camera of the file.
  std::vector<std::pair<std::int32_t, std::int64_t>> node_cameras;

  std::int32_t node_for(std::int64_t id) const {
    return id < 0 || static_cast<std::size_t>(id) >= node_of_id.size()
               ? -1
               : node_of_id[static_cast<std::size_t>(id)];
  }
};

/// Nodes, their graph (cycles and second parents broken, parents first), scenes. `meshes` and
/// `skins` are how many the file has.
void read_nodes(GltfRead& read, std::size_t meshes, std::size_t skins);
/// Skins; marks joints.
void read_skins(GltfRead& read);
/// Meshes with their parts, morph targets and influence tables.
void read_meshes(GltfRead& read);
/// One binding per node with a mesh and a skin.
void make_bindings(GltfRead& read);
void read_clips(GltfRead& read);
/// One camera per node that shows one.
void read_cameras(GltfRead& read);

/// Entries of a top-level array; 0 when it is absent or no array.
std::size_t entries_of(const std::optional<JsonValue>& value);
/// A list of numbers; empty with a Repair when it is no list of numbers.
std::vector<double> number_list(const std::optional<JsonValue>& value, const JsonScope& scope,
                                const Place& place);

}  // namespace skinlint
