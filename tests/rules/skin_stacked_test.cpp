#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skin-stacked";

Rig second_node() {
  Rig rig = chain_rig(6);
  RigNode copy;
  copy.name = "copy";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 0, 0});
  rig.nodes.push_back(copy);
  return rig;
}
Asset second_skin() {
  Asset asset = to_fbx_asset(chain_rig(6));
  asset.skins.push_back(asset.skins[0]);
  asset.bindings.push_back(asset.bindings[0]);
  asset.bindings[1].skin = 1;
  return asset;
}
}  // namespace

TEST_CASE("skin-stacked: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("skin-stacked: one skinned geometry under two nodes", "[rules]") {
  const Finding found = only(to_fbx_asset(second_node()), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::mesh, 0, 0});
  CHECK(number(found, "nodes") == 2);
  CHECK(number(found, "skins") == 1);
  CHECK(found.count == 2);
}
TEST_CASE("skin-stacked: two skins on one geometry", "[rules]") {
  const Finding found = only(second_skin(), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "skins") == 2);
  CHECK(number(found, "nodes") == 1);
}
TEST_CASE("skin-stacked: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::error;
  CHECK(severity(to_fbx_asset(second_node()), rule, config) == Severity::error);
}
TEST_CASE("skin-stacked: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_fbx_asset(second_node())) == Ids{rule});
}
TEST_CASE("skin-stacked: glTF may do both", "[rules]") {
  CHECK(silent(second_node(), rule));
  Asset asset = second_skin();
  asset.format = Format::glb;
  CHECK(silent(asset, rule));
}
TEST_CASE("skin-stacked: a second skin without clusters is skin-broken's", "[rules]") {
  Asset asset = second_skin();
  Skin& second = asset.skins[1];
  second.joints.clear();
  second.joint_ids.clear();
  second.joint_from_mesh.clear();
  second.clusters.clear();
  CHECK(silent(asset, rule));
}
TEST_CASE("skin-stacked: an unskinned geometry may be shared", "[rules]") {
  Asset asset = to_fbx_asset(second_node());
  asset.bindings.clear();
  CHECK(silent(asset, rule));
}
