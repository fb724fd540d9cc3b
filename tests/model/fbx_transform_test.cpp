#include "model/fbx_transform.h"

#include <catch2/catch.hpp>

#include "support/matchers.h"

using namespace skinlint;
using test::worst_difference;

namespace {

Mat3 about(int axis, double degrees) {
  return Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, Vec3::Unit(axis))
      .toRotationMatrix();
}

FbxTransform turned() {
  FbxTransform t;
  t.translation = Vec3(1, 2, 3);
  t.rotation = Vec3(30, 60, 90);
  t.scaling = Vec3(2, 3, 4);
  return t;
}

}  // namespace

TEST_CASE("fbx rotation orders apply the first letter first", "[model]") {
  const Vec3 a(20, -35, 70);
  const Mat3 x = about(0, a[0]), y = about(1, a[1]), z = about(2, a[2]);
  CHECK(worst_difference(fbx_euler(a, 0), z * y * x) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 1), y * z * x) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 2), x * z * y) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 3), z * x * y) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 4), y * x * z) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 5), x * y * z) < 1e-15);
  CHECK(worst_difference(fbx_euler(a, 6), z * y * x) < 1e-15);
}

TEST_CASE("fbx local matrix places every part of the formula", "[model]") {
  FbxTransform t;
  SECTION("a rotation pivot stays where it is") {
    t.rotation = Vec3(0, 0, 90);
    t.rotation_pivot = Vec3(5, 0, 0);
    CHECK((transform_point(fbx_local_matrix(t), Vec3(5, 0, 0)) - Vec3(5, 0, 0)).norm() < 1e-12);
    CHECK((transform_point(fbx_local_matrix(t), Vec3(6, 0, 0)) - Vec3(5, 1, 0)).norm() < 1e-12);
  }
  SECTION("a scaling pivot stays where it is, then turns about the origin") {
    t.scaling = Vec3(2, 2, 2);
    t.scaling_pivot = Vec3(1, 0, 0);
    t.rotation = Vec3(0, 0, 90);
    CHECK((transform_point(fbx_local_matrix(t), Vec3(1, 0, 0)) - Vec3(0, 1, 0)).norm() < 1e-12);
    CHECK((transform_point(fbx_local_matrix(t), Vec3(2, 0, 0)) - Vec3(0, 3, 0)).norm() < 1e-12);
  }
  SECTION("the scaling offset is turned, the rotation offset is not") {
    t.rotation = Vec3(0, 0, 90);
    t.scaling_offset = Vec3(1, 0, 0);
    t.rotation_offset = Vec3(0, 0, 7);
    t.translation = Vec3(10, 0, 0);
    CHECK((translation(fbx_local_matrix(t)) - Vec3(10, 1, 7)).norm() < 1e-12);
  }
  SECTION("pre- and post-rotation are XYZ whatever the order; post is inverted") {
    t.rotation_order = 5;
    t.pre_rotation = Vec3(10, 20, 30);
    t.rotation = Vec3(40, 50, 60);
    t.post_rotation = Vec3(-15, 25, 35);
    const Mat3 wanted = fbx_euler(t.pre_rotation, 0) * fbx_euler(t.rotation, 5) *
                        fbx_euler(t.post_rotation, 0).inverse();
    CHECK(worst_difference(linear(fbx_local_matrix(t)), wanted) < 1e-14);
    // Both switches put order, pre- and post-rotation out of use.
    const Mat3 plain = fbx_euler(t.rotation, 0);
    t.rotation_active = false;
    CHECK(worst_difference(linear(fbx_local_matrix(t)), plain) < 1e-14);
    t.rotation_active = true;
    t.rotation_space_for_limit_only = true;
    CHECK(worst_difference(linear(fbx_local_matrix(t)), plain) < 1e-14);
  }
}

TEST_CASE("fbx geometric transform is T R S", "[model]") {
  FbxTransform t = turned();
  CHECK(fbx_geometric_matrix(t) == Mat4::Identity());
  t.geometric_translation = Vec3(1, 0, 0);
  t.geometric_rotation = Vec3(0, 0, 90);
  t.geometric_scaling = Vec3(3, 1, 1);
  CHECK((transform_point(fbx_geometric_matrix(t), Vec3(1, 0, 0)) - Vec3(1, 3, 0)).norm() < 1e-12);
}

TEST_CASE("fbx inherit types compose rotation and scale in their own order", "[model]") {
  FbxTransform parent = turned();
  parent.inherit_type = InheritType::RSrs;
  const FbxWorld above = fbx_world({}, parent);
  CHECK(worst_difference(above.world_from_node, fbx_local_matrix(parent)) < 1e-14);

  FbxTransform child;
  child.translation = Vec3(1, 1, 1);
  child.rotation = Vec3(0, 45, 0);
  child.scaling = Vec3(1, 2, 1);
  const Mat3 pr = fbx_euler(parent.rotation, 0), ps = parent.scaling.asDiagonal();
  const Mat3 r = fbx_euler(child.rotation, 0), s = child.scaling.asDiagonal();
  const Vec3 place = transform_point(above.world_from_node, child.translation);

  const auto check = [&](InheritType type, const Mat3& wanted) {
    child.inherit_type = type;
    const FbxWorld world = fbx_world(above, child);
    CHECK(worst_difference(linear(world.world_from_node), wanted) < 1e-13);
    CHECK((translation(world.world_from_node) - place).norm() < 1e-13);
    CHECK(worst_difference(world.rotation, pr * r) < 1e-13);
  };
  check(InheritType::RSrs, pr * ps * r * s);
  check(InheritType::RrSs, pr * r * ps * s);
  check(InheritType::Rrs, pr * r * s);  // the parent's own scale is left out

  SECTION("Rrs leaves out the parent's scale only, not the grandparent's") {
    FbxTransform middle;
    middle.scaling = Vec3(5, 5, 5);
    const FbxWorld between = fbx_world(above, middle);
    child.inherit_type = InheritType::Rrs;
    const FbxWorld world = fbx_world(between, child);
    CHECK(worst_difference(linear(world.world_from_node), pr * r * ps * s) < 1e-13);
  }
  SECTION("a parent scaled to nothing is not divided by") {
    parent.scaling = Vec3(0, 1, 1);
    child.inherit_type = InheritType::Rrs;
    CHECK(fbx_world(fbx_world({}, parent), child).world_from_node.allFinite());
  }
}
