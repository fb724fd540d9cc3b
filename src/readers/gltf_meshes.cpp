// glTF meshes: parts, morph targets, and the attribute sets that hold joints and weights.

#include <algorithm>
#include <charconv>
#include <map>

#include "readers/gltf_compression.h"
#include "readers/gltf_reader.h"

namespace skinlint {
namespace {

using Index = std::int32_t;

const TypeSet position_types{ComponentType::f32, ComponentType::i8, ComponentType::u8,
                             ComponentType::i16, ComponentType::u16};
const TypeSet direction_types{ComponentType::f32, ComponentType::i8, ComponentType::i16};
const TypeSet index_types{ComponentType::u8, ComponentType::u16, ComponentType::u32};
// KHR_mesh_quantization allows signed integers; unsigned ones are read as well, they only cannot
// point backwards.
const TypeSet& offset_types = position_types;
// 256 influences per vertex. Sets may share their accessors, so that a few bytes each make the work
// of a whole mesh.
constexpr std::size_t max_influence_sets = 64;

Expected expect(std::uint8_t components, ComponentType type, const TypeSet& types,
                std::uint64_t count = 1) {
  Expected e;
  e.components = components;
  e.type = type;
  e.types = types;
  e.count = count;
  return e;
}

/// n of "JOINTS_n" (prefix "JOINTS_"), written without leading zeros; empty for any other name.
std::optional<Index> set_number(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  Index n = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), n);
  if (code != std::errc() || end != name.data() + name.size() || n < 0) return std::nullopt;
  return n;
}

/// The attributes of a primitive that matter here.
struct Attributes {
  struct Set {
    std::optional<JsonValue> joints, weights;
  };
  std::optional<JsonValue> position, normal, tangent;
  std::map<Index, Set> sets;
};

/// A Draco primitive: attribute name to the library's id, and the mesh when it could be decoded.
struct DracoPart {
  bool declared = false;
  std::shared_ptr<const DracoMesh> mesh;
  std::map<std::string_view, std::uint32_t> ids;
};

class MeshReader {
 public:
  explicit MeshReader(GltfRead& read) : read_(read) {}

  void read_one(JsonValue item, std::size_t index, const Place& place) {
    mesh_ = index;
    need_ = read_.mesh_is_bound[index] ? Need::skinning : Need::other;
    Mesh& mesh = read_.asset.meshes[index];
    mesh.id = static_cast<std::int64_t>(index);
    const JsonScope scope(read_.log, {ElementKind::mesh, static_cast<Index>(index), 0});
    const auto object = scope.object(item, place, affects());
    if (!object) return;
    const auto f = scope.pick<4>(*object, {"name", "primitives", "weights", "extras"}, place);
    const Place name_place(place, "name");
    const Place primitives_place(place, "primitives");
    const Place weights_place(place, "weights");
    const Place extras_place(place, "extras");
    mesh.name = scope.string(f[0], name_place).value_or("");
    std::vector<std::optional<JsonValue>> targets;
    if (const auto primitives = scope.array(f[1], primitives_place, affects())) {
      std::size_t i = 0;
      for (const JsonValue primitive : *primitives) {
        if (!read_.structure.spend(sizeof(MeshPart) + sizeof(InfluenceTable) + 64)) {
          scope.repair(Repair::Kind::limit, primitives_place,
                       "too many primitives for the file's size; the rest is skipped", affects());
          break;
        }
        const Place part_place(primitives_place, i++);
        targets.push_back(read_part(primitive, mesh, part_place));
      }
    }
    read_morphs(mesh, targets, primitives_place);
    if (mesh.morphs.empty()) return;
    if (f[2])
      set_default_weights(mesh, number_list(f[2], scope, weights_place), scope, weights_place);
    if (f[3]) set_target_names(mesh, *f[3]);
  }

 private:
  bool affects() const { return need_ == Need::skinning; }

  /// Returns the primitive's morph targets, read when all parts are known.
  std::optional<JsonValue> read_part(JsonValue item, Mesh& mesh, const Place& place) {
    part_element_ = {ElementKind::part, static_cast<Index>(mesh_),
                     static_cast<Index>(mesh.parts.size())};
    MeshPart& part = mesh.parts.emplace_back();
    std::vector<Index>& tables = read_.mesh_influences[mesh_];
    tables.push_back(-1);
    const JsonScope scope(read_.log, part_element_);
    const auto object = scope.object(item, place, affects());
    if (!object) return std::nullopt;
    const auto f =
        scope.pick<5>(*object, {"attributes", "indices", "mode", "targets", "extensions"}, place);
    const Place attributes_place(place, "attributes");
    const Place indices_place(place, "indices");
    const Place mode_place(place, "mode");
    const Place extensions_place(place, "extensions");
    const auto mode = scope.count(f[2], mode_place, affects()).value_or(4);
    if (mode <= 6) {
      part.mode = static_cast<int>(mode);
    } else {
      scope.repair(Repair::Kind::wrong_type, mode_place,
                   "mode " + std::to_string(mode) + " is none; triangles are assumed", affects());
    }
    const DracoPart draco = read_draco(f[4], scope, extensions_place);
    Attributes attributes;
    if (const auto values = scope.object(f[0], attributes_place, affects()))
      attributes = collect(*values, scope, attributes_place);
    read_vertices(part, attributes, draco, attributes_place);
    if (draco.mesh != nullptr) {
      part.indices = draco_indices(draco, f[1], scope, extensions_place);
      if (part.mode == 5) part.mode = 4;  // decoded strips are triangles
    } else if (f[1]) {
      const std::int64_t accessor = integer_of(*f[1]).value_or(-1);
      const AccessorDecl* decl = read_.data.declaration(accessor, need_);
      const bool lost = draco.declared && decl != nullptr && decl->valid && !decl->view;
      part.indices = lost ? without_data(*decl, accessor)
                          : read_.data.stream(*f[1], expect(1, ComponentType::u32, index_types),
                                              need_, part_element_, indices_place);
    }
    for (const auto& [number, set] : attributes.sets)
      part.influence_sets_declared.push_back(number);
    if (need_ == Need::skinning && !attributes.sets.empty())
      tables.back() = read_influences(part, attributes, draco, attributes_place);
    return f[3];
  }

  Attributes collect(JsonObject values, const JsonScope& scope, const Place& place) const {
    Attributes out;
    const auto put = [&](std::optional<JsonValue>& slot,
                         const simdjson::dom::key_value_pair& field) {
      if (slot) {
        const Place at(place, field.key);
        scope.repair(Repair::Kind::duplicate, at, "the key is given twice; the last value is used");
      }
      slot = field.value;
    };
    for (const simdjson::dom::key_value_pair field : values) {
      if (field.key == "POSITION") {
        put(out.position, field);
      } else if (field.key == "NORMAL") {
        put(out.normal, field);
      } else if (field.key == "TANGENT") {
        put(out.tangent, field);
      } else if (const auto joints = set_number(field.key, "JOINTS_")) {
        put(out.sets[*joints].joints, field);
      } else if (const auto weights = set_number(field.key, "WEIGHTS_")) {
        put(out.sets[*weights].weights, field);
      }
    }
    return out;
  }

  // --- attributes ---

  /// One attribute, out of Draco data where the primitive has them.
  Stream attribute(JsonValue value, std::string_view name, const Expected& expected,
                   const DracoPart& draco, const Place& attributes_place) {
    const Place place(attributes_place, name);
    const auto id = draco.ids.find(name);
    const JsonScope scope(read_.log, part_element_);
    const std::int64_t accessor = integer_of(value).value_or(-1);
    const AccessorDecl* decl = read_.data.declaration(accessor, need_);
    const bool compressed = draco.declared && decl != nullptr && decl->valid;
    if (!compressed || (draco.mesh == nullptr && decl->view))
      return read_.data.stream(value, expected, need_, part_element_, place);
    if (draco.mesh == nullptr) return without_data(*decl, accessor);
    if (id == draco.ids.end()) {
      if (decl->view || decl->sparse)
        return read_.data.stream(value, expected, need_, part_element_, place);
      scope.repair(Repair::Kind::dangling_reference, place,
                   "the attribute is neither among the Draco attributes nor in a buffer view",
                   affects());
      return without_data(*decl, accessor);
    }
    Stream s = without_data(*decl, accessor);
    s.count = draco.mesh->point_count();
    if (expected.strict &&
        (s.components != expected.components || !expected.types.contains(s.type))) {
      scope.repair(Repair::Kind::wrong_type, place, "the accessor's type is not legal here",
                   affects());
      return s;
    }
    if (decl->count != s.count) {
      scope.repair(Repair::Kind::count_mismatch, place,
                   "the accessor has " + std::to_string(decl->count) +
                       " elements, the Draco data " + std::to_string(s.count) + ", which are used",
                   affects());
    }
    auto block = draco.mesh->attribute(id->second, s.type, s.components, read_.data.decoded());
    if (!block) {
      scope.repair(Repair::Kind::decode_failed, place, block.error(), affects());
      return s;
    }
    s.data = (*block)->data();
    read_.data.storage().push_back(*block);
    return s;
  }

  /// Without its Draco data an accessor that has no buffer view is unknown, not zero.
  static Stream without_data(const AccessorDecl& decl, std::int64_t accessor) {
    Stream s;
    s.type = decl.type;
    s.components = decl.components;
    s.normalized = decl.normalized;
    s.stride = component_size(s.type) * s.components;
    s.count = std::max<std::uint64_t>(decl.count, 1);
    s.source = static_cast<Index>(accessor);
    return s;
  }

  void read_vertices(MeshPart& part, const Attributes& attributes, const DracoPart& draco,
                     const Place& place) {
    if (attributes.position) {
      part.positions = attribute(*attributes.position, "POSITION",
                                 expect(3, ComponentType::f32, position_types), draco, place);
      part.declared_vertex_count = part.positions.count;
      if (part.positions.readable()) part.vertex_count = part.positions.count;
    }
    const std::uint64_t count = std::max<std::uint64_t>(part.declared_vertex_count, 1);
    if (attributes.normal) {
      part.normals = attribute(*attributes.normal, "NORMAL",
                               expect(3, ComponentType::f32, direction_types, count), draco, place);
      fit(part.normals, part, "NORMAL", place);
    }
    if (attributes.tangent) {
      part.tangents =
          attribute(*attributes.tangent, "TANGENT",
                    expect(4, ComponentType::f32, direction_types, count), draco, place);
      fit(part.tangents, part, "TANGENT", place);
    }
  }

  /// A stream that is not as long as the positions cannot be used (I3).
  void fit(Stream& stream, const MeshPart& part, std::string_view name, const Place& up) const {
    if (stream.data == nullptr || stream.count == part.vertex_count) return;
    stream.data = nullptr;
    if (!part.positions.readable() || !part.positions.declared()) return;  // that is the cause
    const Place place(up, name);
    read_.log.add(Repair::Kind::count_mismatch, part_element_, affects(),
                  std::to_string(stream.count) + " values for " +
                      std::to_string(part.vertex_count) + " positions; they are not read",
                  place.pointer());
  }

  Index read_influences(const MeshPart& part, const Attributes& attributes, const DracoPart& draco,
                        const Place& place) {
    InfluenceTable table;
    table.vertex_count = part.declared_vertex_count;
    // Kept as declared: whether type and count are right is for the rules to say.
    Expected joints =
        expect(4, ComponentType::u16, index_types, std::max<std::uint64_t>(table.vertex_count, 1));
    Expected weights = expect(4, ComponentType::f32, index_types, joints.count);
    joints.strict = weights.strict = false;
    if (attributes.sets.size() > max_influence_sets) {
      read_.log.add(Repair::Kind::limit, part_element_, affects(),
                    std::to_string(attributes.sets.size()) +
                        " sets of influences; only the first " +
                        std::to_string(max_influence_sets) + " are read",
                    place.pointer());
    }
    for (const auto& [number, declared] : attributes.sets) {
      if (table.sets.size() == max_influence_sets) break;
      if (!read_.structure.spend(sizeof(InfluenceTable::Set))) break;
      InfluenceTable::Set& set = table.sets.emplace_back();
      set.number = number;
      const std::string n = std::to_string(number);
      if (declared.joints)
        set.joints = attribute(*declared.joints, "JOINTS_" + n, joints, draco, place);
      if (declared.weights)
        set.weights = attribute(*declared.weights, "WEIGHTS_" + n, weights, draco, place);
    }
    if (!part.positions.declared() && !table.sets.empty()) {
      // No positions at all: nothing is drawn, but the sets can still be held against one another.
      const InfluenceTable::Set& first = table.sets.front();
      table.vertex_count = first.joints.declared() ? first.joints.count : first.weights.count;
    }
    read_.asset.influences.push_back(std::move(table));
    return static_cast<Index>(read_.asset.influences.size() - 1);
  }

  // --- Draco ---

  DracoPart read_draco(const std::optional<JsonValue>& extensions_value, const JsonScope& scope,
                       const Place& extensions_place) {
    DracoPart out;
    const auto extensions = scope.object(extensions_value, extensions_place, affects());
    if (!extensions) return out;
    constexpr std::string_view name = "KHR_draco_mesh_compression";
    const auto [value] = scope.pick<1>(*extensions, {name}, extensions_place);
    if (!value) return out;
    out.declared = true;
    if (!have_draco()) return out;  // report_extensions() says so
    const Place place(extensions_place, name);
    const Place view_place(place, "bufferView");
    const Place ids_place(place, "attributes");
    const auto object = scope.object(value, place, affects());
    if (!object) return out;
    const auto [view_value, ids_value] =
        scope.pick<2>(*object, {"bufferView", "attributes"}, place);
    const std::int64_t view = scope.index(view_value, view_place, affects()).value_or(-1);
    if (view < 0 || static_cast<std::uint64_t>(view) >= read_.data.view_count()) {
      scope.repair(Repair::Kind::dangling_reference, view_place,
                   "the buffer view of the Draco data does not exist", affects());
      return out;
    }
    out.mesh = decode(static_cast<std::uint64_t>(view), scope, place);
    if (const auto ids = scope.object(ids_value, ids_place, affects())) {
      for (const simdjson::dom::key_value_pair field : *ids) {
        const auto id = integer_of(field.value);
        if (id && *id >= 0 && *id <= UINT32_MAX) {
          out.ids[field.key] = static_cast<std::uint32_t>(*id);
        } else {
          const Place at(ids_place, field.key);
          scope.repair(Repair::Kind::wrong_type, at, "the value is no attribute id", affects());
        }
      }
    }
    return out;
  }

  std::shared_ptr<const DracoMesh> decode(std::uint64_t view, const JsonScope& scope,
                                          const Place& place) {
    const ViewBytes& bytes = read_.data.view(view, need_);
    const auto known = draco_.find(view);
    if (known != draco_.end()) return known->second;
    std::shared_ptr<const DracoMesh>& mesh = draco_[view];
    if (!bytes.usable || bytes.bytes.size() < bytes.declared) {
      if (bytes.cause) {
        read_.log.add(*bytes.cause, bytes.cause_element, affects(), "", bytes.cause_locator);
      } else {
        scope.repair(Repair::Kind::missing_data, place, "the Draco data cannot be read", affects());
      }
      return mesh;
    }
    auto decoded = decode_draco(bytes.bytes, read_.data.decoded());
    if (decoded) {
      mesh = *decoded;
    } else {
      scope.repair(Repair::Kind::decode_failed, place, decoded.error(), affects());
    }
    return mesh;
  }

  Stream draco_indices(const DracoPart& draco, const std::optional<JsonValue>& accessor,
                       const JsonScope& scope, const Place& place) {
    const std::int64_t id = accessor ? integer_of(*accessor).value_or(-1) : -1;
    const Expected expected = expect(1, ComponentType::u32, index_types);
    Stream s = GltfData::unreadable(expected, draco.mesh->index_count(), id);
    s.count = draco.mesh->index_count();
    s.stride = sizeof(std::uint32_t);
    auto block = draco.mesh->indices(read_.data.decoded());
    if (!block) {
      scope.repair(Repair::Kind::decode_failed, place, block.error(), affects());
      s.count = std::max<std::size_t>(s.count, 1);
      return s;
    }
    s.data = (*block)->data();
    read_.data.storage().push_back(*block);
    return s;
  }

  // --- morph targets ---

  void read_morphs(Mesh& mesh, const std::vector<std::optional<JsonValue>>& targets,
                   const Place& primitives_place) {
    std::size_t most = 0;
    std::vector<std::optional<JsonArray>> lists(targets.size());
    for (std::size_t p = 0; p < targets.size(); ++p) {
      if (!targets[p]) continue;
      const JsonScope scope(read_.log,
                            {ElementKind::part, static_cast<Index>(mesh_), static_cast<Index>(p)});
      const Place part_place(primitives_place, p);
      const Place place(part_place, "targets");
      lists[p] = scope.array(targets[p], place, affects());
      if (!lists[p]) continue;
      std::size_t count = 0;
      for (auto it = lists[p]->begin(); it != lists[p]->end(); ++it) ++count;
      mesh.parts[p].morph_target_count =
          static_cast<Index>(std::min<std::size_t>(count, INT32_MAX));
      most = std::max(most, count);
    }
    if (most == 0) return;
    const std::uint64_t each =
        sizeof(MorphTarget) + sizeof(MorphTarget::Shape) + 2 * sizeof(Stream) * targets.size();
    std::uint64_t total = 0;
    if (__builtin_mul_overflow(each, most, &total) || !read_.structure.spend(total)) {
      read_.log.add(Repair::Kind::limit, {ElementKind::mesh, static_cast<Index>(mesh_), 0},
                    affects(),
                    std::to_string(most) + " morph targets on " + std::to_string(targets.size()) +
                        " primitives are too many for the file's size; they are skipped",
                    primitives_place.pointer());
      return;
    }
    mesh.morphs.resize(most);
    for (MorphTarget& morph : mesh.morphs) {
      morph.shapes.resize(1);
      morph.shapes[0].positions.resize(targets.size());
      morph.shapes[0].indices.resize(targets.size());
    }
    for (std::size_t p = 0; p < targets.size(); ++p) {
      if (!lists[p]) continue;
      part_element_ = {ElementKind::part, static_cast<Index>(mesh_), static_cast<Index>(p)};
      const Place part_place(primitives_place, p);
      const Place place(part_place, "targets");
      std::size_t t = 0;
      for (const JsonValue target : *lists[p]) {
        const Place target_place(place, t);
        read_target(target, mesh.parts[p], mesh.morphs[t].shapes[0], p, t, target_place);
        ++t;
      }
    }
  }

  void read_target(JsonValue item, const MeshPart& part, MorphTarget::Shape& shape, std::size_t p,
                   std::size_t t, const Place& place) {
    const ElementRef element{ElementKind::morph_target, static_cast<Index>(mesh_),
                             static_cast<Index>(t)};
    const JsonScope scope(read_.log, element);
    const auto object = scope.object(item, place, affects());
    if (!object) return;
    const auto [value, normal] = scope.pick<2>(*object, {"POSITION", "NORMAL"}, place);
    if (normal && need_ == Need::skinning) {
      const Place normal_place(place, "NORMAL");
      note_normals(*normal, element, part, normal_place, shape);
    }
    if (!value) return;
    const Place value_place(place, "POSITION");
    const Expected expected = expect(3, ComponentType::f32, offset_types,
                                     std::max<std::uint64_t>(part.declared_vertex_count, 1));
    // Most sparse accessors are morph targets that move a few vertices: kept sparse.
    const auto sparse = read_.data.sparse_only(*value, expected, need_);
    if (sparse && sparse->count == part.vertex_count) {
      shape.positions[p] = sparse->values;
      shape.indices[p] = sparse->indices;
      return;
    }
    Stream s = read_.data.stream(*value, expected, need_, element, value_place);
    // `morph-topology` judges the count; no evaluation may run past the end.
    if (s.count != part.vertex_count) s.data = nullptr;
    shape.positions[p] = s;
  }

  void note_normals(JsonValue value, const ElementRef& element, const MeshPart& part,
                    const Place& place, MorphTarget::Shape& shape) {
    using Normals = MorphTarget::Shape::Normals;
    if (shape.normals == Normals::given) return;
    // Any number of targets may name one accessor; it is looked at once.
    const auto [known, is_new] =
        normals_.try_emplace(integer_of(value).value_or(-1), Normals::none);
    if (is_new) {
      const Expected expected = expect(3, ComponentType::f32, offset_types,
                                       std::max<std::uint64_t>(part.declared_vertex_count, 1));
      const auto sparse = read_.data.sparse_only(value, expected, Need::other);
      const Stream s =
          sparse ? sparse->values : read_.data.stream(value, expected, Need::other, element, place);
      if (s.readable()) known->second = is_all_zero(s) ? Normals::zero : Normals::given;
    }
    if (known->second != Normals::none) shape.normals = known->second;
  }

  void set_default_weights(Mesh& mesh, const std::vector<double>& weights, const JsonScope& scope,
                           const Place& place) const {
    for (std::size_t i = 0; i < std::min(weights.size(), mesh.morphs.size()); ++i)
      mesh.morphs[i].default_weight = weights[i];
    if (weights.size() != mesh.morphs.size()) {
      scope.repair(Repair::Kind::count_mismatch, place,
                   std::to_string(weights.size()) + " weights for " +
                       std::to_string(mesh.morphs.size()) + " morph targets",
                   false);
    }
  }

  /// `extras` is free: what is not a list of names there is nobody's mistake.
  void set_target_names(Mesh& mesh, JsonValue extras) const {
    JsonArray names;
    if (extras["targetNames"].get(names) != simdjson::SUCCESS) return;
    std::size_t i = 0;
    for (const JsonValue name : names) {
      std::string_view text;
      if (i >= mesh.morphs.size()) return;
      if (name.get(text) == simdjson::SUCCESS) mesh.morphs[i].name = text;
      ++i;
    }
  }

  GltfRead& read_;
  std::size_t mesh_ = 0;
  Need need_ = Need::other;
  ElementRef part_element_;
  std::map<std::uint64_t, std::shared_ptr<const DracoMesh>> draco_;  // by buffer view
  std::map<std::int64_t, MorphTarget::Shape::Normals> normals_;      // of targets, by accessor
};

}  // namespace

void read_meshes(GltfRead& read) {
  const std::size_t count = entries_of(read.document.meshes);
  const Place top;
  const Place place(top, "meshes");
  const JsonScope scope(read.log, {});
  const auto array = scope.array(read.document.meshes, place);
  if (!array) return;
  if (!read.structure.spend(count * (sizeof(Mesh) + sizeof(std::vector<Index>)))) {
    scope.repair(Repair::Kind::limit, place,
                 "too many meshes for the file's size; all are skipped");
    for (Node& node : read.asset.nodes) node.mesh = -1;
    return;
  }
  read.asset.meshes.resize(count);
  read.mesh_influences.resize(count);
  MeshReader reader(read);
  // What is skinned first: data missing there end the read, and repairs weigh more.
  for (const bool bound : {true, false}) {
    std::size_t i = 0;
    for (const JsonValue item : *array) {
      const Place mesh_place(place, i);
      if (read.mesh_is_bound[i] == bound) reader.read_one(item, i, mesh_place);
      ++i;
      if (read.data.fatal()) return;
    }
  }
}

}  // namespace skinlint
