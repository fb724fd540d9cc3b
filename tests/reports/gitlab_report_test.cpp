#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

/// What GitLab's page on the format asks for.
const char* const kIssues = R"json({
  "type": "array",
  "items": {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": false,
    "properties": {
      "description": {"type": "string", "pattern": "."},
      "check_name": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
      "fingerprint": {"type": "string", "pattern": "."},
      "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
      "location": {
        "type": "object",
        "required": ["path", "lines"],
        "additionalProperties": false,
        "properties": {
          "path": {"type": "string", "pattern": "^([^./]|\\.[^/])"},
         "lines": {"type": "object", "required": ["begin"],
                   "properties": {"begin": {"type": "integer", "minimum": 1}}}
       }
     }
   }
 }
})json";

json issues(const std::vector<FileResult>& results, const RunSummary& summary = {}) {
  const json parsed = json::parse(report_text("gitlab", results, {}, 100, false, false, summary));
  const auto errors = schema_errors(json::parse(kIssues), parsed);
  INFO(json(errors).dump(1));
  CHECK(errors.empty());
  std::set<std::string> fingerprints;
  for (const json& issue : parsed) {
    INFO(issue.dump());
    CHECK(fingerprints.insert(issue["fingerprint"]).second);
  }
  return parsed;
}

}  // namespace

TEST_CASE("GitLab gets an issue per finding, on line 1", "[reports]") {
  const json all = issues({result_with_finding()});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["check_name"] == "bind-matrix-singular");
  CHECK(all[0]["severity"] == "critical");
  CHECK(all[0]["fingerprint"] == "0123456789abcdef");
  CHECK(all[0]["location"] == json({{"path", "characters/hero.glb"}, {"lines", {{"begin", 1}}}}));
  const std::string description = all[0]["description"];
  CHECK(description.find("joint chain:Armature/hips/spine: The inverse bind matrix") == 0);
}

TEST_CASE("severities and kinds of failure have a place on GitLab's scale", "[reports]") {
  const json all = issues({crowded_result("w.glb", Severity::warning, 1),
                           crowded_result("n.glb", Severity::note, 1), unreadable_result(),
                           crashed_result(), timeout_result()});
  REQUIRE(all.size() == 5);
  CHECK(all[0]["severity"] == "major");
  CHECK(all[1]["severity"] == "info");
  const char* const names[] = {"file-unreadable", "check-crashed", "check-timeout"};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(all[2 + i]["severity"] == "blocker");
    CHECK(all[2 + i]["check_name"] == names[i]);
  }
  CHECK(all[2]["description"] == "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)");
}

TEST_CASE("equal fingerprints are told apart, the same way every time", "[reports]") {
  FileResult result = crowded_result("a.glb", Severity::error, 4);
  for (std::size_t i : {0U, 1U, 2U}) result.findings[i].fingerprint = "0123456789abcdef";
  result.findings[3].fingerprint.clear();
  FileResult other = result;
  other.path = "b.glb";
  const json all = issues({result, other});
  REQUIRE(all.size() == 8);
  CHECK(all[0]["fingerprint"] == "0123456789abcdef");
  CHECK(issues({result, other}) == all);
}

TEST_CASE("GitLab gets no accepted findings, and an empty array for none", "[reports]") {
  CHECK(issues({accepted_result(), clean_result("a.glb")}).empty());
  CHECK(issues({}).empty());
  const json all = issues({partly_accepted_result()});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["severity"] == "major");
}

TEST_CASE("paths for GitLab start in the repository", "[reports]") {
  FileResult result = result_with_finding();
  result.path = "././characters/hero.glb";
  CHECK(issues({result})[0]["location"]["path"] == "characters/hero.glb");
}

TEST_CASE("GitLab is told of expired and unused waivers", "[reports]") {
  const json all = issues({clean_result("a.glb")}, waiver_summary());
  REQUIRE(all.size() == 2);
  CHECK(all[0]["check_name"] == "waiver-expired");
  CHECK(all[0]["severity"] == "major");
  CHECK(all[0]["location"]["path"] == "art/.skinlint.json");
  CHECK(all[1]["check_name"] == "waiver-unused");
}

TEST_CASE("the GitLab report holds to GitLab's own schema", "[reports]") {
  issues(every_result());  // hostile names included
  const std::string path = official_schema("codeclimate.json");
  if (path.empty()) return;
  std::ifstream in(path);
  json schema = json::parse(in);
  for (const json& issue : issues(every_result(), waiver_summary())) {
    CHECK(schema_errors(schema, issue).empty());
  }
}
