#include "engine/config_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/config_schema.h"
#include "support/json_schema.h"

using namespace skinlint;

namespace {
ConfigFile good(const std::string& text) {
  const auto config = parse_config(text);
  INFO((config ? std::string() : config.error()));
  REQUIRE(config.has_value());
  return *config;
}
std::string bad(const std::string& text) {
  const auto config = parse_config(text);
  return config ? std::string() : config.error();
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("a configuration file says what its keys say", "[engine]") {
  const ConfigFile c = good(R"({ // a comment
    "$schema": "config.schema.json", "profile": "unreal", "fail_on": "never",
    "zero_weight": "fallback:root", "extensions": [".FBX", "glb"], "exclude": ["**/wip/**"],
    "rules": { "weights-influence-limit": { "severity": "error", "limit": 8 },
               "skeleton-roots": { "tops_level": "error" }, "transform-pivots": "off" },
    "overrides": [ { "paths": ["props/**"], "rules": { "weights-sum": "note" } } ],
    /* another */
    "waivers": [ { "path": "hero/*.fbx", "rule": "bind-rest-differs", "element": "body",
                   "reason": "posed on purpose", "expires": "2027-03-01" } ] })");
  CHECK(c.profile == "unreal");
  CHECK(c.fail_on == Severity::off);
  CHECK(c.zero_weight == "fallback:root");
  CHECK(*c.extensions == std::vector<std::string>{"fbx", "glb"});
  CHECK(c.exclude == std::vector<std::string>{"**/wip/**"});
  CHECK(c.rules.at("weights-influence-limit").severity == Severity::error);
  CHECK(c.rules.at("weights-influence-limit").params.at("limit") == 8.0);
  CHECK(c.rules.at("skeleton-roots").params.at("tops_level") == 3.0);
  CHECK(c.rules.at("transform-pivots").severity == Severity::off);
  REQUIRE(c.overrides.size() == 1);
  CHECK(c.overrides[0].rules.at("weights-sum").severity == Severity::note);
  REQUIRE(c.waivers.size() == 1);
  CHECK(c.waivers[0].reason == "posed on purpose");
  CHECK(good("{}").rules.empty());
}

TEST_CASE("slips in a configuration are named with their place and the nearest name", "[engine]") {
  struct Row {
    const char* text;
    const char* place;
    const char* hint;
  };
  for (const Row& row : {
           Row{R"({"profil": "unreal"})", "profil", "profile"},
           Row{R"({"profile": "unrael"})", "profile", "unreal"},
           Row{R"({"rules": {"weights-sums": "off"}})", "rules", "weights-sum"},
           Row{R"({"rules": {"weights-sum": "warn"}})", "rules.weights-sum", "warning"},
           Row{R"({"rules": {"weights-sum": {"nota": 1}}})", "rules.weights-sum", "note"},
           Row{R"({"rules": {"weights-sum": {"note": 7}}})", "rules.weights-sum.note", "range"},
           Row{R"({"rules": {"weights-sum": {"note": "x"}}})", "rules.weights-sum.note", "number"},
           Row{R"({"rules": {"weights-sum": 3}})", "rules.weights-sum", "level"},
           Row{R"({"rules": []})", "rules", "object"},
           Row{R"({"fail_on": "off"})", "fail_on", "never"},
           Row{R"({"zero_weight": "root"})", "zero_weight", "fallback"},
           Row{R"({"overrides": [{"paths": ["a"]}]})", "overrides[0]", "rules"},
           Row{R"({"overrides": [{"paths": "a", "rules": {}}]})", "overrides[0].paths", "list"},
           Row{R"({"waivers": [{"path": "a", "rule": "weights-sum"}]})", "waivers[0]", "reason"},
           Row{R"({"waivers": [{"path": "a", "rule": "weights-sum", "reason": ""}]})",
               "waivers[0].reason", "empty"},
           Row{R"({"waivers": [{"path": "a", "rule": "x", "reason": "y"}]})", "waivers[0].rule",
               "unknown"},
           Row{R"({"waivers": [{"path": "a", "rule": "weights-sum", "reason": "y",
                  "expires": "2027-02-30"}]})",
               "waivers[0].expires", "2027-03-01"},
           Row{R"({"profile": "unreal", "profile": "unity"})", "profile", "twice"},
           Row{"{\n\n  \"rules\": {,}\n}", "line 3", "JSON"},
           Row{"[]", "", "object"},
           Row{"", "line 1", "JSON"},
       }) {
    const std::string error = bad(row.text);
    INFO(row.text << " -> " << error);
    CHECK(has(error, row.place));
    CHECK(has(error, row.hint));
  }
}

TEST_CASE("dates are days of the calendar", "[engine]") {
  for (const char* date : {"2027-03-01", "2024-02-29", "2000-02-29", "1999-12-31"})
    CHECK(is_date(date));
  for (const char* date : {"2027-02-29", "1900-02-29", "2027-13-01", "2027-00-10", "2027-04-31",
                           "2027-4-01", "27-04-01", "", "2027-04-01T", "2o27-04-01"}) {
    INFO(date);
    CHECK_FALSE(is_date(date));
  }
}

TEST_CASE("the default configuration and the schema fit each other and the rules", "[engine]") {
  const std::string text = default_config();
  const ConfigFile defaults = good(text);
  for (const Rule* rule : all_rules()) {
    if (rule->info.params.empty()) continue;
    const auto found = defaults.rules.find(rule->info.id);
    INFO(rule->info.id);
    REQUIRE(found != defaults.rules.end());
    for (const ParamInfo& param : rule->info.params)
      CHECK(found->second.params.at(std::string(param.name)) == param.default_value);
  }
  const auto document = nlohmann::json::parse(text, nullptr, true, true);
  const auto schema = nlohmann::json::parse(config_schema());
  CHECK(test::schema_errors(schema, document).empty());
  const auto wrong = nlohmann::json::parse(R"({"rules": {"weights-sums": "off"}})");
  CHECK_FALSE(test::schema_errors(schema, wrong).empty());
}

TEST_CASE("docs/config.schema.json is what the rules say", "[engine][project]") {
  std::ifstream stream(std::string(SKINLINT_SOURCE_DIR) + "/docs/config.schema.json",
                       std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream page;
  page << stream.rdbuf();
  INFO("./run config --schema >docs/config.schema.json writes it anew");
  CHECK((page.str() == config_schema()));
}
