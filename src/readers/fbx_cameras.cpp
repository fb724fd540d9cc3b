// FBX cameras, as far as a projection can be told without the renderer: perspective ones with an
// aperture mode, no target to look at.

#include <cmath>

#include "model/projection.h"
#include "readers/fbx_build.h"

namespace skinlint::fbx {
namespace {

constexpr double kRadians = 3.14159265358979323846 / 180.0;
constexpr double kMillimetresPerInch = 25.4;

/// Defaults are the format's. Source: FBX SDK documentation of FbxCamera.
struct Lens {
  double field_of_view = 25.114999, field_of_view_x = 40.0, field_of_view_y = 40.0;
  double focal_length = 34.89327;                  // millimetres
  double film_width = 0.816, film_height = 0.612;  // inches
  double aspect_width = 320.0, aspect_height = 200.0;
  double near_plane = 10.0, far_plane = 4000.0;  // the file's unit
  std::int64_t aperture_mode = 2;                // 0 both, 1 horizontal, 2 vertical, 3 focal
  std::int64_t projection = 0;                   // 0 perspective
};

Lens read_lens(const Build& b, const Record& record) {
  Lens lens;
  Properties p(b.records, record);
  while (p.next()) {
    const std::string_view n = p.name();
    double* number = n == "FieldOfView"                      ? &lens.field_of_view
                     : n == "FieldOfViewX"                   ? &lens.field_of_view_x
                     : n == "FieldOfViewY"                   ? &lens.field_of_view_y
                     : n == "FocalLength"                    ? &lens.focal_length
                     : n == "FilmWidth"                      ? &lens.film_width
                     : n == "FilmHeight"                     ? &lens.film_height
                     : n == "AspectWidth" || n == "AspectW"  ? &lens.aspect_width
                     : n == "AspectHeight" || n == "AspectH" ? &lens.aspect_height
                     : n == "NearPlane"                      ? &lens.near_plane
                     : n == "FarPlane"                       ? &lens.far_plane
                                                             : nullptr;
    if (number != nullptr) {
      *number = p.number().value_or(*number);
    } else if (n == "ApertureMode" || n == "CameraProjectionType") {
      std::int64_t& choice = n == "ApertureMode" ? lens.aperture_mode : lens.projection;
      choice = p.integer().value_or(choice);
    }
  }
  return lens;
}

std::optional<Mat4> projection_of(const Lens& lens, double unit) {
  double aspect = lens.aspect_width / lens.aspect_height;
  double vertical = lens.field_of_view * kRadians;
  const auto from_horizontal = [](double angle, double ratio) {
    return 2.0 * std::atan(std::tan(0.5 * angle) / ratio);
  };
  if (lens.aperture_mode == 1) {
    vertical = from_horizontal(lens.field_of_view * kRadians, aspect);
  } else if (lens.aperture_mode == 0) {
    vertical = lens.field_of_view_y * kRadians;
    aspect = std::tan(0.5 * lens.field_of_view_x * kRadians) / std::tan(0.5 * vertical);
  } else if (lens.aperture_mode == 3) {
    const double half = 0.5 * lens.film_width * kMillimetresPerInch / lens.focal_length;
    vertical = from_horizontal(2.0 * std::atan(half), aspect);
  }
  return perspective(vertical, aspect, lens.near_plane * unit, lens.far_plane * unit);
}

}  // namespace

void build_cameras(Build& b) {
  const Mat3 change = b.canonical_from_file.topLeftCorner<3, 3>();
  const double unit = b.converts ? std::cbrt(std::abs(change.determinant())) : 1.0;
  const auto& objects = b.graph.objects();
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const auto model = static_cast<std::int32_t>(k);
    if (objects[k].type != ObjectClass::model || b.node_of[k] < 0) continue;
    const Node& node = b.asset.nodes[static_cast<std::size_t>(b.node_of[k])];
    if (node.attribute != "Camera") continue;
    Camera camera;
    camera.name = node.name;
    camera.id = objects[k].id;
    camera.node = b.node_of[k];
    // It looks along +X of its node, +Y up: right is +Z.
    Mat3 turn;
    turn.col(0) = Vec3::UnitZ();
    turn.col(1) = Vec3::UnitY();
    turn.col(2) = -Vec3::UnitX();
    camera.node_from_camera.topLeftCorner<3, 3>() =
        (b.converts ? Mat3(change / unit) : Mat3(Mat3::Identity())) * turn;
    Record lens_record = objects[k].record;
    bool looks_at = false;
    for (const Connection& c : b.graph.into(model)) {
      if (b.type(c.source) == ObjectClass::node_attribute) lens_record = b.object(c.source).record;
      looks_at = looks_at || c.property == "LookAtProperty";
    }
    const Lens lens = read_lens(b, lens_record);
    if (looks_at) {
      camera.unusable_because = "it looks at a target, which is not followed";
    } else if (lens.projection != 0) {
      camera.unusable_because = "orthographic FBX cameras are not read";
    } else {
      camera.clip_from_camera = projection_of(lens, unit);
      if (!camera.clip_from_camera)
        camera.unusable_because = "its angles, aspect or planes are out of range";
    }
    b.asset.cameras.push_back(std::move(camera));
  }
}

}  // namespace skinlint::fbx
