#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-rest-shape";

/// A world turn of a joint and all below it, about the joint.
void turn_limb(Rig& rig, const std::string& name, double degrees, const Vec3& axis) {
  const int index = rig.node(name);
  REQUIRE(index >= 0);
  RigNode& joint = rig.nodes[static_cast<std::size_t>(index)];
  const Mat3 parent = linear(rig.world_from_node()[static_cast<std::size_t>(joint.parent)]);
  const Mat3 world =
      Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, axis).toRotationMatrix();
  const Quat own(joint.rotation[3], joint.rotation[0], joint.rotation[1], joint.rotation[2]);
  const Quat q(Mat3(parent.transpose() * world * parent) * own.toRotationMatrix());
  joint.rotation = Vec4(q.x(), q.y(), q.z(), q.w());
}
/// The T pose of the humanoid with both arms lowered.
Rig lowered(double left, double right) {
  Rig rig = humanoid_rig();
  turn_limb(rig, "upper_arm.L", -left, Vec3::UnitZ());
  turn_limb(rig, "upper_arm.R", right, Vec3::UnitZ());
  rig.bind_at_rest();
  return rig;
}
Rig lowered(double degrees) { return lowered(degrees, degrees); }
Rig without_names(Rig rig) {
  for (std::size_t n = 0; n < rig.nodes.size(); ++n) rig.nodes[n].name = "b" + std::to_string(n);
  return rig;
}
/// How far below the horizontal the arms of the T pose are.
double droop() {
  return number(only(humanoid_rig(), rule, with_param(rule, "wanted", 2)), "left_below");
}
}  // namespace

TEST_CASE("skeleton-rest-shape: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-rest-shape: it is off unless asked for", "[rules]") {
  CHECK(reporting(to_asset(lowered(80)), Severity::note).empty());
}
TEST_CASE("skeleton-rest-shape: hanging arms", "[rules]") {
  const Finding found = only(lowered(80), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 2);
  CHECK(number(found, "left_below") == Approx(80 + droop()).margin(0.3));
  CHECK(number(found, "right_below") == Approx(80 + droop()).margin(0.3));
  CHECK(words_of(found, "left_shape") == "neither");
  CHECK(words_of(found, "found") == "by name");
  CHECK(severity(to_fbx_asset(lowered(80)), rule) == Severity::note);
}
TEST_CASE("skeleton-rest-shape: T and A poses, and what a profile wants", "[rules]") {
  CHECK(std::abs(droop()) < 3.0);
  CHECK(silent(lowered(45), rule));
  CHECK(silent(humanoid_rig(), rule, with_param(rule, "wanted", 1)));
  CHECK(words_of(only(humanoid_rig(), rule, with_param(rule, "wanted", 2)), "left_shape") == "T");
  CHECK(silent(lowered(45), rule, with_param(rule, "wanted", 2)));
  CHECK(words_of(only(lowered(45), rule, with_param(rule, "wanted", 1)), "left_shape") == "A");
}
TEST_CASE("skeleton-rest-shape: limits, just inside and outside", "[rules]") {
  const CheckConfig t_pose = with_param(rule, "wanted", 1);
  CHECK(silent(lowered(14.9 - droop()), rule, t_pose));
  CHECK(severity(lowered(15.1 - droop()), rule, t_pose) == Severity::note);
  CHECK(silent(lowered(64.9 - droop()), rule));
  CHECK(severity(lowered(65.1 - droop()), rule) == Severity::note);
  CHECK(silent(lowered(-14.9 - droop()), rule));
  CHECK(severity(lowered(-15.1 - droop()), rule) == Severity::note);
  CHECK(silent(lowered(30, 39.9), rule));
  CHECK(severity(lowered(30, 40.1), rule) == Severity::note);
}
TEST_CASE("skeleton-rest-shape: arms to the front, and bent elbows", "[rules]") {
  Rig front = humanoid_rig();
  turn_limb(front, "upper_arm.L", -50, Vec3::UnitY());
  turn_limb(front, "upper_arm.R", 50, Vec3::UnitY());
  front.bind_at_rest();
  CHECK(number(only(front, rule), "left_forward") == Approx(50).margin(5));
  Rig bent = humanoid_rig();
  turn_limb(bent, "forearm.L", -60, Vec3::UnitY());
  bent.bind_at_rest();
  const Finding found = only(bent, rule);
  CHECK(found.count == 1);
  CHECK(number(found, "left_elbow") == Approx(60).margin(10));
}
TEST_CASE("skeleton-rest-shape: a parameter changes the outcome", "[rules]") {
  CHECK(silent(lowered(75), rule, with_param(rule, "a_angle", 80)));
}
TEST_CASE("skeleton-rest-shape: no other rule reports it", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(reporting(to_asset(lowered(80)), Severity::note, config) == Ids{rule});
}
TEST_CASE("skeleton-rest-shape: arms without names are found by their shape", "[rules]") {
  CHECK(silent(without_names(humanoid_rig()), rule));
  const Finding found = only(without_names(lowered(75)), rule);
  CHECK(words_of(found, "found") == "by shape");
  CHECK(number(found, "left_below") == Approx(75 + droop()).margin(0.3));
  CHECK(slots(found).size() == 2);
}
TEST_CASE("skeleton-rest-shape: creatures are silent", "[rules]") {
  Rig rig = without_names(humanoid_rig());  // on all fours: the arms reach the ground
  for (const char* arm : {"upper_arm.L", "upper_arm.R"}) {
    RigNode& joint = rig.nodes[static_cast<std::size_t>(humanoid_rig().node(arm))];
    Rig whole = humanoid_rig();
    turn_limb(whole, arm, arm[10] == 'L' ? -90 : 90, Vec3::UnitZ());
    joint.rotation = node(whole, arm).rotation;
  }
  for (const char* fore :
       {"forearm.L", "hand.L", "fingers.L", "forearm.R", "hand.R", "fingers.R"}) {
    rig.nodes[static_cast<std::size_t>(humanoid_rig().node(fore))].translation *= 2.0;
  }
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-rest-shape: arms that stand on the ground are a creature's", "[rules]") {
  Rig rig = lowered(85);
  for (const char* joint : {"forearm.L", "hand.L", "forearm.R", "hand.R"}) {
    node(rig, joint).translation *= 2.4;
  }
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-rest-shape: the body's own up counts, whatever way it was bound", "[rules]") {
  for (const double arms : {0.0, 75.0}) {
    Rig rig = lowered(arms);
    node(rig, "Armature").rotation = turn(70, Vec3(1, 2, -1).normalized());
    rig.bind_at_rest();
    const Finding found = only(rig, rule, with_param(rule, "wanted", 2));
    CHECK(number(found, "left_below") == Approx(arms + droop()).margin(1));
    CHECK(number(found, "right_below") == Approx(arms + droop()).margin(1));
  }
}
TEST_CASE("skeleton-rest-shape: a pose taken after the bind is silent", "[rules]") {
  Rig rig = humanoid_rig();
  turn_limb(rig, "upper_arm.L", -80, Vec3::UnitZ());
  CHECK(silent(rig, rule));
}
