#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skin-broken";

Asset boneless() {
  Asset asset = fbx_chain();
  asset.skins[0].joints[3] = -1;
  return asset;
}
Asset skinless() {
  Asset asset = fbx_chain();
  asset.skins.clear();
  asset.bindings.clear();
  asset.bind_poses.clear();
  for (Node& node : asset.nodes) node.skin = -1;
  return asset;
}
}  // namespace

TEST_CASE("skin-broken: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("skin-broken: a cluster without bone", "[rules]") {
  const Finding found = only(boneless(), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(found.samples.at(0).label == "joint3");
  CHECK(number(found, "entries") > 0);
}
TEST_CASE("skin-broken: a skin without clusters", "[rules]") {
  Asset asset = fbx_chain();
  Skin empty;
  empty.name = "empty";
  asset.skins.push_back(empty);
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 1, 0});
  CHECK(words_of(found, "problem") == "no clusters");
}
TEST_CASE("skin-broken: bones, a mesh, and no skin", "[rules]") {
  const Finding found = only(skinless(), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element.kind == ElementKind::file);
  CHECK(number(found, "bones") == 6);
}
TEST_CASE("skin-broken: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(severity(skinless(), rule, config) == Severity::note);
}
TEST_CASE("skin-broken: no other rule reports the break", "[rules]") {
  CHECK(reporting(boneless()) == Ids{rule});
  CHECK(reporting(skinless()) == Ids{rule});
}
TEST_CASE("skin-broken: bones without a mesh are a skeleton or an animation", "[rules]") {
  Asset asset = skinless();
  for (Node& node : asset.nodes) node.mesh = -1;
  asset.meshes.clear();
  CHECK(silent(asset, rule));
}
TEST_CASE("skin-broken: a mesh that hangs on a bone moves rigidly", "[rules]") {
  Asset asset = skinless();
  const std::int32_t mesh = node_of(asset, "tube"), bone = node_of(asset, "joint2");
  asset.nodes[static_cast<std::size_t>(mesh)].parent = bone;
  asset.nodes[static_cast<std::size_t>(bone)].children.push_back(mesh);
  CHECK(silent(asset, rule));
}
TEST_CASE("skin-broken: a cluster without bone that lists no vertices", "[rules]") {
  Asset asset = boneless();
  cluster(asset, 3).index_count = 0;
  CHECK(silent(asset, rule));
}
TEST_CASE("skin-broken: a single bone is a locator", "[rules]") {
  Asset asset = skinless();
  for (const char* name : {"joint1", "joint2", "joint3", "joint4", "joint5"}) {
    node(asset, name).attribute = "Null";
  }
  CHECK(silent(asset, rule));
  CHECK(severity(asset, rule, with_param(rule, "bones", 1)) == Severity::warning);
}
