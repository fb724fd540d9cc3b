#include "model/projection.h"

#include <cmath>

namespace skinlint {

std::optional<Mat4> perspective(double vertical_angle, double aspect, double near_plane,
                                std::optional<double> far_plane) {
  constexpr double pi = 3.14159265358979323846;
  if (!(vertical_angle > 0.0 && vertical_angle < pi) || !(aspect > 0.0) || !(near_plane > 0.0) ||
      (far_plane && !(*far_plane > near_plane))) {
    return std::nullopt;
  }
  const double scale = 1.0 / std::tan(0.5 * vertical_angle);
  Mat4 m = Mat4::Zero();
  m(0, 0) = scale / aspect;
  m(1, 1) = scale;
  m(2, 2) = far_plane ? (*far_plane + near_plane) / (near_plane - *far_plane) : -1.0;
  m(2, 3) =
      far_plane ? 2.0 * *far_plane * near_plane / (near_plane - *far_plane) : -2.0 * near_plane;
  m(3, 2) = -1.0;
  return m.allFinite() ? std::optional<Mat4>(m) : std::nullopt;
}

std::optional<Mat4> orthographic(double half_width, double half_height, double near_plane,
                                 double far_plane) {
  if (half_width == 0.0 || half_height == 0.0 || !(near_plane < far_plane)) return std::nullopt;
  Mat4 m = Mat4::Identity();
  m(0, 0) = 1.0 / half_width;
  m(1, 1) = 1.0 / half_height;
  m(2, 2) = 2.0 / (near_plane - far_plane);
  m(2, 3) = (far_plane + near_plane) / (near_plane - far_plane);
  return m.allFinite() ? std::optional<Mat4>(m) : std::nullopt;
}

}  // namespace skinlint
