#include "rules/importer_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measures.h"

namespace skinlint::rules {

GapText gap_text(ImporterGap gap) {
  switch (gap) {
    case ImporterGap::none:
      return {};
    case ImporterGap::no_inverse_bind_matrices:
      return {"no-inverse-bind-matrices", "crashes or takes rubbish without inverseBindMatrices",
              true};
    case ImporterGap::short_inverse_bind_matrices:
      return {"short-inverse-bind-matrices", "reads past the end of short inverseBindMatrices",
              false, true};
    case ImporterGap::weights_without_joints:
      return {"weights-without-joints", "aborts on WEIGHTS_n without JOINTS_n"};
    case ImporterGap::bones_of_one_name:
      return {"bones-of-one-name", "frees bones of one name twice", true};
    case ImporterGap::deep_nodes:
      return {"deep-nodes", "follows nodes by recursion and runs out of stack", true};
    case ImporterGap::old_fbx:
      return {"old-fbx", "reads no FBX before 7.1 (2011)", true};
    case ImporterGap::cyclic_nodes:
      return {"cyclic-nodes", "refuses node graphs with a cycle"};
    case ImporterGap::unknown_extension:
      return {"unknown-extension", "does not know an extension that the file requires", true};
    case ImporterGap::no_scene:
      return {"no-scene", "refuses glTF without a scene", true};
    case ImporterGap::drops_negative_weights:
      return {"drops-negative-weights", "drops negative weights"};
    case ImporterGap::drops_weights_that_are_no_numbers:
      return {"drops-nan-weights", "drops weights that are not numbers"};
    case ImporterGap::integer_weights:
      return {"integer-weights", "reads u8 and u16 weights wrongly", true, true};
    case ImporterGap::joint_out_of_range:
      return {"joint-out-of-range", "drops weights of joints out of range"};
    case ImporterGap::vertex_out_of_range:
      return {"vertex-out-of-range", "drops weights of vertices out of range, or aborts on them"};
    case ImporterGap::negative_vertex_index:
      return {"negative-vertex-index", "drops a whole cluster for one index of -1"};
    case ImporterGap::cluster_counts:
      return {"cluster-counts", "removes clusters whose Indexes and Weights differ in length"};
    case ImporterGap::no_transform_link:
      return {"no-transform-link", "removes clusters without TransformLink"};
    case ImporterGap::geometric_transform:
      return {"geometric-transform", "leaves the geometric transform out of the bone offset", true};
    case ImporterGap::one_skin_per_mesh:
      return {"one-skin-per-mesh", "keeps one skin for a mesh and lets another overwrite it", true};
    case ImporterGap::names_for_identity:
      return {"names-for-identity", "finds bones by name, the first of that name", true};
    case ImporterGap::pivots:
      return {"pivots", "composes pivots and post-rotation wrongly", true};
    case ImporterGap::inherit_type:
      return {"inherit-type", "does not apply the inherit type", true};
    case ImporterGap::transform_not_finite:
      return {"transform-not-finite", "takes transforms that are not numbers for the identity"};
    case ImporterGap::integer_positions:
      return {"integer-positions", "reads quantised positions wrongly", true, true};
    case ImporterGap::default_scene_only:
      return {"default-scene-only", "reads the default scene alone", true};
    case ImporterGap::shapes_without_normals:
      return {"shapes-without-normals", "drops shapes without normals", true};
    case ImporterGap::skinning_type:
      return {"skinning-type", "loses the skinning type and blends linearly", true};
  }
  return {};
}

std::string_view difference_name(ImporterDifference::Kind kind) {
  using Kind = ImporterDifference::Kind;
  switch (kind) {
    case Kind::mesh_lost:
      return "mesh-lost";
    case Kind::not_aligned:
      return "not-aligned";
    case Kind::positions:
      return "positions";
    case Kind::joints_lost:
      return "joints-lost";
    case Kind::weights:
      return "weights";
    case Kind::bind_matrices:
      return "bind-matrices";
    case Kind::joints_placed:
      return "joints-placed";
    case Kind::posed_vertices:
      return "posed-vertices";
    case Kind::shapes_lost:
      return "shapes-lost";
    case Kind::method_lost:
      return "method-lost";
  }
  return {};
}

std::string share_of_size(double displacement, double size) {
  if (!std::isfinite(displacement)) return "to places that are not numbers";
  return fmt::format("by up to {} of the size",
                     percent(size > 0.0 ? 100.0 * displacement / size : 0.0));
}

std::string difference_text(const ImporterDifference& d, double size) {
  using Kind = ImporterDifference::Kind;
  if (gap_text(d.gap).varies) {
    const char* what = d.kind == Kind::weights     ? "weights"
                       : d.kind == Kind::positions ? "places of vertices"
                                                   : "joints' matrices";
    return fmt::format("the importer has rubbish, other in each run, for {} of {} {}", d.count,
                       std::max(d.count, d.total), what);
  }
  switch (d.kind) {
    case Kind::mesh_lost:
      return "the importer shows no mesh here";
    case Kind::not_aligned:
      return fmt::format("{} of {} have no counterpart in the importer's meshes",
                         counted(d.count, "vertex", "vertices"), d.total);
    case Kind::positions:
      return fmt::format("the importer moves {} of {} before any skinning, {}",
                         counted(d.count, "vertex", "vertices"), d.total,
                         share_of_size(d.worst, size));
    case Kind::joints_lost:
      return fmt::format("the importer has no bone for {} of {} with weight",
                         counted(d.count, "joint", "joints"), d.total);
    case Kind::weights:
      if (d.gap == ImporterGap::vertex_out_of_range) {
        return fmt::format("the importer drops {} for vertices that the mesh does not have",
                           counted(d.count, "weight", "weights"));
      }
      return fmt::format("the importer drops or changes {}, the worst from {:.6g} to {:.6g}",
                         counted(d.count, "weight", "weights"), d.ours, d.theirs);
    case Kind::bind_matrices:
      return fmt::format("the importer's bind matrices of {} of {} put vertices elsewhere, {}",
                         counted(d.count, "joint", "joints"), d.total,
                         share_of_size(d.worst, size));
    case Kind::joints_placed:
      return fmt::format("the importer places {} of {} elsewhere at rest, moving vertices {}",
                         counted(d.count, "joint", "joints"), d.total,
                         share_of_size(d.worst, size));
    case Kind::posed_vertices:
      return fmt::format("posed by the importer, {} of {} stand elsewhere at rest, {}",
                         counted(d.count, "vertex", "vertices"), d.total,
                         share_of_size(d.worst, size));
    case Kind::shapes_lost:
      return fmt::format("the importer loses {} of {}", counted(d.count, "shape", "shapes"),
                         d.total);
    case Kind::method_lost:
      return "the importer does not keep how the skin blends";
  }
  return {};
}

}  // namespace skinlint::rules
