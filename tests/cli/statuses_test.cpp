// One folder with every kind of file: each gets its status in every report format, and the run the
// exit status that the worst of them asks for.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_tool.h"
#include "support/xml_tree.h"

using namespace skinlint::test;
using nlohmann::json;

namespace {

using Statuses = std::map<std::string, std::string>;

/// What each file of the folder comes to.
const Statuses expected = {
    {"art/good.glb", "clean"},         {"art/bad.glb", "findings"},
    {"art/torn.glb", "unreadable"},    {"art/crash.fbx", "crashed"},
    {"art/abort.fbx", "crashed"},      {"art/hang.fbx", "timeout"},
    {"art/huge.glb", "unreadable"},    {"art/claims.gltf", "findings"},
    {"art/pointer.fbx", "unreadable"},
};
Statuses failing() {
  Statuses out = expected;
  out.erase("art/good.glb");
  return out;
}

/// The rule that stands for a file's failure in formats that know only rules.
std::string status_of_rule(const std::string& rule) {
  const std::map<std::string, std::string> known = {{"file-unreadable", "unreadable"},
                                                    {"check-crashed", "crashed"},
                                                    {"check-timeout", "timeout"}};
  const auto at = known.find(rule);
  return at == known.end() ? "findings" : at->second;
}

void fill(const Workplace& place) {
  place.write_rig("art/good.glb", chain_rig());
  place.write_rig("art/bad.glb", broken_rig());
  place.write("art/torn.glb", "glTF");
  place.write("art/crash.fbx", "skinlint test hook: crash");
  place.write("art/abort.fbx", "skinlint test hook: abort");
  place.write("art/hang.fbx", "skinlint test hook: hang");
  // 3 GB of nothing behind a header: only its first bytes take room on the disk.
  place.write("art/huge.glb", std::string("glTF\2\0\0\0\0\0\0\xc0", 12));
  std::filesystem::resize_file(place.path() / "art/huge.glb", std::uintmax_t{3} << 30);
  // A few bytes that claim four thousand million vertices.
  place.write("art/claims.gltf",
              R"({ "asset": { "version": "2.0" },
                   "accessors": [ { "componentType": 5126, "count": 4294967295, "type": "VEC3" } ],
                   "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0, "JOINTS_0": 0,
                                                                   "WEIGHTS_0": 0 } } ] } ],
                   "nodes": [ { "mesh": 0, "skin": 0 } ], "skins": [ { "joints": [ 0 ] } ] })");
  place.write("art/pointer.fbx",
              "version https://git-lfs.github.com/spec/v1\noid sha256:"
              "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n");
}

Statuses in_json(const std::string& text) {
  const json report = json::parse(text);
  Statuses out;
  for (const json& file : report["files"]) {
    std::string status = file["status"];
    if (status == "checked") status = file["findings"].empty() ? "clean" : "findings";
    out[file["path"]] = status;
  }
  CHECK(report["summary"]["files"] == expected.size());
  CHECK(report["summary"]["unreadable"] == 3);
  CHECK(report["summary"]["crashed"] == 3);  // the hanging one counts with them
  return out;
}
Statuses in_sarif(const std::string& text) {
  const json run = json::parse(text)["runs"][0];
  Statuses out;
  for (const json& result : run["results"]) {
    out[result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]] =
        status_of_rule(result["ruleId"]);
  }
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["toolExecutionNotifications"].size() == 6);
  return out;
}
Statuses in_junit(const std::string& text) {
  const XmlElement root = parse_xml(text);
  Statuses out;
  for (const XmlElement* suite : root.all("testsuite")) {
    const std::vector<const XmlElement*> errors = suite->all("error");
    out[suite->at("name")] = !errors.empty()                 ? errors[0]->at("type")
                             : suite->all("failure").empty() ? "clean"
                                                             : "findings";
  }
  return out;
}
Statuses in_gitlab(const std::string& text) {
  Statuses out;
  for (const json& issue : json::parse(text)) {
    out[issue["location"]["path"]] = status_of_rule(issue["check_name"]);
  }
  return out;
}
Statuses in_github(const std::string& text) {
  Statuses out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t file = line.find("file="), title = line.find(",title=");
    if (file == std::string::npos || title == std::string::npos) continue;
    const std::size_t rule = title + 7;
    out[line.substr(file + 5, title - file - 5)] =
        status_of_rule(line.substr(rule, line.find("::", rule) - rule));
  }
  return out;
}
/// Text: the line "PATH: STATUS…".
Statuses in_text(const std::string& text) {
  Statuses out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    const std::string path = line.substr(0, colon);
    if (colon == std::string::npos || expected.count(path) == 0) continue;
    const std::string rest = line.substr(colon + 2);
    const std::string word = rest.substr(0, rest.find(' '));
    out[path] = word.find_first_of("0123456789") == 0 ? "findings" : word;
  }
  return out;
}

}  // namespace

TEST_CASE("every kind of file has its status in every format, and in the exit status", "[cli]") {
  const Workplace place;
  fill(place);
  const ToolRun run = run_tool(
      place, {"check",       "art",           "--isolate",   "always",      "--timeout",
              "0.5",         "--report",      "text",        "--report",    "json=r.json",
              "--report",    "sarif=r.sarif", "--report",    "junit=r.xml", "--report",
              "gitlab=r.gl", "--report",      "github=r.gh", "--report",    "html=r.html"});
  INFO(run.err);
  CHECK(run.status == 4);
  CHECK(in_text(run.out) == expected);
  CHECK(in_json(place.read("r.json")) == expected);
  CHECK(in_junit(place.read("r.xml")) == expected);
  CHECK(in_sarif(place.read("r.sarif")) == failing());
  CHECK(in_gitlab(place.read("r.gl")) == failing());
  CHECK(in_github(place.read("r.gh")) == failing());
  const std::string page = place.read("r.html");
  for (const auto& [path, status] : failing()) {
    INFO(path);
    CHECK(page.find(path) != std::string::npos);
  }

  const json report = json::parse(place.read("r.json"));
  std::map<std::string, std::string> reasons;
  for (const json& file : report["files"]) {
    if (file["error"].is_object()) reasons[file["path"]] = file["error"]["message"];
  }
  const auto says = [&reasons](const char* path, const char* word) {
    INFO(path << ": " << reasons[path]);
    CHECK(reasons[path].find(word) != std::string::npos);
  };
  says("art/crash.fbx", "SIGSEGV");
  says("art/abort.fbx", "SIGABRT");
  says("art/hang.fbx", "0.5 s");
  says("art/pointer.fbx", "not fetched");
  // The reason stands in each format that has room for one.
  for (const char* name : {"r.sarif", "r.xml", "r.gl", "r.gh", "r.html"}) {
    INFO(name);
    const std::string text = place.read(name);
    for (const char* word : {"SIGSEGV", "SIGABRT", "0.5 s"}) {
      CHECK(text.find(word) != std::string::npos);
    }
  }
}

TEST_CASE("the worst kind of file decides the exit status", "[cli]") {
  const Workplace place;
  fill(place);
  const auto status = [&place](std::vector<std::string> paths) {
    paths.insert(paths.begin(), "check");
    paths.insert(paths.end(), {"--isolate", "always", "--timeout", "0.5", "--quiet"});
    return run_tool(place, paths).status;
  };
  CHECK(status({"art/good.glb"}) == 0);
  CHECK(status({"art/good.glb", "art/bad.glb"}) == 1);
  CHECK(status({"art/bad.glb", "art/torn.glb"}) == 3);
  CHECK(status({"art/torn.glb", "art/crash.fbx", "art/bad.glb"}) == 4);
  CHECK(status({"art/hang.fbx"}) == 4);
  CHECK(status({"art/huge.glb"}) == 3);
}
