#pragma once
// Poses a BoundMesh, linearly or by dual quaternions.

#include <vector>

#include "skinning/bound_mesh.h"
#include "skinning/dual_quaternion.h"

namespace skinlint {

class PointMover {
 public:
  /// `motions` per slot, world side: S_j * S^-1. Motions of slots that move nothing may be
  /// anything. `quaternions`: dual quaternion blending with stretch about the joint's place at
  /// bind, else linear.
  PointMover(const BoundMesh& mesh, std::vector<Mat4> motions, bool quaternions);

  /// Where the point goes; NaN when a motion is not finite or, for quaternions, collapses.
  Vec3 position(std::uint32_t point) const;
  /// The blended rotation as an unnormalised quaternion (x y z w): what a rigid patch would do.
  Vec4 rotation(std::uint32_t point) const;

 private:
  const BoundMesh& mesh_;
  std::vector<Mat4> motions_;
  std::vector<RigidAndStretch> rigid_;
  bool quaternions_;
};

}  // namespace skinlint
