// Geometries into Asset::meshes, blend shapes into their morph targets.

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "readers/fbx_build.h"

namespace skinlint::fbx {

Stream Build::keep(const NumberArray& numbers, std::uint8_t components) {
  Stream s;
  s.data = numbers.data.get();
  s.type = numbers.type;
  s.components = components;
  s.stride = component_size(numbers.type) * components;
  s.count = numbers.count / components;
  asset.storage.push_back(std::make_shared<Decoded>(numbers.data));
  return s;
}

namespace {

template <class T>
void convert_vectors(std::byte* data, std::size_t count, const Mat4& m, bool is_point) {
  const Mat3 l = linear(m);
  const Vec3 t = is_point ? translation(m) : Vec3(Vec3::Zero());
  for (std::size_t k = 0; k < count; ++k) {
    T v[3];
    std::memcpy(v, data + k * sizeof(v), sizeof(v));
    const Vec3 p =
        l * Vec3(static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])) +
        t;
    for (int c = 0; c < 3; ++c) v[c] = static_cast<T>(p[c]);
    std::memcpy(data + k * sizeof(v), v, sizeof(v));
  }
}

bool has_vertices(const Build& b, const Record& record) {
  Record vertices;
  return b.records.child(record, "Vertices", vertices);
}

/// Models that show a geometry, in the order of their connections.
/// `seen` holds, per node, the last geometry that found it.
std::vector<std::int32_t> nodes_showing(const Build& b, std::int32_t geometry,
                                        std::vector<std::int32_t>& seen) {
  std::vector<std::int32_t> nodes;
  if (b.type(geometry) == ObjectClass::model) {
    nodes.push_back(b.node_of[static_cast<std::size_t>(geometry)]);
    return nodes;
  }
  for (const Connection& c : b.graph.out_of(geometry)) {
    if (b.type(c.destination) != ObjectClass::model || !c.property.empty()) continue;
    const std::int32_t node = b.node_of[static_cast<std::size_t>(c.destination)];
    std::int32_t& last = seen[static_cast<std::size_t>(node)];
    if (last != geometry) nodes.push_back(node);
    last = geometry;
  }
  return nodes;
}

/// 6.x writes the geometry of an instance out again, under the name of the first one's node
/// attribute. The models it is about share one geometry, and what deforms the first deforms all
/// (measured against the FBX SDK). A model with deformers of its own is left alone.
class Instances {
 public:
  explicit Instances(const Build& b) : applies_(b.graph.by_name() && b.records.version() >= 6000) {}
  /// Mesh that this model repeats, or -1; then `mesh` is what later ones may repeat.
  std::int32_t repeated_by(const Build& b, std::int32_t model, std::int32_t mesh) {
    Record name, vertices, corners;
    const Record& record = b.object(model).record;
    if (!applies_ || b.type(model) != ObjectClass::model ||
        !b.records.child(record, "NodeAttributeName", name) ||
        !b.records.child(record, "Vertices", vertices)) {
      return -1;
    }
    First mine{mesh, b.records.array_length(vertices), 0};
    if (b.records.child(record, "PolygonVertexIndex", corners)) {
      mine.corners = b.records.array_length(corners);
    }
    const auto [first, is_new] = firsts_.emplace(b.records.value(name).text, mine);
    if (is_new || first->second.vertices != mine.vertices || first->second.corners != mine.corners)
      return -1;
    for (const Connection& c : b.graph.into(model)) {
      if (b.type(c.source) == ObjectClass::skin || b.type(c.source) == ObjectClass::blend_shape)
        return -1;
    }
    return first->second.mesh;
  }

 private:
  struct First {
    std::int32_t mesh = -1;
    std::uint64_t vertices = 0, corners = 0;
  };
  bool applies_;
  std::unordered_map<std::string_view, First> firsts_;
};

void add_shape(Build& b, MorphTarget& target, const Record& record, double full_weight,
               bool skinned) {
  MorphTarget::Shape shape;
  if (skinned) shape.normals = shape_normals(b, record);
  shape.full_weight = full_weight;
  shape.positions.emplace_back();
  shape.indices.emplace_back();
  Record vertices, indices;
  if (b.records.child(record, "Vertices", vertices)) {
    shape.positions[0] = read_vectors(b, vertices, false);
  }
  if (b.records.child(record, "Indexes", indices)) {
    NumberArray numbers;
    if (b.records.read_numbers(indices, ComponentType::i32, numbers)) {
      shape.indices[0] = b.keep(numbers, 1);
    } else {
      shape.indices[0].type = ComponentType::i32;
      shape.indices[0].components = 1;
      shape.indices[0].count = b.records.array_length(indices);
    }
  }
  target.shapes.push_back(std::move(shape));
}

/// 6.x: shapes inside the geometry, their activation a property of the model with the same name.
void read_embedded_shapes(Build& b, std::int32_t geometry, bool skinned, Mesh& mesh) {
  const Record& record = b.object(geometry).record;
  std::unordered_map<std::string_view, double> activations;
  bool looked = false;
  Children walk = b.records.children(record);
  Record child;
  while (walk.next(child)) {
    if (child.name != "Shape") continue;
    if (!looked) {
      Properties properties(b.records, record);
      while (properties.next()) {
        activations.emplace(properties.name(), properties.number().value_or(0.0));
      }
      looked = true;
    }
    MorphTarget target;
    const std::string_view raw = b.records.value(child).text;
    target.name = display_name(split_name(raw).name, b.records.binary());
    const auto activation = activations.find(raw);
    if (activation != activations.end()) target.default_weight = activation->second / 100.0;
    add_shape(b, target, child, 1.0, skinned);
    mesh.morphs.push_back(std::move(target));
  }
}

void read_channel(Build& b, std::int32_t channel, bool skinned, Mesh& mesh) {
  const Record& record = b.object(channel).record;
  MorphTarget target;
  target.name = b.name(channel);
  double percent = 0.0;
  Record child;
  if (b.records.child(record, "DeformPercent", child)) {
    percent = b.records.value(child).as_double().value_or(0.0);
  }
  // The property is what animation drives and what wins where both are there.
  percent = find_number(b.records, record, "DeformPercent").value_or(percent);
  target.default_weight = percent / 100.0;
  std::vector<double> full;
  if (b.records.child(record, "FullWeights", child)) b.records.read_doubles(child, full);
  std::size_t k = 0;
  std::size_t shapes = 0;
  for (const Connection& c : b.graph.into(channel)) {
    if (b.type(c.source) == ObjectClass::geometry) ++shapes;
  }
  for (const Connection& c : b.graph.into(channel)) {
    if (b.type(c.source) != ObjectClass::geometry) continue;
    const double fallback = 100.0 * static_cast<double>(k + 1) / static_cast<double>(shapes);
    add_shape(b, target, b.object(c.source).record, (k < full.size() ? full[k] : fallback) / 100.0,
              skinned);
    ++k;
  }
  std::stable_sort(target.shapes.begin(), target.shapes.end(),
                   [](const MorphTarget::Shape& x, const MorphTarget::Shape& y) {
                     return x.full_weight < y.full_weight;
                   });
  mesh.morphs.push_back(std::move(target));
}

}  // namespace

Stream read_vectors(Build& b, const Record& record, bool is_point) {
  const ComponentType type =
      b.records.array_type(record) == ComponentType::f32 ? ComponentType::f32 : ComponentType::f64;
  Stream s;
  if (!b.converts) {
    s = b.records.mapped_array(record, type);
    if (s.declared()) {
      if (s.count % 3 != 0) {
        b.records.note_damage(record.offset, Repair::Kind::count_mismatch,
                              "the number of coordinates is no multiple of three");
      }
      s.count /= 3;
      s.components = 3;
      s.stride *= 3;
      return s;
    }
  }
  NumberArray numbers;
  if (!b.records.read_numbers(record, type, numbers)) {
    s.type = type;
    s.components = 3;
    s.count = b.records.array_length(record) / 3;
    return s;
  }
  if (numbers.count % 3 != 0) {
    b.records.note_damage(record.offset, Repair::Kind::count_mismatch,
                          "the number of coordinates is no multiple of three");
  }
  if (b.converts) {
    const std::size_t count = numbers.count / 3;
    if (type == ComponentType::f32) {
      convert_vectors<float>(numbers.data.get(), count, b.canonical_from_file, is_point);
    } else {
      convert_vectors<double>(numbers.data.get(), count, b.canonical_from_file, is_point);
    }
  }
  return b.keep(numbers, 3);
}

void build_meshes(Build& b) {
  const auto& objects = b.graph.objects();
  b.mesh_of.assign(objects.size(), -1);
  std::vector<std::int32_t> seen(b.asset.nodes.size(), -1);
  Instances instances(b);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const Object& o = objects[k];
    const auto position = static_cast<std::int32_t>(k);
    const bool geometry =
        o.type == ObjectClass::geometry && (o.subclass == "Mesh" || o.subclass.empty());
    if (!geometry && !(o.type == ObjectClass::model && has_vertices(b, o.record))) continue;
    const auto next = static_cast<std::int32_t>(b.asset.meshes.size());
    if (const std::int32_t same = instances.repeated_by(b, position, next); same >= 0) {
      b.mesh_of[k] = same;
      const std::int32_t node = b.node_of[k];
      b.nodes_of_mesh[static_cast<std::size_t>(same)].push_back(node);
      b.asset.nodes[static_cast<std::size_t>(node)].mesh = same;
      continue;
    }
    Mesh mesh;
    mesh.name = b.name(position);
    mesh.id = o.id;
    MeshPart part;
    part.mode = -1;
    Record child;
    if (b.records.child(o.record, "Vertices", child)) {
      part.positions = read_vectors(b, child, true);
      part.vertex_count = part.declared_vertex_count = part.positions.count;
    }
    if (b.records.child(o.record, "PolygonVertexIndex", child)) {
      part.indices = b.records.mapped_array(child, ComponentType::i32);
      NumberArray numbers;
      if (!part.indices.declared()) {
        if (b.records.read_numbers(child, ComponentType::i32, numbers)) {
          part.indices = b.keep(numbers, 1);
        } else {
          part.indices.type = ComponentType::i32;
          part.indices.components = 1;
          part.indices.count = b.records.array_length(child);
        }
      }
    }
    if (part.positions.readable()) {
      b.position_bytes += part.positions.count * part.positions.stride;
      if (is_skinned(b, position)) read_normals(b, o.record, part);
    }
    mesh.parts.push_back(std::move(part));
    b.mesh_of[k] = next;
    b.asset.meshes.push_back(std::move(mesh));
    b.nodes_of_mesh.push_back(nodes_showing(b, position, seen));
    for (const std::int32_t node : b.nodes_of_mesh.back()) {
      std::int32_t& shown = b.asset.nodes[static_cast<std::size_t>(node)].mesh;
      if (shown < 0) shown = b.mesh_of[k];
    }
  }
}

void build_morphs(Build& b) {
  const auto& objects = b.graph.objects();
  // A deformer belongs to one geometry and a channel to one deformer; sharing would multiply.
  std::vector<bool> used(objects.size(), false);
  std::uint64_t shared = 0;
  std::vector<std::int32_t> owner(objects.size(), -1);
  const auto take = [&](std::int32_t object, std::int32_t by) {
    const auto k = static_cast<std::size_t>(object);
    const bool is_free = !used[k];
    // The same connection twice, as ZBrush writes it, shares nothing.
    if (!is_free && owner[k] != by) ++shared;
    used[k] = true;
    owner[k] = by;
    return is_free;
  };
  std::int32_t next_mesh = 0;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    if (b.mesh_of[k] < next_mesh) continue;  // none, or an instance of an earlier model's
    next_mesh = b.mesh_of[k] + 1;
    Mesh& mesh = b.asset.meshes[static_cast<std::size_t>(b.mesh_of[k])];
    const bool skinned = is_skinned(b, static_cast<std::int32_t>(k));
    read_embedded_shapes(b, static_cast<std::int32_t>(k), skinned, mesh);
    for (const Connection& c : b.graph.into(static_cast<std::int32_t>(k))) {
      if (b.type(c.source) != ObjectClass::blend_shape ||
          !take(c.source, static_cast<std::int32_t>(k)))
        continue;
      for (const Connection& d : b.graph.into(c.source)) {
        if (b.type(d.source) == ObjectClass::blend_channel && take(d.source, c.source)) {
          read_channel(b, d.source, skinned, mesh);
        }
      }
    }
    for (MeshPart& part : mesh.parts) {
      part.morph_target_count = static_cast<std::int32_t>(mesh.morphs.size());
    }
  }
  if (shared != 0) {
    b.repair(Repair::Kind::duplicate, false, {}, shared,
             "blend shapes or their channels are connected more than once; the first was kept");
  }
}

}  // namespace skinlint::fbx
