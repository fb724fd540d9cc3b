#pragma once
// One binding as we read it against what another importer made of it, at rest. Numbers, and the
// name of the importer's known gap where the file holds the evidence for one.

#include <cstdint>
#include <string>
#include <vector>

#include "model/asset.h"
#include "model/importer_view.h"
#include "skinning/bind_analysis.h"
#include "skinning/evaluator.h"

namespace skinlint {

/// What Assimp 5.2 is known to do (docs/importer-differences.md shows each), by what it needs in
/// the file.
enum class ImporterGap : std::uint8_t {
  none,  // not a known one
  // Imports that fail:
  no_inverse_bind_matrices,
  short_inverse_bind_matrices,
  weights_without_joints,
  bones_of_one_name,
  deep_nodes,
  old_fbx,
  cyclic_nodes,
  unknown_extension,
  no_scene,
  // Differences:
  drops_negative_weights,
  drops_weights_that_are_no_numbers,
  integer_weights,
  joint_out_of_range,
  vertex_out_of_range,
  negative_vertex_index,
  cluster_counts,
  no_transform_link,
  geometric_transform,
  one_skin_per_mesh,
  names_for_identity,
  pivots,
  inherit_type,
  transform_not_finite,
  integer_positions,
  default_scene_only,
  shapes_without_normals,
  skinning_type,
};

struct ImporterDifference {
  enum class Kind : std::uint8_t {
    mesh_lost,       // the importer's scene shows no mesh at the node
    not_aligned,     // vertices without a partner: they are not compared
    positions,       // vertices moved before any skinning
    joints_lost,     // joints with weight that have no bone
    weights,         // influences dropped or changed
    bind_matrices,   // offset matrices that put vertices elsewhere
    joints_placed,   // joints that stand elsewhere at rest
    posed_vertices,  // none of the above, and yet vertices stand elsewhere
    shapes_lost,     // morph targets
    method_lost,     // blended otherwise than the file says
  };
  Kind kind = Kind::mesh_lost;
  ImporterGap gap = ImporterGap::none;
  std::uint64_t count = 0, total = 0;  // elements that differ, and those that were compared
  /// weights: the largest difference; positions, matrices, places: the largest displacement,
  /// metres.
  double worst = 0.0;
  double ours = 0.0, theirs = 0.0;  // weights: the pair that differs most
  struct Item {
    std::int64_t index = 0;  // vertex, or slot of the skin
    double value = 0.0;
  };
  std::vector<Item> items;  // worst first
};

struct ImporterComparison {
  std::vector<ImporterDifference> differences;
  /// Vertices that an engine on this importer shows elsewhere at rest, of those both can pose.
  std::uint64_t moved = 0, posed = 0;
  double displacement = 0.0;  // metres, the largest
};

struct ComparisonInput {
  const Asset& asset;
  const ImporterView& view;
  const std::vector<std::int32_t>& node_match;  // match_nodes()
  const std::vector<Mat4>& world_from_node;
  const SkinMatrices& skin_matrices;  // of the binding, at rest
  std::size_t binding = 0;
  double size = 0.0;          // L, metres; 0 or not finite: places are not compared
  double displacement = 0.0;  // what counts as elsewhere, metres
  double weight = 0.0;        // what counts as another weight
  std::size_t max_items = 5;
};

/// Linear in vertices times influences. Non-finite numbers of ours take no part in places.
ImporterComparison compare_binding(const ComparisonInput& input);

/// Why an import failed, by what the file holds. `none` where nothing known is in it.
ImporterGap gap_of_failure(const Asset& asset, const ImporterView& view,
                           const std::vector<std::int32_t>& depth_of_node);

}  // namespace skinlint
