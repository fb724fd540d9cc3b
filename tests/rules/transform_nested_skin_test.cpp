#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-nested-skin";

Rig under(const std::string& parent) {
  Rig rig = chain_rig(6);
  node(rig, "tube").parent = rig.node(parent);
  return rig;
}
Rig skeleton_below_mesh() {
  Rig rig = chain_rig(6);
  node(rig, "joint0").parent = rig.node("tube");
  return rig;
}
Rig moved(double distance) {
  Rig rig = under("joint0");
  node(rig, "tube").translation = Vec3(distance, 0, 0);
  return rig;
}
}  // namespace

TEST_CASE("transform-nested-skin: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-nested-skin: a mesh with a transform below its joint", "[rules]") {
  const Rig rig = moved(0.5);
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element.kind == ElementKind::node);
  CHECK(words_of(found, "relation") == "mesh-below-joint");
  CHECK(words_of(found, "joint") == "joint0");
  CHECK(words_of(found, "own_transform") == "yes");
  CHECK(slots(found) == std::vector<int>{0});
  CHECK(severity(to_fbx_asset(rig), rule) == Severity::warning);
}
TEST_CASE("transform-nested-skin: the nearest of several joints above is named", "[rules]") {
  CHECK(words_of(only(under("joint3"), rule), "joint") == "joint3");
}
TEST_CASE("transform-nested-skin: joints below the mesh", "[rules]") {
  const Finding found = only(skeleton_below_mesh(), rule);
  CHECK(found.severity == Severity::note);
  CHECK(words_of(found, "relation") == "joint-below-mesh");
  Rig rig = skeleton_below_mesh();
  node(rig, "tube").translation = Vec3(0, 2, 0);
  rig.bind_at_rest();
  CHECK(severity(rig, rule) == Severity::warning);
}
TEST_CASE("transform-nested-skin: limits, just inside and outside", "[rules]") {
  CHECK(severity(moved(0.99e-4 * chain_size), rule) == Severity::note);
  CHECK(severity(moved(1.01e-4 * chain_size), rule) == Severity::warning);
}
TEST_CASE("transform-nested-skin: a parameter changes the outcome", "[rules]") {
  CHECK(severity(moved(0.5), rule, with_param(rule, "residue", 0.5)) == Severity::note);
}
TEST_CASE("transform-nested-skin: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(under("joint0")), Severity::note) == Ids{rule});
}
TEST_CASE("transform-nested-skin: a clip that keys the mesh node makes it a warning", "[rules]") {
  Rig rig = under("joint0");
  rig.clips = {clip_of("slide", rig.node("tube"), ChannelPath::translation, {0, 0, 0, 1, 0, 0})};
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "animated") == "yes");
}
TEST_CASE("transform-nested-skin: a mesh node of the identity is a note", "[rules]") {
  CHECK(severity(under("joint0"), rule) == Severity::note);
}
TEST_CASE("transform-nested-skin: gear below a joint of another skin is silent", "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t slot = add_socket(rig, "joint2", "gear_root");
  rig.skins[0].joints.pop_back();  // the socket belongs to the gear alone
  rig.skins[0].joint_from_mesh->pop_back();
  RigSkin skin;
  skin.name = "gear";
  skin.joints = {rig.node("gear_root")};
  skin.joint_from_mesh.emplace(1);
  rig.skins.push_back(skin);
  RigMesh mesh = rig.meshes[0];
  mesh.name = "gear";
  for (std::vector<RigInfluence>& vertex : mesh.parts[0].influences) vertex = {{0, 1.0}};
  rig.meshes.push_back(mesh);
  RigNode gear;
  gear.name = "gear";
  gear.parent = rig.node("joint2");
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
  rig.nodes.push_back(gear);
  rig.bind_at_rest();
  REQUIRE(slot == 6);
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-nested-skin: a mesh below the armature is silent", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode armature;
  armature.name = "Armature";
  const std::size_t index = put_above(rig, armature);
  node(rig, "tube").parent = static_cast<int>(index);
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-nested-skin: a face rig turns the rule off", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::off;
  CHECK(silent(moved(0.5), rule, config));
}
