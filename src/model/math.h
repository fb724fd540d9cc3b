#pragma once
// Matrices and the small questions skinning asks of them. Column vectors; `a_from_b` maps
// coordinates in b to coordinates in a; double throughout. Nothing here allocates.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string_view>

namespace skinlint {

using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Quat = Eigen::Quaterniond;
using Box = Eigen::AlignedBox3d;

/// The 3x3 linear part of an affine matrix.
inline Mat3 linear(const Mat4& m) { return m.topLeftCorner<3, 3>(); }
/// The translation column of an affine matrix.
inline Vec3 translation(const Mat4& m) { return m.topRightCorner<3, 1>(); }
/// Applies an affine matrix to a point; the bottom row is ignored, as both formats' runtimes do.
inline Vec3 transform_point(const Mat4& m, const Vec3& p) {
  return m.topLeftCorner<3, 3>() * p + m.topRightCorner<3, 1>();
}
inline bool is_finite(const Mat4& m) { return m.allFinite(); }

/// T * R * S of a node. `rotation` is used as given: callers normalise when the format says so.
Mat4 compose_trs(const Vec3& translation, const Quat& rotation, const Vec3& scale);

/// A matrix split into translation, rotation, scale and handedness (polar decomposition of the
/// linear part). For a singular or non-finite linear part `valid` is false and the other fields are
/// unspecified.
struct TransformParts {
  bool valid = false;
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();     // proper rotation nearest to the linear part
  Vec3 singular_values = Vec3::Ones();  // descending, all >= 0
  bool mirrored = false;                // det < 0
  double angle_deg = 0.0;               // of `rotation`, 0..180
  /// Geometric mean of the singular values: the uniform scale that explains the matrix best.
  double uniform_scale() const;
  /// Largest singular value over smallest, minus one; 0 for a uniform scale.
  double non_uniformity() const;
};
TransformParts decompose(const Mat4& m);

/// |det| / sigma_max^3 of the linear part: 1 for a similarity, 0 for a singular matrix. NaN in
/// gives NaN.
double relative_determinant(const Mat3& m);
/// Smallest singular value; NaN in gives NaN.
double smallest_singular_value(const Mat3& m);
/// sigma_max / sigma_min; infinity for a singular matrix.
double condition_number(const Mat3& m);
/// Largest |cos| between two columns of the linear part: 0 when the axes are orthogonal. NaN for a
/// zero column.
double off_orthogonality(const Mat3& m);

/// Inverse of an affine matrix through its 3x3 part. Empty when not finite or relative determinant
/// < 1e-12.
std::optional<Mat4> affine_inverse(const Mat4& m);

/// One of the 48 signed axis permutations, when the linear part (after removing a uniform scale) is
/// one within `tolerance_deg`. `linear` is exact (entries 0, 1, -1).
struct AxisTurn {
  Mat3 linear = Mat3::Identity();
  bool is_identity = true;
  bool mirrored = false;
};
std::optional<AxisTurn> nearest_axis_turn(const Mat3& m, double tolerance_deg);
/// Human name such as "-90° about X" or "mirror of X"; "identity" for the identity.
std::string_view axis_turn_name(const AxisTurn& turn);

/// A uniform factor that is a known unit ratio (100, 0.01, 2.54, 0.0254, 39.37, 0.3048, 10, 1000
/// and inverses) within `relative_tolerance`; empty otherwise and for 1.
struct UnitFactor {
  double factor = 1.0;
  std::string_view name;  // e.g. "centimetres read as metres"
};
std::optional<UnitFactor> named_unit_factor(double factor, double relative_tolerance = 1e-3);

}  // namespace skinlint
