#pragma once
// Poses that turn one joint from bind, and what they do to the mesh around it.

#include <vector>

#include "skinning/bound_mesh.h"

namespace skinlint {

/// World-side motion per slot: `slot` and everything below it turn by `radians` about the unit
/// `axis` (world) through its origin; identity elsewhere. A rigid motion whatever scale joints
/// carry.
std::vector<Mat4> turn_motions(const BoundMesh& mesh, std::int32_t slot, const Vec3& axis,
                               double radians);

/// Weight of everything that hangs on `slot`, per point.
std::vector<float> weights_below(const BoundMesh& mesh, std::int32_t slot);

/// The unit axis through the joint about which a turn moves `place` most.
Vec3 farthest_axis(const BoundJoint& bone, const Vec3& place);

}  // namespace skinlint
