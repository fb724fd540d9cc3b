#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "rules/rule.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("wrong usage names the nearest valid name", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  struct Row {
    std::vector<std::string> arguments;
    std::string suggested;
  };
  const Row rows[] = {
      {{"chekc", "a.glb"}, "\"check\""},
      {{"rule"}, "\"rules\""},
      {{"a.glb"}, "skinlint check a.glb"},
      {{"check", "a.glb", "--slect", "weights-sum"}, "--select"},
      {{"check", "a.glb", "--allow-emtpy"}, "--allow-empty"},
      {{"check", "a.glb", "--max-sample=3"}, "--max-samples"},
      {{"inspect", "a.glb", "--jsn"}, "--json"},
      {{"check", "a.glb", "--report", "jsno"}, "\"json\""},
      {{"check", "a.glb", "--report", "yaml"}, "one of: text, json"},
      {{"check", "a.glb", "--fail-on", "warnings"}, "\"warning\""},
      {{"check", "a.glb", "--color", "alway"}, "\"always\""},
      {{"check", "a.glb", "--select", "weight-negative"}, "\"weights-negative\""},
      {{"check", "a.glb", "--ignore", "weights-sum,weights-zero-sun"}, "\"weights-zero-sum\""},
      {{"check", "a.glb", "--severity", "weights-negatve=note"}, "\"weights-negative\""},
      {{"check", "a.glb", "--severity", "weights-negative=warn"}, "\"warning\""},
      {{"explain", "weights-negativ"}, "\"weights-negative\""},
      {{"check", "a.glb", "--zero-weight", "fallback"}, "fallback:JOINT"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.arguments);
    const ToolRun run = run_tool(place, row.arguments);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    INFO(run.err);
    CHECK(holds(run.err, row.suggested));
    CHECK(holds(run.err, "--help"));
  }
}

TEST_CASE("parameters are checked by name, form and range", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  const Rule* rule = nullptr;
  for (const Rule* candidate : all_rules()) {
    if (rule == nullptr && !candidate->info.params.empty() &&
        candidate->info.params[0].name.size() > 4) {
      rule = candidate;
    }
  }
  REQUIRE(rule != nullptr);
  const std::string id(rule->info.id);
  const ParamInfo& param = rule->info.params[0];
  const std::string name(param.name);
  const auto set = [&](const std::string& text) {
    return run_tool(place, {"check", "a.glb", "--set", text});
  };
  CHECK(set(id + "." + name + "=" + std::to_string(param.default_value)).status == 0);
  CHECK(set(id + "." + name + "=lots").status == 2);
  CHECK(set(id + "." + name + "=").status == 2);
  CHECK(set(id + "." + name + "=nan").status == 2);
  CHECK(set(id + "." + name + "=1e300").status == 2);
  CHECK(set(id + "." + name).status == 2);
  CHECK(set(id + "=1").status == 2);
  const ToolRun typo = set(id + "." + name.substr(0, name.size() - 1) + "=1");
  CHECK(typo.status == 2);
  CHECK(holds(typo.err, "\"" + name + "\""));
}

TEST_CASE("other slips are status 2 as well", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {},
           {"check"},
           {"check", "a.glb", "--report"},
           {"check", "a.glb", "--report", "json="},
           {"check", "a.glb", "--report", "json", "--report", "text"},
           {"check", "a.glb", "--report", "json=x", "--report", "text=x"},
           {"check", "a.glb", "--max-samples", "-1"},
           {"check", "a.glb", "--max-samples", "100000"},
           {"check", "a.glb", "--max-samples", "many"},
           {"check", "a.glb", "--severity", "weights-negative"},
           {"explain"},
           {"rules", "extra"}}) {
    const ToolRun run = run_tool(place, arguments);
    CAPTURE(arguments.size(), run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_FALSE(run.err.empty());
  }
}

TEST_CASE("an option's value does not swallow the path after it", "[cli]") {
  const Workplace place;
  place.write_rig("a.glb", chain_rig(3, 6, 4));
  CHECK(run_tool(place, {"check", "--select", "weights-negative", "a.glb"}).status == 0);
  CHECK(run_tool(place, {"check", "--report", "text", "a.glb"}).status == 0);
  CHECK(run_tool(place, {"check", "--ignore", "weights-sum", "--ignore", "weights-negative",
                         "--quiet", "a.glb"})
            .status == 0);
}

TEST_CASE("help and version", "[cli]") {
  const Workplace place;
  const ToolRun help = run_tool(place, {"--help"});
  CHECK(help.status == 0);
  for (const char* part : {"check", "inspect", "rules", "explain", "Exit status"}) {
    CHECK(holds(help.out, part));
  }
  for (const char* command : {"check", "inspect", "rules", "explain"}) {
    const ToolRun run = run_tool(place, {command, "--help"});
    CHECK(run.status == 0);
    CHECK(holds(run.out, std::string("Usage: skinlint ") + command));
    CHECK(run.err.empty());
  }
  const ToolRun version = run_tool(place, {"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.find("skinlint ") == 0);
  CHECK(holds(version.out, "simdjson"));
}

TEST_CASE("rules lists every rule, explain shows each", "[cli]") {
  const Workplace place;
  const ToolRun list = run_tool(place, {"rules"});
  const json all = json::parse(run_tool(place, {"rules", "--json"}).out);
  CHECK(all["schema"] == "skinlint-rules/1");
  REQUIRE(all["rules"].size() == all_rules().size());
  std::size_t i = 0;
  for (const Rule* rule : all_rules()) {
    const std::string id(rule->info.id);
    CAPTURE(id);
    CHECK(holds(list.out, id));
    CHECK(all["rules"][i]["id"] == id);
    CHECK(all["rules"][i]["params"].size() == rule->info.params.size());
    ++i;
    const ToolRun explained = run_tool(place, {"explain", id});
    CHECK(explained.status == 0);
    CHECK(explained.out.find(id) == 0);
    for (const ParamInfo& param : rule->info.params) {
      CHECK(holds(explained.out, std::string(param.name)));
    }
  }
}
