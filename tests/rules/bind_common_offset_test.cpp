#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-common-offset";

/// The mesh of the chain as stored under another space: every inverse bind matrix takes `offset`.
Rig with_offset(const Mat4& offset) {
  Rig rig = chain_rig(6);
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m * offset;
  return rig;
}
Mat4 shift(double metres) {
  Mat4 m = Mat4::Identity();
  m(0, 3) = metres;
  return m;
}
Rig with_shift(double metres) { return with_offset(shift(metres)); }
}  // namespace

TEST_CASE("bind-common-offset: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-common-offset: one common scale", "[rules]") {
  const Finding found = only(with_offset(scaling(Vec3::Constant(100))), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(number(found, "scale") == Approx(100.0));
}
TEST_CASE("bind-common-offset: limits, just inside and outside", "[rules]") {
  CHECK(severity(with_offset(shift(1) * scaling(Vec3::Constant(1.0009))), rule) == Severity::note);
  CHECK(severity(with_offset(shift(1) * scaling(Vec3::Constant(1.0011))), rule) ==
        Severity::warning);
  const double size = std::sqrt(44.0);
  CHECK(severity(with_shift(1.99 * size), rule) == Severity::note);
  CHECK(severity(with_shift(2.01 * size), rule) == Severity::warning);
}
TEST_CASE("bind-common-offset: a mirror is a warning, a turn a note", "[rules]") {
  CHECK(severity(with_offset(scaling(Vec3(1, -1, 1))), rule) == Severity::warning);
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.3, Vec3::UnitZ()).toRotationMatrix();
  CHECK(severity(with_offset(m), rule) == Severity::note);
}
TEST_CASE("bind-common-offset: parameters change the outcome", "[rules]") {
  CHECK(severity(with_offset(scaling(Vec3::Constant(1.01))), rule,
                 with_param(rule, "scale", 0.1)) == Severity::note);
  CHECK(severity(with_shift(7.0), rule, with_param(rule, "distance", 0.5)) == Severity::warning);
}
TEST_CASE("bind-common-offset: no other rule reports the break", "[rules]") {
  Rig rig = with_offset(scaling(Vec3::Constant(1.5)));
  // The joints no longer stand in their vertices, unless the vertices know of the scale.
  CHECK(reporting(to_asset(rig)) == Ids{rule, "bind-skeleton-misplaced"});
  for (Vec3& p : rig.meshes[0].parts[0].positions) p /= 1.5;
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
TEST_CASE("bind-common-offset: a mesh in its node's or the armature's space is no fault",
          "[rules]") {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.scale = Vec3::Constant(3.0);
  top.translation = Vec3(40, 0, 0);
  const std::vector<Mat4> bind = *rig.skins[0].joint_from_mesh;
  put_above(rig, top);
  rig.skins[0].joint_from_mesh = bind;  // as if bound before the armature was placed
  CHECK(silent(rig, rule));
}
TEST_CASE("bind-common-offset: a single joint is no fault", "[rules]") {
  Rig rig = chain_rig(1);
  matrix_of(rig, 0) = scaling(Vec3::Constant(7));
  CHECK(silent(rig, rule));
}

TEST_CASE("bind-common-offset: FBX leaves a moved mesh node to bind-mesh-moved", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = scaling(Vec3::Constant(100));
  CHECK(silent(asset, rule));
}
