#include "model/fbx_transform.h"

#include <cmath>

namespace skinlint {
namespace {

constexpr double radians_per_degree = 3.14159265358979323846 / 180.0;

Mat3 turn(int axis, double degrees) {
  const double c = std::cos(degrees * radians_per_degree),
               s = std::sin(degrees * radians_per_degree);
  Mat3 m = Mat3::Identity();
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  m(a, a) = c;
  m(a, b) = -s;
  m(b, a) = s;
  m(b, b) = c;
  return m;
}

Mat4 translate(const Vec3& v) {
  Mat4 m = Mat4::Identity();
  m.topRightCorner<3, 1>() = v;
  return m;
}
Mat4 from_linear(const Mat3& l) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = l;
  return m;
}

}  // namespace

Mat3 fbx_euler(const Vec3& degrees, std::int32_t order) {
  static constexpr int applied[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0},
                                        {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
  const int(&axes)[3] = applied[order >= 0 && order < 6 ? order : 0];
  return turn(axes[2], degrees[axes[2]]) * turn(axes[1], degrees[axes[1]]) *
         turn(axes[0], degrees[axes[0]]);
}

Mat3 fbx_local_rotation(const FbxTransform& t) {
  if (!t.uses_rotation_space()) return fbx_euler(t.rotation, 0);
  return fbx_euler(t.pre_rotation, 0) * fbx_euler(t.rotation, t.rotation_order) *
         fbx_euler(t.post_rotation, 0).transpose();
}

Mat4 fbx_local_matrix(const FbxTransform& t) {
  const Mat4 about_pivot = translate(t.rotation_offset + t.rotation_pivot) *
                           from_linear(fbx_local_rotation(t)) * translate(-t.rotation_pivot);
  const Mat4 scaled = translate(t.scaling_offset + t.scaling_pivot) *
                      from_linear(t.scaling.asDiagonal()) * translate(-t.scaling_pivot);
  return translate(t.translation) * about_pivot * scaled;
}

Mat4 fbx_geometric_matrix(const FbxTransform& t) {
  return translate(t.geometric_translation) *
         from_linear(fbx_euler(t.geometric_rotation, 0) * t.geometric_scaling.asDiagonal());
}

FbxWorld fbx_world(const FbxWorld& parent, const FbxTransform& t) {
  FbxWorld world;
  const Mat4 local = fbx_local_matrix(t);
  const Mat3 rotation = fbx_local_rotation(t);
  world.rotation = parent.rotation * rotation;
  world.local_scale = t.scaling;
  if (t.inherit_type == InheritType::RSrs) {
    world.world_from_node = parent.world_from_node * local;
    return world;
  }
  Mat3 inherited = parent.rotation.transpose() * linear(parent.world_from_node);
  if (t.inherit_type == InheritType::Rrs) {
    for (int k = 0; k < 3; ++k) {
      // Without the parent's own scale; a scale of zero cannot be taken out again.
      if (parent.local_scale[k] != 0.0) inherited.col(k) /= parent.local_scale[k];
    }
  }
  world.world_from_node.topLeftCorner<3, 3>() = world.rotation * inherited * t.scaling.asDiagonal();
  world.world_from_node.topRightCorner<3, 1>() =
      transform_point(parent.world_from_node, translation(local));
  return world;
}

}  // namespace skinlint
