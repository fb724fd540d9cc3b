#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-pose-missing";

Asset without_pose() {
  Asset asset = fbx_chain();
  asset.bind_poses.clear();
  return asset;
}
}  // namespace

TEST_CASE("bind-pose-missing: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-pose-missing: no bind pose at all", "[rules]") {
  const Finding found = only(without_pose(), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::file);
  CHECK(found.count == 1);
  CHECK(number(found, "skins") == 1);
  CHECK(words_of(found, "recorded_by") == "clusters");
}
TEST_CASE(
    "bind-pose-missing: one joint in the bind pose is enough to leave it to bind-pose-incomplete",
    "[rules]") {
  Asset asset = fbx_chain();
  for (int j = 1; j < 6; ++j) forget(asset, "joint" + std::to_string(j));
  CHECK(silent(asset, rule));
  forget(asset, "joint0");
  CHECK(severity(asset, rule) == Severity::note);
}
TEST_CASE("bind-pose-missing: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::off;
  CHECK(silent(without_pose(), rule, config));
}
TEST_CASE("bind-pose-missing: no other rule reports the break", "[rules]") {
  CHECK(reporting(without_pose(), Severity::note) == Ids{rule});
}
TEST_CASE(
    "bind-pose-missing: clusters that store the bind make it a note, nothing at all a warning",
    "[rules]") {
  Asset asset = without_pose();
  for (std::size_t slot = 0; slot < 6; ++slot) {
    cluster(asset, slot).transform.reset();
    cluster(asset, slot).transform_link.reset();
    asset.skins[0].joint_from_mesh[slot].reset();
  }
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "recorded_by") == "nothing");
}
TEST_CASE("bind-pose-missing: a file without a skin needs none", "[rules]") {
  Asset asset = without_pose();
  asset.skins.clear();
  asset.bindings.clear();
  CHECK(silent(asset, rule));
}
