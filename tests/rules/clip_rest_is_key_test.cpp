#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "clip-rest-is-key";

std::vector<double> keys(const std::vector<Vec4>& turns) {
  std::vector<double> values;
  for (const Vec4& q : turns) values.insert(values.end(), {q[0], q[1], q[2], q[3]});
  return values;
}
/// joint3 rests turned by `rest`; a clip turns it from `first` to 0 degrees.
Rig saved_at(double rest, double first) {
  Rig rig = chain_rig(6);
  node(rig, "joint3").rotation = turn(rest, Vec3::UnitX());
  rig.clips.push_back(clip_of("walk", 3, ChannelPath::rotation,
                              keys({turn(first, Vec3::UnitX()), turn(0, Vec3::UnitX())})));
  return rig;
}
}  // namespace

TEST_CASE("clip-rest-is-key: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("clip-rest-is-key: the first key was written over the rest pose", "[rules]") {
  const Finding found = only(saved_at(30, 30), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(words_of(found, "clip") == "walk");
  CHECK(number(found, "key_time") == 0.0);
  CHECK(words_of(found, "bind_recorded") == "yes");
  REQUIRE(found.cause.has_value());
  CHECK(found.cause->id == "saved-at-clip-key");
}
TEST_CASE("clip-rest-is-key: near enough to the key, just inside and outside", "[rules]") {
  CHECK(severity(saved_at(30, 30.15), rule) == Severity::note);
  CHECK(silent(saved_at(30, 30.25), rule));
}
TEST_CASE("clip-rest-is-key: a level sets the severity", "[rules]") {
  CHECK(severity(saved_at(30, 30), rule, with_param(rule, "level", 2)) == Severity::warning);
  CHECK(severity(saved_at(30, 30), rule, with_param(rule, "level", 3)) == Severity::error);
  CHECK(silent(saved_at(30, 30), rule, with_param(rule, "level", 0)));
}
TEST_CASE("clip-rest-is-key: which rules tell of it", "[rules]") {
  CHECK(reporting(to_asset(saved_at(30, 30)), Severity::note) ==
        Ids{rule, "bind-rest-differs", "clip-bind-reset"});
  CHECK(reporting(to_asset(saved_at(30, 30))).empty());
}
TEST_CASE("clip-rest-is-key: without bind matrices the bind pose is lost: a warning", "[rules]") {
  Rig rig = saved_at(30, 30);
  rig.skins[0].joint_from_mesh.reset();
  CHECK(silent(rig, rule));  // five joints of six rest in every clip: it proves nothing
  for (int joint = 0; joint < 6; ++joint) {
    if (joint == 3) continue;
    const Vec4 rest = rig.nodes[static_cast<std::size_t>(joint)].rotation;
    rig.clips[0].channels.push_back(
        clip_of("walk", joint, ChannelPath::rotation, keys({rest, rest})).channels[0]);
  }
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "bind_recorded") == "no");
  CHECK(severity(rig, rule, with_param(rule, "level_without_record", 1)) == Severity::note);
}
TEST_CASE("clip-rest-is-key: a recorded bind makes it a note", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint3").parent_from_node =
      node(asset, "joint3").parent_from_node * turned(30, Vec3::UnitX());
  Clip clip;
  clip.name = "Take 001";
  clip.first_key = {{node_of(asset, "joint3"), node(asset, "joint3").parent_from_node}};
  asset.clips.push_back(clip);
  CHECK(severity(asset, rule) == Severity::note);
}
TEST_CASE("clip-rest-is-key: a later key, or a clip that starts as bound, is no fault", "[rules]") {
  Rig later = saved_at(30, 0);
  later.clips = {clip_of("walk", 3, ChannelPath::rotation,
                         keys({turn(0, Vec3::UnitX()), turn(30, Vec3::UnitX())}))};
  CHECK(silent(later, rule));
  CHECK(silent(saved_at(0, 0), rule));
}
TEST_CASE("clip-rest-is-key: matrices that another cause explains are not excused by a clip",
          "[rules]") {
  Rig rig = humanoid_rig();  // nothing inverted; a clip keys the rest pose of both arms
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = Mat4(*affine_inverse(m));
  const int left = rig.node("upper_arm.L"), right = rig.node("upper_arm.R");
  for (const int n : {left, right}) {
    const Vec4 q = rig.nodes[static_cast<std::size_t>(n)].rotation;
    rig.clips.push_back(clip_of("idle", n, ChannelPath::rotation, keys({q, q})));
  }
  CHECK(silent(rig, rule));
}
