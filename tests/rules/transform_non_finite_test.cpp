#include <limits>

#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-non-finite";

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
Rig with_rotation(double length) {
  Rig rig = chain_rig();
  node(rig, "joint2").rotation = Vec4(0, 0, 0, length);
  return rig;
}
}  // namespace

TEST_CASE("transform-non-finite: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-non-finite: NaN in a translation names the node and the joints below",
          "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint4").translation.x() = nan_value;
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::node, 4, 0});
  CHECK(slots(found) == std::vector<int>{4, 5});
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
TEST_CASE("transform-non-finite: the quaternion limit, just inside and outside", "[rules]") {
  CHECK(silent(with_rotation(1.0076), rule));
  CHECK(silent(with_rotation(0.9924), rule));
  CHECK(severity(with_rotation(1.0078), rule) == Severity::error);
  CHECK(severity(with_rotation(0.9922), rule) == Severity::error);
  CHECK(severity(with_rotation(0.0), rule) == Severity::error);
  CHECK(number(only(with_rotation(1.5), rule), "rotation_length") == Approx(1.5));
}
TEST_CASE("transform-non-finite: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_rotation(1.05), rule, with_param(rule, "unit_length", 0.1)));
}
TEST_CASE("transform-non-finite: inside the limit no other rule speaks", "[rules]") {
  CHECK(reporting(to_asset(with_rotation(1.005)), Severity::note).empty());
}
TEST_CASE("transform-non-finite: inverse bind matrices are one finding a skin", "[rules]") {
  Rig rig = chain_rig();
  matrix_of(rig, 1)(0, 3) = nan_value;
  matrix_of(rig, 3)(2, 2) = std::numeric_limits<double>::infinity();
  const Finding found = only(rig, rule);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 2);
  CHECK(slots(found) == std::vector<int>{1, 3});
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
TEST_CASE("transform-non-finite: vertex positions, skinned or not", "[rules]") {
  Rig rig = chain_rig();
  rig.meshes[0].parts[0].positions[7].y() = nan_value;
  const Finding found = only(rig, rule);
  CHECK(found.element == ElementRef{ElementKind::part, 0, 0});
  CHECK(found.count == 1);
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].index == 7);
  rig.instances.clear();
  CHECK(only(rig, rule).samples[0].index == 7);
}
TEST_CASE("transform-non-finite: keys, by clip", "[rules]") {
  Rig rig = chain_rig();
  rig.clips.push_back(clip_of("ok", 1, ChannelPath::rotation, {0, 0, 0, 1, 0, 0, 0, 1.005}));
  CHECK(silent(rig, rule));
  rig.clips.push_back(
      clip_of("bad", 1, ChannelPath::rotation, {0, 0, 0, 1, 0, 0, 0, 1.2, nan_value, 0, 0, 1}));
  const Finding found = only(rig, rule);
  CHECK(found.element == ElementRef{ElementKind::clip, 1, 0});
  CHECK(number(found, "off_unit_keys") == 1);
  CHECK(number(found, "non_finite_keys") == 1);
  CHECK(found.samples[0].index == 2);
}
TEST_CASE("transform-non-finite: tangents of cubic keys have no length", "[rules]") {
  Rig rig = chain_rig();
  rig.clips.push_back(
      clip_of("cubic", 1, ChannelPath::rotation, {5, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0, 0}));
  rig.clips[0].channels[0].interpolation = Interpolation::cubic;
  rig.clips[0].channels[0].times = {0.0};
  CHECK(silent(rig, rule));
}
