#include <catch2/catch.hpp>

#include "support/rig.h"
#include "support/rule_run.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "file-unsupported";
Asset with_extension(bool required, bool about_skinning) {
  Asset asset = to_asset(chain_rig());
  asset.unsupported.push_back({"EXT_example", required, about_skinning, "its weights"});
  return asset;
}
}  // namespace

TEST_CASE("file-unsupported: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
}

TEST_CASE("file-unsupported: error when required, warning when about skinning", "[rules]") {
  struct Row {
    bool required, about_skinning;
    Severity severity;
  };
  for (const Row& row : {Row{true, false, Severity::error}, Row{true, true, Severity::error},
                         Row{false, true, Severity::warning}, Row{false, false, Severity::off}}) {
    CHECK(only_severity(with_extension(row.required, row.about_skinning), rule) == row.severity);
  }
  const std::vector<Finding> found = findings_of(with_extension(true, false), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == ElementRef{ElementKind::extension, 0, 0});
  CHECK(words_of(found[0], "extension") == "EXT_example");
  CHECK(words_of(found[0], "required") == "yes");
}

TEST_CASE("file-unsupported: one finding per extension, and the configuration's severity",
          "[rules]") {
  Asset asset = with_extension(true, false);
  asset.unsupported.push_back({"EXT_other", false, true, {}});
  CHECK(findings_of(asset, rule).size() == 2);
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(only_severity(with_extension(true, false), rule, config) == Severity::note);
}

TEST_CASE("file-unsupported: no other rule reports the break", "[rules]") {
  CHECK(reporting(with_extension(true, false), Severity::note) == std::set<std::string>{rule});
}
