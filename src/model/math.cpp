#include "model/math.h"

#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skinlint {
namespace {

constexpr double degrees_per_radian = 57.295779513082320877;

struct NamedTurn {
  Mat3 linear;
  std::string_view name;
};

}  // namespace

Mat4 compose_trs(const Vec3& translation, const Quat& rotation, const Vec3& scale) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = rotation.toRotationMatrix() * scale.asDiagonal();
  m.topRightCorner<3, 1>() = translation;
  return m;
}

double TransformParts::uniform_scale() const {
  if (singular_values(0) == singular_values(2)) return singular_values(0);
  // Root by root: the product of three small or large values under- or overflows.
  return std::cbrt(singular_values(0)) * std::cbrt(singular_values(1)) *
         std::cbrt(singular_values(2));
}

double TransformParts::non_uniformity() const {
  return singular_values(2) > 0 ? singular_values(0) / singular_values(2) - 1.0
                                : std::numeric_limits<double>::infinity();
}

namespace {

/// The scale of a matrix that is a rotation or reflection times one factor, as nearly all are;
/// 0 when it is none. The tolerance is float32's rounding: singular values are then equal within
/// 3e-7, which saves the decomposition that would say so.
double similarity_scale(const Mat3& a) {
  const Mat3 gram = a.transpose() * a;
  const double square = gram.trace() / 3.0;
  if (!(square > 1e-200) || !(square < 1e200)) return 0.0;
  const double off = (gram - square * Mat3::Identity()).cwiseAbs().maxCoeff();
  return off <= 5e-7 * square ? std::sqrt(square) : 0.0;
}

}  // namespace

TransformParts decompose(const Mat4& m) {
  TransformParts parts;
  parts.translation = translation(m);
  const Mat3 a = linear(m);
  if (!m.allFinite()) return parts;
  Mat3 rotation;
  if (const double scale = similarity_scale(a); scale > 0.0) {
    parts.singular_values = Vec3::Constant(scale);
    rotation = a / scale;
  } else {
    const Eigen::JacobiSVD<Mat3> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    parts.singular_values = svd.singularValues();
    if (!(parts.singular_values(2) > 1e-12 * parts.singular_values(0))) return parts;
    rotation = svd.matrixU() * svd.matrixV().transpose();
  }
  parts.mirrored = rotation.determinant() < 0;
  if (parts.mirrored) rotation = -rotation;  // point reflection taken out: R stays proper
  parts.rotation = Quat(rotation).normalized();
  // atan2 of vector and scalar part: acos would lose everything below 1e-8 rad.
  parts.angle_deg = 2.0 * degrees_per_radian *
                    std::atan2(parts.rotation.vec().norm(), std::abs(parts.rotation.w()));
  parts.valid = true;
  return parts;
}

double relative_determinant(const Mat3& m) {
  if (!m.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double largest = m.cwiseAbs().maxCoeff();
  if (largest == 0.0) return 0.0;
  const Mat3 scaled = m / largest;  // keeps 1e-200 and 1e200 matrices out of under- and overflow
  double sigma = similarity_scale(scaled);
  if (!(sigma > 0.0)) sigma = Eigen::JacobiSVD<Mat3>(scaled).singularValues()(0);
  return std::abs(scaled.determinant()) / (sigma * sigma * sigma);
}

double smallest_singular_value(const Mat3& m) {
  if (!m.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double scale = similarity_scale(m);
  return scale > 0.0 ? scale : Eigen::JacobiSVD<Mat3>(m).singularValues()(2);
}

double condition_number(const Mat3& m) {
  if (!m.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Vec3 sigma = Eigen::JacobiSVD<Mat3>(m).singularValues();
  return sigma(2) > 0 ? sigma(0) / sigma(2) : std::numeric_limits<double>::infinity();
}

double off_orthogonality(const Mat3& m) {
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i + 1; j < 3; ++j) {
      const double cosine = std::abs(m.col(i).dot(m.col(j)) / (m.col(i).norm() * m.col(j).norm()));
      if (!(cosine <= worst)) worst = cosine;
    }
  }
  return worst;
}

std::optional<Mat4> affine_inverse(const Mat4& m) {
  if (!m.allFinite()) return std::nullopt;
  const double det = relative_determinant(linear(m));
  if (!(det >= 1e-12)) return std::nullopt;
  Mat4 inverse = Mat4::Identity();
  inverse.topLeftCorner<3, 3>() = linear(m).inverse();
  inverse.topRightCorner<3, 1>() = -(inverse.topLeftCorner<3, 3>() * translation(m));
  if (!inverse.allFinite()) return std::nullopt;
  return inverse;
}

std::optional<AxisTurn> nearest_axis_turn(const Mat3& m, double tolerance_deg) {
  if (!m.allFinite()) return std::nullopt;
  const double scale = std::cbrt(std::abs(m.determinant()));
  if (!(scale > 0)) return std::nullopt;
  AxisTurn turn;
  turn.linear.setZero();
  std::array<bool, 3> row_taken{};
  for (int column = 0; column < 3; ++column) {
    Eigen::Index row = 0;
    m.col(column).cwiseAbs().maxCoeff(&row);
    if (row_taken[static_cast<std::size_t>(row)]) return std::nullopt;
    row_taken[static_cast<std::size_t>(row)] = true;
    turn.linear(row, column) = m(row, column) > 0 ? 1.0 : -1.0;
  }
  // The residual of the linear part bounds the angle for small angles; sqrt(2) covers the worst
  // axis.
  const double residual = (m / scale - turn.linear).norm();
  if (!(residual <= std::sqrt(2.0) * tolerance_deg / degrees_per_radian)) return std::nullopt;
  turn.is_identity = turn.linear.isIdentity(0.0);
  turn.mirrored = turn.linear.determinant() < 0;
  return turn;
}

std::string_view axis_turn_name(const AxisTurn& turn) {
  static const std::array<std::string_view, 3> mirrors = {"mirror of X", "mirror of Y",
                                                          "mirror of Z"};
  static const std::array<std::array<std::string_view, 3>, 3> turns = {{
      {"90° about X", "180° about X", "-90° about X"},
      {"90° about Y", "180° about Y", "-90° about Y"},
      {"90° about Z", "180° about Z", "-90° about Z"},
  }};
  if (turn.linear.isIdentity(0.0)) return "identity";
  if ((-turn.linear).isIdentity(0.0)) return "mirror of all three axes";
  for (int axis = 0; axis < 3; ++axis) {
    Mat3 mirror = Mat3::Identity();
    mirror(axis, axis) = -1;
    if (turn.linear == mirror) return mirrors[static_cast<std::size_t>(axis)];
    for (int quarter = 1; quarter < 4; ++quarter) {
      const Mat3 rotation =
          Eigen::AngleAxisd(quarter * 1.57079632679489661923, Vec3::Unit(axis)).toRotationMatrix();
      if ((turn.linear - rotation).cwiseAbs().maxCoeff() < 1e-9) {
        return turns[static_cast<std::size_t>(axis)][static_cast<std::size_t>(quarter - 1)];
      }
    }
  }
  if (turn.mirrored) {
    int off_diagonal = 0;
    for (int axis = 0; axis < 3; ++axis) off_diagonal += turn.linear(axis, axis) == 0.0 ? 1 : 0;
    return off_diagonal == 2 ? "two axes exchanged" : "a mirrored axis turn";
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (turn.linear(axis, axis) == -1.0) return "180° about a diagonal";
  }
  return "a turn that cycles the three axes";
}

std::optional<UnitFactor> named_unit_factor(double factor, double relative_tolerance) {
  static constexpr std::array<UnitFactor, 16> known = {{
      {100.0, "metres written as centimetres"},
      {0.01, "centimetres written as metres"},
      {10.0, "centimetres written as millimetres"},
      {0.1, "millimetres written as centimetres"},
      {1000.0, "metres written as millimetres"},
      {0.001, "millimetres written as metres"},
      {2.54, "inches written as centimetres"},
      {1.0 / 2.54, "centimetres written as inches"},
      {0.0254, "inches written as metres"},
      {1.0 / 0.0254, "metres written as inches"},
      {0.3048, "feet written as metres"},
      {1.0 / 0.3048, "metres written as feet"},
      {30.48, "feet written as centimetres"},
      {1.0 / 30.48, "centimetres written as feet"},
      {12.0, "feet written as inches"},
      {1.0 / 12.0, "inches written as feet"},
  }};
  for (const UnitFactor& unit : known) {
    if (std::abs(factor - unit.factor) <= relative_tolerance * unit.factor) return unit;
  }
  return std::nullopt;
}

}  // namespace skinlint
