#include "reports/sarif_rules.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "reports/finding_text.h"

using namespace skinlint;
using nlohmann::json;

namespace {

template <class Write>
json written(Write write) {
  std::ostringstream out;
  JsonWriter w(out);
  write(w);
  w.finish();
  return json::parse(out.str());
}

}  // namespace

TEST_CASE("SARIF declares every rule and every kind of failure at its index", "[reports]") {
  const json rules = written([](JsonWriter& w) { write_sarif_rules(w); });
  REQUIRE(rules.size() == all_rules().size() + file_failures().size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const json& rule = rules[i];
    INFO(rule["id"]);
    CHECK(sarif_rule_index(rule["id"].get<std::string>()) == static_cast<std::int64_t>(i));
    CHECK(names.insert(rule["name"]).second);
    // GitHub's limits.
    CHECK(rule["id"].get<std::string>().size() <= 255);
    CHECK(rule["name"].get<std::string>().size() <= 255);
    CHECK(rule["shortDescription"]["text"].get<std::string>().size() <= 1024);
    CHECK(rule["fullDescription"]["text"].get<std::string>().size() <= 1024);
    const json& tags = rule["properties"]["tags"];
    CHECK(tags.size() <= 10);
    CHECK(std::set<json>(tags.begin(), tags.end()).size() == tags.size());
    CHECK_FALSE(rule["help"]["text"].get<std::string>().empty());
  }
  CHECK(sarif_rule_index("no-such-rule") == -1);
}

TEST_CASE("a rule in SARIF has its severity and the steps for each tool", "[reports]") {
  const json rules = written([](JsonWriter& w) { write_sarif_rules(w); });
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    INFO(info.id);
    const json& made = rules[static_cast<std::size_t>(sarif_rule_index(info.id))];
    CHECK(made["defaultConfiguration"]["level"] == severity_name(info.severity));
    CHECK(made["defaultConfiguration"]["enabled"] == info.on_by_default);
    CHECK(made["shortDescription"]["text"] == info.summary);
    const std::string text = made["help"]["text"];
    for (const std::string_view part :
         {info.why, info.remedy.action, info.remedy.maya, info.remedy.max, info.remedy.blender}) {
      CHECK(text.find(part) != std::string::npos);
    }
    const std::string markdown = made["help"]["markdown"];
    if (!info.remedy.blender.empty()) CHECK(markdown.find("- **Blender:** ") != std::string::npos);
  }
  const json& first = rules[static_cast<std::size_t>(sarif_rule_index("bind-matrix-singular"))];
  CHECK(first["name"] == "BindMatrixSingular");
}

TEST_CASE("what the configuration changes of the rules is told", "[reports]") {
  const auto overrides = [](const CheckConfig& config) {
    return written([&](JsonWriter& w) { write_sarif_overrides(w, config); });
  };
  CHECK(overrides({}).empty());
  CheckConfig config;
  config.severities["weights-sum"] = Severity::note;
  config.severities["weights-negative"] = Severity::off;
  config.severities["weights-zero-with-joint"] =
      find_rule("weights-zero-with-joint")->info.severity;
  config.ignore = {"skin-broken"};
  std::map<std::string, json> by_id;
  for (const json& one : overrides(config)) {
    CHECK(one["descriptor"]["index"] ==
          sarif_rule_index(one["descriptor"]["id"].get<std::string>()));
    by_id[one["descriptor"]["id"]] = one["configuration"];
  }
  CHECK(by_id.size() == 4);
  CHECK(by_id["weights-sum"] == json({{"level", "note"}}));
  CHECK(by_id["weights-negative"] == json({{"enabled", false}}));
  CHECK(by_id["weights-zero-with-joint"] == json({{"enabled", true}}));
  CHECK(by_id["skin-broken"] == json({{"enabled", false}}));

  config = {};
  config.select = {"weights-sum"};
  const json selected = overrides(config);
  std::size_t on = 0;
  for (const Rule* rule : all_rules()) on += rule->info.on_by_default ? 1U : 0U;
  CHECK(selected.size() == on - 1);
}
