#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "deform-explodes";

Rig flown(double distance) {
  Rig rig = chain_rig(6);
  node(rig, "joint3").translation.x() += distance;
  return rig;
}
}  // namespace

TEST_CASE("deform-explodes: clean assets and plain poses are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(flown(1.0), rule));
}
TEST_CASE("deform-explodes: how large, how far stretched, and which vertex", "[rules]") {
  const Finding found = only(flown(100), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "bind_size") == Approx(chain_size));
  CHECK(number(found, "posed_box_ratio") == Approx(number(found, "posed_size") / chain_size));
  CHECK(number(found, "posed_box_ratio") > 10.0);
  CHECK(number(found, "max_displacement") == Approx(100.0));
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].value == Approx(100.0));
}
TEST_CASE("deform-explodes: limits, just inside and outside", "[rules]") {
  const double ratio = number(only(flown(100), rule), "posed_box_ratio");
  const double stretch = number(only(flown(100), rule), "edge_stretch");
  CheckConfig inside, box, edges;
  inside.params[rule] = {{"box", ratio * 1.01}, {"stretch", stretch * 1.01}};
  box.params[rule] = {{"box", ratio * 0.99}, {"stretch", stretch * 1.01}};
  edges.params[rule] = {{"box", ratio * 1.01}, {"stretch", stretch * 0.99}};
  CHECK(silent(flown(100), rule, inside));
  CHECK(severity(flown(100), rule, box) == Severity::error);
  CHECK(severity(flown(100), rule, edges) == Severity::error);
}
TEST_CASE("deform-explodes: a parameter changes the outcome", "[rules]") {
  CHECK(severity(flown(3), rule, with_param(rule, "stretch", 1.01)) == Severity::error);
}
TEST_CASE("deform-explodes: it keeps bind-rest-differs company", "[rules]") {
  CHECK(reporting(to_asset(flown(100))) == Ids{rule, "bind-rest-differs"});
  CHECK(severity(flown(100), "bind-rest-differs") == Severity::error);
}
TEST_CASE("deform-explodes: a clip's key is meant", "[rules]") {
  Rig rig = flown(100);
  rig.clips.push_back(clip_of("fly", 3, ChannelPath::translation, {100, 1, 0, 0, 1, 0}));
  CHECK(silent(rig, rule));
}
TEST_CASE("deform-explodes: FBX mesh and skeleton moved together", "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint0").parent_from_node = scaling(Vec3::Constant(20));
  CHECK(severity(asset, rule) == Severity::error);
  node(asset, "tube").parent_from_node = scaling(Vec3::Constant(20));
  CHECK(silent(asset, rule));
}
TEST_CASE("deform-explodes: joints hidden by an earlier error would mislead", "[rules]") {
  Rig rig = flown(100);
  (*rig.skins[0].joint_from_mesh)[5](3, 1) = 1e-3;
  CHECK(reporting(to_asset(rig)).count(rule) == 0);
}
