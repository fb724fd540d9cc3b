// check over folders as CI uses it: configuration files, baselines, shards, jobs, isolation.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run_tool.h"

using namespace skinlint::test;
using nlohmann::json;

namespace {

/// Three files: one clean, one with errors, one that is no asset.
void fill(const Workplace& place) {
  place.write_rig("hero/good.glb", chain_rig());
  place.write_rig("hero/bad.glb", broken_rig());
  place.write("hero/torn.glb", "glTF");
}
json report_of(const Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  arguments.insert(arguments.end(), {"--report", "json"});
  const ToolRun run = run_tool(place, arguments);
  INFO(run.err);
  const json report = json::parse(run.out, nullptr, false);
  REQUIRE(report.is_object());
  return report;
}
const json& file_of(const json& report, const std::string& path) {
  for (const json& file : report["files"]) {
    if (file["path"] == path) return file;
  }
  FAIL("no " << path);
  return report;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the nearest configuration file upward rules a file", "[cli]") {
  const Workplace place;
  fill(place);
  place.write_rig("props/bad.glb", broken_rig());
  place.write(".skinlint.json", R"({ "rules": { "weights-negative": "warning" } })");
  place.write("props/.skinlint.json",
              R"({ "rules": { "weights-negative": "off", "weights-above-one": "off" } })");
  const json report = report_of(place, {"hero/bad.glb", "props"});
  CHECK(file_of(report, "hero/bad.glb")["config"] == ".skinlint.json");
  CHECK(file_of(report, "hero/bad.glb")["findings"][0]["severity"] == "warning");
  CHECK(file_of(report, "props/bad.glb")["config"] == "props/.skinlint.json");
  CHECK(file_of(report, "props/bad.glb")["findings"].empty());
  CHECK(run_tool(place, {"check", "hero/bad.glb", "props"}).status == 0);
  CHECK(run_tool(place, {"check", "hero/bad.glb", "--config", "props/.skinlint.json"}).status == 0);
}

TEST_CASE("overrides go over rules, the command line over all", "[cli]") {
  const Workplace place;
  fill(place);
  place.write(".skinlint.json",
              R"({ "rules": { "weights-negative": "note" },
                   "overrides": [ { "paths": ["hero/**"],
                                    "rules": { "weights-negative": "warning" } } ] })");
  CHECK(file_of(report_of(place, {"hero/bad.glb"}), "hero/bad.glb")["findings"][0]["severity"] ==
        "warning");
  const json given = report_of(place, {"hero/bad.glb", "--severity", "weights-negative=error"});
  CHECK(file_of(given, "hero/bad.glb")["findings"][0]["severity"] == "error");
}

TEST_CASE("fail_on, exclude and extensions come from the file", "[cli]") {
  const Workplace place;
  fill(place);
  place.write_rig("hero/wip/bad.glb", broken_rig());
  place.write(".skinlint.json", R"({ "fail_on": "never", "exclude": ["**/wip/**", "torn.glb"] })");
  const json report = report_of(place, {"hero"});
  CHECK(report["files"].size() == 2);
  CHECK(run_tool(place, {"check", "hero"}).status == 0);
  CHECK(run_tool(place, {"check", "hero", "--fail-on", "error"}).status == 1);
  // A file that is named is checked all the same.
  CHECK(run_tool(place, {"check", "hero/torn.glb"}).status == 3);
  place.write(".skinlint.json", R"({ "extensions": ["fbx"] })");
  CHECK(run_tool(place, {"check", "hero"}).status == 2);
}

TEST_CASE("a wrong configuration is status 2 and names file and place", "[cli]") {
  const Workplace place;
  fill(place);
  place.write(".skinlint.json", R"({ "rules": { "weights-negativ": "off" } })");
  const ToolRun run = run_tool(place, {"check", "hero/good.glb"});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(has(run.err, ".skinlint.json"));
  CHECK(has(run.err, "weights-negative"));
  CHECK(run_tool(place, {"check", "hero", "--config", "none.json"}).status == 2);
}

TEST_CASE("waivers accept, expired and unused ones are told", "[cli]") {
  const Workplace place;
  fill(place);
  place.write(".skinlint.json",
              R"({ "waivers": [
                   { "path": "hero/bad.glb", "rule": "weights-negative", "reason": "known",
                     "expires": "2027-03-01" },
                   { "path": "hero/good.glb", "rule": "weights-sum", "reason": "gone" } ] })");
  ToolInput before;
  before.environment = {"SOURCE_DATE_EPOCH=1796000000"};  // 2026-11-30
  const std::vector<std::string> arguments = {"check", "hero/bad.glb", "hero/good.glb", "--report",
                                              "json"};
  const ToolRun held = run_tool(place, arguments, before);
  CHECK(held.status == 0);
  const json report = json::parse(held.out);
  CHECK(report["summary"]["waived"] == 1);
  CHECK(report["summary"]["errors"] == 0);
  CHECK(file_of(report, "hero/bad.glb")["findings"][0]["waived"]["reason"] == "known");
  CHECK(report["waivers"]["unused"].size() == 1);
  ToolInput after;
  after.environment = {"SOURCE_DATE_EPOCH=1806000000"};  // 2027-03-25
  const ToolRun ended = run_tool(place, arguments, after);
  CHECK(ended.status == 1);
  CHECK(json::parse(ended.out)["waivers"]["expired"].size() == 1);
}

TEST_CASE("only findings that the baseline does not know count", "[cli]") {
  const Workplace place;
  place.write_rig("art/bad.glb", broken_rig());
  CHECK(run_tool(place, {"check", "art", "--write-baseline", "known.json"}).status == 0);
  CHECK(run_tool(place, {"check", "art", "--baseline", "known.json"}).status == 0);
  const json report = report_of(place, {"art", "--baseline", "known.json"});
  CHECK(report["summary"]["baselined"] == 1);
  CHECK(report["summary"]["clean"] == 1);
  // The folder moved with its baseline, and the asset was exported again with other numbers.
  std::filesystem::create_directories(place.path() / "moved");
  std::filesystem::rename(place.path() / "art", place.path() / "moved/art");
  std::filesystem::rename(place.path() / "known.json", place.path() / "moved/known.json");
  Rig again = broken_rig();
  again.meshes[0].parts[0].positions[0].x() += 0.001;
  place.write_rig("moved/art/bad.glb", again);
  CHECK(run_tool(place, {"check", "moved/art", "--baseline", "moved/known.json"}).status == 0);
  // A new file is new.
  place.write_rig("moved/art/other.glb", broken_rig());
  CHECK(run_tool(place, {"check", "moved/art", "--baseline", "moved/known.json"}).status == 1);
  CHECK(run_tool(place, {"check", "moved/art", "--baseline", "none.json"}).status == 2);
  place.write("junk.json", "{}");
  CHECK(run_tool(place, {"check", "moved/art", "--baseline", "junk.json"}).status == 2);
}

TEST_CASE("the report is the same for any number of jobs and in worker processes", "[cli]") {
  const Workplace place;
  fill(place);
  for (int i = 0; i < 20; ++i) {
    place.write_rig("many/f" + std::to_string(i) + ".glb", i % 3 == 0 ? broken_rig() : chain_rig());
  }
  const auto out = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"check", ".", "--report", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tool(place, arguments).out;
  };
  const std::string one = out({"--jobs", "1"});
  CHECK(json::parse(one)["files"].size() == 23);
  CHECK((out({"--jobs", "4"}) == one));
  CHECK((out({"--isolate", "always", "--jobs", "2"}) == one));
  CHECK((out({"--timeout", "30"}) == one));
}

TEST_CASE("merged shards give the bytes of the whole run", "[cli]") {
  const Workplace place;
  fill(place);
  for (int i = 0; i < 9; ++i)
    place.write_rig("many/f" + std::to_string(i) + ".glb", i % 2 == 0 ? broken_rig() : chain_rig());
  const ToolRun whole = run_tool(place, {"check", ".", "--report", "json"});
  std::vector<std::string> merge = {"merge"};
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string name = std::string("part") + shard[0] + ".txt";
    run_tool(place, {"check", ".", "--shard", shard, "--allow-empty", "--report", "json=" + name});
    merge.push_back(name);
  }
  const ToolRun merged = run_tool(place, merge);
  INFO(merged.err);
  CHECK(merged.status == whole.status);
  CHECK((merged.out == whole.out));
  std::swap(merge[1], merge[3]);
  CHECK((run_tool(place, merge).out == whole.out));
  merge.pop_back();
  CHECK(run_tool(place, merge).status == 2);
  for (const char* wrong : {"0/3", "4/3", "1", "a/b", "1/0", "-1/3"})
    CHECK(run_tool(place, {"check", ".", "--shard", wrong}).status == 2);
}

TEST_CASE("config tells each value and where it comes from", "[cli]") {
  const Workplace place;
  fill(place);
  place.write(".skinlint.json",
              R"({ "profile": "unreal", "overrides": [ { "paths": ["hero/**"],
                   "rules": { "weights-sum": { "note": 0.5 } } } ] })");
  const ToolRun run =
      run_tool(place, {"config", "hero/bad.glb", "--severity", "weights-negative=note"});
  CHECK(run.status == 0);
  const auto line = [&](const std::string& key) {
    const std::size_t at = run.out.find(key);
    return at == std::string::npos ? std::string()
                                   : run.out.substr(at, run.out.find('\n', at) - at);
  };
  CHECK(has(line("profile"), ".skinlint.json"));
  CHECK(has(line("weights-influence-limit.limit"), "8"));
  CHECK(has(line("weights-influence-limit.limit"), "profile unreal"));
  CHECK(has(line("weights-sum.note"), "0.5"));
  CHECK(has(line("weights-sum.note"), "overrides[0]"));
  CHECK(has(line("weights-negative.severity"), "command line"));
  CHECK(has(line("weights-sum.error"), "default"));
  CHECK(run_tool(place, {"config", "nowhere"}).status == 2);
  // What --default writes is a configuration.
  const ToolRun defaults = run_tool(place, {"config", "--default"});
  place.write(".skinlint.json", defaults.out);
  CHECK(run_tool(place, {"check", "hero/good.glb"}).status == 0);
}
