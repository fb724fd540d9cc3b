// Models into Asset::nodes: hierarchy by connections, transforms by FBX's formula.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "readers/fbx_build.h"

namespace skinlint::fbx {

namespace {

/// Parent object per object (models only; kRoot elsewhere), first connection wins, no cycles.
std::vector<std::int32_t> find_parents(Build& b) {
  const std::size_t count = b.graph.objects().size();
  std::vector<std::int32_t> parent(count, kNothing);
  std::vector<Connection> links;
  for (const Connection& c : b.graph.connections()) {
    if (!c.property.empty() || b.type(c.source) != ObjectClass::model) continue;
    if (c.destination == kRoot || b.type(c.destination) == ObjectClass::model) links.push_back(c);
  }
  std::sort(links.begin(), links.end(),
            [](const Connection& x, const Connection& y) { return x.offset < y.offset; });
  std::uint64_t second_parents = 0;
  std::string first_detail;
  for (const Connection& c : links) {
    std::int32_t& p = parent[static_cast<std::size_t>(c.source)];
    if (p == kNothing || (p == kRoot && c.destination >= 0)) {
      p = c.destination;
    } else if (p != c.destination && c.destination != kRoot) {
      if (second_parents++ == 0) {
        first_detail = b.graph.describe(c.source) + " has a second parent, " +
                       b.graph.describe(c.destination) + "; the first was kept";
      }
    }
  }
  if (second_parents != 0) {
    b.repair(Repair::Kind::graph_cycle, true, {}, second_parents, first_detail);
  }
  // 0 unseen, 1 on the current chain, 2 known to end at the root.
  std::vector<std::uint8_t> state(count, 0);
  std::uint64_t cycles = 0;
  std::vector<std::int32_t> chain;
  for (std::size_t k = 0; k < count; ++k) {
    if (b.object(static_cast<std::int32_t>(k)).type != ObjectClass::model) continue;
    chain.clear();
    std::int32_t at = static_cast<std::int32_t>(k);
    while (at >= 0 && state[static_cast<std::size_t>(at)] == 0) {
      state[static_cast<std::size_t>(at)] = 1;
      chain.push_back(at);
      at = parent[static_cast<std::size_t>(at)];
    }
    if (at >= 0 && state[static_cast<std::size_t>(at)] == 1) {
      if (cycles++ == 0) {
        first_detail = "the parents of " + b.graph.describe(at) +
                       " form a cycle; it was broken at " + b.graph.describe(chain.back());
      }
      parent[static_cast<std::size_t>(chain.back())] = kRoot;
    }
    for (const std::int32_t seen : chain) state[static_cast<std::size_t>(seen)] = 2;
  }
  if (cycles != 0) b.repair(Repair::Kind::graph_cycle, true, {}, cycles, first_detail);
  return parent;
}

std::string attribute_of(const Build& b, std::int32_t model) {
  for (const Connection& c : b.graph.into(model)) {
    if (b.type(c.source) == ObjectClass::node_attribute && !b.object(c.source).subclass.empty()) {
      return std::string(b.object(c.source).subclass);
    }
  }
  const Object& o = b.object(model);
  if (!o.subclass.empty()) return std::string(o.subclass);
  Record type;
  if (b.records.child(o.record, "Type", type)) return std::string(b.records.value(type).text);
  return {};
}

/// Models' entries in the first take, which holds the rest pose of files older than 6.0.
std::unordered_map<std::string_view, Record> legacy_takes(const Build& b) {
  std::unordered_map<std::string_view, Record> entries;
  if (b.graph.takes().name.empty()) return entries;
  Children takes = b.records.children(b.graph.takes());
  Record take, entry;
  while (takes.next(take)) {
    if (take.name != "Take") continue;
    Children models = b.records.children(take);
    while (models.next(entry)) {
      if (entry.name == "Model") entries.emplace(b.records.value(entry).text, entry);
    }
    break;
  }
  return entries;
}

}  // namespace

void compose_nodes(
    const Asset& asset, const std::function<const FbxTransform&(std::size_t)>& transform_of,
    const std::function<void(std::size_t, const Mat4&, const std::optional<Mat4>&)>& deliver) {
  std::vector<FbxWorld> world(asset.nodes.size());
  for (std::size_t k = 0; k < asset.nodes.size(); ++k) {
    const std::int32_t parent = asset.nodes[k].parent;
    const FbxWorld root;
    const FbxWorld& above = parent < 0 ? root : world[static_cast<std::size_t>(parent)];
    const FbxTransform& t = transform_of(k);
    world[k] = fbx_world(above, t);
    Mat4 parent_from_node = fbx_local_matrix(t);
    std::optional<Mat4> kept_world;
    if (t.inherit_type != InheritType::RSrs && parent >= 0) {
      if (const std::optional<Mat4> inverse = affine_inverse(above.world_from_node)) {
        parent_from_node = *inverse * world[k].world_from_node;
      } else if (is_finite(world[k].world_from_node)) {
        kept_world = world[k].world_from_node;
      }
    }
    deliver(k, parent_from_node, kept_world);
  }
}

void build_nodes(Build& b) {
  const auto& objects = b.graph.objects();
  const std::vector<std::int32_t> parent = find_parents(b);
  b.node_of.assign(objects.size(), -1);
  // Children in the order of their connections, roots and unconnected models in file order.
  std::vector<std::int32_t> stack;
  for (std::size_t k = objects.size(); k-- > 0;) {
    if (objects[k].type == ObjectClass::model && parent[k] < 0) {
      stack.push_back(static_cast<std::int32_t>(k));
    }
  }
  const bool legacy = b.graph.by_name() && b.records.version() < 6000;
  const auto takes = legacy ? legacy_takes(b) : std::unordered_map<std::string_view, Record>();
  while (!stack.empty()) {
    const std::int32_t model = stack.back();
    stack.pop_back();
    const std::size_t position = b.asset.nodes.size();
    if (b.node_of[static_cast<std::size_t>(model)] >= 0) continue;
    b.node_of[static_cast<std::size_t>(model)] = static_cast<std::int32_t>(position);
    Node node;
    node.name = b.name(model);
    node.id = b.object(model).id;
    const std::int32_t above = parent[static_cast<std::size_t>(model)];
    node.parent = above < 0 ? -1 : b.node_of[static_cast<std::size_t>(above)];
    node.attribute = attribute_of(b, model);
    FbxTransform t = b.graph.model_defaults();
    read_transform(b.records, b.object(model).record, t);
    if (legacy && !read_transform_channels(b.records, b.object(model).record, t)) {
      const auto entry = takes.find(b.object(model).raw_name);
      if (entry != takes.end()) read_transform_channels(b.records, entry->second, t);
    }
    node.fbx = t;
    if (node.parent >= 0) {
      b.asset.nodes[static_cast<std::size_t>(node.parent)].children.push_back(
          static_cast<std::int32_t>(position));
    }
    b.asset.nodes.push_back(std::move(node));
    const std::span<const Connection> below = b.graph.into(model);
    for (std::size_t k = below.size(); k-- > 0;) {
      const std::int32_t child = below[k].source;
      if (child >= 0 && b.type(child) == ObjectClass::model &&
          parent[static_cast<std::size_t>(child)] == model) {
        stack.push_back(child);
      }
    }
  }
  compose_nodes(
      b.asset, [&](std::size_t k) -> const FbxTransform& { return *b.asset.nodes[k].fbx; },
      [&](std::size_t k, const Mat4& parent_from_node, const std::optional<Mat4>& kept_world) {
        Node& node = b.asset.nodes[k];
        node.parent_from_node = b.converted(parent_from_node);
        if (kept_world) node.world_from_node = b.converted(*kept_world);
      });
  Scene scene;
  for (std::size_t k = 0; k < b.asset.nodes.size(); ++k) {
    if (b.asset.nodes[k].parent < 0) scene.roots.push_back(static_cast<std::int32_t>(k));
  }
  if (!b.asset.nodes.empty()) {
    b.asset.scenes.push_back(std::move(scene));
    b.asset.default_scene = 0;
  }
}

}  // namespace skinlint::fbx
