#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reports/finding_text.h"
#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

/// The part of SARIF 2.1.0 that the report uses, closed, with what GitHub asks for beyond it.
const char* const kSubset = R"({
  "type": "object", "required": ["$schema", "version", "runs"], "additionalProperties": false,
  "properties": {
    "$schema": {"type": "string", "format": "uri"},
    "version": {"const": "2.1.0"},
    "runs": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
      "type": "object", "required": ["tool", "invocations", "results"],
      "additionalProperties": false,
      "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
          "type": "object", "required": ["name", "version", "rules"],
          "properties": {"rules": {"type": "array", "maxItems": 25000}}}}},
        "invocations": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
          "type": "object", "required": ["executionSuccessful"], "additionalProperties": false,
          "properties": {
            "executionSuccessful": {"type": "boolean"},
            "ruleConfigurationOverrides": {"type": "array", "uniqueItems": true},
            "toolConfigurationNotifications": {"$ref": "#/$defs/notifications"},
            "toolExecutionNotifications": {"$ref": "#/$defs/notifications"}}}},
        "results": {"type": "array", "maxItems": 25000, "items": {"$ref": "#/$defs/result"}}}}}},
  "$defs": {
    "message": {"type": "object", "required": ["text"], "additionalProperties": false,
      "properties": {"text": {"type": "string", "pattern": "."}}},
    "physical": {"type": "object", "required": ["artifactLocation", "region"],
      "additionalProperties": false,
      "properties": {
        "artifactLocation": {"type": "object", "required": ["uri"], "additionalProperties": false,
          "properties": {"uri": {"type": "string", "format": "uri-reference"},
                         "uriBaseId": {"const": "%SRCROOT%"}}},
        "region": {"type": "object", "required": ["startLine"],
          "properties": {"startLine": {"const": 1}}}}},
    "location": {"type": "object", "required": ["physicalLocation"], "additionalProperties": false,
      "properties": {
        "id": {"type": "integer", "minimum": 1},
        "physicalLocation": {"$ref": "#/$defs/physical"},
        "message": {"$ref": "#/$defs/message"},
        "logicalLocations": {"type": "array", "minItems": 1, "items": {"type": "object",
          "required": ["name", "fullyQualifiedName", "kind"], "additionalProperties": false,
          "properties": {"name": {"type": "string"}, "fullyQualifiedName": {"type": "string"},
            "kind": {"type": "string"}, "properties": {"type": "object"}}}}}},
    "notifications": {"type": "array", "maxItems": 1010, "items": {"type": "object",
      "required": ["level", "message"], "additionalProperties": false,
      "properties": {
        "level": {"enum": ["note", "warning", "error"]},
        "message": {"$ref": "#/$defs/message"},
        "associatedRule": {"type": "object", "required": ["id", "index"]},
        "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}}}}},
    "result": {"type": "object", "additionalProperties": false,
      "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
      "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["note", "warning", "error"]},
        "message": {"$ref": "#/$defs/message"},
        "locations": {"type": "array", "minItems": 1, "maxItems": 1,
          "items": {"$ref": "#/$defs/location"}},
        "relatedLocations": {"type": "array", "maxItems": 10, "uniqueItems": true,
          "items": {"$ref": "#/$defs/location"}},
        "partialFingerprints": {"type": "object",
          "required": ["primaryLocationLineHash", "skinlint/v1"],
          "additionalProperties": {"type": "string"}},
        "suppressions": {"type": "array", "items": {"type": "object",
          "required": ["kind", "justification"], "additionalProperties": false,
          "properties": {"kind": {"const": "external"},
                         "justification": {"type": "string", "pattern": "."}}}}}}}
})";

/// The one run of the report, checked.
json run_of(const std::vector<FileResult>& results, const RunSummary& summary = {},
            const CheckConfig& config = {}) {
  const json log = json::parse(report_text("sarif", results, config, 100, false, false, summary));
  const auto errors = schema_errors(json::parse(kSubset), log);
  INFO(json(errors).dump(1));
  CHECK(errors.empty());
  json run = log["runs"][0];
  const json& rules = run["tool"]["driver"]["rules"];
  std::size_t wrong = 0;
  for (const json& result : run["results"]) {
    wrong += rules.at(result["ruleIndex"].get<std::size_t>())["id"] == result["ruleId"] ? 0U : 1U;
  }
  CHECK(wrong == 0);
  return run;
}

}  // namespace

TEST_CASE("a SARIF result has rule, level, place and fingerprint", "[reports]") {
  const json run = run_of({result_with_finding()});
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
  REQUIRE(run["results"].size() == 1);
  const json& result = run["results"][0];
  CHECK(result["ruleId"] == "bind-matrix-singular");
  CHECK(result["level"] == "error");
  const std::string message = result["message"]["text"];
  CHECK(message.find("joint chain:Armature/hips/spine: The inverse bind matrix") == 0);
  CHECK(message.find("Likely cause: A parent's scale was baked twice.") != std::string::npos);
  CHECK(message.find("Do first: Freeze the joint's scale") != std::string::npos);
  const json& location = result["locations"][0];
  CHECK(location["physicalLocation"]["artifactLocation"] ==
        json({{"uri", "characters/hero.glb"}, {"uriBaseId", "%SRCROOT%"}}));
  CHECK(location["logicalLocations"][0] ==
        json({{"name", "spine"},
              {"fullyQualifiedName", "chain:Armature/hips/spine"},
              {"kind", "joint"},
              {"properties", {{"locator", "/skins/0/joints/3"}}}}));
  CHECK(result["relatedLocations"].size() == 1);
  CHECK(result["relatedLocations"][0]["id"] == 1);
  CHECK(result["relatedLocations"][0]["logicalLocations"][0]["name"] == "hips");
  CHECK(result["partialFingerprints"] == json({{"primaryLocationLineHash", "0123456789abcdef"},
                                               {"skinlint/v1", "0123456789abcdef"}}));
  CHECK_FALSE(result.contains("suppressions"));
  // What could not be judged is a note to the run.
  const json& notes = run["invocations"][0]["toolExecutionNotifications"];
  REQUIRE(notes.size() == 1);
  CHECK(notes[0]["level"] == "note");
}

TEST_CASE("levels in SARIF are those that the configuration gave", "[reports]") {
  CheckConfig config;
  config.severities["bind-matrix-singular"] = Severity::note;
  const json run = run_of({crowded_result("a.glb", Severity::note, 1)}, {}, config);
  CHECK(run["results"][0]["level"] == "note");
  const json& overrides = run["invocations"][0]["ruleConfigurationOverrides"];
  REQUIRE(overrides.size() == 1);
  CHECK(overrides[0]["configuration"]["level"] == "note");
}

TEST_CASE("unreadable, crashed and timed-out files are results and notifications", "[reports]") {
  const json run = run_of({unreadable_result(), crashed_result(), timeout_result()});
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  const char* const names[] = {"file-unreadable", "check-crashed", "check-timeout"};
  const json& notifications = run["invocations"][0]["toolExecutionNotifications"];
  REQUIRE(run["results"].size() == 3);
  REQUIRE(notifications.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(run["results"][i]["ruleId"] == names[i]);
    CHECK(run["results"][i]["level"] == "error");
    CHECK(notifications[i]["associatedRule"]["id"] == names[i]);
    CHECK(notifications[i]["level"] == "error");
    CHECK(notifications[i]["message"] == run["results"][i]["message"]);
  }
  CHECK(run["results"][0]["message"]["text"] ==
        "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)");
  // An unreadable file alone is the file's fault.
  CHECK(run_of({unreadable_result()})["invocations"][0]["executionSuccessful"] == true);
}

TEST_CASE("accepted findings are suppressed and stand last", "[reports]") {
  const json run = run_of({partly_accepted_result()});
  REQUIRE(run["results"].size() == 3);
  CHECK(run["results"][0]["level"] == "warning");
  CHECK_FALSE(run["results"][0].contains("suppressions"));
  CHECK(run["results"][1]["suppressions"][0]["justification"] ==
        "waived: posed on purpose (until 2027-03-01)");
  CHECK(run["results"][2]["suppressions"][0]["justification"] == "in the baseline");
}

TEST_CASE("waivers that hold no longer are notifications on the configuration", "[reports]") {
  const json run = run_of({clean_result("a.glb")}, waiver_summary());
  const json& list = run["invocations"][0]["toolConfigurationNotifications"];
  REQUIRE(list.size() == 2);
  CHECK(list[0]["level"] == "warning");
  CHECK(list[1]["level"] == "note");
}

TEST_CASE("more results than GitHub takes: the worst are kept and the rest is told", "[reports]") {
  std::vector<FileResult> results = {crowded_result("w.glb", Severity::warning, 25005),
                                     crowded_result("n.glb", Severity::note, 3),
                                     crowded_result("e.glb", Severity::error, 2)};
  results.push_back(unreadable_result());
  for (FileResult& result : results) {
    for (ReportedFinding& f : result.findings) f.related.clear();
  }
  const std::string text = report_text("sarif", results);
  const json run = json::parse(text)["runs"][0];
  REQUIRE(run["results"].size() == 25000);
  CHECK(run["results"][0]["ruleId"] == "file-unreadable");
  CHECK(run["results"][1]["level"] == "error");
  CHECK(run["results"][2]["level"] == "error");
  CHECK(run["results"][3]["level"] == "warning");
  CHECK(run["results"][24999]["partialFingerprints"]["skinlint/v1"] == "w.glb24996");
  std::vector<std::string> told;
  for (const json& one : run["invocations"][0]["toolExecutionNotifications"]) {
    if (one["level"] == "warning") told.push_back(one["message"]["text"]);
  }
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("8 warnings left out") == 0);
  CHECK(told[1].find("3 notes left out") == 0);
}

TEST_CASE("related locations are few, notifications too", "[reports]") {
  FileResult result = result_with_finding();
  result.findings[0].related.assign(64, result.findings[0].related.front());
  CHECK(run_of({result})["results"][0]["relatedLocations"].size() == 10);
  const std::vector<FileResult> many(1200, unreadable_result());
  const json run = run_of(many);
  CHECK(run["results"].size() == 1200);
  const json& notifications = run["invocations"][0]["toolExecutionNotifications"];
  CHECK(notifications.size() == 1001);
  CHECK(notifications[0]["message"]["text"] == "200 more notifications left out");
}

TEST_CASE("paths are URIs", "[reports]") {
  struct Row {
    const char* path;
    const char* uri;
    bool relative;
  };
  const Row rows[] = {
      {"a/b.glb", "a/b.glb", true},
      {"./a.glb", "a.glb", true},
      {"a b#1?.glb", "a%20b%231%3F.glb", true},
      {"100%.glb", "100%25.glb", true},
      {"C:\\art\\a.fbx", "C%3A%5Cart%5Ca.fbx", true},
      {"h\xC3\xA9ro.glb", "h%C3%A9ro.glb", true},
      {"bad\xFF\n.glb", "bad%FF%0A.glb", true},
      {"/art/a.glb", "file:///art/a.glb", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    FileResult result = result_with_finding();
    result.path = row.path;
    const json run = run_of({result});
    const json& artifact =
        run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    CHECK(artifact["uri"] == row.uri);
    CHECK(artifact.contains("uriBaseId") == row.relative);
  }
}

TEST_CASE("names make no links in SARIF messages", "[reports]") {
  FileResult result = hostile_result();
  result.findings[0].finding.message = "see [here](https://example.org) and [1](1)";
  const json run = run_of({result});
  const std::string text = run["results"][0]["message"]["text"];
  CHECK(text.find("](") == std::string::npos);
  CHECK(text.find("[here] (https") != std::string::npos);
}

TEST_CASE("the SARIF report holds to the official schema", "[reports]") {
  CheckConfig config;
  config.severities["weights-sum"] = Severity::note;
  config.ignore = {"skin-broken"};
  run_of(every_result(), waiver_summary(), config);
  const std::string path = official_schema("sarif-2.1.0.json");
  if (path.empty()) return;
  std::ifstream in(path);
  const json schema = json::parse(in);
  for (const auto& results : {std::vector<FileResult>{}, every_result()}) {
    const json log =
        json::parse(report_text("sarif", results, config, 100, false, false, waiver_summary()));
    const auto errors = schema_errors(schema, log);
    INFO(json(errors).dump(1));
    CHECK(errors.empty());
  }
}
