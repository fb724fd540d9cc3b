// One page for a browser: no scripts, nothing to fetch, light or dark as the reader has it. Boxes
// at the top filter by style sheet alone. The total is written last, because files come one by one,
// and shown first.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <string>

#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/markup.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFindingsPerRule = 50;  // of one rule in one file
constexpr std::size_t kOpenPerRule = 3;       // of those unfolded
constexpr std::size_t kAccepted = 100;
constexpr std::size_t kNotChecked = 20;

// Colours reach a contrast of 4.5 : 1 on their background in both schemes.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>skinlint report</title>
<style>
:root { color-scheme: light dark; --page: #fff; --text: #1c1e21; --quiet: #59616b; --line: #d5d9de;
  --box: #f5f6f8; --error: #b3261e; --warning: #8a5300; --note: #0b5cad; --clean: #1b6e3c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181c; --text: #e6e8eb; --quiet: #a2aab4; --line: #3a4048; --box: #1f2329;
    --error: #ff8a80; --warning: #f0b35c; --note: #82b8ff; --clean: #7ad39b; }
}
body { margin: 0 auto; max-width: 70rem; padding: 1rem 1.25rem 3rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: .5rem 0; }
h2 { font-size: 1rem; margin: .5rem 0; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
main { display: flex; flex-direction: column; gap: .5rem; margin-top: 1rem; }
#total { order: -1; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
label { margin-right: 1.25rem; }
.quiet { color: var(--quiet); }
.file { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; }
.file > summary { cursor: pointer; }
.path { font-weight: 600; }
.finding { background: var(--box); border-left: .25rem solid var(--line); margin: .5rem 0;
  padding: .3rem .8rem; }
.finding > summary { cursor: pointer; }
.finding.error { border-left-color: var(--error); }
.finding.warning { border-left-color: var(--warning); }
.finding.note { border-left-color: var(--note); }
.level { font-weight: 600; }
.level.error { color: var(--error); }
.level.warning { color: var(--warning); }
.level.note { color: var(--note); }
.level.clean { color: var(--clean); }
.message { display: block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
p, ul { margin: .3rem 0; }
#errors:not(:checked) ~ main .finding.error, #warnings:not(:checked) ~ main .finding.warning,
#notes:not(:checked) ~ main .finding.note, #clean:not(:checked) ~ main .file.clean { display: none; }
@media print { body { max-width: none; } input, label { display: none; } }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .3rem; } }
</style>
</head>
<body>
<h1>skinlint report</h1>
)";

constexpr std::string_view kFilters =
    R"(<input type="checkbox" id="errors" checked="checked"/><label for="errors">errors</label>
<input type="checkbox" id="warnings" checked="checked"/><label for="warnings">warnings</label>
<input type="checkbox" id="notes" checked="checked"/><label for="notes">notes</label>
<input type="checkbox" id="clean" checked="checked"/><label for="clean">clean files</label>
<main>
)";

std::string level(std::string_view name, std::string_view text) {
  return fmt::format("<span class=\"level {}\">{}</span>", name, text);
}

class HtmlReport final : public ReportWriter {
 public:
  explicit HtmlReport(std::ostream& out) : out_(out) {}

  void begin(const CheckConfig& config) override {
    add(kHead);
    const std::string fails = config.fail_on == Severity::off
                                  ? std::string("never")
                                  : fmt::format("on {}", severity_name(config.fail_on));
    line(fmt::format("<p class=\"quiet\">skinlint {}, profile {}; fails {}</p>",
                     markup(SKINLINT_VERSION), markup(config.profile), fails));
    add(kFilters);
    write();
  }

  void file(const FileResult& result) override {
    const bool counts = std::any_of(result.findings.begin(), result.findings.end(),
                                    [](const ReportedFinding& f) { return f.counts(); });
    if (failure_of(result.status) != nullptr) {
      line("<section class=\"file failed\">");
      line(fmt::format("<p><span class=\"path\">{}</span>: {}</p>", markup(result.path),
                       level("error", status_name(result.status))));
      line(fmt::format("<p>{}</p>", markup(failure_text(result))));
      line("</section>");
    } else if (!counts) {
      line("<section class=\"file clean\">");
      line(
          fmt::format("<p><span class=\"path\">{}</span>: {} <span class=\"quiet\">({})</span></p>",
                      markup(result.path), level("clean", "clean"), markup(format_text(result))));
      tail(result);
      line("</section>");
    } else {
      with_findings(result);
    }
    write();
  }

  void end(const RunSummary& summary) override {
    line("<section id=\"total\">");
    line(
        fmt::format("<p><strong>{}</strong>: {} clean, {} with findings, {} unreadable, {} crashed."
                    "</p>",
                    plural(summary.files, "file"), summary.clean, summary.with_findings,
                    summary.unreadable, summary.crashed));
    std::string counts =
        fmt::format("{}, {}, {}", plural(summary.errors, "error"),
                    plural(summary.warnings, "warning"), plural(summary.notes, "note"));
    const std::string accepted = accepted_text({summary.waived, summary.baselined});
    if (!accepted.empty()) counts += "; " + accepted;
    line(fmt::format("<p>{}.</p>", counts));
    waivers("Expired waivers", summary.expired_waivers);
    waivers("Unused waivers", summary.unused_waivers);
    line("</section>");
    line("</main>");
    line("</body>");
    line("</html>");
    write();
  }

 private:
  void add(std::string_view text) { page_.append(text.data(), text.data() + text.size()); }
  void line(std::string_view text) {
    add(text);
    page_.push_back('\n');
  }
  void write() {
    out_.write(page_.data(), static_cast<std::streamsize>(page_.size()));
    page_.clear();
  }

  void waivers(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    line(fmt::format("<h2>{}</h2>", title));
    line("<ul>");
    for (const std::string& text : lines) line(fmt::format("<li>{}</li>", markup(text)));
    line("</ul>");
  }

  void with_findings(const FileResult& result) {
    std::map<Severity, std::uint64_t, std::greater<>> counts;
    std::map<std::string_view, std::size_t> per_rule;
    for (const ReportedFinding& reported : result.findings) {
      if (reported.counts()) ++counts[reported.finding.severity];
    }
    std::string text;
    for (const auto& [severity, n] : counts) {
      const std::string_view name = severity_name(severity);
      text += (text.empty() ? "" : ", ") + level(name, plural(n, name));
    }
    line("<details class=\"file\" open=\"open\">");
    line(
        fmt::format("<summary><span class=\"path\">{}</span>: {} <span class=\"quiet\">({})</span>"
                    "</summary>",
                    markup(result.path), text, markup(format_text(result))));
    for (const ReportedFinding& reported : result.findings) {
      if (!reported.counts()) continue;
      const std::size_t n = ++per_rule[reported.finding.rule];
      if (n <= kFindingsPerRule) {
        finding(reported, n <= kOpenPerRule && reported.finding.severity != Severity::note);
      }
    }
    for (const auto& [rule, n] : per_rule) {
      if (n <= kFindingsPerRule) continue;
      line(fmt::format("<p>and {} of <code>{}</code> (the JSON report lists all {})</p>",
                       plural(n - kFindingsPerRule, "more finding"), markup(rule), n));
    }
    tail(result);
    line("</details>");
  }

  void finding(const ReportedFinding& reported, bool open) {
    const std::string_view name = severity_name(reported.finding.severity);
    line(fmt::format("<details class=\"finding {}\"{}>", name, open ? " open=\"open\"" : ""));
    line(fmt::format("<summary>{} <code>{}</code> {} <span class=\"message\">{}</span></summary>",
                     level(name, name), markup(reported.finding.rule),
                     markup(element_text(reported.element)), markup(reported.finding.message)));
    line("<dl>");
    const auto row = [this](std::string_view label, std::string_view text) {
      line(fmt::format("<dt>{}</dt><dd>{}</dd>", label, markup(text)));
    };
    for (const auto& [label, text] : finding_rows(reported)) row(label, text);
    if (!reported.element.locator.empty()) row("in the file", reported.element.locator);
    line("</dl>");
    line("</details>");
  }

  /// What was accepted, left out or could not be judged.
  void tail(const FileResult& result) {
    const std::string accepted = accepted_text(count_accepted(result));
    if (!accepted.empty()) {
      line(fmt::format("<details><summary class=\"quiet\">{}</summary>", accepted));
      line("<ul>");
      std::size_t shown = 0;
      for (const ReportedFinding& reported : result.findings) {
        if (reported.counts() || shown == kAccepted) continue;
        ++shown;
        line(fmt::format("<li><code>{}</code> {}: {}</li>", markup(reported.finding.rule),
                         markup(element_text(reported.element)),
                         markup(acceptance_reason(reported))));
      }
      line("</ul>");
      line("</details>");
    }
    if (!result.skipped.empty()) {
      std::map<std::string, std::uint64_t> because;
      for (const SkippedCheck& skipped : result.skipped) ++because[skipped.because];
      const std::string rules =
          capped_list(because, 6, [](const auto& entry) { return markup(entry.first); });
      line(fmt::format("<p class=\"quiet\">{} left out until the errors of {} are gone.</p>",
                       plural(result.skipped.size(), "check"), rules));
    }
    std::size_t shown = 0;
    for (const NotChecked& gap : result.not_checked) {
      if (shown++ == kNotChecked) break;
      line(fmt::format("<p class=\"quiet\">not checked: {} ({})</p>", markup(gap.what),
                       markup(gap.because)));
    }
    if (result.not_checked.size() > kNotChecked) {
      line(fmt::format("<p class=\"quiet\">and {} more not checked</p>",
                       result.not_checked.size() - kNotChecked));
    }
  }

  std::ostream& out_;
  fmt::memory_buffer page_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_html_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<HtmlReport>(out);
}

}  // namespace skinlint
