// GitHub Actions workflow commands: one line makes one annotation. A step shows ten of each level,
// the first ones; so the worst are kept and written at the end, worst first.

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <string>

#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/unicode.h"
#include "reports/worst_first.h"

namespace skinlint {
namespace {

constexpr std::size_t kPerLevel = 10;        // annotations of one level that a step shows
constexpr std::size_t kMessageLimit = 1000;  // code points
constexpr std::size_t kNoBytes = std::size_t{1} << 20;

/// As the runner undoes it: in the message % CR LF, in a property also : and ,.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string command(std::string_view level, std::string_view file, std::string_view title,
                    std::string_view message) {
  std::string line = fmt::format("::{} ", level);
  // An empty property is dropped by the runner; and a file is a path in the repository.
  while (file.substr(0, 2) == "./") file.remove_prefix(2);
  if (!file.empty()) {
    line += fmt::format("file={},", escaped(printable(file, kTextLimit), true));
  }
  line += fmt::format("title={}::{}\n", escaped(printable(title), true),
                      escaped(printable(message, kMessageLimit), false));
  return line;
}

class GithubReport final : public ReportWriter {
 public:
  explicit GithubReport(std::ostream& out) : out_(out) {}

  void begin(const CheckConfig&) override {}

  void file(const FileResult& result) override {
    if (const FileFailure* failure = failure_of(result.status)) {
      if (levels_[0].takes(kFailure)) {
        levels_[0].add(kFailure, command("error", result.path, failure->id, failure_text(result)));
      }
      return;
    }
    for (const ReportedFinding& reported : result.findings) {
      const Severity severity = reported.finding.severity;
      if (!reported.counts() || severity == Severity::off) continue;
      const std::size_t level = level_of(severity);
      if (!levels_[level].takes(kFinding)) continue;
      levels_[level].add(kFinding, command(kNames[level], result.path, reported.finding.rule,
                                           element_text(reported.element) + ": " +
                                               finding_paragraph(reported, kMessageLimit)));
    }
  }

  void end(const RunSummary& summary) override {
    for (const std::string& waiver : summary.expired_waivers) {
      if (levels_[1].takes(kWaiver)) {
        levels_[1].add(kWaiver, command("warning", waiver_file(waiver), "expired waiver", waiver));
      }
    }
    for (const std::string& waiver : summary.unused_waivers) {
      if (levels_[2].takes(kWaiver)) {
        levels_[2].add(kWaiver, command("notice", waiver_file(waiver), "unused waiver", waiver));
      }
    }
    std::string text;
    std::string left_out;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      levels_[level].for_each([&text](std::size_t, const std::string& line) { text += line; });
      const std::uint64_t dropped = levels_[level].dropped();
      if (dropped == 0) continue;
      left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", plural(dropped, kNames[level]));
    }
    if (!left_out.empty()) {
      text +=
          command("notice", "", "skinlint",
                  fmt::format("{} more without an annotation, because a step shows no more than "
                              "{} of each level; the text and JSON reports have all of them.",
                              left_out, kPerLevel));
    }
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  }

 private:
  static constexpr std::size_t kFailure = 0, kFinding = 1, kWaiver = 2, kRanks = 3;
  static constexpr std::array<std::string_view, 3> kNames = {"error", "warning", "notice"};

  static std::size_t level_of(Severity severity) {
    if (severity == Severity::error) return 0;
    return severity == Severity::warning ? 1 : 2;
  }

  std::ostream& out_;
  // One notice is kept free for the number left out.
  std::array<WorstFirst, 3> levels_ = {WorstFirst(kRanks, kPerLevel, kNoBytes),
                                       WorstFirst(kRanks, kPerLevel, kNoBytes),
                                       WorstFirst(kRanks, kPerLevel - 1, kNoBytes)};
};

}  // namespace

std::unique_ptr<ReportWriter> make_github_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<GithubReport>(out);
}

}  // namespace skinlint
