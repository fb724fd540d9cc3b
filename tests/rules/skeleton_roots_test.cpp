#include <catch2/catch.hpp>

#include "support/fbx_form.h"
#include "support/rule_run.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-roots";
const ElementRef first_skin{ElementKind::skin, 0, 0};

/// The chain cut above joint 3, which stays where it is.
Rig cut() {
  Rig rig = chain_rig();
  rig.nodes[3].parent = -1;
  rig.nodes[3].translation = Vec3(0, 3, 0);
  return rig;
}
std::string problem(const Asset& asset) {
  const std::vector<Finding> found = findings_of(asset, rule);
  return found.size() == 1 ? words_of(found[0], "problem") : std::to_string(found.size());
}
}  // namespace

TEST_CASE("skeleton-roots: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(humanoid_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("skeleton-roots: joints without a common root", "[rules]") {
  const std::vector<Finding> found = findings_of(to_asset(cut()), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_skin);
  CHECK(found[0].severity == Severity::error);
  CHECK(words_of(found[0], "problem") == "no-common-root");
  CHECK(number(found[0], "roots") == 2);
  CHECK(found[0].related.size() == 2);
  CHECK(only_severity(to_fbx_asset(cut()), rule) == Severity::note);
}

TEST_CASE("skeleton-roots: skin.skeleton must be above all joints and be there", "[rules]") {
  Rig rig = chain_rig();
  rig.skins[0].skeleton = 0;
  CHECK(findings_of(to_asset(rig), rule).empty());
  rig.skins[0].skeleton = 1;
  CHECK(problem(to_asset(rig)) == "skeleton-not-above-joints");
  rig.skins[0].skeleton = 6;  // the mesh's node
  CHECK(problem(to_asset(rig)) == "skeleton-not-above-joints");
  rig.skins[0].skeleton = 99;
  CHECK(problem(to_asset(rig)) == "skeleton-out-of-range");
}

TEST_CASE("skeleton-roots: an armature above the joints is a legal skeleton", "[rules]") {
  Rig rig = humanoid_rig();
  rig.skins[0].skeleton = 0;  // no joint
  CHECK(findings_of(to_asset(rig), rule).empty());
}

TEST_CASE("skeleton-roots: several top joints below one armature are fine", "[rules]") {
  Rig rig = cut();
  RigNode armature;
  armature.name = "armature";
  rig.nodes.push_back(armature);
  rig.nodes[0].parent = rig.nodes[3].parent = static_cast<int>(rig.nodes.size()) - 1;
  CHECK(findings_of(to_asset(rig), rule).empty());
  CHECK(findings_of(to_fbx_asset(rig), rule).empty());
}

TEST_CASE("skeleton-roots: a scene that shows the mesh holds the joints", "[rules]") {
  Rig rig = chain_rig();
  rig.scenes = {{0, 6}};
  CHECK(findings_of(to_asset(rig), rule).empty());
  rig.scenes = {{6}, {0}};
  CHECK(problem(to_asset(rig)) == "joints-outside-scene");
  rig.scenes = {{0, 6}, {6}};
  CHECK(problem(to_asset(rig)) == "joints-outside-scene");
}

TEST_CASE("skeleton-roots: no scenes, or none with the mesh, is no fault", "[rules]") {
  Rig rig = chain_rig();
  rig.scenes = {{0}};
  CHECK(findings_of(to_asset(rig), rule).empty());
  Asset none = to_asset(chain_rig());
  none.scenes.clear();
  none.default_scene = -1;
  CHECK(findings_of(none, rule).empty());
}

TEST_CASE("skeleton-roots: the configuration's severity, and no other rule", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::error;
  CHECK(only_severity(to_fbx_asset(cut()), rule, config) == Severity::error);
  CHECK(reporting(to_asset(cut())) == std::set<std::string>{rule});
}
