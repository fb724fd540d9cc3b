#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-zero-scale";

Rig scaled(const std::string& name, const Vec3& scale) {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  node(rig, name).scale = scale;
  return rig;
}
}  // namespace

TEST_CASE("transform-zero-scale: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-zero-scale: a weighted joint is an error and names the joints below",
          "[rules]") {
  const Finding found = only(scaled("joint4", Vec3(1, 0, 1)), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::node, 4, 0});
  CHECK(slots(found) == std::vector<int>{4, 5, 6});
  CHECK(number(found, "weighted_joints") == 2);
}
TEST_CASE("transform-zero-scale: the limit, just inside and outside", "[rules]") {
  CHECK(silent(scaled("joint4", Vec3(1, 1.1e-6, 1)), rule));
  CHECK(severity(scaled("joint4", Vec3(1, 0.9e-6, 1)), rule) == Severity::error);
  CHECK(severity(scaled("joint4", Vec3(1, -0.9e-6, 1)), rule) == Severity::error);
}
TEST_CASE("transform-zero-scale: a parameter changes the outcome", "[rules]") {
  CHECK(severity(scaled("joint4", Vec3(1, 1e-4, 1)), rule, with_param(rule, "scale", 1e-3)) ==
        Severity::error);
}
TEST_CASE("transform-zero-scale: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(scaled("joint4", Vec3::Zero()))) == Ids{rule});
}
TEST_CASE("transform-zero-scale: a subtree without weight is a warning", "[rules]") {
  CHECK(severity(scaled("socket", Vec3::Zero()), rule) == Severity::warning);
}
TEST_CASE("transform-zero-scale: scale keyed by a clip is a warning", "[rules]") {
  Rig rig = scaled("joint4", Vec3::Zero());
  rig.clips.push_back(clip_of("pop", 4, ChannelPath::scale, {0, 0, 0, 1, 1, 1}));
  CHECK(severity(rig, rule) == Severity::warning);
}
TEST_CASE("transform-zero-scale: a whole character shrunk evenly is a warning", "[rules]") {
  Rig rig = chain_rig();
  RigNode top;
  top.name = "hidden";
  top.scale = Vec3::Constant(1e-7);
  put_above(rig, top);
  CHECK(severity(rig, rule) == Severity::warning);
}
TEST_CASE("transform-zero-scale: a hidden prop is no fault", "[rules]") {
  Rig rig = chain_rig();
  RigNode prop;
  prop.name = "prop";
  prop.scale = Vec3::Zero();
  rig.nodes.push_back(prop);
  CHECK(silent(rig, rule));
}

TEST_CASE("transform-zero-scale: what is flat or shrunk is not judged by other rules", "[rules]") {
  Rig rig = chain_rig();
  RigNode top;
  top.name = "hidden";
  top.scale = Vec3::Constant(1e-7);
  top.rotation = turn(90, Vec3::UnitY());
  put_above(rig, top);
  CHECK(reporting(to_asset(rig)) == Ids{rule});
  Rig keyed = scaled("joint4", Vec3::Zero());
  keyed.clips.push_back(clip_of("pop", 4, ChannelPath::scale, {0, 0, 0, 1, 1, 1}));
  CHECK(reporting(to_asset(keyed)) == Ids{rule});
}
