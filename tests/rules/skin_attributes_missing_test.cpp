#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skin-attributes-missing";

Rig with_second_part(bool weights) {
  Rig rig = chain_rig();
  rig.meshes[0].parts.push_back(rig.meshes[0].parts[0]);
  if (!weights) rig.meshes[0].parts[1].influences.clear();
  return rig;
}
Rig without_weights() {
  Rig rig = chain_rig();
  rig.meshes[0].parts[0].influences.clear();
  return rig;
}
Rig without_skin() {
  Rig rig = chain_rig();
  rig.instances[0].skin = -1;
  return rig;
}
}  // namespace

TEST_CASE("skin-attributes-missing: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(with_second_part(true)), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("skin-attributes-missing: a skin without weights", "[rules]") {
  const std::vector<Finding> found = findings_of(to_asset(with_instance(without_weights())), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::error);
  CHECK(words_of(found[0], "problem") == "skin without weights");
  CHECK(number(found[0], "vertices_without_weights") == 192);
  CHECK(number(found[0], "instances") == 2);
}

TEST_CASE("skin-attributes-missing: parts that differ", "[rules]") {
  const std::vector<Finding> found = findings_of(to_asset(with_second_part(false)), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::error);
  CHECK(words_of(found[0], "problem") == "parts differ");
  CHECK(number(found[0], "parts") == 2);
  REQUIRE(found[0].related.size() == 1);
  CHECK(found[0].related[0] == ElementRef{ElementKind::part, 0, 1});
}

TEST_CASE("skin-attributes-missing: weights without a skin", "[rules]") {
  const std::vector<Finding> found = findings_of(to_asset(without_skin()), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == ElementRef{ElementKind::mesh, 0, 0});
  CHECK(found[0].severity == Severity::warning);
  CHECK(number(found[0], "vertices_with_weights") == 192);
}

TEST_CASE("skin-attributes-missing: shown with a skin elsewhere, or not shown at all", "[rules]") {
  Rig rig = with_instance(chain_rig());
  rig.instances[1].skin = -1;
  CHECK(findings_of(to_asset(rig), rule).empty());
  Rig hidden = chain_rig();
  hidden.instances.clear();
  CHECK(findings_of(to_asset(hidden), rule).empty());
}

TEST_CASE("skin-attributes-missing: declared and unreadable is not missing", "[rules]") {
  Asset asset = to_asset(chain_rig());
  asset.influences[0].sets[0].weights.data = nullptr;
  CHECK(findings_of(asset, rule).empty());
  asset.bindings[0].influences[0] = -1;
  CHECK(findings_of(asset, rule).empty());
}

TEST_CASE("skin-attributes-missing: a broken skin reference is file-damaged's", "[rules]") {
  Asset asset = to_asset(without_skin());
  asset.repairs.push_back(
      {Repair::Kind::dangling_reference, true, {ElementKind::node, 6, 0}, 1, "no such skin", {}});
  CHECK(reporting(asset) == std::set<std::string>{"file-damaged"});
}

TEST_CASE("skin-attributes-missing: the configuration's severity, and no other rule", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(only_severity(to_asset(without_weights()), rule, config) == Severity::note);
  CHECK(reporting(to_asset(without_weights())) == std::set<std::string>{rule});
  CHECK(reporting(to_asset(with_second_part(false))) == std::set<std::string>{rule});
  CHECK(reporting(to_asset(without_skin())) == std::set<std::string>{rule});
}
