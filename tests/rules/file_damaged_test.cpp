#include <catch2/catch.hpp>

#include "support/rig.h"
#include "support/rule_run.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "file-damaged";
const ElementRef accessor{ElementKind::accessor, 3, 0};
Asset damaged(const std::vector<Repair>& repairs) {
  Asset asset = to_asset(chain_rig());
  asset.repairs = repairs;
  return asset;
}
Repair repair(Repair::Kind kind, bool affects_skinning, const ElementRef& element,
              std::uint64_t count = 1) {
  return {kind, affects_skinning, element, count, "detail", "/accessors/3"};
}
}  // namespace

TEST_CASE("file-damaged: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
}

TEST_CASE("file-damaged: error when skinning is affected, else a warning", "[rules]") {
  const auto kind = Repair::Kind::out_of_bounds;
  CHECK(only_severity(damaged({repair(kind, true, accessor)}), rule) == Severity::error);
  CHECK(only_severity(damaged({repair(kind, false, accessor)}), rule) == Severity::warning);
}

TEST_CASE("file-damaged: one finding per element and kind, counts added, the worst decides",
          "[rules]") {
  const std::vector<Finding> found =
      findings_of(damaged({repair(Repair::Kind::out_of_bounds, false, accessor, 2),
                           repair(Repair::Kind::truncated, false, accessor),
                           repair(Repair::Kind::out_of_bounds, true, accessor, 3),
                           repair(Repair::Kind::out_of_bounds, false, {})}),
                  rule);
  REQUIRE(found.size() == 3);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].element == accessor);
  CHECK(found[0].count == 5);
  CHECK(found[0].locator == "/accessors/3");
  CHECK(words_of(found[0], "kind") == "data out of bounds");
  CHECK(found[1].severity == Severity::warning);
  CHECK(found[2].severity == Severity::warning);
}

TEST_CASE("file-damaged: the configuration's severity", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  const Asset asset = damaged({repair(Repair::Kind::truncated, true, accessor)});
  CHECK(only_severity(asset, rule, config) == Severity::note);
}

TEST_CASE("file-damaged: later rules pass over what is damaged and say so", "[rules]") {
  Asset asset =
      damaged({repair(Repair::Kind::dangling_reference, true, {ElementKind::skin, 0, 0})});
  asset.skins[0].joint_ids[1] = asset.skins[0].joint_ids[0];
  CHECK(reporting(asset) == std::set<std::string>{rule});
  const FileResult result = check_asset(asset, "test", {});
  bool skipped = false;
  for (const SkippedCheck& check : result.skipped) {
    skipped = skipped || (check.rule == "skeleton-joint-repeated" && check.because == rule);
  }
  CHECK(skipped);
}

TEST_CASE("file-damaged: what the format has a default for is not damage", "[rules]") {
  Asset asset = to_asset(chain_rig());
  asset.scenes.clear();
  asset.default_scene = -1;
  CHECK(findings_of(asset, rule).empty());
}

TEST_CASE("file-damaged: FBX connections to what the export left out are a note", "[rules]") {
  Asset asset = damaged({repair(Repair::Kind::dangling_reference, false, {}, 40)});
  CHECK(only_severity(asset, rule) == Severity::warning);
  asset.format = Format::fbx_binary;
  CHECK(only_severity(asset, rule) == Severity::note);
  asset.repairs[0].affects_skinning = true;
  CHECK(only_severity(asset, rule) == Severity::error);
}
