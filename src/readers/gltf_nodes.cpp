// glTF nodes and scenes: the graph made into a forest, parents first.

#include <algorithm>
#include <cmath>

#include "readers/gltf_reader.h"

namespace skinlint {
namespace {

using Index = std::int32_t;

ElementRef node_element(std::size_t id) { return {ElementKind::node, static_cast<Index>(id), 0}; }

Mat4 matrix_of(const LocalTransform& local) {
  if (local.has_matrix) return local.matrix;
  Quat rotation(local.rotation[3], local.rotation[0], local.rotation[1], local.rotation[2]);
  // By hand: Eigen's norm would overflow or vanish for extreme but finite values.
  const double length = std::hypot(std::hypot(local.rotation[0], local.rotation[1]),
                                   std::hypot(local.rotation[2], local.rotation[3]));
  if (std::isfinite(length) && length > 0) rotation.coeffs() /= length;
  return compose_trs(local.translation, rotation, local.scale);
}

class NodeReader {
 public:
  NodeReader(GltfRead& read, std::size_t meshes, std::size_t skins)
      : read_(read), meshes_(meshes), skins_(skins) {}

  /// Nodes in file order, without their edges.
  void read_all() {
    const Place top;
    const Place place(top, "nodes");
    const JsonScope file_scope(read_.log, {});
    const auto array = file_scope.array(read_.document.nodes, place);
    if (!array) return;
    std::size_t id = 0;
    for (const JsonValue item : *array) {
      if (!read_.structure.spend(sizeof(Node) + 64)) {
        file_scope.repair(Repair::Kind::limit, place,
                          "too many nodes for the file's size; the rest is skipped");
        break;
      }
      read_one(item, id, Place(place, id));
      ++id;
    }
  }

  /// Gives each node its first parent, breaks cycles, and sorts parents first.
  void make_forest() {
    parent_.assign(nodes_.size(), -1);
    for (std::size_t id = 0; id < nodes_.size(); ++id) link_children(id);
    break_cycles();
    sort();
  }

 private:
  void read_one(JsonValue item, std::size_t id, const Place& place) {
    nodes_.emplace_back();
    child_values_.emplace_back();
    Node& node = nodes_.back();
    node.id = static_cast<std::int64_t>(id);
    const JsonScope scope(read_.log, node_element(id));
    const auto object = scope.object(item, place);
    if (!object) return;
    const auto f = scope.pick<10>(*object,
                                  {"name", "mesh", "skin", "children", "matrix", "translation",
                                   "rotation", "scale", "weights", "camera"},
                                  place);
    const Place name_place(place, "name");
    const Place mesh_place(place, "mesh");
    const Place skin_place(place, "skin");
    const Place matrix_place(place, "matrix");
    const Place translation_place(place, "translation");
    const Place rotation_place(place, "rotation");
    const Place scale_place(place, "scale");
    node.name = scope.string(f[0], name_place).value_or("");
    node.mesh = reference(scope, f[1], meshes_, "mesh", mesh_place);
    node.skin = reference(scope, f[2], skins_, "skin", skin_place);
    child_values_.back() = f[3];
    if (const auto m = scope.numbers<16>(f[4], matrix_place)) {
      node.local.has_matrix = true;
      node.local.matrix = Eigen::Map<const Mat4>(m->data());
      if (f[5] || f[6] || f[7]) {
        scope.repair(Repair::Kind::duplicate, matrix_place,
                     "translation, rotation or scale stand beside the matrix; the matrix is used");
      }
    } else {
      if (const auto t = scope.numbers<3>(f[5], translation_place))
        node.local.translation = Eigen::Map<const Vec3>(t->data());
      if (const auto r = scope.numbers<4>(f[6], rotation_place))
        node.local.rotation = Eigen::Map<const Vec4>(r->data());
      if (const auto s = scope.numbers<3>(f[7], scale_place))
        node.local.scale = Eigen::Map<const Vec3>(s->data());
    }
    node.parent_from_node = matrix_of(node.local);
    if (f[8]) {
      const Place weights_place(place, "weights");
      std::vector<double> weights = number_list(f[8], scope, weights_place);
      if (read_.structure.spend(weights.size() * sizeof(double)))
        weights_.emplace_back(static_cast<Index>(id), std::move(weights));
    }
    // Skinning does not depend on cameras: a bad index is not worth a Repair.
    const std::int64_t camera = f[9] ? integer_of(*f[9]).value_or(-1) : -1;
    if (camera >= 0 && read_.structure.spend(sizeof(Camera)))
      cameras_.emplace_back(static_cast<Index>(id), camera);
  }

  Index reference(const JsonScope& scope, const std::optional<JsonValue>& value, std::size_t count,
                  std::string_view what, const Place& place) const {
    const auto index = scope.index(value, place);
    if (!index) return -1;
    if (*index >= 0 && static_cast<std::size_t>(*index) < count) return static_cast<Index>(*index);
    if (integer_of(*value)) {
      scope.repair(Repair::Kind::dangling_reference, place,
                   "the " + std::string(what) + " " + std::to_string(*index) + " does not exist");
    }
    return -1;
  }

  void link_children(std::size_t id) {
    if (!child_values_[id]) return;
    const Place top;
    const Place list(top, "nodes");
    const Place place(list, id);
    const Place children_place(place, "children");
    const JsonScope scope(read_.log, node_element(id));
    const auto array = scope.array(child_values_[id], children_place);
    if (!array) return;
    for (const JsonValue item : *array) {
      const std::int64_t child = scope.index(item, children_place).value_or(-1);
      if (child < 0 || static_cast<std::size_t>(child) >= nodes_.size()) {
        if (integer_of(item)) {
          scope.repair(Repair::Kind::dangling_reference, children_place,
                       "a child, such as " + std::to_string(child) + ", does not exist");
        }
        continue;
      }
      Index& parent = parent_[static_cast<std::size_t>(child)];
      if (parent == static_cast<Index>(id) || static_cast<std::size_t>(child) == id) {
        const bool itself = static_cast<std::size_t>(child) == id;
        scope.repair(itself ? Repair::Kind::graph_cycle : Repair::Kind::duplicate, children_place,
                     itself ? "the node is its own child; the edge is dropped"
                            : "the child " + std::to_string(child) + " is listed again");
        continue;
      }
      if (parent != -1) {
        scope.repair(Repair::Kind::graph_cycle, children_place,
                     "the child " + std::to_string(child) + " already has the parent " +
                         std::to_string(parent) + "; the second edge is dropped");
        continue;
      }
      parent = static_cast<Index>(id);
      nodes_[id].children.push_back(static_cast<Index>(child));
    }
  }

  /// Every node has one parent at most, so what no root reaches hangs on a pure cycle.
  void break_cycles() {
    enum : std::uint8_t { unseen, on_path, done };
    std::vector<std::uint8_t> state(nodes_.size(), unseen);
    std::vector<Index> path;
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
      path.clear();
      auto at = static_cast<Index>(start);
      while (at != -1 && state[static_cast<std::size_t>(at)] == unseen) {
        state[static_cast<std::size_t>(at)] = on_path;
        path.push_back(at);
        at = parent_[static_cast<std::size_t>(at)];
      }
      if (at != -1 && state[static_cast<std::size_t>(at)] == on_path) cut_cycle(at);
      for (const Index n : path) state[static_cast<std::size_t>(n)] = done;
    }
  }

  /// Cuts the edge that leads back to the lowest index of the cycle through `member`.
  void cut_cycle(Index member) {
    Index lowest = member;
    std::uint64_t length = 0;
    Index at = member;
    do {
      lowest = std::min(lowest, at);
      ++length;
      at = parent_[static_cast<std::size_t>(at)];
    } while (at != member);
    const auto upper = static_cast<std::size_t>(parent_[static_cast<std::size_t>(lowest)]);
    std::vector<Index>& children = nodes_[upper].children;
    children.erase(std::find(children.begin(), children.end(), lowest));
    parent_[static_cast<std::size_t>(lowest)] = -1;
    read_.log.add(Repair::Kind::graph_cycle, node_element(upper), true,
                  "a cycle of " + std::to_string(length) + (length == 1 ? " node" : " nodes") +
                      " returns to node " + std::to_string(lowest) + "; that edge is dropped",
                  "/nodes/" + std::to_string(upper) + "/children", length);
  }

  /// Depth first from each root in file order, children in their own order. No recursion.
  std::vector<Index> depth_first() const {
    std::vector<Index> order, stack;
    order.reserve(nodes_.size());
    for (std::size_t root = 0; root < nodes_.size(); ++root) {
      if (parent_[root] != -1) continue;
      stack.push_back(static_cast<Index>(root));
      while (!stack.empty()) {
        const Index at = stack.back();
        stack.pop_back();
        order.push_back(at);
        const std::vector<Index>& children = nodes_[static_cast<std::size_t>(at)].children;
        stack.insert(stack.end(), children.rbegin(), children.rend());
      }
    }
    return order;
  }

  /// Makes roots of the nodes that lie deeper than the limit. True when there was one.
  bool cut_depth(const std::vector<Index>& order) {
    const std::uint32_t limit = std::max<std::uint32_t>(read_.options.limits.max_node_depth, 1);
    std::vector<std::uint32_t> depth(nodes_.size(), 0);
    bool cut = false;
    for (const Index n : order) {
      const auto id = static_cast<std::size_t>(n);
      if (depth[id] + 1 < limit || nodes_[id].children.empty()) {
        for (const Index child : nodes_[id].children)
          depth[static_cast<std::size_t>(child)] = depth[id] + 1;
        continue;
      }
      cut = true;
      for (const Index child : nodes_[id].children) parent_[static_cast<std::size_t>(child)] = -1;
      read_.log.add(
          Repair::Kind::limit, node_element(id), true,
          "its children are deeper than " + std::to_string(limit) + " levels and become roots",
          "/nodes/" + std::to_string(id) + "/children", nodes_[id].children.size());
      nodes_[id].children.clear();
    }
    return cut;
  }

  void sort() {
    std::vector<Index> order = depth_first();
    if (cut_depth(order)) order = depth_first();
    place(order);
  }

  void place(const std::vector<Index>& order) {
    read_.node_of_id.assign(nodes_.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i)
      read_.node_of_id[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
    read_.asset.nodes.reserve(order.size());
    for (const Index id : order) {
      Node& node = nodes_[static_cast<std::size_t>(id)];
      node.parent = read_.node_for(parent_[static_cast<std::size_t>(id)]);
      for (Index& child : node.children) child = read_.node_for(child);
      read_.asset.nodes.push_back(std::move(node));
    }
    for (const auto& [id, camera] : cameras_)
      read_.node_cameras.emplace_back(read_.node_for(id), camera);
    for (auto& [id, weights] : weights_)
      read_.node_weights.emplace_back(read_.node_for(id), std::move(weights));
    std::sort(read_.node_weights.begin(), read_.node_weights.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  GltfRead& read_;
  std::size_t meshes_, skins_;
  std::vector<Node> nodes_;  // by file index
  std::vector<std::optional<JsonValue>> child_values_;
  std::vector<Index> parent_;  // by file index
  std::vector<std::pair<Index, std::vector<double>>> weights_;
  std::vector<std::pair<Index, std::int64_t>> cameras_;
};

void read_scenes(GltfRead& read) {
  const Place top;
  const Place place(top, "scenes");
  const JsonScope file_scope(read.log, {});
  if (const auto array = file_scope.array(read.document.scenes, place, false)) {
    std::size_t i = 0;
    for (const JsonValue item : *array) {
      if (!read.structure.spend(sizeof(Scene))) {
        file_scope.repair(Repair::Kind::limit, place, "too many scenes; the rest is skipped",
                          false);
        break;
      }
      const Place scene_place(place, i);
      const JsonScope scope(read.log, {ElementKind::scene, static_cast<Index>(i), 0});
      ++i;
      Scene& scene = read.asset.scenes.emplace_back();
      const auto object = scope.object(item, scene_place, false);
      if (!object) continue;
      const auto [name, nodes] = scope.pick<2>(*object, {"name", "nodes"}, scene_place);
      const Place name_place(scene_place, "name");
      const Place nodes_place(scene_place, "nodes");
      scene.name = scope.string(name, name_place).value_or("");
      const auto roots = scope.array(nodes, nodes_place, false);
      if (!roots) continue;
      for (const JsonValue root : *roots) {
        const std::int64_t id = scope.index(root, nodes_place, false).value_or(-1);
        const Index node = read.node_for(id);
        if (node >= 0) {
          scene.roots.push_back(node);
        } else if (integer_of(root)) {
          scope.repair(Repair::Kind::dangling_reference, nodes_place,
                       "a root, such as " + std::to_string(id) + ", does not exist", false);
        }
      }
    }
  }
  const Place scene_place(top, "scene");
  const auto shown = file_scope.index(read.document.scene, scene_place, false);
  if (!shown) return;
  if (*shown >= 0 && static_cast<std::size_t>(*shown) < read.asset.scenes.size()) {
    read.asset.default_scene = static_cast<Index>(*shown);
  } else if (integer_of(*read.document.scene)) {
    file_scope.repair(Repair::Kind::dangling_reference, scene_place,
                      "the scene " + std::to_string(*shown) + " does not exist", false);
  }
}

}  // namespace

void read_nodes(GltfRead& read, std::size_t meshes, std::size_t skins) {
  NodeReader nodes(read, meshes, skins);
  nodes.read_all();
  nodes.make_forest();
  read_scenes(read);
  read.mesh_is_bound.assign(meshes, false);
  for (const Node& node : read.asset.nodes) {
    if (node.mesh >= 0 && node.skin >= 0)
      read.mesh_is_bound[static_cast<std::size_t>(node.mesh)] = true;
  }
}

}  // namespace skinlint
