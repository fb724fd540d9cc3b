// What every rule must be, whoever writes it.

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "rules/rule.h"

using namespace skinlint;

TEST_CASE("registry: ids are unique, kebab-case, and found again", "[rules]") {
  static const std::regex kebab(
      "(file|weights|bind|transform|skeleton|skin|morph|mesh|clip|deform|"
      "importer)(-[a-z0-9]+)+");
  std::set<std::string> ids;
  REQUIRE(all_rules().size() >= 17);
  for (const Rule* rule : all_rules()) {
    const std::string id(rule->info.id);
    INFO(id);
    CHECK(std::regex_match(id, kebab));
    CHECK(ids.insert(id).second);
    CHECK(find_rule(id) == rule);
    CHECK(rule->check != nullptr);
  }
  CHECK(find_rule("weights") == nullptr);
  CHECK(find_rule("") == nullptr);
}

TEST_CASE("registry: stages come in order", "[rules]") {
  Stage stage = Stage::read;
  for (const Rule* rule : all_rules()) {
    INFO(rule->info.id);
    CHECK(rule->info.stage >= stage);
    stage = rule->info.stage;
  }
}

TEST_CASE("registry: within weights-* a vertex is judged in the documented order", "[rules]") {
  const std::vector<std::string> expected = {"weights-array-mismatch", "weights-joint-out-of-range",
                                             "weights-non-finite",     "weights-negative",
                                             "weights-above-one",      "weights-duplicate-joint",
                                             "weights-zero-sum",       "weights-sum",
                                             "weights-quantised-sum"};
  std::vector<std::string> found;
  for (const Rule* rule : all_rules()) {
    const std::string id(rule->info.id);
    for (const std::string& name : expected) {
      if (id == name) found.push_back(id);
    }
  }
  CHECK(found == expected);
}

TEST_CASE("registry: no text is empty, and lines end without a full stop or space", "[rules]") {
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    INFO(info.id);
    CHECK(info.severity != Severity::off);
    CHECK_FALSE(info.summary.empty());
    CHECK(info.summary.size() <= 100);
    CHECK(info.summary.back() != '.');
    CHECK_FALSE(info.why.empty());
    CHECK_FALSE(info.source.empty());
    CHECK_FALSE(info.not_a_fault_when.empty());
    for (const std::string_view when : info.not_a_fault_when) CHECK_FALSE(when.empty());
    const Remedy& remedy = info.remedy;
    for (const std::string_view text :
         {remedy.symptom, remedy.action, remedy.maya, remedy.max, remedy.blender}) {
      CHECK_FALSE(text.empty());
    }
  }
}

TEST_CASE("registry: parameters have a range that holds their default, and an origin", "[rules]") {
  static const std::regex snake("[a-z][a-z0-9_]*");
  for (const Rule* rule : all_rules()) {
    std::set<std::string> names;
    for (const ParamInfo& param : rule->info.params) {
      INFO(rule->info.id << "." << param.name);
      CHECK(std::regex_match(std::string(param.name), snake));
      CHECK(names.insert(std::string(param.name)).second);
      CHECK(param.min < param.max);
      CHECK(param.default_value >= param.min);
      CHECK(param.default_value <= param.max);
      CHECK_FALSE(param.meaning.empty());
      CHECK_FALSE(param.source.empty());
    }
  }
}

TEST_CASE("registry: severities and stages have names that lead back", "[rules]") {
  for (const Severity severity :
       {Severity::off, Severity::note, Severity::warning, Severity::error}) {
    CHECK(severity_from_name(severity_name(severity)) == severity);
  }
  CHECK_FALSE(severity_from_name("fatal").has_value());
  CHECK(stage_name(Stage::read) == "read");
  CHECK(stage_name(Stage::budget) == "budget");
}
