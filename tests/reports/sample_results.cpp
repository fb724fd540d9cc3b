#include "reports/sample_results.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "reports/report.h"

namespace skinlint::test {

ReportedFinding full_finding() {
  ReportedFinding reported;
  Finding& f = reported.finding;
  f.rule = "bind-matrix-singular";
  f.severity = Severity::error;
  f.element = {ElementKind::joint, 0, 3};
  f.message = "The inverse bind matrix of joint spine cannot be inverted (determinant 0).";
  f.measured = {{"relative_determinant", 0.0, ""},
                {"condition_number", std::numeric_limits<double>::infinity(), ""},
                {"heaviest_weight", 0.75, ""},
                {"vertices", std::int64_t{12}, "vertices"},
                {"axis", std::string("x"), ""}};
  f.limits = {{"smallest_determinant", 1e-12, ""}};
  f.count = 12;
  f.samples = {{41, std::numeric_limits<double>::quiet_NaN(), "part 0"}, {7, 0.25, ""}};
  f.sample_of = "vertex";
  Cause cause;
  cause.id = "scale-inherited";
  cause.confidence = Cause::Confidence::ambiguous;
  cause.residual_before = 0.5;
  cause.residual_after = 0.001;
  cause.joints = {"spine", "chest"};
  cause.alternatives = {"posed-after-bind"};
  cause.text = "A parent's scale was baked twice.";
  f.cause = cause;
  reported.element = {"joint", "chain:Armature/hips/spine", "/skins/0/joints/3", 5};
  reported.related = {{"joint", "chain:Armature/hips", "/skins/0/joints/2", 4}};
  reported.remedy = {"The mesh collapses to a point.", "Freeze the joint's scale and bind again.",
                     "Modify > Freeze Transformations on the joint.",
                     "Reset Scale in the Hierarchy panel.", "Apply Scale on the armature."};
  reported.fingerprint = "0123456789abcdef";
  return reported;
}

FileResult clean_result(const std::string& path) {
  FileResult result;
  result.path = path;
  result.format = "glb";
  result.version = "2.0";
  result.generator = "skinlint tests";
  result.sha256 = std::string(64, 'a');
  result.bytes = 1234;
  result.skins = 1;
  result.meshes = 1;
  result.joints = 6;
  result.rules = {"bind-matrix-singular", "bind-rest-differs", "weights-sum"};
  return result;
}

FileResult result_with_finding() {
  FileResult result = clean_result("characters/hero.glb");
  result.findings.push_back(full_finding());
  result.skipped.push_back(
      {"bind-rest-differs", {"binding", "body", "/nodes/7", 7}, "bind-matrix-singular"});
  result.not_checked.push_back({"compressed mesh data of part 2", "draco is not in this build"});
  BindingStatistics statistics;
  statistics.mesh_node = "body";
  statistics.skin = "chain";
  statistics.vertices = 192;
  statistics.joints = 6;
  statistics.max_influences = 4;
  statistics.unweighted_vertices = 2;
  statistics.weight_sum_min = 0.5;
  statistics.weight_sum_max = 1.0;
  statistics.bind.state = BindState::drift;
  statistics.bind.consensus(0, 3) = 2.5;
  statistics.bind.consensus_share = 0.75;
  statistics.bind.candidate = Candidate::mesh_node;
  statistics.bind.size = 4.0;
  statistics.bind.max_displacement = 0.5;
  statistics.bind.drifting_joints = 2;
  result.bindings.push_back(statistics);
  return result;
}

FileResult unreadable_result() {
  FileResult result;
  result.path = "broken.glb";
  result.status = FileResult::Status::unreadable;
  result.error = ReadError{ReadError::Kind::malformed, "the JSON chunk ends inside a string",
                           std::uint64_t{4711}, "/nodes/3"};
  return result;
}

FileResult crashed_result() {
  FileResult result;
  result.path = "crash.fbx";
  result.status = FileResult::Status::crashed;
  result.error = ReadError{ReadError::Kind::malformed, "internal error: out of memory", {}, {}};
  return result;
}

FileResult timeout_result() {
  FileResult result;
  result.path = "slow.fbx";
  result.status = FileResult::Status::timeout;
  result.error = ReadError{ReadError::Kind::too_large, "no result within 2 s", {}, {}};
  return result;
}

FileResult accepted_result() {
  FileResult result = clean_result("known.glb");
  for (int i = 0; i < 2; ++i) {
    ReportedFinding f = full_finding();
    f.element.path += std::to_string(i);
    f.fingerprint[0] = i == 0 ? 'a' : 'b';
    result.findings.push_back(f);
  }
  result.findings[0].waived = ReportedFinding::Waived{"posed on purpose", "2027-03-01"};
  result.findings[1].baselined = true;
  return result;
}

FileResult partly_accepted_result() {
  FileResult result = accepted_result();
  result.path = "partly.glb";
  ReportedFinding f = full_finding();
  f.finding.severity = Severity::warning;
  f.element.path = "new_joint";
  f.fingerprint[0] = 'c';
  result.findings.push_back(f);
  return result;
}

FileResult crowded_result(const std::string& path, Severity severity, std::size_t n) {
  FileResult result = clean_result(path);
  ReportedFinding f = full_finding();
  f.finding.severity = severity;
  for (std::size_t i = 0; i < n; ++i) {
    f.element.path = "joint_number_" + std::to_string(i) + "_";
    f.fingerprint = path + std::to_string(i);
    result.findings.push_back(f);
  }
  return result;
}

std::vector<FileResult> every_result() {
  return {clean_result("a.glb"), result_with_finding(),   unreadable_result(),
          crashed_result(),      timeout_result(),        accepted_result(),
          hostile_result(),      partly_accepted_result()};
}

RunSummary waiver_summary() {
  RunSummary summary;
  summary.expired_waivers = {
      "art/.skinlint.json waivers[0] (bind-rest-differs in hero/*.fbx): old; expired 2026-01-01"};
  summary.unused_waivers = {"art/.skinlint.json waivers[1] (weights-sum in *.glb): gone"};
  return summary;
}

FileResult hostile_result() {
  const std::string hostile = std::string("ev\x1b[31mil\0x\n\r", 13) + "\xE2\x80\xAE" + "\xC2\x9B" +
                              "\x7F\xFF\xC0\xAF\xED\xA0\x80 end";
  FileResult result = clean_result(hostile + ".glb");
  result.generator = hostile;
  result.version = hostile;
  ReportedFinding f = full_finding();
  f.element.path = hostile;
  f.element.locator = hostile;
  f.related.front().path = hostile;
  f.finding.message = hostile;
  f.finding.measured.push_back({hostile, hostile, hostile});
  f.finding.samples.front().label = hostile;
  f.finding.cause->text = hostile;
  f.finding.cause->joints = {hostile};
  result.findings.push_back(f);
  result.not_checked.push_back({hostile, hostile});
  return result;
}

std::string report_text(const std::string& format, const std::vector<FileResult>& results,
                        const CheckConfig& config, std::size_t width, bool color, bool quiet,
                        RunSummary summary) {
  std::ostringstream out;
  for (const ReportFormat& row : report_formats()) {
    if (row.name != format) continue;
    ReportOptions options;
    options.color = color;
    options.terminal_width = width;
    options.quiet = quiet;
    const auto writer = row.make(out, options);
    writer->begin(config);
    for (const FileResult& result : results) {
      summary.add(result);
      writer->file(result);
    }
    writer->end(summary);
  }
  return out.str();
}

std::string official_schema(const std::string& name) {
  const char* folder = std::getenv("SKINLINT_REPORT_SCHEMAS");
  if (folder == nullptr || *folder == '\0') {
    WARN("SKINLINT_REPORT_SCHEMAS is not set: not checked against " << name);
    return {};
  }
  const std::string path = std::string(folder) + "/" + name;
  if (std::ifstream(path).good()) return path;
  WARN("SKINLINT_REPORT_SCHEMAS holds no " << name);
  return {};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

nlohmann::json published_schema(const std::string& name) {
  std::ifstream in(std::string(SKINLINT_SOURCE_DIR) + "/docs/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace skinlint::test
