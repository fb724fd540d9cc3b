#include "skinning/joint_turns.h"

#include <algorithm>

namespace skinlint {

std::vector<Mat4> turn_motions(const BoundMesh& mesh, std::int32_t slot, const Vec3& axis,
                               double radians) {
  const BoundJoint& turned = mesh.bones[static_cast<std::size_t>(slot)];
  Mat4 turn = Mat4::Identity();
  const Mat3 rotation = Eigen::AngleAxisd(radians, axis).toRotationMatrix();
  turn.topLeftCorner<3, 3>() = rotation;
  turn.topRightCorner<3, 1>() = turned.origin - rotation * turned.origin;
  std::vector<Mat4> motions(mesh.bones.size(), Mat4::Identity());
  for (std::size_t j = 0; j < mesh.bones.size(); ++j) {
    const auto& above = mesh.bones[j].ancestors;
    if (std::find(above.begin(), above.end(), slot) != above.end()) motions[j] = turn;
  }
  return motions;
}

std::vector<float> weights_below(const BoundMesh& mesh, std::int32_t slot) {
  std::vector<bool> below(mesh.bones.size());
  for (std::size_t j = 0; j < mesh.bones.size(); ++j) {
    const auto& above = mesh.bones[j].ancestors;
    below[j] = std::find(above.begin(), above.end(), slot) != above.end();
  }
  std::vector<float> sums(mesh.positions.size(), 0.0F);
  for (std::size_t p = 0; p < sums.size(); ++p) {
    double sum = 0.0;
    for (std::uint32_t k = mesh.first[p]; k < mesh.first[p + 1]; ++k)
      if (below[mesh.joints[k]]) sum += mesh.weights[k];
    sums[p] = static_cast<float>(sum);
  }
  return sums;
}

Vec3 farthest_axis(const BoundJoint& bone, const Vec3& place) {
  const Vec3 arm = place - bone.origin;
  Vec3 best = bone.axes.col(0);
  double least = std::abs(best.dot(arm));
  for (Eigen::Index a = 1; a < 3; ++a) {
    const double along = std::abs(bone.axes.col(a).dot(arm));
    if (along < least) {
      least = along;
      best = bone.axes.col(a);
    }
  }
  return best;
}

}  // namespace skinlint
