#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-pose-incomplete";

Asset lacking(const std::string& name) {
  Asset asset = to_fbx_asset(humanoid_rig());
  forget(asset, name);
  return asset;
}
}  // namespace

TEST_CASE("bind-pose-incomplete: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-pose-incomplete: a deforming joint is missing", "[rules]") {
  const Finding found = only(lacking("upper_arm.R"), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::bind_pose, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "deforming") == 1);
  REQUIRE(found.related.size() == 1);
  CHECK(found.related[0].kind == ElementKind::joint);
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].label == "upper_arm.R (deforming)");
}
TEST_CASE("bind-pose-incomplete: an ancestor between joints is missing", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode group;
  group.name = "group";
  group.parent = rig.node("joint2");
  const int index = static_cast<int>(rig.nodes.size());
  rig.nodes.push_back(group);
  node(rig, "joint3").parent = index;
  Asset asset = to_fbx_asset(rig);
  CHECK(silent(asset, rule));
  forget(asset, "group");
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "ancestors_between") == 1);
  CHECK(number(found, "deforming") == 0);
}
TEST_CASE("bind-pose-incomplete: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::error;
  CHECK(severity(lacking("upper_arm.R"), rule, config) == Severity::error);
}
TEST_CASE("bind-pose-incomplete: no other rule reports the break", "[rules]") {
  CHECK(reporting(lacking("upper_arm.R"), Severity::note) == Ids{rule});
}
TEST_CASE("bind-pose-incomplete: leaves without weight are a note", "[rules]") {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  Asset asset = to_fbx_asset(rig);
  forget(asset, "socket");
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::note);
  CHECK(number(found, "others") == 1);
}
TEST_CASE("bind-pose-incomplete: the armature above the skeleton is a note", "[rules]") {
  CHECK(severity(lacking("Armature"), rule) == Severity::note);
}
TEST_CASE("bind-pose-incomplete: the mesh's entry, or the count alone, is a note", "[rules]") {
  Asset asset = fbx_chain();
  forget(asset, "tube");
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::note);
  CHECK(number(found, "mesh_nodes") == 1);
  Asset counted_wrong = fbx_chain();
  counted_wrong.bind_poses[0].declared_count = 3;
  const Finding miscounted = only(counted_wrong, rule);
  CHECK(miscounted.severity == Severity::note);
  CHECK(number(miscounted, "wrong_counts") == 1);
}
TEST_CASE("bind-pose-incomplete: another bind pose that has the node makes up for it", "[rules]") {
  Asset asset = lacking("upper_arm.R");
  BindPose second;
  const std::int32_t index = node_of(asset, "upper_arm.R");
  second.entries.push_back(
      {0, index, *cluster(asset, static_cast<std::size_t>(index) - 1).transform_link});
  asset.bind_poses.push_back(second);
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-pose-incomplete: a skin of which no joint is posed is bind-pose-missing's",
          "[rules]") {
  Asset asset = fbx_chain();
  for (int j = 0; j < 6; ++j) forget(asset, "joint" + std::to_string(j));
  CHECK(silent(asset, rule));
}
