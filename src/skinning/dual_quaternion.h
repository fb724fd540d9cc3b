#pragma once
// Dual quaternions: rigid motions that blend without shrinking. Source: Kavan, Collins, Zara and
// O'Sullivan, "Geometric skinning with approximate dual quaternion blending", 2008.

#include <span>
#include <vector>

#include "model/math.h"

namespace skinlint {

/// real + epsilon * dual; a rigid motion when |real| = 1 and real . dual = 0.
struct DualQuaternion {
  Vec4 real = Vec4(0, 0, 0, 1);  // x y z w
  Vec4 dual = Vec4::Zero();
};

/// First turns, then moves. `rotation` is normalised here; it must not be zero.
DualQuaternion dual_quaternion(const Quat& rotation, const Vec3& translation);

/// Where the motion takes a point; any length of `real` but zero.
Vec3 transform_point(const DualQuaternion& motion, const Vec3& point);
/// Its rotation as a matrix; any length of `real` but zero.
Mat3 rotation_matrix(const DualQuaternion& motion);

/// An affine map split into a stretch about a pivot, then a rigid motion. A quaternion cannot hold
/// scale, shear or a mirror: those stay in the stretch and blend linearly.
struct RigidAndStretch {
  DualQuaternion rigid;
  Mat4 stretch = Mat4::Identity();
  bool stretched = false;  // beyond 1e-9
  bool valid = false;      // false: the linear part is singular or not finite
};
RigidAndStretch split_rigid(const Mat4& map, const Vec3& pivot);

/// Sum of w_k * motions[j_k], each with the sign that is nearer to the heaviest one: a rotation has
/// two quaternions. Not normalised. Zero weights are passed over; the result is zero when all are.
DualQuaternion blend_motions(std::span<const std::uint32_t> joints, std::span<const double> weights,
                             const std::vector<RigidAndStretch>& motions);

}  // namespace skinlint
