#include <algorithm>

#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-uniform-scale";

Rig with_scale(const std::string& name, double s) {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  node(rig, name).scale = Vec3::Constant(s);
  rig.bind_at_rest();
  return rig;
}
Rig under(double s) {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.scale = Vec3::Constant(s);
  put_above(rig, top);
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("transform-uniform-scale: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-uniform-scale: a joint within the skeleton", "[rules]") {
  const Finding found = only(with_scale("joint3", 2.54), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "scale") == Approx(2.54));
  CHECK(words_of(found, "named") == "inches written as centimetres");
}
TEST_CASE("transform-uniform-scale: the limit, just inside and outside", "[rules]") {
  CHECK(silent(with_scale("joint3", 1.0009), rule));
  CHECK(severity(with_scale("joint3", 1.0011), rule) == Severity::warning);
  CHECK(severity(with_scale("joint3", 0.9985), rule) == Severity::warning);
}
TEST_CASE("transform-uniform-scale: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_scale("joint3", 1.4), rule, with_param(rule, "scale", 0.5)));
}
TEST_CASE("transform-uniform-scale: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(with_scale("joint3", 1.4))) == Ids{rule});
}
TEST_CASE("transform-uniform-scale: one factor above all joints is a note", "[rules]") {
  const Finding found = only(under(100), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::node);
  CHECK(severity(with_scale("joint0", 0.01), rule) == Severity::note);
}
TEST_CASE("transform-uniform-scale: an accumulated extreme is a warning", "[rules]") {
  CHECK(reporting(to_asset(under(0.9e4))).count(rule) == 0);
  CHECK(reporting(to_asset(under(1.1e4))).count(rule) == 1);
  CHECK(reporting(to_asset(under(0.9e-4))).count(rule) == 1);
}
TEST_CASE("transform-uniform-scale: a joint that moves no vertices is no fault", "[rules]") {
  CHECK(silent(with_scale("socket", 3), rule));
}
TEST_CASE("transform-uniform-scale: a joint scaled after binding is bind-rest-differs'",
          "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").scale = Vec3::Constant(1.4);
  CHECK(silent(rig, rule));
}

TEST_CASE("transform-uniform-scale: what an FBX joint does not inherit is no scale of its own",
          "[rules]") {
  Rig rig = with_scale("joint3", 0.7);
  node(rig, "joint4").scale = Vec3::Constant(1 / 0.7);
  rig.bind_at_rest();
  Asset asset = to_fbx_asset(rig);
  // Both are off by the same factor: which one is worse is rounding.
  std::vector<int> both = slots(only(asset, rule));
  std::sort(both.begin(), both.end());
  CHECK(both == std::vector<int>{3, 4});
  node(asset, "joint4").fbx->inherit_type = InheritType::Rrs;
  node(asset, "joint4").fbx->scaling = Vec3::Ones();
  CHECK(slots(only(asset, rule)) == std::vector<int>{3});
}
