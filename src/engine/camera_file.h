#pragma once
// A camera given as JSON, for `trace --camera`.

#include <string>

#include "model/math.h"

namespace skinlint {

struct CameraFile {
  Mat4 camera_from_world = Mat4::Identity();
  Mat4 clip_from_camera = Mat4::Identity();
};

/// Reads {"camera_from_world": [16] | "world_from_camera": [16], "clip_from_camera": [16] |
/// "perspective": {"yfov": radians, "aspect": w/h, "znear": m, "zfar": m}}. Matrices are 16
/// numbers, row-major, column vectors; without a view the camera stands at the origin. Comments are
/// allowed. The error is one sentence, empty when it was read: not JSON, unknown or missing keys,
/// wrong lengths, numbers that are not finite or out of range.
std::string parse_camera(const std::string& text, CameraFile& out);
/// The same from a file of at most a mebibyte.
std::string read_camera(const std::string& path, CameraFile& out);

}  // namespace skinlint
