// JUnit XML in the form that Jenkins' xUnit schema (junit-10) describes and GitLab reads: a suite
// is a file, a case a rule that ran on it. Findings at or above the file's fail_on fail the case.

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/markup.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFindingsPerCase = 20;

/// One rule of one file.
struct Case {
  std::string_view rule;
  std::vector<const ReportedFinding*> failing, passing, accepted;
  std::uint64_t left_out = 0;  // elements not judged because of an earlier error
  std::string_view because;    // the first rule that found one
  bool skipped() const {
    return failing.empty() && passing.empty() && (!accepted.empty() || left_out != 0);
  }
};

std::vector<Case> cases_of(const FileResult& result) {
  std::vector<Case> cases;
  std::map<std::string_view, std::size_t> known;
  const auto of_rule = [&](std::string_view rule) -> Case& {
    const auto [at, fresh] = known.try_emplace(rule, cases.size());
    if (fresh) {
      cases.emplace_back();
      cases.back().rule = rule;
    }
    return cases[at->second];
  };
  for (const std::string_view rule : result.rules) of_rule(rule);
  for (const ReportedFinding& reported : result.findings) {
    Case& one = of_rule(reported.finding.rule);
    const bool fails =
        result.fail_on != Severity::off && reported.finding.severity >= result.fail_on;
    auto& list = !reported.counts() ? one.accepted : fails ? one.failing : one.passing;
    list.push_back(&reported);
  }
  for (const SkippedCheck& skipped : result.skipped) {
    Case& one = of_rule(skipped.rule);
    if (one.left_out++ == 0) one.because = skipped.because;
  }
  return cases;
}

std::string one_line(const ReportedFinding& reported) {
  return element_text(reported.element) + ": " + printable(reported.finding.message, kTextLimit);
}

class JunitReport final : public ReportWriter {
 public:
  explicit JunitReport(std::ostream& out) : out_(out) {}

  void begin(const CheckConfig&) override {
    // Totals would have to stand here, before the files they count: readers sum the suites.
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line("<testsuites name=\"skinlint\">");
    write();
  }

  void file(const FileResult& result) override {
    const std::string path = markup(result.path);
    if (failure_of(result.status) != nullptr) {
      failed_file(result, path);
    } else {
      const std::vector<Case> cases = cases_of(result);
      std::size_t failures = 0, skipped = 0;
      for (const Case& one : cases) {
        failures += one.failing.empty() ? 0U : 1U;
        skipped += one.skipped() ? 1U : 0U;
      }
      suite(path, cases.size(), failures, 0, skipped);
      for (const Case& one : cases) test_case(one, path);
      if (!result.not_checked.empty()) {
        line("    <system-out>");
        for (const NotChecked& gap : result.not_checked) {
          line(fmt::format("not checked: {} ({})", markup(gap.what), markup(gap.because)));
        }
        line("    </system-out>");
      }
    }
    line("  </testsuite>");
    write();
  }

  void end(const RunSummary& summary) override {
    const std::size_t waivers = summary.expired_waivers.size() + summary.unused_waivers.size();
    if (waivers != 0) {
      suite("waivers", waivers, 0, 0, waivers);
      const auto list = [this](const std::vector<std::string>& lines, std::string_view name) {
        for (const std::string& text : lines) {
          open_case(name, markup(waiver_file(text)));
          line(fmt::format("      <skipped message=\"{}\"/>", markup(text)));
          line("    </testcase>");
        }
      };
      list(summary.expired_waivers, "waiver-expired");
      list(summary.unused_waivers, "waiver-unused");
      line("  </testsuite>");
    }
    line("</testsuites>");
    write();
  }

 private:
  void line(std::string_view text) {
    page_.append(text.data(), text.data() + text.size());
    page_.push_back('\n');
  }
  void write() {
    out_.write(page_.data(), static_cast<std::streamsize>(page_.size()));
    page_.clear();
  }

  void suite(std::string_view name, std::size_t tests, std::size_t failures, std::size_t errors,
             std::size_t skipped) {
    line(fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">", name,
        tests, failures, errors, skipped));
  }
  void open_case(std::string_view name, std::string_view class_name) {
    line(fmt::format("    <testcase name=\"{}\" classname=\"{}\">", name, class_name));
  }

  void failed_file(const FileResult& result, const std::string& path) {
    suite(path, 1, 0, 1, 0);
    open_case(failure_of(result.status)->id, path);
    const std::string text = markup(failure_text(result));
    line(fmt::format("      <error type=\"{}\" message=\"{}\">{}</error>",
                     status_name(result.status), text, text));
    line("    </testcase>");
  }

  void test_case(const Case& one, const std::string& path) {
    const std::string name = markup(one.rule);
    const bool quiet = one.passing.empty() && one.accepted.empty();
    if (one.failing.empty() && quiet && one.left_out == 0) {
      line(fmt::format("    <testcase name=\"{}\" classname=\"{}\"/>", name, path));
      return;
    }
    open_case(name, path);
    if (!one.failing.empty()) {
      const ReportedFinding& worst = *one.failing.front();
      std::string message = one_line(worst);
      if (one.failing.size() > 1) message += fmt::format(" (and {} more)", one.failing.size() - 1);
      line(fmt::format("      <failure type=\"{}\" message=\"{}\">",
                       severity_name(worst.finding.severity), markup(message)));
      findings(one.failing);
      line("      </failure>");
    } else if (one.skipped()) {
      const std::string why =
          !one.accepted.empty()
              ? fmt::format("{}; {}", plural(one.accepted.size(), "finding"),
                            acceptance_reason(*one.accepted.front()))
              : fmt::format("not judged on {} until the errors of {} are gone",
                            plural(one.left_out, "element"), printable(one.because));
      line(fmt::format("      <skipped message=\"{}\"/>", markup(why)));
    }
    if (!quiet) {
      line("      <system-out>");
      findings(one.passing);
      for (const ReportedFinding* reported : one.accepted) {
        line(fmt::format("{}: {}", markup(acceptance_reason(*reported)),
                         markup(one_line(*reported))));
      }
      line("      </system-out>");
    }
    line("    </testcase>");
  }

  void findings(const std::vector<const ReportedFinding*>& list) {
    std::size_t shown = 0;
    for (const ReportedFinding* reported : list) {
      if (shown++ == kFindingsPerCase) {
        line(fmt::format("and {} (the JSON report lists all)",
                         plural(list.size() - kFindingsPerCase, "more finding")));
        return;
      }
      line(fmt::format("{}: {}", severity_name(reported->finding.severity),
                       markup(one_line(*reported))));
      for (const auto& [label, text] : finding_rows(*reported)) {
        line(fmt::format("  {}: {}", label, markup(text)));
      }
    }
  }

  std::ostream& out_;
  fmt::memory_buffer page_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_junit_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<JunitReport>(out);
}

}  // namespace skinlint
