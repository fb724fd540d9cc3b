#include "skinning/dual_quaternion.h"

namespace skinlint {
namespace {

Vec3 xyz(const Vec4& q) { return q.head<3>(); }

}  // namespace

DualQuaternion dual_quaternion(const Quat& rotation, const Vec3& translation) {
  DualQuaternion out;
  out.real = rotation.normalized().coeffs();
  const Vec3 v = xyz(out.real);
  const double w = out.real.w();
  // dual = translation * real / 2, as quaternions.
  out.dual << 0.5 * (w * translation + translation.cross(v)), -0.5 * translation.dot(v);
  return out;
}

Vec3 transform_point(const DualQuaternion& motion, const Vec3& point) {
  const double scale = 1.0 / motion.real.squaredNorm();
  const Vec3 r = xyz(motion.real), d = xyz(motion.dual);
  const double rw = motion.real.w(), dw = motion.dual.w();
  const Vec3 turned = point + 2.0 * scale * r.cross(r.cross(point) + rw * point);
  return turned + 2.0 * scale * (rw * d - dw * r + r.cross(d));
}

Mat3 rotation_matrix(const DualQuaternion& motion) {
  return Quat(motion.real.normalized()).toRotationMatrix();
}

RigidAndStretch split_rigid(const Mat4& map, const Vec3& pivot) {
  RigidAndStretch out;
  if (!is_finite(map)) return out;
  const TransformParts parts = decompose(map);
  if (!parts.valid) return out;
  out.valid = true;
  const Mat3 rotation = parts.rotation.toRotationMatrix();
  const Mat3 stretch = rotation.transpose() * linear(map);
  out.stretched = (stretch - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-9;
  // map(x) = rotation * (pivot + stretch * (x - pivot)) + moved
  const Vec3 moved = transform_point(map, pivot) - rotation * pivot;
  out.rigid = dual_quaternion(parts.rotation, moved);
  if (out.stretched) {
    out.stretch.topLeftCorner<3, 3>() = stretch;
    out.stretch.topRightCorner<3, 1>() = pivot - stretch * pivot;
  }
  return out;
}

DualQuaternion blend_motions(std::span<const std::uint32_t> joints, std::span<const double> weights,
                             const std::vector<RigidAndStretch>& motions) {
  std::size_t heaviest = 0;
  for (std::size_t k = 1; k < weights.size(); ++k) {
    if (weights[k] > weights[heaviest]) heaviest = k;
  }
  DualQuaternion sum;
  sum.real.setZero();
  if (weights.empty()) return sum;
  const Vec4 lead = motions[joints[heaviest]].rigid.real;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0.0) continue;
    const DualQuaternion& motion = motions[joints[k]].rigid;
    const double w = motion.real.dot(lead) < 0.0 ? -weights[k] : weights[k];
    sum.real += w * motion.real;
    sum.dual += w * motion.dual;
  }
  return sum;
}

}  // namespace skinlint
