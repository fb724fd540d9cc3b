#include <catch2/catch.hpp>

#include "support/fbx_form.h"
#include "support/rule_run.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-joint-repeated";
const ElementRef first_skin{ElementKind::skin, 0, 0};

/// A seventh slot that names joint 2 again.
Rig repeated() {
  Rig rig = chain_rig();
  rig.skins[0].joints.push_back(2);
  rig.bind_at_rest();
  return rig;
}
Asset without_joints() {
  Asset asset = to_asset(chain_rig());
  asset.skins[0].joints.clear();
  asset.skins[0].joint_ids.clear();
  asset.skins[0].joint_from_mesh.clear();
  asset.skins[0].matrix_count.reset();
  return asset;
}
}  // namespace

TEST_CASE("skeleton-joint-repeated: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("skeleton-joint-repeated: one finding, slot and joint named", "[rules]") {
  const std::vector<Finding> found = findings_of(to_asset(repeated()), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_skin);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 1);
  CHECK(number(found[0], "joints") == 7);
  CHECK(number(found[0], "different_joints") == 6);
  REQUIRE(found[0].samples.size() == 1);
  CHECK(found[0].samples[0].index == 6);
  CHECK(found[0].samples[0].value == 2);
  CHECK(found[0].samples[0].label == "joint2");
}

TEST_CASE("skeleton-joint-repeated: a skin without joints", "[rules]") {
  const std::vector<Finding> found = findings_of(without_joints(), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_skin);
  CHECK(number(found[0], "joints") == 0);
  CHECK(reporting(without_joints()) == std::set<std::string>{rule});
}

TEST_CASE("skeleton-joint-repeated: a node may serve several skins, and FBX clusters may share",
          "[rules]") {
  Rig rig = chain_rig();
  rig.skins.push_back(rig.skins[0]);
  CHECK(findings_of(to_asset(rig), rule).empty());
  CHECK(findings_of(to_fbx_asset(repeated()), rule).empty());
}

TEST_CASE("skeleton-joint-repeated: the configuration's severity, and no other rule", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(only_severity(to_asset(repeated()), rule, config) == Severity::note);
  CHECK(reporting(to_asset(repeated())) == std::set<std::string>{rule});
}
