#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-skins-disagree";

/// The chain with a second mesh and skin over the same joints.
Rig two_skins() {
  Rig rig = chain_rig(6);
  rig.skins.push_back(rig.skins[0]);
  rig.skins[1].name = "coat";
  rig.meshes.push_back(rig.meshes[0]);
  RigNode coat;
  coat.name = "coat";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
  rig.nodes.push_back(coat);
  return rig;
}
Rig apart(double metres) {
  Rig rig = two_skins();
  (*rig.skins[1].joint_from_mesh)[3](0, 3) += metres;
  return rig;
}
const double size = std::sqrt(44.0);
}  // namespace

TEST_CASE("bind-skins-disagree: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-skins-disagree: two equal skins are silent", "[rules]") {
  CHECK(silent(two_skins(), rule));
}
TEST_CASE("bind-skins-disagree: one joint bound elsewhere", "[rules]") {
  const Finding found = only(apart(0.02 * size), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 1, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_spread") == Approx(0.02).epsilon(0.01));
  CHECK(number(found, "shared_joints") == 6);
}
TEST_CASE("bind-skins-disagree: limits, just inside and outside", "[rules]") {
  CHECK(silent(apart(0.95e-3 * size), rule));
  CHECK(severity(apart(1.05e-3 * size), rule) == Severity::warning);
  CHECK(severity(apart(0.95e-2 * size), rule) == Severity::warning);
  CHECK(severity(apart(1.05e-2 * size), rule) == Severity::error);
}
TEST_CASE("bind-skins-disagree: a parameter changes the outcome", "[rules]") {
  CHECK(silent(apart(0.02 * size), rule, with_param(rule, "warning", 0.1)));
}
TEST_CASE("bind-skins-disagree: reported with the drift it makes", "[rules]") {
  CHECK(reporting(to_asset(apart(0.02 * size))) == Ids{rule, "bind-rest-differs"});
}
TEST_CASE("bind-skins-disagree: a third skin that agrees with one of them is not blamed",
          "[rules]") {
  Rig rig = apart(0.02 * size);
  rig.skins.push_back(rig.skins[0]);
  rig.meshes.push_back(rig.meshes[0]);
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 2, 2});
  rig.nodes.push_back(RigNode{});
  CHECK(only(rig, rule).element.index == 1);
}
TEST_CASE("bind-skins-disagree: another mesh space is a note", "[rules]") {
  Rig rig = two_skins();
  for (Mat4& m : *rig.skins[1].joint_from_mesh) m = m * scaling(Vec3::Constant(0.01));
  for (Vec3& p : rig.meshes[1].parts[0].positions) p *= 100.0;
  CHECK(severity(rig, rule) == Severity::note);
}
TEST_CASE("bind-skins-disagree: a matrix written transposed is another rule's", "[rules]") {
  Rig rig = two_skins();
  (*rig.skins[1].joint_from_mesh)[3].transposeInPlace();
  CHECK(silent(rig, rule));
  CHECK(reporting(to_asset(rig)).count("bind-matrix-not-affine") == 1);
}
TEST_CASE("bind-skins-disagree: one shared joint is no fault", "[rules]") {
  Rig rig = two_skins();
  for (auto& influences : rig.meshes[1].parts[0].influences) influences = {{3, 1.0}};
  (*rig.skins[1].joint_from_mesh)[3](0, 3) += 1.0;
  CHECK(silent(rig, rule));
}
