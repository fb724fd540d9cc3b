#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-poses-conflict";

/// A second bind pose with one joint elsewhere.
Asset conflicting(double over_size) {
  Asset asset = fbx_chain();
  asset.bind_poses.push_back(asset.bind_poses[0]);
  Mat4& second = posed(asset, "joint3", 1);
  second = shift(over_size * chain_size, 0, 0) * second;
  return asset;
}
}  // namespace

TEST_CASE("bind-poses-conflict: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-poses-conflict: one joint in two places", "[rules]") {
  const Finding found = only(conflicting(0.02), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::bind_pose, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_over_size") == Approx(0.02));
  CHECK(number(found, "worst_displacement") == Approx(0.02 * chain_size));
}
TEST_CASE("bind-poses-conflict: the limit, just inside and outside", "[rules]") {
  CHECK(silent(conflicting(0.95e-3), rule));
  CHECK(severity(conflicting(1.05e-3), rule) == Severity::warning);
}
TEST_CASE("bind-poses-conflict: a parameter changes the outcome", "[rules]") {
  CHECK(silent(conflicting(0.02), rule, with_param(rule, "displacement", 0.05)));
}
TEST_CASE("bind-poses-conflict: no other rule reports the break", "[rules]") {
  CHECK(reporting(conflicting(0.02)) == Ids{rule});
}
TEST_CASE("bind-poses-conflict: the skinned mesh node counts as well", "[rules]") {
  Asset asset = conflicting(0.0);
  posed(asset, "tube", 1) = shift(1, 0, 0);
  const Finding found = only(asset, rule);
  CHECK(slots(found).empty());
  CHECK(found.samples.at(0).label == "tube");
}
TEST_CASE("bind-poses-conflict: equal and disjoint bind poses are no conflict", "[rules]") {
  CHECK(silent(conflicting(0.0), rule));
  Asset asset = fbx_chain();
  asset.bind_poses.push_back(asset.bind_poses[0]);
  for (const char* name : {"joint0", "joint1", "joint2", "tube"}) forget(asset, name, 0);
  for (const char* name : {"joint3", "joint4", "joint5"}) forget(asset, name, 1);
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-poses-conflict: a node that is neither joint nor mesh is no conflict", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode prop;
  prop.name = "prop";
  rig.nodes.push_back(prop);
  Asset asset = to_fbx_asset(rig);
  asset.bind_poses.push_back(asset.bind_poses[0]);
  posed(asset, "prop", 1) = shift(9, 0, 0);
  CHECK(silent(asset, rule));
}
