#include "readers/fbx_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "readers/fbx_build.h"

namespace skinlint {

namespace fbx {
namespace {

struct DeclaredAxes {
  Axes names;
  bool declared = false;
  Mat3 canonical_from_file = Mat3::Identity();
};

std::string axis_name(std::int64_t axis, std::int64_t sign) {
  static constexpr const char* kNames[2][3] = {{"-X", "-Y", "-Z"}, {"+X", "+Y", "+Z"}};
  return kNames[sign < 0 ? 0 : 1][axis];
}

/// Up, front and right as unit vectors of the file become +Y, +Z and +X.
DeclaredAxes declared_axes(const GlobalSettings& g) {
  DeclaredAxes out;
  const std::optional<std::int64_t> axis[3] = {g.coord, g.up, g.front};
  const std::int64_t sign[3] = {g.coord_sign.value_or(1), g.up_sign.value_or(1),
                                g.front_sign.value_or(1)};
  bool seen[3] = {false, false, false};
  out.declared = true;
  for (int k = 0; k < 3; ++k) {
    if (!axis[k] || *axis[k] < 0 || *axis[k] > 2 || seen[*axis[k]]) {
      out.declared = false;
      break;
    }
    seen[*axis[k]] = true;
  }
  if (!out.declared) {
    out.names = {"unknown", "unknown", "unknown"};
    return out;
  }
  out.names.right = axis_name(*axis[0], sign[0]);
  out.names.up = axis_name(*axis[1], sign[1]);
  out.names.front = axis_name(*axis[2], sign[2]);
  out.canonical_from_file.setZero();
  for (int k = 0; k < 3; ++k) {
    out.canonical_from_file(k, static_cast<Eigen::Index>(*axis[k])) = sign[k] < 0 ? -1.0 : 1.0;
  }
  return out;
}

void read_space(Build& b) {
  const GlobalSettings& g = b.graph.settings();
  const DeclaredAxes axes = declared_axes(g);
  Asset& asset = b.asset;
  asset.axes = axes.names;
  asset.axes_declared = axes.declared;
  double unit = 0.01;  // a unit scale of 1 is a centimetre
  bool unit_known = g.unit_scale && std::isfinite(*g.unit_scale) && *g.unit_scale > 0.0;
  if (unit_known) unit = *g.unit_scale / 100.0;
  asset.unit_meters = unit;
  if (g.original_unit_scale && std::isfinite(*g.original_unit_scale)) {
    asset.original_unit_meters = *g.original_unit_scale / 100.0;
  }
  if (!axes.declared || (g.unit_scale && !unit_known)) {
    std::string detail;
    if (!g.present) {
      detail = "the file has no global settings; +Y up, +Z front and centimetres were assumed";
    } else if (!axes.declared) {
      detail = "the global settings name no axis system; +Y up and +Z front were assumed";
    } else {
      detail = "the global settings' unit is no positive number; centimetres were assumed";
    }
    b.repair(Repair::Kind::defaulted, false, {}, 1, std::move(detail), "GlobalSettings");
  }
  if (asset.space == Space::canonical) {
    b.converts = true;
    b.canonical_from_file.topLeftCorner<3, 3>() = axes.canonical_from_file * unit;
    b.file_from_canonical.topLeftCorner<3, 3>() = axes.canonical_from_file.transpose() / unit;
    asset.canonical_from_file = b.canonical_from_file;
  }
}

/// The element of the Asset that an object of the file became.
ElementRef element_of(const Build& b, std::int32_t object) {
  if (object < 0) return {};
  const auto k = static_cast<std::size_t>(object);
  if (b.joint_of[k] >= 0) return {ElementKind::joint, b.skin_of[k], b.joint_of[k]};
  if (b.skin_of[k] >= 0) return {ElementKind::skin, b.skin_of[k], 0};
  if (b.mesh_of[k] >= 0) return {ElementKind::mesh, b.mesh_of[k], 0};
  if (b.node_of[k] >= 0) return {ElementKind::node, b.node_of[k], 0};
  return {};
}

/// Damage in what skinning rests on is an error, elsewhere a warning.
bool about_skinning(const Build& b, std::int32_t object) {
  switch (b.type(object)) {
    case ObjectClass::model:
    case ObjectClass::geometry:
    case ObjectClass::skin:
    case ObjectClass::cluster:
    case ObjectClass::pose:
      return true;
    case ObjectClass::other:
    case ObjectClass::node_attribute:
    case ObjectClass::blend_shape:
    case ObjectClass::blend_channel:
    case ObjectClass::stack:
    case ObjectClass::layer:
    case ObjectClass::curve_node:
    case ObjectClass::curve:
      break;
  }
  return false;
}

void report_damage(Build& b) {
  for (const Damage& d : b.records.damage()) {
    const std::int32_t object = b.graph.object_at(d.offset);
    std::string where = b.records.binary() ? "byte " + std::to_string(d.offset)
                                           : "line " + std::to_string(b.records.line_of(d.offset));
    const std::string owner = b.graph.describe(object);
    if (!owner.empty()) where = owner + ", " + where;
    const bool matters =
        object >= 0 ? about_skinning(b, object)
                    : (d.kind == Repair::Kind::out_of_bounds || d.kind == Repair::Kind::limit);
    b.repair(d.kind, matters, element_of(b, object), 1, d.what, std::move(where));
  }
  if (b.records.damage_count() > b.records.damage().size() && b.records.damage().size() >= 64) {
    b.repair(Repair::Kind::limit, false, {}, b.records.damage_count(),
             "more places are damaged; only the first 64 are listed");
  }
  if (b.graph.dangling_connections != 0) {
    const std::uint64_t at = b.graph.first_dangling_offset;
    b.repair(Repair::Kind::dangling_reference, b.graph.dangling_between_skin_objects, {},
             b.graph.dangling_connections,
             "connections name objects that are not in the file and were left out",
             b.records.binary() ? "byte " + std::to_string(at)
                                : "line " + std::to_string(b.records.line_of(at)));
  }
  if (!b.graph.duplicates.empty()) {
    const std::int32_t first = b.graph.duplicates.front();
    const bool matters =
        !b.asset.skins.empty() &&
        std::any_of(b.graph.duplicates.begin(), b.graph.duplicates.end(),
                    [&b](std::int32_t object) { return about_skinning(b, object); });
    b.repair(Repair::Kind::duplicate, matters, element_of(b, first), b.graph.duplicates.size(),
             "objects repeat an earlier object's " +
                 std::string(b.graph.by_name() ? "name" : "id") +
                 "; connections were given to the first",
             b.graph.describe(first));
  }
}

}  // namespace
}  // namespace fbx

bool recognises_fbx(std::span<const std::byte> bytes) { return fbx::Records::recognises(bytes); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the format table's signature.
Result<Asset> read_fbx(std::shared_ptr<const Source> source, const OpenCompanion& /*open*/,
                       const ReadOptions& options) {
  const std::span<const std::byte> bytes = source->bytes();
  if (bytes.size() > options.limits.max_file_bytes) {
    return ReadError{ReadError::Kind::too_large, "the file is larger than the limit", {}, {}};
  }
  Result<fbx::Records> records = fbx::Records::open(bytes, options.limits);
  if (!records) return records.error();
  const fbx::ObjectGraph graph(*records);
  if (graph.model_count() > fbx::kMaxModels) {
    return ReadError{ReadError::Kind::too_large,
                     "the file has " + std::to_string(graph.model_count()) + " models; at most " +
                         std::to_string(fbx::kMaxModels) + " are read",
                     {},
                     "Objects"};
  }
  Asset asset;
  asset.format = records->binary() ? Format::fbx_binary : Format::fbx_ascii;
  asset.encoding = records->binary() ? "binary" : "ascii";
  asset.version = std::to_string(records->version());
  asset.generator = std::string(graph.creator());
  asset.space = options.space;
  asset.file_bytes = bytes.size();
  asset.storage.push_back(source);

  fbx::Build build{*records, graph, options, asset};
  fbx::read_space(build);
  fbx::build_nodes(build);
  fbx::build_meshes(build);
  fbx::build_morphs(build);
  fbx::build_bind_poses(build);
  fbx::build_skins(build);
  fbx::build_clips(build);
  fbx::build_cameras(build);
  fbx::report_damage(build);
  return asset;
}

}  // namespace skinlint
