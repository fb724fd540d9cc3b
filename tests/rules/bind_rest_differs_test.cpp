#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-rest-differs";

Rig turned(const std::string& name, double degrees) {
  Rig rig = chain_rig(6);
  node(rig, name).rotation = turn(degrees, Vec3::UnitX());
  return rig;
}
Rig moved(double metres) {
  Rig rig = chain_rig(6);
  node(rig, "joint0").parent = static_cast<int>(put_above(rig, RigNode{}));
  node(rig, "joint3").translation.z() += metres;
  return rig;
}
/// Diagonal of the six-joint chain: a tube of radius 1 and height 6.
const double size = std::sqrt(4.0 + 4.0 + 36.0);
}  // namespace

TEST_CASE("bind-rest-differs: clean assets are silent", "[rules]") { CHECK(clean_is_silent(rule)); }

TEST_CASE("bind-rest-differs: one joint turned: the joint, its angle, all that follow", "[rules]") {
  const Finding found = only(turned("joint3", 30), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "drifting_joints") == 3);
  CHECK(number(found, "changed_joints") == 1);
  CHECK(number(found, "worst_angle") == Approx(30.0).margin(1e-3));
  CHECK(number(found, "max_displacement") > 0.3);
}
TEST_CASE("bind-rest-differs: vertex displacement, just inside and outside its limits", "[rules]") {
  CHECK(silent(moved(0.9e-4 * size), rule));
  CHECK(severity(moved(1.2e-4 * size), rule) == Severity::note);
  CHECK(severity(moved(0.99e-2 * size), rule) == Severity::note);
  CHECK(severity(moved(1.05e-2 * size), rule) == Severity::warning);
}
TEST_CASE("bind-rest-differs: parameters change the outcome", "[rules]") {
  CHECK(severity(turned("joint3", 30), rule, with_param(rule, "displacement", 5.0)) ==
        Severity::note);
  CHECK(severity(turned("joint3", 60), rule, with_param(rule, "exploded_stretch", 1.01)) ==
        Severity::error);
}
TEST_CASE("bind-rest-differs: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(turned("joint3", 30))) == Ids{rule});
}
TEST_CASE("bind-rest-differs: an exploded mesh is an error", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").translation.x() += 100.0;
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::error);
  CHECK(number(found, "posed_box_ratio") > 5.0);
  CHECK(slots(found) == std::vector<int>{3});
}
TEST_CASE("bind-rest-differs: the rest pose is the first key of a clip", "[rules]") {
  Rig rig = turned("joint3", 30);
  const Vec4 q = turn(30, Vec3::UnitX());
  rig.clips.push_back(
      clip_of("idle", 3, ChannelPath::rotation, {0, 0, 0, 1, q[0], q[1], q[2], q[3]}));
  rig.clips.push_back(
      clip_of("walk", 3, ChannelPath::rotation, {q[0], q[1], q[2], q[3], 0, 0, 0, 1}));
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::note);
  CHECK(words_of(found, "clip") == "walk");
}
TEST_CASE("bind-rest-differs: exploded, but a key of a clip: a note", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").translation.x() += 100.0;
  rig.clips.push_back(clip_of("fly", 3, ChannelPath::translation, {100, 1, 0, 0, 1, 0}));
  CHECK(severity(rig, rule) == Severity::note);
}
TEST_CASE("bind-rest-differs: rigidly posed while a clip drives the joint or one above",
          "[rules]") {
  Rig rig = turned("joint3", 30);
  rig.clips.push_back(clip_of("walk", 1, ChannelPath::rotation, {0, 0, 0, 1, 0, 0, 1, 0}));
  CHECK(severity(rig, rule) == Severity::note);
  Rig other = turned("joint3", 30);  // the clip keys a joint below: the pose stays
  other.clips.push_back(clip_of("walk", 4, ChannelPath::rotation, {0, 0, 1, 0, 0, 0, 0, 1}));
  CHECK(severity(other, rule) == Severity::warning);
}
TEST_CASE(
    "bind-rest-differs: scaled since the bind is no pose that a clip excuses, and never an error",
    "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").scale = Vec3::Constant(0.7);
  rig.clips.push_back(clip_of("walk", 1, ChannelPath::rotation, {0, 0, 0, 1, 0, 0, 1, 0}));
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "worst_scale") == Approx(0.7));
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
TEST_CASE("bind-rest-differs: instances of one mesh are one finding", "[rules]") {
  Rig rig = turned("joint3", 30);
  RigNode twin;
  twin.name = "twin";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 0, 0});
  rig.nodes.push_back(twin);
  CHECK(number(only(rig, rule), "instances") == 2);
}

TEST_CASE("bind-rest-differs: FBX mesh and skeleton moved together are a note", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint0").parent_from_node = shift(1, 0, 0);
  CHECK(severity(asset, rule) == Severity::warning);
  node(asset, "tube").parent_from_node = shift(1, 0, 0);
  CHECK(severity(asset, rule) == Severity::note);
  node(asset, "joint4").parent_from_node =
      node(asset, "joint4").parent_from_node * turned(30, Vec3::UnitX());
  CHECK(severity(asset, rule) == Severity::warning);
}
TEST_CASE("bind-rest-differs: FBX is judged against TransformLink, not against the mesh",
          "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = shift(3, 0, 0);
  CHECK(silent(asset, rule));
  *cluster(asset, 3).transform = shift(1, 0, 0) * *cluster(asset, 3).transform;
  asset.skins[0].joint_from_mesh[3] = cluster(asset, 3).transform;
  CHECK(silent(asset, rule));
}
