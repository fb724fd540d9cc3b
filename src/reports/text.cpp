// The text report, for the person who exported the file: what is wrong, by how much, why, what it
// looks like in the engine and what to do first. Long lists are capped and say how many they leave
// out.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "model/letters.h"
#include "reports/finding_text.h"
#include "reports/formats.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFindingsPerRule = 10;  // of one rule in one file
constexpr std::size_t kFullPerRule = 3;       // of those with all their numbers
constexpr std::size_t kNames = 6;             // rules named in one line
constexpr std::size_t kAlso = 3;              // further elements with the same note
constexpr std::size_t kNotChecked = 5;
constexpr std::size_t kLabelWidth = 11;  // "measured" and the like, padded

/// The one tool a file says it comes from, or none: its advice is then the only one needed.
enum class Tool : std::uint8_t { any, maya, max, blender };
Tool tool_of(std::string_view generator) {
  const std::string text = lower_case(std::string(generator.substr(0, 400)));
  const auto names = [&text](std::string_view name) {
    return text.find(name) != std::string::npos;
  };
  const bool maya = names("maya"), blender = names("blender");
  const bool max = names("3ds max") || names("3dsmax");
  if (maya + max + blender != 1) return Tool::any;
  return maya ? Tool::maya : max ? Tool::max : Tool::blender;
}

class TextReport final : public ReportWriter {
 public:
  TextReport(std::ostream& out, const ReportOptions& options)
      : out_(out),
        color_(options.color),
        quiet_(options.quiet),
        width_(std::max<std::size_t>(options.terminal_width, 40)) {}

  void begin(const CheckConfig&) override {}

  void file(const FileResult& result) override {
    if (result.status != FileResult::Status::checked) {
      unreadable(result);
    } else if (std::none_of(result.findings.begin(), result.findings.end(),
                            [](const ReportedFinding& f) { return f.counts(); })) {
      clean(result);
    } else {
      with_findings(result);
    }
    write();
  }

  void end(const RunSummary& summary) override {
    if (!quiet_) {
      waivers(summary);
      std::string text = plural(summary.files, "file") + ":";
      const auto part = [&](std::uint64_t n, std::string_view what) {
        if (n != 0) text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", n, what);
      };
      part(summary.clean, "clean");
      part(summary.with_findings, "with findings");
      part(summary.unreadable, "unreadable");
      part(summary.crashed, "crashed");
      if (summary.files == 0) text = "0 files";
      text += fmt::format(". {}, {}, {}.", plural(summary.errors, "error"),
                          plural(summary.warnings, "warning"), plural(summary.notes, "note"));
      const std::string accepted = accepted_text({summary.waived, summary.baselined});
      if (!accepted.empty()) text += fmt::format(" {}.", accepted);
      if (after_block_) line("");
      line(bold(text));
      if (summary.with_findings != 0) {
        paragraph(0, "", 0,
                  "\"skinlint explain RULE\" says more about a rule: why, steps in each tool, and "
                  "when it is "
                  "not a fault.");
      }
    }
    write();
  }

 private:
  // --- pieces of a page ---------------------------------------------------------------------
  std::string painted(std::string_view code, std::string_view text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  std::string bold(std::string_view text) const { return painted("1", text); }
  std::string severity(Severity severity) const {
    const std::string_view code = severity == Severity::error     ? "1;31"
                                  : severity == Severity::warning ? "1;33"
                                                                  : "1;36";
    return painted(code, severity_name(severity));
  }
  void line(std::string_view text) {
    page_.append(text.data(), text.data() + text.size());
    page_.push_back('\n');
  }
  /// Wrapped text at an indentation; `lead` stands before the first line and has `lead_width`
  /// visible columns, later lines align with the first.
  void paragraph(std::size_t indent, const std::string& lead, std::size_t lead_width,
                 const std::string& text) {
    hanging(indent, lead, lead_width, indent + lead_width, text);
  }
  /// The same with later lines at column `rest`.
  void hanging(std::size_t indent, const std::string& lead, std::size_t lead_width,
               std::size_t rest, const std::string& text) {
    const auto room = [this](std::size_t used) { return width_ > used + 20 ? width_ - used : 20; };
    bool first = true;
    for (const std::string& wrapped : wrap_words(text, room(indent + lead_width), room(rest))) {
      if (first) {
        line(fmt::format("{:{}}{}{}", "", indent, lead, wrapped));
      } else {
        line(fmt::format("{:{}}{}", "", rest, wrapped));
      }
      first = false;
    }
  }
  void labelled(std::string_view label, const std::string& text) {
    if (text.empty()) return;
    paragraph(4, painted("2", fmt::format("{:<{}}", label, kLabelWidth)), kLabelWidth, text);
  }
  void write() {
    out_.write(page_.data(), static_cast<std::streamsize>(page_.size()));
    page_.clear();
  }
  void block() {
    if (something_before_) line("");
    something_before_ = true;
    after_block_ = true;
  }

  // --- files --------------------------------------------------------------------------------
  void clean(const FileResult& result) {
    if (quiet_) return;
    if (after_block_) line("");
    after_block_ = false;
    something_before_ = true;
    std::string text = fmt::format("{}: {} ({})", printable(result.path, kTextLimit),
                                   painted("32", "clean"), format_text(result));
    const std::string accepted = accepted_text(count_accepted(result));
    if (!accepted.empty()) text += "; " + accepted;
    if (!result.not_checked.empty()) {
      text += "; not checked: " + capped_list(result.not_checked, 2, [](const NotChecked& n) {
                return fmt::format("{} ({})", printable(n.what), printable(n.because));
              });
    }
    line(text);
  }

  void unreadable(const FileResult& result) {
    block();
    const std::string_view status = status_name(result.status);
    line(fmt::format("{}: {}", bold(printable(result.path, kTextLimit)), painted("1;31", status)));
    paragraph(2, "", 0, failure_text(result));
  }

  /// Waivers that no longer do anything: what they accepted counts, or is gone.
  void waivers(const RunSummary& summary) {
    if (summary.expired_waivers.empty() && summary.unused_waivers.empty()) return;
    if (something_before_) line("");
    something_before_ = true;
    after_block_ = true;
    const auto list = [this](const std::vector<std::string>& waivers, std::string_view lead) {
      for (const std::string& waiver : waivers) {
        paragraph(0, painted("33", lead), lead.size(), printable(waiver, kTextLimit));
      }
    };
    list(summary.expired_waivers, "expired waiver: ");
    list(summary.unused_waivers, "unused waiver: ");
  }

  void with_findings(const FileResult& result) {
    block();
    std::uint64_t errors = 0, warnings = 0, notes = 0;
    for (const ReportedFinding& reported : result.findings) {
      if (!reported.counts()) continue;
      const Severity severity = reported.finding.severity;
      errors += severity == Severity::error;
      warnings += severity == Severity::warning;
      notes += severity == Severity::note;
    }
    std::string counts;
    const auto count = [&](std::uint64_t n, std::string_view what) {
      if (n != 0) counts += fmt::format("{}{}", counts.empty() ? "" : ", ", plural(n, what));
    };
    count(errors, "error");
    count(warnings, "warning");
    count(notes, "note");
    line(fmt::format("{}: {} ({})", bold(printable(result.path, kTextLimit)), counts,
                     format_text(result)));

    const Tool tool = tool_of(result.generator);
    std::map<std::string_view, std::size_t> shown;
    std::set<std::string> remedies;
    std::vector<Group> notes_by_rule;
    for (const ReportedFinding& reported : result.findings) {
      if (!reported.counts()) continue;
      if (reported.finding.severity == Severity::note) {
        add_note(notes_by_rule, reported);
        continue;
      }
      const std::size_t n = ++shown[reported.finding.rule];
      if (n <= kFindingsPerRule) finding(reported, n <= kFullPerRule, tool, remedies);
    }
    for (const auto& [rule, total] : shown) {
      if (total <= kFindingsPerRule) continue;
      line("");
      paragraph(2, "", 0,
                fmt::format("and {} of {} (the JSON report lists all {})",
                            plural(total - kFindingsPerRule, "more finding"), rule, total));
    }
    if (!notes_by_rule.empty()) line("");
    for (const Group& group : notes_by_rule) note(group);
    left_out(result);
  }

  /// Notes of one rule: what is legal and harmless takes a line or two, however often it occurs.
  struct Group {
    const ReportedFinding* first = nullptr;
    std::vector<const ReportedElement*> others;
  };
  static void add_note(std::vector<Group>& groups, const ReportedFinding& reported) {
    const auto known = std::find_if(groups.begin(), groups.end(), [&reported](const Group& group) {
      return group.first->finding.rule == reported.finding.rule;
    });
    if (known == groups.end()) {
      groups.push_back({&reported, {}});
    } else {
      known->others.push_back(&reported.element);
    }
  }
  void note(const Group& group) {
    const ReportedFinding& reported = *group.first;
    std::string text = fmt::format("{}: {}", element_text(reported.element, 60),
                                   printable(reported.finding.message, kTextLimit));
    if (!group.others.empty()) {
      text += "; also " + capped_list(group.others, kAlso, [](const ReportedElement* element) {
                return element_text(*element, 40);
              });
    }
    const std::string rule = printable(reported.finding.rule);
    hanging(2, fmt::format("{}  {}  ", severity(Severity::note), bold(rule)), rule.size() + 8, 8,
            text);
  }

  void finding(const ReportedFinding& reported, bool full, Tool tool,
               std::set<std::string>& remedies) {
    const Finding& f = reported.finding;
    const std::string rule = printable(f.rule);
    const std::size_t used = 6 + severity_name(f.severity).size() + rule.size();
    line("");
    line(fmt::format("  {}  {}  {}", severity(f.severity), bold(rule),
                     element_text(reported.element, width_ > used + 20 ? width_ - used : 20)));
    paragraph(4, "", 0, printable(f.message, kTextLimit));
    if (!full) return;

    labelled("measured", measured_text(f));
    labelled(samples_label(f), samples_text(f));
    labelled(related_label(reported), related_text(reported));
    if (f.cause) {
      std::string_view label = "cause";
      for (const std::string& text : cause_lines(*f.cause)) {
        labelled(label, text);
        label = {};
      }
    }

    // The same advice once per file is enough.
    const Remedy& r = reported.remedy;
    if (r.symptom.empty() && r.action.empty()) return;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", r.symptom, r.action, r.maya, r.max, r.blender);
    if (!remedies.insert(key).second) {
      labelled("do first", "as above");
      return;
    }
    labelled("in engine", printable(r.symptom, kTextLimit));
    labelled("do first", printable(r.action, kTextLimit));
    const auto in_tool = [&](Tool which, std::string_view name, std::string_view text) {
      if (tool == Tool::any || tool == which) labelled(name, printable(text, kTextLimit));
    };
    in_tool(Tool::maya, "Maya", r.maya);
    in_tool(Tool::max, "3ds Max", r.max);
    in_tool(Tool::blender, "Blender", r.blender);
  }

  void left_out(const FileResult& result) {
    const std::string accepted = accepted_text(count_accepted(result));
    if (!accepted.empty()) {
      line("");
      line("  " + accepted + ", not shown.");
    }
    if (!result.skipped.empty()) {
      std::map<std::string, std::uint64_t> because;
      for (const SkippedCheck& skipped : result.skipped) ++because[printable(skipped.because)];
      line("");
      paragraph(
          2, "", 0,
          fmt::format("{} left out until the errors of {} are gone.",
                      plural(result.skipped.size(), "check"),
                      capped_list(because, kNames, [](const auto& entry) { return entry.first; })));
    }
    if (!result.not_checked.empty()) {
      line("");
      std::size_t i = 0;
      for (const NotChecked& not_checked : result.not_checked) {
        if (i++ == kNotChecked) break;
        paragraph(2, "not checked: ", 13,
                  fmt::format("{} ({})", printable(not_checked.what, kTextLimit),
                              printable(not_checked.because, kTextLimit)));
      }
      if (result.not_checked.size() > kNotChecked) {
        line(fmt::format("  and {} more not checked", result.not_checked.size() - kNotChecked));
      }
    }
  }

  std::ostream& out_;
  bool color_;
  bool quiet_;
  std::size_t width_;
  fmt::memory_buffer page_;
  bool something_before_ = false;
  bool after_block_ = false;
};

}  // namespace

std::unique_ptr<ReportWriter> make_text_report(std::ostream& out, const ReportOptions& options) {
  return std::make_unique<TextReport>(out, options);
}

}  // namespace skinlint
