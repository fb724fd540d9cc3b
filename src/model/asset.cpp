#include "model/asset.h"

#include <algorithm>

namespace skinlint {
namespace {

std::string indexed(std::string_view what, std::int64_t index) {
  return std::string(what) + "[" + std::to_string(index) + "]";
}

// A name of megabytes would be repeated in every path and message about its element.
constexpr std::size_t max_shown_name = 1024;

/// The name, its middle left out when it is very long; cut between UTF-8 sequences.
std::string shown_name(const std::string& name) {
  if (name.size() <= max_shown_name) return name;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(name[i]) & 0xC0u) == 0x80u;
  };
  std::size_t head = max_shown_name / 2, tail = name.size() - max_shown_name / 2;
  for (int k = 0; k < 3 && continues(head); ++k) --head;
  for (int k = 0; k < 3 && continues(tail); ++k) ++tail;
  return name.substr(0, head) + "..." + name.substr(tail);
}

std::string named(const std::string& name, std::string_view what, std::int64_t index) {
  return name.empty() ? indexed(what, index) : shown_name(name);
}

template <class T>
const T* find(const std::vector<T>& items, std::int32_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < items.size()
             ? &items[static_cast<std::size_t>(index)]
             : nullptr;
}

// Long chains would make paths of megabytes; the middle says nothing that the ends do not.
constexpr int max_path_nodes = 48;
// A longer chain is not followed to its root: a finding on each of its nodes would cost its square.
constexpr std::size_t max_climb = 4096;

std::string node_path(const Asset& asset, std::int32_t node) {
  std::vector<std::int32_t> chain;
  std::int32_t at = node;
  while (at >= 0 && chain.size() < max_climb) {
    chain.push_back(at);
    at = asset.nodes[static_cast<std::size_t>(at)].parent;
  }
  std::string path;
  if (at >= 0) {
    path = "...";
    chain.resize(max_path_nodes / 2);
  }
  const int length = static_cast<int>(chain.size());
  for (int i = length - 1; i >= 0; --i) {
    if (length > max_path_nodes && i == length - 1 - max_path_nodes / 2) {
      path += "/...";
      i = max_path_nodes / 2;
      continue;
    }
    if (!path.empty()) path += '/';
    path += asset.node_name(chain[static_cast<std::size_t>(i)]);
  }
  return path;
}

std::string quoted(const std::string& name) { return "\"" + shown_name(name) + "\""; }

std::string fbx_object(std::string_view type, std::int64_t id, const std::string& name) {
  return std::string(type) + " " + std::to_string(id) + " " + quoted(name);
}

std::string fbx_locator(const Asset& asset, const ElementRef& e) {
  switch (e.kind) {
    case ElementKind::node:
      if (const Node* n = find(asset.nodes, e.index)) return fbx_object("Model", n->id, n->name);
      break;
    case ElementKind::mesh:
    case ElementKind::part:
      if (const Mesh* m = find(asset.meshes, e.index))
        return fbx_object("Geometry", m->id, m->name);
      break;
    case ElementKind::skin:
      if (const Skin* s = find(asset.skins, e.index)) return fbx_object("Deformer", s->id, s->name);
      break;
    case ElementKind::joint:
      if (const Skin* s = find(asset.skins, e.index)) {
        if (const ClusterRecord* c = find(s->clusters, e.sub))
          return fbx_object("SubDeformer", c->id, c->name);
      }
      break;
    case ElementKind::binding:
      if (const Binding* b = find(asset.bindings, e.index))
        return fbx_locator(asset, {ElementKind::node, b->node, 0});
      break;
    case ElementKind::morph_target:
      if (const Mesh* m = find(asset.meshes, e.index))
        return fbx_object("Geometry", m->id, m->name);
      break;
    case ElementKind::clip:
    case ElementKind::channel:
      if (const Clip* c = find(asset.clips, e.index))
        return fbx_object("AnimationStack", c->id, c->name);
      break;
    case ElementKind::bind_pose:
      if (const BindPose* p = find(asset.bind_poses, e.index))
        return fbx_object("Pose", p->id, p->name);
      break;
    case ElementKind::file:
    case ElementKind::scene:
    case ElementKind::accessor:
    case ElementKind::buffer_view:
    case ElementKind::buffer:
    case ElementKind::extension:
      break;
  }
  return {};
}

std::string pointer(std::string_view array, std::int64_t index) {
  return "/" + std::string(array) + "/" + std::to_string(index);
}

std::string json_locator(const Asset& asset, const ElementRef& e) {
  switch (e.kind) {
    case ElementKind::file:
      return {};
    case ElementKind::scene:
      return pointer("scenes", e.index);
    case ElementKind::node:
      if (const Node* n = find(asset.nodes, e.index)) return pointer("nodes", n->id);
      break;
    case ElementKind::mesh:
      if (const Mesh* m = find(asset.meshes, e.index)) return pointer("meshes", m->id);
      break;
    case ElementKind::part:
      if (const Mesh* m = find(asset.meshes, e.index))
        return pointer("meshes", m->id) + pointer("primitives", e.sub);
      break;
    case ElementKind::skin:
      if (const Skin* s = find(asset.skins, e.index)) return pointer("skins", s->id);
      break;
    case ElementKind::joint:
      if (const Skin* s = find(asset.skins, e.index))
        return pointer("skins", s->id) + pointer("joints", e.sub);
      break;
    case ElementKind::binding:
      if (const Binding* b = find(asset.bindings, e.index))
        return json_locator(asset, {ElementKind::node, b->node, 0});
      break;
    case ElementKind::morph_target:
      if (const Mesh* m = find(asset.meshes, e.index))
        return pointer("meshes", m->id) + "/primitives/0" + pointer("targets", e.sub);
      break;
    case ElementKind::clip:
      if (const Clip* c = find(asset.clips, e.index)) return pointer("animations", c->id);
      break;
    case ElementKind::channel:
      if (const Clip* c = find(asset.clips, e.index))
        return pointer("animations", c->id) + pointer("channels", e.sub);
      break;
    case ElementKind::accessor:
      return pointer("accessors", e.index);
    case ElementKind::buffer_view:
      return pointer("bufferViews", e.index);
    case ElementKind::buffer:
      return pointer("buffers", e.index);
    case ElementKind::bind_pose:
      break;
    case ElementKind::extension:
      if (const Unsupported* u = find(asset.unsupported, e.index)) {
        return u->required ? "/extensionsRequired" : "/extensionsUsed";
      }
      break;
  }
  return {};
}

/// A library's importer keeps names and no places.
std::string imported_locator(const Asset& asset, const ElementRef& e) {
  const std::string_view kind = element_kind_name(e.kind);
  const auto named_as = [&](const std::string& name) {
    return name.empty() ? std::string() : std::string(kind) + " \"" + name + "\"";
  };
  switch (e.kind) {
    case ElementKind::node:
      if (const Node* n = find(asset.nodes, e.index)) return named_as(n->name);
      break;
    case ElementKind::mesh:
    case ElementKind::part:
      if (const Mesh* m = find(asset.meshes, e.index)) return named_as(m->name);
      break;
    case ElementKind::skin:
      if (const Skin* s = find(asset.skins, e.index)) return named_as(s->name);
      break;
    case ElementKind::joint:
      if (const Skin* s = find(asset.skins, e.index)) {
        const std::int32_t* node = find(s->joints, e.sub);
        if (node != nullptr && find(asset.nodes, *node) != nullptr)
          return named_as(find(asset.nodes, *node)->name);
      }
      break;
    case ElementKind::binding:
      if (const Binding* b = find(asset.bindings, e.index))
        return imported_locator(asset, {ElementKind::node, b->node, 0});
      break;
    case ElementKind::morph_target:
      if (const Mesh* m = find(asset.meshes, e.index)) {
        if (const MorphTarget* t = find(m->morphs, e.sub)) return named_as(t->name);
      }
      break;
    case ElementKind::clip:
    case ElementKind::channel:
      if (const Clip* c = find(asset.clips, e.index)) return named_as(c->name);
      break;
    case ElementKind::file:
    case ElementKind::scene:
    case ElementKind::bind_pose:
    case ElementKind::accessor:
    case ElementKind::buffer_view:
    case ElementKind::buffer:
    case ElementKind::extension:
      break;
  }
  return {};
}

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case Format::gltf:
      return "gltf";
    case Format::glb:
      return "glb";
    case Format::fbx_binary:
    case Format::fbx_ascii:
      return "fbx";
    case Format::imported:
      return "imported";
  }
  return "";
}

std::string_view skinning_method_name(SkinningMethod method) {
  switch (method) {
    case SkinningMethod::linear:
      return "linear";
    case SkinningMethod::rigid:
      return "rigid";
    case SkinningMethod::dual_quaternion:
      return "dual_quaternion";
    case SkinningMethod::blend:
      return "blend";
  }
  return "";
}

std::string_view repair_kind_name(Repair::Kind kind) {
  switch (kind) {
    case Repair::Kind::dangling_reference:
      return "dangling reference";
    case Repair::Kind::out_of_bounds:
      return "data out of bounds";
    case Repair::Kind::truncated:
      return "truncated";
    case Repair::Kind::wrong_type:
      return "wrong type";
    case Repair::Kind::count_mismatch:
      return "count mismatch";
    case Repair::Kind::graph_cycle:
      return "node graph is not a tree";
    case Repair::Kind::missing_data:
      return "missing data";
    case Repair::Kind::decode_failed:
      return "data does not decode";
    case Repair::Kind::duplicate:
      return "duplicate";
    case Repair::Kind::limit:
      return "beyond a limit";
    case Repair::Kind::defaulted:
      return "default used";
  }
  return "";
}

std::string_view element_kind_name(ElementKind kind) {
  switch (kind) {
    case ElementKind::file:
      return "file";
    case ElementKind::scene:
      return "scene";
    case ElementKind::node:
      return "node";
    case ElementKind::mesh:
      return "mesh";
    case ElementKind::part:
      return "part";
    case ElementKind::skin:
      return "skin";
    case ElementKind::joint:
      return "joint";
    case ElementKind::binding:
      return "binding";
    case ElementKind::morph_target:
      return "morph_target";
    case ElementKind::clip:
      return "clip";
    case ElementKind::channel:
      return "channel";
    case ElementKind::bind_pose:
      return "bind_pose";
    case ElementKind::accessor:
      return "accessor";
    case ElementKind::buffer_view:
      return "buffer_view";
    case ElementKind::buffer:
      return "buffer";
    case ElementKind::extension:
      return "extension";
  }
  return "";
}

std::string_view Asset::format_label() const {
  return imported_format.empty() ? format_name(format) : std::string_view(imported_format);
}

std::string Asset::node_name(std::int32_t node) const {
  const Node* n = find(nodes, node);
  return n == nullptr ? indexed("node", node) : named(n->name, "node", n->id);
}

std::string Asset::path(const ElementRef& e) const {
  switch (e.kind) {
    case ElementKind::file:
      return "file";
    case ElementKind::scene:
      if (const Scene* s = find(scenes, e.index)) return named(s->name, "scene", e.index);
      break;
    case ElementKind::node:
      if (find(nodes, e.index) != nullptr) return node_path(*this, e.index);
      break;
    case ElementKind::mesh:
      if (const Mesh* m = find(meshes, e.index)) return named(m->name, "mesh", m->id);
      break;
    case ElementKind::part:
      if (const Mesh* m = find(meshes, e.index)) {
        const std::string mesh = named(m->name, "mesh", m->id);
        return m->parts.size() > 1 ? mesh + ":" + indexed("part", e.sub) : mesh;
      }
      break;
    case ElementKind::skin:
      if (const Skin* s = find(skins, e.index)) return named(s->name, "skin", s->id);
      break;
    case ElementKind::joint:
      if (const Skin* s = find(skins, e.index)) {
        const std::int32_t* node = find(s->joints, e.sub);
        const std::string skin = named(s->name, "skin", s->id) + ":";
        return node != nullptr && *node >= 0 ? skin + node_path(*this, *node)
                                             : skin + indexed("joint", e.sub);
      }
      break;
    case ElementKind::binding:
      if (const Binding* b = find(bindings, e.index)) {
        const Skin* s = find(skins, b->skin);
        std::string node =
            find(nodes, b->node) != nullptr ? node_path(*this, b->node) : indexed("node", b->node);
        // The skin's name helps only where the node has more than one, which a glTF node cannot.
        if (is_gltf(format)) return node;
        const auto same_node = [&](const Binding& other) { return other.node == b->node; };
        if (s != nullptr && std::count_if(bindings.begin(), bindings.end(), same_node) > 1) {
          return node + ":" + named(s->name, "skin", s->id);
        }
        return node;
      }
      break;
    case ElementKind::morph_target:
      if (const Mesh* m = find(meshes, e.index)) {
        const MorphTarget* t = find(m->morphs, e.sub);
        return named(m->name, "mesh", m->id) + ":" +
               (t != nullptr ? named(t->name, "target", e.sub) : indexed("target", e.sub));
      }
      break;
    case ElementKind::clip:
      if (const Clip* c = find(clips, e.index)) return named(c->name, "animation", c->id);
      break;
    case ElementKind::channel:
      if (const Clip* c = find(clips, e.index))
        return named(c->name, "animation", c->id) + ":" + indexed("channel", e.sub);
      break;
    case ElementKind::bind_pose:
      if (const BindPose* p = find(bind_poses, e.index)) return named(p->name, "pose", p->id);
      break;
    case ElementKind::accessor:
    case ElementKind::buffer_view:
    case ElementKind::buffer:
      break;
    case ElementKind::extension:
      if (const Unsupported* u = find(unsupported, e.index)) return u->name;
      break;
  }
  return indexed(element_kind_name(e.kind), e.index);
}

std::string Asset::locator(const ElementRef& element) const {
  if (is_gltf(format)) return json_locator(*this, element);
  return is_fbx(format) ? fbx_locator(*this, element) : imported_locator(*this, element);
}

}  // namespace skinlint
