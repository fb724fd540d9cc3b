#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-axis-residue";

void turn_vertices(Rig& rig, double degrees) {
  const Vec4 q = turn(degrees, Vec3::UnitX());
  for (Vec3& p : rig.meshes[0].parts[0].positions) p = Quat(q[3], q[0], q[1], q[2]) * p;
}
Rig armature(double degrees) {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.rotation = turn(degrees, Vec3::UnitX());
  turn_vertices(rig, degrees);
  put_above(rig, top);
  rig.bind_at_rest();
  return rig;
}
/// The bind of all joints turned against everything the file declares.
Rig bind_turned(double degrees) {
  Rig rig = chain_rig(6);
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() =
      Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, Vec3::UnitX()).toRotationMatrix();
  for (Mat4& matrix : *rig.skins[0].joint_from_mesh) matrix = matrix * m;
  return rig;
}
}  // namespace

TEST_CASE("transform-axis-residue: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-axis-residue: a turn that the bind knows is a note on the node", "[rules]") {
  const Finding found = only(armature(-90), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::node);
  CHECK(words_of(found, "turn") == "-90° about X");
  CHECK(words_of(found, "role") == "skeleton");
}
TEST_CASE("transform-axis-residue: a turn of the bind alone is a warning on the binding",
          "[rules]") {
  const Finding found = only(bind_turned(-90), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
}
TEST_CASE("transform-axis-residue: the limit, just inside and outside", "[rules]") {
  CHECK(severity(armature(90.09), rule) == Severity::note);
  CHECK(silent(armature(90.11), rule));
  CHECK(severity(bind_turned(90.09), rule) == Severity::warning);
  CHECK(silent(bind_turned(90.11), rule));
}
TEST_CASE("transform-axis-residue: a parameter changes the outcome", "[rules]") {
  CHECK(severity(armature(89), rule, with_param(rule, "angle", 2.0)) == Severity::note);
}
TEST_CASE("transform-axis-residue: no other rule warns of the break", "[rules]") {
  // The joints no longer stand in their vertices, unless the vertices were turned with the bind.
  Rig rig = bind_turned(-90);
  CHECK(reporting(to_asset(rig)) == Ids{rule, "bind-skeleton-misplaced"});
  turn_vertices(rig, 90);
  CHECK(reporting(to_asset(rig)) == Ids{rule});
  CHECK(reporting(to_asset(armature(-90))).empty());
}
TEST_CASE("transform-axis-residue: a mirror is not an axis turn", "[rules]") {
  Rig rig = chain_rig(6);
  for (Mat4& matrix : *rig.skins[0].joint_from_mesh) matrix = matrix * scaling(Vec3(-1, 1, 1));
  CHECK(silent(rig, rule));
}

TEST_CASE("transform-axis-residue: FBX skeleton turned alone, and together with the mesh",
          "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint0").parent_from_node = turned(-90, Vec3::UnitX());
  std::vector<Finding> found = findings_of(asset, rule);
  CHECK(std::any_of(found.begin(), found.end(),
                    [](const Finding& f) { return f.severity == Severity::warning; }));
  node(asset, "tube").parent_from_node = turned(-90, Vec3::UnitX());
  found = findings_of(asset, rule);
  CHECK(found.size() == 2);
  for (const Finding& f : found) CHECK(f.severity == Severity::note);
}
TEST_CASE("transform-axis-residue: an FBX mesh node turned alone is bind-mesh-moved's", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = turned(-90, Vec3::UnitX());
  CHECK(severity(asset, rule) == Severity::note);  // of the node
}
TEST_CASE("transform-axis-residue: left-handed axes of an FBX are a note", "[rules]") {
  Asset asset = fbx_chain();
  CHECK(silent(asset, rule));
  asset.canonical_from_file = scaling(Vec3(1, 1, -1));
  CHECK(words_of(only(asset, rule), "role") == "settings");
  CHECK(only(asset, rule).severity == Severity::note);
  asset.axes_declared = false;
  CHECK(silent(asset, rule));
}
