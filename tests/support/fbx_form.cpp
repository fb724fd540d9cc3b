#include "support/fbx_form.h"

#include <algorithm>

#include "support/fbx_writer.h"

namespace skinlint::test {

Asset to_fbx_asset(const Rig& rig, LinkMode mode) {
  Asset asset = to_asset(rig);
  asset.format = Format::fbx_binary;
  asset.version = "7400";
  asset.scenes.clear();
  asset.default_scene = -1;
  for (Mesh& mesh : asset.meshes) {
    for (MeshPart& part : mesh.parts) part.influence_sets_declared.clear();
  }
  const std::vector<Mat4> world = rig.world_from_node();
  for (Node& node : asset.nodes) {
    const RigNode& source = rig.nodes[static_cast<std::size_t>(node.id)];
    node.attribute = node.is_joint ? "LimbNode" : node.mesh >= 0 ? "Mesh" : "Null";
    if (source.matrix) continue;  // FBX has no such nodes
    FbxTransform transform;
    transform.translation = source.translation;
    transform.rotation = euler_of(
        Quat(source.rotation[3], source.rotation[0], source.rotation[1], source.rotation[2])
            .normalized()
            .toRotationMatrix(),
        0);
    transform.scaling = source.scale;
    node.fbx = transform;
  }
  BindPose pose;
  pose.name = "BIND_POSES";
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    pose.entries.push_back({asset.nodes[n].id, static_cast<std::int32_t>(n),
                            world[static_cast<std::size_t>(asset.nodes[n].id)]});
  }
  pose.declared_count = static_cast<std::int64_t>(pose.entries.size());
  asset.bind_poses.push_back(std::move(pose));
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    Skin& skin = asset.skins[s];
    skin.matrix_count.reset();
    skin.declared_skeleton.reset();
    skin.skeleton = -1;
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      ClusterRecord cluster;
      cluster.id = static_cast<std::int64_t>(1000 + slot);
      cluster.name = asset.node_name(skin.joints[slot]);
      cluster.transform = skin.joint_from_mesh[slot];
      cluster.transform_link = world[static_cast<std::size_t>(rig.skins[s].joints[slot])];
      cluster.mode = mode;
      skin.clusters.push_back(std::move(cluster));
    }
  }
  for (const Binding& binding : asset.bindings) {
    const RigMesh& mesh = rig.meshes[static_cast<std::size_t>(binding.mesh)];
    for (std::size_t p = 0; p < binding.influences.size(); ++p) {
      if (binding.influences[p] < 0) continue;
      InfluenceTable& table = asset.influences[static_cast<std::size_t>(binding.influences[p])];
      if (table.uses_lists()) continue;  // shared with a binding that is done
      table.sets.clear();
      table.entries_explicit = true;
      table.first.push_back(0);
      for (const std::vector<RigInfluence>& vertex : mesh.parts[p].influences) {
        for (const RigInfluence& influence : vertex) {
          table.joint.push_back(influence.joint);
          table.weight.push_back(influence.weight);
          std::vector<ClusterRecord>& clusters =
              asset.skins[static_cast<std::size_t>(binding.skin)].clusters;
          if (influence.joint < clusters.size()) {
            ++clusters[influence.joint].index_count;
            ++clusters[influence.joint].weight_count;
          }
        }
        table.first.push_back(static_cast<std::uint32_t>(table.joint.size()));
      }
    }
  }
  return asset;
}

}  // namespace skinlint::test
