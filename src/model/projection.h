#pragma once
// Projections as graphics interfaces with depth -1 (near) to 1 (far) have them: a camera looks
// along -Z, +X right, +Y up.

#include <optional>

#include "model/math.h"

namespace skinlint {

/// clip_from_camera of a perspective camera: vertical angle in radians, width over height,
/// distances of the planes; without `far_plane` depth goes to infinity. Empty unless 0 < angle <
/// pi, aspect > 0 and 0 < near < far. Source: glTF 2.0, 3.10.3.
std::optional<Mat4> perspective(double vertical_angle, double aspect, double near_plane,
                                std::optional<double> far_plane);
/// The same of an orthographic camera, by half its width and height. Empty unless all are finite,
/// the halves are not zero and near < far.
std::optional<Mat4> orthographic(double half_width, double half_height, double near_plane,
                                 double far_plane);

}  // namespace skinlint
