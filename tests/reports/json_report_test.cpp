#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

json report(const std::vector<FileResult>& results, const CheckConfig& config = {}) {
  const std::string text = report_text("json", results, config);
  json parsed = json::parse(text);
  INFO(json(schema_errors(published_schema("report.schema.json"), parsed)).dump(1));
  CHECK(schema_errors(published_schema("report.schema.json"), parsed).empty());
  return parsed;
}

}  // namespace

TEST_CASE("the JSON report holds a finding whole", "[reports]") {
  const json all = report({result_with_finding()});
  CHECK(all["schema"] == "skinlint-report/1");
  CHECK(all["tool"]["name"] == "skinlint");
  const json& file = all["files"].at(0);
  CHECK(file["path"] == "characters/hero.glb");
  CHECK(file["status"] == "checked");
  CHECK(file["bytes"] == 1234);
  CHECK(file["error"].is_null());
  CHECK(file["sha256"] == std::string(64, 'a'));

  const json& f = file["findings"].at(0);
  CHECK(f["rule"] == "bind-matrix-singular");
  CHECK(f["severity"] == "error");
  CHECK(f["element"] == json({{"kind", "joint"},
                              {"path", "chain:Armature/hips/spine"},
                              {"index", 5},
                              {"locator", "/skins/0/joints/3"}}));
  CHECK(f["related"].at(0)["path"] == "chain:Armature/hips");
  CHECK(f["measured"]["condition_number"]["value"] == "inf");
  CHECK(f["measured"]["heaviest_weight"]["value"] == 0.75);
  CHECK(f["measured"]["vertices"] == json({{"value", 12}, {"unit", "vertices"}}));
  CHECK(f["measured"]["axis"]["value"] == "x");
  CHECK(f["limits"]["smallest_determinant"]["value"] == 1e-12);
  CHECK(f["count"] == 12);
  CHECK(f["samples"].at(0) == json({{"index", 41}, {"value", "nan"}, {"label", "part 0"}}));
  CHECK(f["samples"].at(1)["value"] == 0.25);
  CHECK(f["sample_of"] == "vertex");
  CHECK(f["sample_unit"] == "");
  CHECK(f["cause"]["id"] == "scale-inherited");
  CHECK(f["cause"]["confidence"] == "ambiguous");
  CHECK(f["cause"]["residual_before"] == 0.5);
  CHECK(f["cause"]["residual_after"] == 0.001);
  CHECK(f["cause"]["joints"] == json({"spine", "chest"}));
  CHECK(f["cause"]["alternatives"] == json({"posed-after-bind"}));
  CHECK(f["fix"]["maya"] == "Modify > Freeze Transformations on the joint.");
  CHECK(f["fix"]["max"] == "Reset Scale in the Hierarchy panel.");
  CHECK(f["fix"]["blender"] == "Apply Scale on the armature.");
  CHECK(f["fingerprint"] == "0123456789abcdef");

  CHECK(file["skipped"].at(0)["because"] == "bind-matrix-singular");
  CHECK(file["skipped"].at(0)["element"]["path"] == "body");
  CHECK(file["not_checked"].at(0)["because"] == "draco is not in this build");
  const json& binding = file["statistics"]["bindings"].at(0);
  CHECK(binding["weight_sum_min"] == 0.5);
  CHECK(binding["bind"]["state"] == "drift");
  CHECK(binding["bind"]["consensus"].at(3) == 2.5);
  CHECK(binding["bind"]["candidate"] == "mesh-node");
  CHECK(binding["bind"]["placement"].is_null());
  CHECK(binding["bind"]["max_displacement_percent"] == 12.5);
  CHECK(binding["bind"]["max_displacement_m"] == 0.5);

  CHECK(all["summary"]["files"] == 1);
  CHECK(all["summary"]["with_findings"] == 1);
  CHECK(all["summary"]["errors"] == 1);
}

TEST_CASE("unreadable, crashed and clean files keep their place in the JSON report", "[reports]") {
  FileResult crashed = unreadable_result();
  crashed.path = "crash.fbx";
  crashed.status = FileResult::Status::crashed;
  crashed.error->offset.reset();
  crashed.error->locator.clear();
  const json all = report({unreadable_result(), clean_result("a.glb"), crashed});
  REQUIRE(all["files"].size() == 3);
  CHECK(all["files"][0]["status"] == "unreadable");
  CHECK(all["files"][0]["format"].is_null());
  CHECK(all["files"][0]["sha256"].is_null());
  CHECK(all["files"][0]["error"] == json({{"kind", "malformed"},
                                          {"message", "the JSON chunk ends inside a string"},
                                          {"offset", 4711},
                                          {"locator", "/nodes/3"}}));
  CHECK(all["files"][1]["findings"].empty());
  CHECK(all["files"][2]["status"] == "crashed");
  CHECK(all["files"][2]["error"]["offset"].is_null());
  CHECK(all["files"][2]["error"]["locator"].is_null());
  CHECK(all["summary"] == json({{"files", 3},
                                {"clean", 1},
                                {"with_findings", 0},
                                {"unreadable", 1},
                                {"crashed", 1},
                                {"errors", 0},
                                {"warnings", 0},
                                {"notes", 0},
                                {"waived", 0},
                                {"baselined", 0},
                                {"failed", 0}}));
}

TEST_CASE("an empty run is a whole JSON report", "[reports]") {
  const json all = report({});
  CHECK(all["files"].empty());
  CHECK(all["summary"]["files"] == 0);
}

TEST_CASE("the JSON report says which configuration was in effect", "[reports]") {
  CheckConfig config;
  config.fail_on = Severity::off;
  config.zero_weight = ZeroWeightPolicy::Kind::fallback;
  config.fallback_joint = "hips";
  config.max_samples = 7;
  config.ignore = {"weights-sum"};
  const auto rules = all_rules();
  const Rule* with_param = nullptr;
  for (const Rule* rule : rules) {
    if (!rule->info.params.empty() && with_param == nullptr) with_param = rule;
  }
  if (with_param != nullptr) {
    const std::string id(with_param->info.id);
    config.severities[id] = Severity::note;
    config.params[id][std::string(with_param->info.params[0].name)] = 0.125;
  }
  const json c = report({}, config)["config"];
  CHECK(c["fail_on"] == "never");
  CHECK(c["zero_weight"] == "fallback:hips");
  CHECK(c["max_samples"] == 7);
  CHECK(c["ignore"] == json({"weights-sum"}));
  CHECK(c["rules"].size() == rules.size());
  if (with_param != nullptr) {
    const json& rule = c["rules"][std::string(with_param->info.id)];
    CHECK(rule["severity"] == "note");
    CHECK(rule["params"].size() == with_param->info.params.size());
    CHECK(rule["params"][std::string(with_param->info.params[0].name)] == 0.125);
  }
}

TEST_CASE("hostile names leave the JSON report valid and free of control bytes", "[reports]") {
  const std::string text = report_text("json", {hostile_result()});
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    CHECK((byte >= 0x20 || byte == '\n'));
    CHECK(byte != 0x7F);
  }
  const json parsed = json::parse(text);  // nlohmann refuses invalid UTF-8
  const std::string path = parsed["files"][0]["findings"][0]["element"]["path"];
  CHECK(path.find("ev\x1b[31mil") == 0);
  CHECK(path.find("\xEF\xBF\xBD") != std::string::npos);
  CHECK(path.substr(path.size() - 4) == " end");
}

TEST_CASE("a measure named twice is one key", "[reports]") {
  FileResult result = result_with_finding();
  result.findings[0].finding.measured = {{"sum", 1.0, ""}, {"sum", 2.0, ""}};
  const std::string text = report_text("json", {result});
  const std::size_t first = text.find("\"sum\"");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("\"sum\"", first + 1) == std::string::npos);
}

TEST_CASE("the same results give the same bytes", "[reports]") {
  const std::vector<FileResult> results = {result_with_finding(), clean_result("b.glb")};
  CHECK(report_text("json", results) == report_text("json", results));
  CHECK(report_text("text", results) == report_text("text", results));
}

TEST_CASE("sums without a vertex are null, non-finite sums are words", "[reports]") {
  FileResult result = result_with_finding();
  result.bindings[0].weight_sum_min = std::numeric_limits<double>::quiet_NaN();
  result.bindings[0].weight_sum_max = std::numeric_limits<double>::infinity();
  result.bindings[0].bind.size = 0.0;
  const json binding = report({result})["files"][0]["statistics"]["bindings"][0];
  CHECK(binding["weight_sum_min"].is_null());
  CHECK(binding["weight_sum_max"] == "inf");
  CHECK(binding["bind"]["max_displacement_percent"].is_null());
}
