// GitLab's code quality report: an array of issues, each with a fingerprint that no other has. What
// a waiver or the baseline accepts is left out: GitLab compares with the target branch itself.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <unordered_set>

#include "engine/digest.h"
#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/json_writer.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kDescriptionLimit = 1000;  // code points

std::string_view gitlab_severity(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "critical";
    case Severity::warning:
      return "major";
    case Severity::note:
    case Severity::off:
      break;
  }
  return "info";
}

class GitlabReport final : public ReportWriter {
 public:
  explicit GitlabReport(std::ostream& out) : w_(out) {}

  void begin(const CheckConfig&) override {
    w_.begin_array();
    w_.flush();
  }

  void file(const FileResult& result) override {
    if (const FileFailure* failure = failure_of(result.status)) {
      issue(failure->id, "blocker", failure_text(result), result.path, failure_fingerprint(result));
    }
    for (const ReportedFinding& reported : result.findings) {
      if (!reported.counts()) continue;
      issue(reported.finding.rule, gitlab_severity(reported.finding.severity),
            element_text(reported.element) + ": " + finding_paragraph(reported, kDescriptionLimit),
            result.path, reported.fingerprint);
    }
    w_.flush();
  }

  void end(const RunSummary& summary) override {
    const auto waiver = [this](std::string_view name, std::string_view severity,
                               const std::string& line) {
      issue(name, severity, line, waiver_file(line),
            sha256_hex(fmt::format("{}\n{}", name, line)).substr(0, 32));
    };
    for (const std::string& line : summary.expired_waivers) waiver("waiver-expired", "major", line);
    for (const std::string& line : summary.unused_waivers) waiver("waiver-unused", "info", line);
    w_.end_array();
    w_.finish();
  }

 private:
  void issue(std::string_view check, std::string_view severity, std::string_view description,
             std::string_view path, const std::string& fingerprint) {
    // GitLab finds the file by its path from the repository's root, without "./".
    while (path.substr(0, 2) == "./") path.remove_prefix(2);
    w_.begin_object();
    w_.key("description").string(printable(description, kDescriptionLimit));
    w_.key("check_name").string(check);
    w_.key("fingerprint").string(unique(fingerprint));
    w_.key("severity").string(severity);
    w_.key("location").begin_object(JsonWriter::Layout::line);
    w_.key("path").string(path);
    w_.key("lines").begin_object().key("begin").integer(1).end_object();
    w_.end_object();
    w_.end_object();
  }

  /// The fingerprint, or one made from it when an earlier issue has it: GitLab keeps one issue of
  /// each. Eight bytes of it are remembered, so that memory stays small over many files; a false
  /// match costs no more than a fingerprint made anew.
  std::string unique(const std::string& fingerprint) {
    std::string text = fingerprint;
    for (int n = 1; text.empty() || !seen_.insert(std::hash<std::string>()(text)).second; ++n) {
      text = sha256_hex(fmt::format("{}\n{}", fingerprint, n)).substr(0, 32);
    }
    return text;
  }

  JsonWriter w_;
  std::unordered_set<std::size_t> seen_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_gitlab_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<GitlabReport>(out);
}

}  // namespace skinlint
