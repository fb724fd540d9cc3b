#include "fbx_breaks.h"
#include "rig_breaks.h"
#include "support/fbx_form.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-sheared";

/// Bind axes of joint 3 changed by `change` (columns are the joint's axes).
Rig with_axes(const Mat3& change) {
  Rig rig = chain_rig(6);
  Mat4 bind = matrix_of(rig, 3).inverse();
  bind.topLeftCorner<3, 3>() = bind.topLeftCorner<3, 3>() * change;
  matrix_of(rig, 3) = bind.inverse();
  return rig;
}
Rig sheared(double amount) {
  Mat3 m = Mat3::Identity();
  m(0, 1) = amount;
  return with_axes(m);
}
Rig uneven(double amount) {
  return with_axes(Vec3(1.0 + amount, 1, 1).asDiagonal().toDenseMatrix());
}
}  // namespace

TEST_CASE("bind-matrix-sheared: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-sheared: one joint, its shear and unevenness", "[rules]") {
  const Finding found = only(sheared(0.05), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_shear") == Approx(0.05).epsilon(0.01));
  CHECK(number(only(uneven(0.06), rule), "worst_unevenness") == Approx(6.0).epsilon(0.01));
}
TEST_CASE("bind-matrix-sheared: limits, just inside and outside", "[rules]") {
  CHECK(silent(uneven(0.9e-3), rule));
  CHECK(severity(uneven(1.1e-3), rule) == Severity::note);
  CHECK(severity(uneven(0.95e-2), rule) == Severity::note);
  CHECK(severity(uneven(1.05e-2), rule) == Severity::warning);
  CHECK(silent(sheared(0.9e-3), rule));
  CHECK(severity(sheared(1.1e-3), rule) == Severity::warning);
}
TEST_CASE("bind-matrix-sheared: a parameter changes the outcome", "[rules]") {
  CHECK(severity(uneven(0.05), rule, with_param(rule, "unevenness", 0.1)) == Severity::note);
}
TEST_CASE("bind-matrix-sheared: reported with the drift it makes, once that is a warning",
          "[rules]") {
  CHECK(reporting(to_asset(uneven(0.06))) == Ids{rule});
  CHECK(reporting(to_asset(uneven(0.5))) == Ids{rule, "bind-rest-differs"});
}
TEST_CASE("bind-matrix-sheared: a stretch all joints share is the mesh's", "[rules]") {
  Rig rig = chain_rig(6);
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m * scaling(Vec3(1, 2, 3));
  CHECK(silent(rig, rule));
}
TEST_CASE("bind-matrix-sheared: a skewed node whose bind agrees is transform-non-uniform-scale's",
          "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").scale = Vec3(1.3, 1, 1);
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("bind-matrix-sheared: a joint without weight is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t socket = add_socket(rig, "joint5", "socket");
  matrix_of(rig, socket) = scaling(Vec3(1, 1.5, 1)) * matrix_of(rig, socket);
  CHECK(silent(rig, rule));
}

TEST_CASE("bind-matrix-sheared: FBX is judged on TransformLink alone", "[rules]") {
  Asset asset = fbx_chain();
  asset.skins[0].joint_from_mesh[3] = scaling(Vec3(1, 2, 1)) * *asset.skins[0].joint_from_mesh[3];
  CHECK(silent(asset, rule));
  *cluster(asset, 3).transform_link = *cluster(asset, 3).transform_link * scaling(Vec3(1, 1.1, 1));
  CHECK(slots(only(asset, rule)) == std::vector<int>{3});
}
