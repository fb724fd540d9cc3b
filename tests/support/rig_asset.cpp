// A rig as the glTF reader would deliver it.

#include <algorithm>
#include <memory>
#include <utility>

#include "support/rig.h"
#include "support/rig_layout.h"

namespace skinlint::test {
namespace {

class AssetBuilder {
 public:
  AssetBuilder(const Rig& rig, const EncodeOptions& options) : rig_(rig), options_(options) {}

  Asset build() {
    asset_.format = Format::glb;
    asset_.version = "2.0";
    asset_.generator = rig_.generator;
    asset_.encoding = "binary";
    add_nodes();
    add_scenes();
    add_meshes();
    add_skins();
    add_instances();
    add_clips();
    return std::move(asset_);
  }

 private:
  Stream keep(PackedArray array) {
    Stream stream;
    stream.count = array.count;
    stream.type = array.type;
    stream.components = array.components;
    stream.normalized = array.normalized;
    stream.stride = array.element_bytes();
    auto bytes = std::make_shared<Bytes>(std::move(array.bytes));
    stream.data = bytes->data();
    asset_.storage.push_back(std::move(bytes));
    return stream;
  }

  std::int32_t asset_node(int node) const {
    if (node < 0 || static_cast<std::size_t>(node) >= place_.size()) return -1;
    return place_[static_cast<std::size_t>(node)];
  }

  void add_nodes() {
    const std::vector<int> order = topological_order(rig_);
    place_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      place_[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    for (const int index : order) {
      const RigNode& from = rig_.nodes[static_cast<std::size_t>(index)];
      Node node;
      node.name = from.name;
      node.id = index;
      node.parent = asset_node(from.parent);
      if (from.matrix) {
        node.local.has_matrix = true;
        node.local.matrix = *from.matrix;
      } else {
        node.local.translation = from.translation;
        node.local.rotation = from.rotation;
        node.local.scale = from.scale;
      }
      node.parent_from_node = from.parent_from_node();
      asset_.nodes.push_back(std::move(node));
    }
    for (std::size_t i = 0; i < rig_.nodes.size(); ++i) {  // in file order, as `children` lists are
      const std::int32_t parent = asset_.nodes[static_cast<std::size_t>(place_[i])].parent;
      if (parent >= 0) asset_.nodes[static_cast<std::size_t>(parent)].children.push_back(place_[i]);
    }
  }

  void add_scenes() {
    for (const std::vector<int>& roots : scenes_of(rig_)) {
      Scene scene;
      for (const int root : roots) scene.roots.push_back(asset_node(root));
      asset_.scenes.push_back(std::move(scene));
    }
    asset_.default_scene = 0;
  }

  void add_meshes() {
    for (std::size_t m = 0; m < rig_.meshes.size(); ++m) {
      const RigMesh& from = rig_.meshes[m];
      Mesh mesh;
      mesh.name = from.name;
      mesh.id = static_cast<std::int64_t>(m);
      std::size_t morphs = 0;
      for (const RigPart& part : from.parts) morphs = std::max(morphs, part.morphs.size());
      mesh.morphs.resize(morphs);
      for (MorphTarget& morph : mesh.morphs) {
        morph.shapes.resize(1);
        morph.shapes[0].positions.resize(from.parts.size());
        morph.shapes[0].indices.resize(from.parts.size());
      }
      tables_.emplace_back();
      for (std::size_t p = 0; p < from.parts.size(); ++p)
        add_part(pack_part(from.parts[p], options_), p, mesh);
      asset_.meshes.push_back(std::move(mesh));
    }
  }

  void add_part(PackedPart packed, std::size_t p, Mesh& mesh) {
    const RigPart& from = packed.part;
    MeshPart part;
    part.vertex_count = part.declared_vertex_count = from.positions.size();
    part.positions = keep(pack(from.positions));
    if (!from.normals.empty()) part.normals = keep(pack(from.normals));
    if (!from.tangents.empty()) part.tangents = keep(pack(from.tangents));
    if (!from.triangles.empty())
      part.indices = keep(pack_indices(from.triangles, from.positions.size()));
    part.morph_target_count = static_cast<std::int32_t>(from.morphs.size());
    for (std::size_t m = 0; m < from.morphs.size(); ++m) {
      MorphTarget& morph = mesh.morphs[m];
      if (morph.name.empty()) morph.name = from.morphs[m].name;
      if (p == 0) morph.default_weight = from.morphs[m].default_weight;
      morph.shapes[0].positions[p] = keep(pack(from.morphs[m].offsets));
    }
    std::int32_t table_index = -1;
    if (!packed.sets.empty()) {
      InfluenceTable table;
      table.vertex_count = part.vertex_count;
      for (std::size_t s = 0; s < packed.sets.size(); ++s) {
        InfluenceTable::Set set;
        set.number = static_cast<std::int32_t>(s);
        set.joints = keep(std::move(packed.sets[s].joints));
        set.weights = keep(std::move(packed.sets[s].weights));
        part.influence_sets_declared.push_back(set.number);
        table.sets.push_back(set);
      }
      table_index = static_cast<std::int32_t>(asset_.influences.size());
      asset_.influences.push_back(std::move(table));
    }
    tables_.back().push_back(table_index);
    mesh.parts.push_back(std::move(part));
  }

  void add_skins() {
    for (std::size_t s = 0; s < rig_.skins.size(); ++s) {
      const RigSkin& from = rig_.skins[s];
      Skin skin;
      skin.name = from.name;
      skin.id = static_cast<std::int64_t>(s);
      skin.joint_from_mesh.resize(from.joints.size());
      for (const int joint : from.joints) {
        const std::int32_t node = asset_node(joint);
        skin.joints.push_back(node);
        skin.joint_ids.push_back(joint);
        if (node >= 0) asset_.nodes[static_cast<std::size_t>(node)].is_joint = true;
      }
      if (from.joint_from_mesh) {
        skin.matrix_count = from.joint_from_mesh->size();
        // The file holds floats.
        for (std::size_t j = 0; j < from.joint_from_mesh->size() && j < from.joints.size(); ++j)
          skin.joint_from_mesh[j] = (*from.joint_from_mesh)[j].cast<float>().cast<double>();
      }
      if (from.skeleton) {
        skin.declared_skeleton = *from.skeleton;
        skin.skeleton = asset_node(*from.skeleton);
      }
      asset_.skins.push_back(std::move(skin));
    }
  }

  void add_instances() {
    for (const RigInstance& from : rig_.instances) {
      Node& node = asset_.nodes.at(static_cast<std::size_t>(asset_node(from.node)));
      node.mesh = from.mesh;
      node.skin = from.skin;
    }
    for (std::size_t n = 0; n < asset_.nodes.size(); ++n) {
      const Node& node = asset_.nodes[n];
      if (node.mesh < 0 || node.skin < 0) continue;
      Binding binding;
      binding.node = static_cast<std::int32_t>(n);
      binding.mesh = node.mesh;
      binding.skin = node.skin;
      binding.influences = tables_.at(static_cast<std::size_t>(node.mesh));
      for (const MorphTarget& morph : asset_.meshes[static_cast<std::size_t>(node.mesh)].morphs)
        binding.morph_weights.push_back(morph.default_weight);
      asset_.bindings.push_back(std::move(binding));
    }
  }

  void add_clips() {
    for (std::size_t c = 0; c < rig_.clips.size(); ++c) {
      const RigClip& from = rig_.clips[c];
      Clip clip;
      clip.name = from.name;
      clip.id = static_cast<std::int64_t>(c);
      for (const RigChannel& source : from.channels) {
        Channel channel;
        channel.node = asset_node(source.node);
        channel.path = source.path;
        channel.interpolation = source.interpolation;
        channel.times = keep(pack(source.times, ComponentType::f32, 1));
        channel.values = keep(pack(source.values, ComponentType::f32, value_components(source)));
        for (const double time : source.times)
          clip.duration = std::max(clip.duration, static_cast<double>(static_cast<float>(time)));
        clip.channels.push_back(std::move(channel));
      }
      asset_.clips.push_back(std::move(clip));
    }
  }

  static std::uint8_t value_components(const RigChannel& channel) {
    switch (channel.path) {
      case ChannelPath::translation:
      case ChannelPath::scale:
        return 3;
      case ChannelPath::rotation:
        return 4;
      case ChannelPath::weights:
      case ChannelPath::pointer:
        break;
    }
    return 1;  // glTF stores morph activations as scalars, n to a key
  }

  const Rig& rig_;
  const EncodeOptions& options_;
  Asset asset_;
  std::vector<std::int32_t> place_;                // rig node -> asset node
  std::vector<std::vector<std::int32_t>> tables_;  // per mesh and part: influence table
};

}  // namespace

Asset to_asset(const Rig& rig, const EncodeOptions& options) {
  return AssetBuilder(rig, options).build();
}

}  // namespace skinlint::test
