#include "skinning/point_mover.h"

#include <cmath>
#include <limits>

namespace skinlint {

PointMover::PointMover(const BoundMesh& mesh, std::vector<Mat4> motions, bool quaternions)
    : mesh_(mesh), motions_(std::move(motions)), quaternions_(quaternions) {
  rigid_.reserve(motions_.size());
  for (std::size_t j = 0; j < motions_.size(); ++j)
    rigid_.push_back(split_rigid(motions_[j], mesh.bones[j].origin));
}

Vec3 PointMover::position(std::uint32_t point) const {
  if (!quaternions_) return moved_point(mesh_, point, motions_);
  const auto joints = mesh_.joints_of(point);
  const auto weights = mesh_.weights_of(point);
  Vec3 before = mesh_.positions[point];
  Vec3 stretched = Vec3::Zero();
  bool any = false;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const RigidAndStretch& motion = rigid_[joints[k]];
    if (!motion.valid) return Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    any = any || motion.stretched;
    stretched += weights[k] * transform_point(motion.stretch, before);
  }
  if (any) before = stretched;
  return transform_point(blend_motions(joints, weights, rigid_), before);
}

Vec4 PointMover::rotation(std::uint32_t point) const {
  return blend_motions(mesh_.joints_of(point), mesh_.weights_of(point), rigid_).real;
}

}  // namespace skinlint
