#include <string>

#include "model/asset.h"

namespace skinlint {
namespace {

template <class T>
bool valid_or_none(std::int32_t index, const std::vector<T>& items) {
  return index == -1 || (index >= 0 && static_cast<std::size_t>(index) < items.size());
}

std::string at(std::string_view what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

std::string check_nodes(const Asset& a) {
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node& n = a.nodes[i];
    if (n.parent < -1 || n.parent >= static_cast<std::int32_t>(i))
      return at("I1: parent does not precede node", i);
    if (!valid_or_none(n.mesh, a.meshes) || !valid_or_none(n.skin, a.skins))
      return at("I2: mesh or skin of node", i);
    for (const std::int32_t child : n.children) {
      if (child < 0 || !valid_or_none(child, a.nodes)) return at("I2: child of node", i);
      if (a.nodes[static_cast<std::size_t>(child)].parent != static_cast<std::int32_t>(i))
        return at("I1: child and parent disagree at node", i);
    }
  }
  for (const Scene& scene : a.scenes) {
    for (const std::int32_t root : scene.roots) {
      if (root < 0 || !valid_or_none(root, a.nodes)) return "I2: scene root";
    }
  }
  return valid_or_none(a.default_scene, a.scenes) ? std::string() : "I2: default scene";
}

bool stream_fits(const Stream& s, std::size_t count) {
  return !s.declared() || s.data == nullptr || s.count == count;
}

std::string check_meshes(const Asset& a) {
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    for (const MeshPart& part : a.meshes[m].parts) {
      if (!stream_fits(part.positions, part.vertex_count) ||
          !stream_fits(part.normals, part.vertex_count) ||
          !stream_fits(part.tangents, part.vertex_count)) {
        return at("I3: stream length in mesh", m);
      }
    }
    for (const MorphTarget& target : a.meshes[m].morphs) {
      for (const MorphTarget::Shape& shape : target.shapes) {
        if (shape.positions.size() != a.meshes[m].parts.size())
          return at("I3: morph parts of mesh", m);
      }
    }
  }
  return {};
}

std::string check_skins(const Asset& a) {
  for (std::size_t s = 0; s < a.skins.size(); ++s) {
    const Skin& skin = a.skins[s];
    if (skin.joint_from_mesh.size() != skin.joints.size())
      return at("I3: matrices and joints of skin", s);
    if (skin.joint_ids.size() != skin.joints.size()) return at("I3: joint ids of skin", s);
    if (!skin.clusters.empty() && skin.clusters.size() != skin.joints.size())
      return at("I3: clusters of skin", s);
    if (!valid_or_none(skin.skeleton, a.nodes)) return at("I2: skeleton of skin", s);
    for (const std::int32_t joint : skin.joints) {
      if (!valid_or_none(joint, a.nodes)) return at("I2: joint of skin", s);
    }
  }
  for (std::size_t t = 0; t < a.influences.size(); ++t) {
    const InfluenceTable& table = a.influences[t];
    if (!table.uses_lists()) continue;
    if (table.first.size() != table.vertex_count + 1 || table.joint.size() != table.weight.size() ||
        table.first.back() != table.joint.size()) {
      return at("I3: influence lists", t);
    }
    for (std::size_t v = 0; v < table.vertex_count; ++v) {
      if (table.first[v] > table.first[v + 1]) return at("I3: influence offsets", t);
    }
  }
  for (std::size_t b = 0; b < a.bindings.size(); ++b) {
    const Binding& binding = a.bindings[b];
    if (binding.node < 0 || binding.mesh < 0 || binding.skin < 0 ||
        !valid_or_none(binding.node, a.nodes) || !valid_or_none(binding.mesh, a.meshes) ||
        !valid_or_none(binding.skin, a.skins)) {
      return at("I2: binding", b);
    }
    if (binding.influences.size() != a.meshes[static_cast<std::size_t>(binding.mesh)].parts.size())
      return at("I3: influences of binding", b);
    for (const std::int32_t table : binding.influences) {
      if (!valid_or_none(table, a.influences)) return at("I2: influences of binding", b);
    }
  }
  return {};
}

std::string check_clips(const Asset& a) {
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    for (const Channel& channel : a.clips[c].channels) {
      if (!valid_or_none(channel.node, a.nodes)) return at("I2: channel of clip", c);
    }
  }
  for (std::size_t p = 0; p < a.bind_poses.size(); ++p) {
    for (const BindPose::Entry& entry : a.bind_poses[p].entries) {
      if (!valid_or_none(entry.node, a.nodes)) return at("I2: bind pose", p);
    }
  }
  for (std::size_t c = 0; c < a.cameras.size(); ++c) {
    if (a.cameras[c].node < 0 || !valid_or_none(a.cameras[c].node, a.nodes))
      return at("I2: camera", c);
  }
  return {};
}

}  // namespace

std::string check_invariants(const Asset& asset) {
  for (const auto check : {check_nodes, check_meshes, check_skins, check_clips}) {
    if (std::string broken = check(asset); !broken.empty()) return broken;
  }
  return {};
}

}  // namespace skinlint
