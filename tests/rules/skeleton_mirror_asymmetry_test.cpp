#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-mirror-asymmetry";

Quat quat_of(const RigNode& n) {
  return Quat(n.rotation[3], n.rotation[0], n.rotation[1], n.rotation[2]);
}
Vec4 stored(const Quat& q) { return Vec4(q.x(), q.y(), q.z(), q.w()); }

/// Turns a joint's axes where it stands; joints below stay where they are.
void turn_axes(Rig& rig, const std::string& name, const Quat& turned) {
  const int index = rig.node(name);
  REQUIRE(index >= 0);
  RigNode& joint = rig.nodes[static_cast<std::size_t>(index)];
  joint.rotation = stored(quat_of(joint) * turned);
  for (RigNode& child : rig.nodes) {
    if (child.parent != index) continue;
    child.translation = turned.conjugate() * child.translation;
    child.rotation = stored(turned.conjugate() * quat_of(child));
  }
}
Quat about(double degrees, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, axis));
}
Rig rolled(double degrees, const std::string& joint = "upper_arm.L") {
  Rig rig = humanoid_rig();
  turn_axes(rig, joint, about(degrees, Vec3::UnitY()));
  rig.bind_at_rest();
  return rig;
}
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
}  // namespace

TEST_CASE("skeleton-mirror-asymmetry: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-mirror-asymmetry: one rolled joint", "[rules]") {
  const Rig rig = rolled(30);
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "worst_angle") == Approx(30));
  CHECK(words_of(found, "left") == "upper_arm.L");
  CHECK(words_of(found, "right") == "upper_arm.R");
  CHECK(number(found, "pairs") == 9);
  CHECK(number(only(to_fbx_asset(rig), rule), "worst_angle") == Approx(30));
}
TEST_CASE("skeleton-mirror-asymmetry: limits, just inside and outside", "[rules]") {
  CHECK(silent(rolled(4.99), rule));
  CHECK(severity(rolled(5.01), rule) == Severity::note);
}
TEST_CASE("skeleton-mirror-asymmetry: a parameter changes the outcome", "[rules]") {
  CHECK(silent(rolled(30), rule, with_param(rule, "angle", 31)));
  CHECK(silent(rolled(30), rule, with_param(rule, "pairs", 10)));
}
TEST_CASE("skeleton-mirror-asymmetry: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(rolled(30)), Severity::note) == Ids{rule});
}
TEST_CASE("skeleton-mirror-asymmetry: the plane is the character's, wherever it stands",
          "[rules]") {
  Rig rig = rolled(30);
  node(rig, "Armature").rotation = turn(37, Vec3(0.3, 0.8, -0.5).normalized());
  node(rig, "Armature").translation = Vec3(3, -1, 2);
  rig.bind_at_rest();
  CHECK(number(only(rig, rule), "worst_angle") == Approx(30));
}
TEST_CASE("skeleton-mirror-asymmetry: every way of naming sides", "[rules]") {
  const std::vector<std::pair<std::string, std::string>> ways = {
      {"_l", "_r"}, {"_Left", "_Right"}, {" L", " R"}, {".l", ".r"}, {"FBXASC046L", "FBXASC046R"}};
  for (const auto& [left, right] : ways) {
    Rig rig = rolled(30);
    for (RigNode& n : rig.nodes) {
      if (ends_with(n.name, ".L")) n.name = n.name.substr(0, n.name.size() - 2) + left;
      if (ends_with(n.name, ".R")) n.name = n.name.substr(0, n.name.size() - 2) + right;
    }
    INFO(left);
    CHECK(words_of(only(rig, rule), "left") == "upper_arm" + left);
  }
  const std::vector<std::pair<std::string, std::string>> prefixes = {
      {"mixamorig:Left", "mixamorig:Right"},
      {"L_", "R_"},
      {"Bip01 L ", "Bip01 R "},
      {"L", "R"},
      {"\xE5\xB7\xA6", "\xE5\x8F\xB3"}};
  for (const auto& [left, right] : prefixes) {
    Rig rig = rolled(30);
    const auto prefixed = [](const std::string& prefix, std::string name) {
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      return prefix + name.substr(0, name.size() - 2);
    };
    for (RigNode& n : rig.nodes) {
      if (ends_with(n.name, ".L")) n.name = prefixed(left, n.name);
      if (ends_with(n.name, ".R")) n.name = prefixed(right, n.name);
    }
    INFO(left);
    CHECK(words_of(only(rig, rule), "left") == left + "Upper_arm");
  }
}
TEST_CASE("skeleton-mirror-asymmetry: letters inside words are no sides", "[rules]") {
  Rig rig = rolled(30);
  for (RigNode& n : rig.nodes) {
    if (ends_with(n.name, ".L")) n.name = "ArmLUpper" + n.name.substr(0, n.name.size() - 2);
    if (ends_with(n.name, ".R")) n.name = "ArmRUpper" + n.name.substr(0, n.name.size() - 2);
  }
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-mirror-asymmetry: axes mirrored by behaviour, or aligned alike, are silent",
          "[rules]") {
  Rig behaviour = humanoid_rig();
  for (const RigNode& n : humanoid_rig().nodes) {
    if (ends_with(n.name, ".R")) turn_axes(behaviour, n.name, about(180, Vec3::UnitX()));
  }
  behaviour.bind_at_rest();
  CHECK(silent(behaviour, rule));

  Rig aligned = humanoid_rig();
  const Quat tilt = about(20, Vec3(1, 2, 3).normalized());
  for (std::size_t n = 0; n < aligned.nodes.size(); ++n) {
    const std::string name = aligned.nodes[n].name;
    if (!ends_with(name, ".L") && !ends_with(name, ".R")) continue;
    const Mat3 world = linear(aligned.world_from_node()[n]);
    turn_axes(aligned, name, Quat(Mat3(world.transpose())) * tilt);
  }
  aligned.bind_at_rest();
  CHECK(silent(aligned, rule));
}
TEST_CASE("skeleton-mirror-asymmetry: arms and legs of different conventions are silent",
          "[rules]") {
  Rig rig = humanoid_rig();
  for (const char* name : {"thigh.R", "shin.R", "foot.R", "toe.R"}) {
    turn_axes(rig, name, about(180, Vec3::UnitX()));
  }
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-mirror-asymmetry: one-sided gear is silent", "[rules]") {
  Rig rig = rolled(30);
  node(rig, "upper_arm.R").name = "cannon";
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-mirror-asymmetry: a limb bound in a pose of its own is silent", "[rules]") {
  Rig rig = humanoid_rig();
  RigNode& arm = node(rig, "upper_arm.L");
  arm.rotation = stored(quat_of(arm) * about(40, Vec3::UnitX()));
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
