#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-root-residue";

Rig with_root(const Vec4& rotation, double scale = 1.0, const Vec3& at = Vec3::Zero()) {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.rotation = rotation;
  top.scale = Vec3::Constant(scale);
  top.translation = at;
  put_above(rig, top);
  rig.bind_at_rest();
  return rig;
}
const Vec4 none(0, 0, 0, 1);
}  // namespace

TEST_CASE("transform-root-residue: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-root-residue: an armature that is turned, in FBX and glTF", "[rules]") {
  const Rig rig = with_root(turn(30, Vec3::UnitX()));
  for (const Asset& asset : {to_fbx_asset(rig), to_asset(rig)}) {
    const Finding found = only(asset, rule);
    CHECK(found.severity == Severity::note);
    CHECK(found.element == ElementRef{ElementKind::node, node_of(asset, "Armature"), 0});
    CHECK(number(found, "angle") == Approx(30));
    CHECK(words_of(found, "role") == "armature");
  }
}
TEST_CASE("transform-root-residue: limits, just inside and outside", "[rules]") {
  CHECK(silent(with_root(turn(0.095, Vec3::UnitX())), rule));
  CHECK(severity(with_root(turn(0.105, Vec3::UnitX())), rule) == Severity::note);
  CHECK(silent(with_root(none, 1.00095), rule));
  CHECK(severity(with_root(none, 1.00105), rule) == Severity::note);
  CHECK(silent(with_root(none, 1.0, Vec3(0.95e-4 * chain_size, 0, 0)), rule));
  CHECK(severity(with_root(none, 1.0, Vec3(1.05e-4 * chain_size, 0, 0)), rule) == Severity::note);
}
TEST_CASE("transform-root-residue: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_root(turn(30, Vec3::UnitX())), rule, with_param(rule, "angle", 40)));
}
TEST_CASE("transform-root-residue: nothing warns of it", "[rules]") {
  CHECK(reporting(to_fbx_asset(with_root(turn(30, Vec3::UnitX())))).empty());
}
TEST_CASE("transform-root-residue: a quarter turn is transform-axis-residue's", "[rules]") {
  CHECK(silent(with_root(turn(-90, Vec3::UnitX())), rule));
}
TEST_CASE("transform-root-residue: a unit factor is transform-uniform-scale's", "[rules]") {
  CHECK(silent(with_root(none, 100), rule));
  CHECK(silent(with_root(none, 0.01), rule));
}
TEST_CASE("transform-root-residue: the root joint may be anywhere", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint0").translation = Vec3(0, 1, 0);
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
  node(rig, "joint0").rotation = turn(20, Vec3::UnitZ());
  rig.bind_at_rest();
  CHECK(words_of(only(rig, rule), "role") == "root joint");
}
TEST_CASE("transform-root-residue: a joint orientation in PreRotation is silent", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint0").rotation = turn(20, Vec3::UnitZ());
  rig.bind_at_rest();
  Asset asset = to_fbx_asset(rig);
  CHECK(severity(asset, rule) == Severity::note);
  FbxTransform& t = *node(asset, "joint0").fbx;
  std::swap(t.pre_rotation, t.rotation);
  CHECK(silent(asset, rule));
}
TEST_CASE("transform-root-residue: a root posed after the bind is bind-rest-differs'", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint0").parent_from_node = turned(20, Vec3::UnitZ());
  CHECK(silent(asset, rule));
}
TEST_CASE("transform-root-residue: several roots are limbs", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint0").rotation = turn(20, Vec3::UnitZ());
  node(rig, "joint3").parent = -1;
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-root-residue: an FBX bone above the skin's joints is the root", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode hips;
  hips.name = "hips";
  hips.translation = Vec3(0, 1, 0);
  put_above(rig, hips);
  rig.bind_at_rest();
  Asset asset = to_fbx_asset(rig);
  CHECK(words_of(only(asset, rule), "role") == "armature");
  node(asset, "hips").attribute = "LimbNode";
  CHECK(silent(asset, rule));
}
