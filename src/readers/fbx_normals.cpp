// Normals of FBX geometries, however they are mapped, and of their shapes.

#include <algorithm>
#include <cstring>

#include "readers/fbx_build.h"

namespace skinlint::fbx {

namespace {

ListedNormals::Per per_of(std::string_view mapping) {
  using Per = ListedNormals::Per;
  if (mapping == "ByVertice" || mapping == "ByVertex" || mapping == "ByControlPoint")
    return Per::vertex;
  if (mapping == "ByPolygonVertex") return Per::corner;
  if (mapping == "ByPolygon") return Per::polygon;
  return mapping == "AllSame" ? Per::mesh : Per::unknown;
}

ComponentType real_type(const Build& b, const Record& record) {
  return b.records.array_type(record) == ComponentType::f32 ? ComponentType::f32
                                                            : ComponentType::f64;
}

/// The record's numbers as they are, mapped where the file stores them plainly. Declared without
/// data when they cannot be read.
Stream read_stream(Build& b, const Record& record, ComponentType type, std::uint8_t components) {
  Stream s = b.records.mapped_array(record, type);
  if (s.declared()) {
    s.count /= components;
    s.stride *= components;
    s.components = components;
    return s;
  }
  NumberArray numbers;
  if (b.records.read_numbers(record, type, numbers)) return b.keep(numbers, components);
  s.type = type;
  s.components = components;
  s.count = std::max<std::uint64_t>(b.records.array_length(record) / components, 1);
  return s;
}

/// One per vertex, turned with the axes. Unlike points and offsets, directions have no unit.
Stream read_vertex_normals(Build& b, const Record& record) {
  const ComponentType type = real_type(b, record);
  const Mat3 turn = b.converts ? Mat3(linear(b.canonical_from_file) / b.asset.unit_meters)
                               : Mat3(Mat3::Identity());
  if (turn == Mat3::Identity()) return read_stream(b, record, type, 3);
  NumberArray numbers;
  if (!b.records.read_numbers(record, type, numbers)) {
    Stream s;
    s.type = type;
    s.components = 3;
    s.count = std::max<std::uint64_t>(b.records.array_length(record) / 3, 1);
    return s;
  }
  Stream s = b.keep(numbers, 3);
  double v[3];
  for (std::size_t k = 0; k < s.count; ++k) {
    read_values(s, k, 1, v);
    const Vec3 n = turn * Vec3(v[0], v[1], v[2]);
    std::byte* at = numbers.data.get() + k * s.stride;
    if (type == ComponentType::f32) {
      const Eigen::Vector3f narrow = n.cast<float>();
      std::memcpy(at, narrow.data(), s.stride);
    } else {
      std::memcpy(at, n.data(), s.stride);
    }
  }
  return s;
}

}  // namespace

bool is_skinned(const Build& b, std::int32_t object) {
  if (b.records.version() < 6000) return true;
  const std::span<const Connection> into = b.graph.into(object);
  return std::any_of(into.begin(), into.end(),
                     [&b](const Connection& c) { return b.type(c.source) == ObjectClass::skin; });
}

void read_normals(Build& b, const Record& geometry, MeshPart& part) {
  Record layer, record, normals;
  if (!b.records.child(geometry, "LayerElementNormal", layer) ||
      !b.records.child(layer, "Normals", normals)) {
    return;
  }
  ListedNormals listed;
  if (b.records.child(layer, "MappingInformationType", record))
    listed.per = per_of(b.records.value(record).text);
  const bool indexed = b.records.child(layer, "ReferenceInformationType", record) &&
                       b.records.value(record).text != "Direct" &&
                       b.records.child(layer, "NormalsIndex", record);
  if (!indexed && listed.per == ListedNormals::Per::vertex &&
      b.records.array_length(normals) == part.vertex_count * 3) {
    part.normals = read_vertex_normals(b, normals);
    return;
  }
  listed.values = read_stream(b, normals, real_type(b, normals), 3);
  if (indexed) listed.indices = read_stream(b, record, ComponentType::i32, 1);
  part.listed_normals = listed;
}

MorphTarget::Shape::Normals shape_normals(Build& b, const Record& record) {
  using Normals = MorphTarget::Shape::Normals;
  Record normals;
  if (!b.records.child(record, "Normals", normals)) return Normals::none;
  const ComponentType type = real_type(b, normals);
  Stream s = b.records.mapped_array(normals, type);
  NumberArray numbers;  // lives until the answer is known
  if (!s.declared()) {
    if (!b.records.read_numbers(normals, type, numbers)) return Normals::none;
    s.data = numbers.data.get();
    s.count = numbers.count;
    s.stride = component_size(type);
    s.type = type;
    s.components = 1;
  }
  if (s.count == 0) return Normals::none;
  return is_all_zero(s) ? Normals::zero : Normals::given;
}

}  // namespace skinlint::fbx
