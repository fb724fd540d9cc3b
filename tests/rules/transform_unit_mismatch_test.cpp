#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-unit-mismatch";

/// The chain with vertices, joints and bind in another size.
Rig sized(double factor) {
  Rig rig = chain_rig(6);
  for (RigNode& node : rig.nodes) node.translation *= factor;
  for (Vec3& p : rig.meshes[0].parts[0].positions) p *= factor;
  rig.bind_at_rest();
  return rig;
}
Asset made_in(double original) {
  Asset asset = fbx_chain();
  asset.unit_meters = 0.01;
  asset.original_unit_meters = original;
  return asset;
}
}  // namespace

TEST_CASE("transform-unit-mismatch: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-unit-mismatch: a character a hundred times too large", "[rules]") {
  const Finding found = only(sized(100), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::file);
  CHECK(number(found, "size") == Approx(100 * chain_size));
  CHECK(number(found, "factor") == Approx(0.01));
  CHECK(number(only(sized(0.0005), rule), "factor") == Approx(100));
}
TEST_CASE("transform-unit-mismatch: limits, just inside and outside", "[rules]") {
  CHECK(silent(sized(199.0 / chain_size), rule));
  CHECK(severity(sized(201.0 / chain_size), rule) == Severity::note);
  CHECK(silent(sized(0.0101 / chain_size), rule));
  CHECK(severity(sized(0.0099 / chain_size), rule) == Severity::note);
}
TEST_CASE("transform-unit-mismatch: a parameter changes the outcome", "[rules]") {
  CHECK(silent(sized(100), rule, with_param(rule, "largest", 1000)));
}
TEST_CASE("transform-unit-mismatch: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(sized(100)), Severity::note) == Ids{rule});
}
TEST_CASE("transform-unit-mismatch: the scene's unit differs from the file's", "[rules]") {
  const Finding found = only(made_in(1.0), rule);
  CHECK(found.severity == Severity::note);
  CHECK(number(found, "original_unit") == Approx(1.0));
  CHECK(number(found, "factor") == Approx(1.0));
  CHECK(silent(made_in(0.01), rule));
}
TEST_CASE("transform-unit-mismatch: one small mesh among others is silent", "[rules]") {
  Rig rig = sized(1);
  rig.skins.push_back(rig.skins[0]);
  rig.meshes.push_back(rig.meshes[0]);
  for (Vec3& p : rig.meshes[1].parts[0].positions) p *= 0.001;
  RigNode lashes;
  lashes.name = "lashes";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
  rig.nodes.push_back(lashes);
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-unit-mismatch: giants set the range for themselves", "[rules]") {
  CHECK(silent(sized(100), rule, with_param(rule, "largest", 1000)));
}
TEST_CASE("transform-unit-mismatch: a skeleton of another size is bind-skeleton-misplaced's",
          "[rules]") {
  Rig rig = sized(1);
  for (RigNode& node : rig.nodes) node.translation *= 20;
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
