// Which glTF extensions matter to skinning, and what this build does with them. One table.

#include <algorithm>
#include <string_view>

#include "readers/gltf_compression.h"
#include "readers/gltf_document.h"

namespace skinlint {
namespace {

enum class Role : std::uint8_t {
  read,        // we read it
  draco,       // read when the library is built in
  meshopt,     // the same
  geometry,    // changes meshes, skins or their placement, and we do not read it
  irrelevant,  // looks, sound, physics, metadata: skinning is the same with or without it
};

struct Row {
  std::string_view name;  // a trailing '*' matches any end
  Role role;
  std::string_view hidden;  // what cannot be judged
};

constexpr Row rows[] = {
    {"KHR_mesh_quantization", Role::read, ""},
    {"KHR_animation_pointer", Role::read, ""},
    {"KHR_draco_mesh_compression", Role::draco, "Draco-compressed meshes and their weights"},
    {"EXT_meshopt_compression", Role::meshopt, "meshopt-compressed meshes, weights and clips"},
    {"KHR_meshopt_compression", Role::geometry, "meshopt-compressed meshes, weights and clips"},
    {"KHR_accessor_float64", Role::geometry, "accessors of 64-bit numbers"},
    {"EXT_mesh_gpu_instancing", Role::geometry, "instances of a mesh made by the GPU"},
    {"KHR_gaussian_splatting*", Role::geometry, "splats instead of meshes"},
    {"EXT_bmesh_encoding", Role::geometry, "polygons kept beside the triangles"},
    {"EXT_mesh_manifold", Role::irrelevant, ""},
    {"EXT_mesh_primitive_restart", Role::geometry, "strips with restarts"},
    {"MPEG_mesh_linking", Role::geometry, "correspondence between a mesh and its shadow mesh"},
    {"MPEG_accessor_timed", Role::geometry, "accessors that change with time"},
    {"MPEG_buffer_circular", Role::geometry, "buffers that are streamed"},
    {"MSFT_lod", Role::geometry, "which level of detail is shown"},
    {"VRMC_node_constraint", Role::geometry, "joints driven by constraints at run time"},
    {"ADOBE_*", Role::irrelevant, ""},
    {"AGI_*", Role::irrelevant, ""},
    {"ASOBO_*", Role::irrelevant, ""},
    {"CESIUM_*", Role::irrelevant, ""},
    {"EXT_feature_metadata", Role::irrelevant, ""},
    {"EXT_instance_features", Role::irrelevant, ""},
    {"EXT_lights_*", Role::irrelevant, ""},
    {"EXT_materials_*", Role::irrelevant, ""},
    {"EXT_mesh_features", Role::irrelevant, ""},
    {"EXT_property_animation", Role::irrelevant, ""},
    {"EXT_structural_metadata", Role::irrelevant, ""},
    {"EXT_texture_*", Role::irrelevant, ""},
    {"FB_geometry_metadata", Role::irrelevant, ""},
    {"GODOT_single_root", Role::irrelevant, ""},
    {"GRIFFEL_bim_data", Role::irrelevant, ""},
    {"KHR_audio*", Role::irrelevant, ""},
    {"KHR_collision_*", Role::irrelevant, ""},
    {"KHR_environment_map", Role::irrelevant, ""},
    {"KHR_implicit_shapes", Role::irrelevant, ""},
    {"KHR_interactivity", Role::irrelevant, ""},
    {"KHR_lights_*", Role::irrelevant, ""},
    {"KHR_materials_*", Role::irrelevant, ""},
    {"KHR_node_hoverability", Role::irrelevant, ""},
    {"KHR_node_selectability", Role::irrelevant, ""},
    {"KHR_node_visibility", Role::irrelevant, ""},
    {"KHR_physics_*", Role::irrelevant, ""},
    {"KHR_techniques_webgl", Role::irrelevant, ""},
    {"KHR_texture_*", Role::irrelevant, ""},
    {"KHR_xmp*", Role::irrelevant, ""},
    {"MPEG_animation_timing", Role::irrelevant, ""},
    {"MPEG_audio_spatial", Role::irrelevant, ""},
    {"MPEG_media", Role::irrelevant, ""},
    {"MPEG_scene_dynamic", Role::irrelevant, ""},
    {"MPEG_texture_video", Role::irrelevant, ""},
    {"MPEG_viewport_recommended", Role::irrelevant, ""},
    {"MSFT_audio_emitter", Role::irrelevant, ""},
    {"MSFT_collision_*", Role::irrelevant, ""},
    {"MSFT_packing_*", Role::irrelevant, ""},
    {"MSFT_physics", Role::irrelevant, ""},
    {"MSFT_rigid_bodies", Role::irrelevant, ""},
    {"MSFT_texture_dds", Role::irrelevant, ""},
    {"MOZ_*", Role::irrelevant, ""},
    {"NEEDLE_*", Role::irrelevant, ""},
    {"NV_materials_mdl", Role::irrelevant, ""},
    {"OMI_*", Role::irrelevant, ""},
    {"VRM", Role::irrelevant, ""},
    {"VRMC_materials_*", Role::irrelevant, ""},
    {"VRMC_springBone*", Role::irrelevant, ""},
    {"VRMC_vrm*", Role::irrelevant, ""},
};

const Row* row_of(std::string_view name) {
  for (const Row& row : rows) {
    if (row.name.back() == '*'
            ? name.substr(0, row.name.size() - 1) == row.name.substr(0, row.name.size() - 1)
            : name == row.name) {
      return &row;
    }
  }
  return nullptr;
}

bool is_read(const Row& row) {
  switch (row.role) {
    case Role::read:
      return true;
    case Role::draco:
      return have_draco();
    case Role::meshopt:
      return have_meshopt();
    case Role::geometry:
    case Role::irrelevant:
      break;
  }
  return false;
}

}  // namespace

void report_extensions(const GltfDocument& document, Asset& asset) {
  for (const std::string& name : document.extensions_required) {
    const Row* row = row_of(name);
    if (row != nullptr && (is_read(*row) || row->role == Role::irrelevant)) continue;
    Unsupported entry;
    entry.name = name;
    entry.required = true;
    entry.about_skinning = row != nullptr;
    entry.what = row != nullptr ? std::string(row->hidden)
                                : "an extension that is not known here and may change anything";
    asset.unsupported.push_back(std::move(entry));
  }
  for (const std::string& name : document.extensions_used) {
    const Row* row = row_of(name);
    if (row == nullptr || row->role == Role::irrelevant || is_read(*row)) continue;
    const bool compiled_out = row->role == Role::draco || row->role == Role::meshopt;
    asset.not_checked.push_back(
        {std::string(row->hidden),
         name + (compiled_out ? " is not part of this build" : " is not read")});
  }
}

}  // namespace skinlint
