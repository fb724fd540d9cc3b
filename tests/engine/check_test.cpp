#include "engine/check.h"

#include <catch2/catch.hpp>
#include <limits>

#include "engine/result_codec.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

test::Rig faulty(double weight, std::size_t vertices = 1) {
  test::Rig rig = test::chain_rig();
  for (std::size_t v = 0; v < vertices; ++v) {
    rig.meshes[0].parts[0].influences[v] = {{0, weight}, {1, 1.0 - weight}};
  }
  return rig;
}

FileResult check(const test::Rig& rig, const CheckConfig& config = {}) {
  return check_asset(test::to_asset(rig), "rig.glb", config);
}

std::vector<std::string> rules_at(const FileResult& result, Severity severity) {
  std::vector<std::string> ids;
  for (const ReportedFinding& f : result.findings) {
    if (f.finding.severity == severity) ids.emplace_back(f.finding.rule);
  }
  return ids;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a clean asset has no findings and full statistics", "[engine]") {
  const FileResult result = check(test::chain_rig());
  CHECK(result.status == FileResult::Status::checked);
  CHECK(result.findings.empty());
  REQUIRE(result.bindings.size() == 1);
  CHECK(result.bindings[0].bind.state == BindState::identity);
  CHECK(result.bindings[0].unweighted_vertices == 0);
  CHECK(result.joints == 6);
}

TEST_CASE("severities are configured per rule, off included, without a second rule taking over",
          "[engine]") {
  const test::Rig rig = faulty(-0.2);
  CHECK(rules_at(check(rig), Severity::error) == Ids{"weights-negative"});
  CheckConfig config;
  config.severities["weights-negative"] = Severity::note;
  const FileResult note = check(rig, config);
  CHECK(rules_at(note, Severity::note) == Ids{"weights-negative"});
  CHECK(rules_at(note, Severity::error).empty());
}

TEST_CASE("select and ignore name the rules that run; a rule off by default runs when named",
          "[engine]") {
  CheckConfig config;
  config.select = {"weights-sum"};
  CHECK(check(faulty(-0.2), config).findings.empty());
  config.select = {"weights-negative", "weights-sum"};
  config.ignore = {"weights-negative"};
  CHECK(rules_at(check(faulty(-0.2), config), Severity::error).empty());
  config = {};
  CHECK(rules_at(check(test::chain_rig(), config), Severity::note).empty());
  config.select = {"weights-zero-with-joint"};
  test::Rig rig = test::chain_rig();
  rig.meshes[0].parts[0].influences[0] = {{0, 1.0}, {2, 0.0}};
  CHECK(rules_at(check(rig, config), Severity::note) == Ids{"weights-zero-with-joint"});
}

TEST_CASE("a result names the rules that ran, in order", "[engine]") {
  CheckConfig config;
  config.severities["weights-sum"] = Severity::off;
  config.severities["weights-zero-with-joint"] = Severity::note;  // off by default
  config.ignore = {"weights-negative"};
  const FileResult result = check(test::chain_rig(), config);
  std::vector<std::string_view> expected;
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    const bool named = info.id == "weights-zero-with-joint";
    const bool out = info.id == "weights-sum" || info.id == "weights-negative";
    CHECK(rule_runs(*rule, config) == (!out && (info.on_by_default || named)));
    if (!out && (info.on_by_default || named)) expected.push_back(info.id);
  }
  CHECK(result.rules == expected);
  CHECK(result.rules.size() > 20);
  const auto decoded = decode_result(encode_result(result));
  REQUIRE(decoded);
  CHECK(decoded->rules == expected);
  config.select = {"skin-broken"};
  CHECK(check(test::chain_rig(), config).rules == std::vector<std::string_view>{"skin-broken"});
}

TEST_CASE("parameters are overridden per rule", "[engine]") {
  test::Rig rig = test::chain_rig();
  rig.meshes[0].parts[0].influences[0] = {{0, 0.5}, {1, 0.495}};
  CHECK(rules_at(check(rig), Severity::warning) == Ids{"weights-sum"});
  CheckConfig config;
  config.params["weights-sum"]["warning"] = 0.01;
  CHECK(rules_at(check(rig, config), Severity::note) == Ids{"weights-sum"});
}

TEST_CASE("a configuration that names nothing real is refused with a suggestion", "[engine]") {
  CheckConfig config;
  config.select = {"weights-sums"};
  CHECK(validate(config).find("weights-sum") != std::string::npos);
  config = {};
  config.params["weights-sum"]["warnin"] = 1;
  CHECK(validate(config).find("warning") != std::string::npos);
  config = {};
  config.params["weights-sum"]["warning"] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(validate(config).empty());
  config.params["weights-sum"]["warning"] = -1;
  CHECK_FALSE(validate(config).empty());
  CHECK(validate({}).empty());
}

TEST_CASE("an error poisons its joints for later stages, and the skip is told", "[engine]") {
  test::Rig rig = test::chain_rig();
  (*rig.skins[0].joint_from_mesh)[2](3, 0) = 0.5;  // not affine
  const FileResult result = check(rig);
  CHECK(rules_at(result, Severity::error) == Ids{"bind-matrix-not-affine"});
  for (const ReportedFinding& f : result.findings) CHECK(f.finding.rule != "bind-matrix-sheared");
}

TEST_CASE("samples are capped, counts are not", "[engine]") {
  CheckConfig config;
  config.max_samples = 2;
  const FileResult result = check(faulty(-0.2, 50), config);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].finding.count == 50);
  CHECK(result.findings[0].finding.samples.size() == 2);
}

TEST_CASE("fingerprints stay when values change and differ between rules", "[engine]") {
  const FileResult a = check(faulty(-0.2)), b = check(faulty(-0.4)), c = check(faulty(1.7));
  REQUIRE(a.findings.size() == 1);
  REQUIRE(b.findings.size() == 1);
  CHECK(a.findings[0].fingerprint == b.findings[0].fingerprint);
  test::Rig other = test::chain_rig();
  other.meshes[0].parts[0].influences[0] = {{0, 0.5}, {1, 0.4}};
  CHECK(check(other).findings.at(0).fingerprint != a.findings[0].fingerprint);
}

TEST_CASE("the cause hangs on the finding that shows the symptom", "[engine]") {
  test::Rig rig = test::humanoid_rig();
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = Mat4(*affine_inverse(m));
  const FileResult result = check(rig);
  const auto found =
      std::find_if(result.findings.begin(), result.findings.end(),
                   [](const ReportedFinding& f) { return f.finding.rule == "bind-rest-differs"; });
  REQUIRE(found != result.findings.end());
  REQUIRE(found->finding.cause.has_value());
  CHECK(found->finding.cause->id == "matrix-not-inverted");
  CHECK(found->remedy.action == found->finding.cause->remedy->action);
}

TEST_CASE("the same input gives the same result", "[engine]") {
  const test::Rig rig = faulty(-0.2, 30);
  const FileResult a = check(rig), b = check(rig);
  REQUIRE(a.findings.size() == b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    CHECK(a.findings[i].finding.message == b.findings[i].finding.message);
    CHECK(a.findings[i].fingerprint == b.findings[i].fingerprint);
  }
}

TEST_CASE("exit status: the highest of findings, unreadable and crashed wins", "[engine]") {
  RunSummary s;
  CHECK(exit_status(s) == 0);
  s.failed = 1;
  CHECK(exit_status(s) == 1);
  s.unreadable = 1;
  CHECK(exit_status(s) == 3);
  s.crashed = 1;
  CHECK(exit_status(s) == 4);
}

TEST_CASE("a file fails by its own fail_on, accepted findings never", "[engine]") {
  const auto failed = [](Severity severity, Severity fail_on, bool baselined = false) {
    FileResult result;
    result.fail_on = fail_on;
    ReportedFinding finding;
    finding.finding.severity = severity;
    finding.baselined = baselined;
    result.findings.push_back(finding);
    RunSummary s;
    s.add(result);
    CHECK(s.baselined == (baselined ? 1 : 0));
    CHECK(s.clean == (baselined ? 1 : 0));
    return s.failed == 1;
  };
  CHECK(failed(Severity::error, Severity::error));
  CHECK_FALSE(failed(Severity::warning, Severity::error));
  CHECK(failed(Severity::warning, Severity::warning));
  CHECK(failed(Severity::note, Severity::note));
  CHECK_FALSE(failed(Severity::error, Severity::off));
  CHECK_FALSE(failed(Severity::error, Severity::note, true));
}

TEST_CASE("many bindings of one mesh and skin are judged within the file's budget", "[engine]") {
  test::Rig rig = test::chain_rig();
  for (int i = 0; i < 3000; ++i) {
    test::RigNode node;
    node.name = "copy";
    node.translation = {0.001 * i, 0, 0};  // every copy stands elsewhere, so nothing is shared
    rig.nodes.push_back(node);
    rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 0, 0});
  }
  Asset asset = test::to_asset(rig);
  asset.file_bytes = 1000;
  const Facts facts(asset);
  std::size_t refused = 0;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    if (facts.bind(b).state == BindState::unknown) ++refused;
  }
  CHECK(refused == 0);
  for (int i = 0; i < 12000; ++i) rig.instances.push_back({rig.instances[1].node + i % 2999, 0, 0});
  Asset more = test::to_asset(rig);
  more.file_bytes = 1000;
  CHECK(check_asset(more, "many.glb", {}).status == FileResult::Status::checked);
}
