// The text report, for the person who exported the file: what is wrong, by how much, why, what it
// looks like in the engine and what to do first. Long lists are capped and say how many they leave
// out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "reports/formats.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFindingsPerRule = 10;  // of one rule in one file
constexpr std::size_t kNotesPerRule = 3;
constexpr std::size_t kNames = 6;  // joints named in one line
constexpr std::size_t kSamples = 5;
constexpr std::size_t kNotChecked = 5;
constexpr std::size_t kLabelWidth = 11;   // "measured" and the like, padded
constexpr std::size_t kTextLimit = 2000;  // code points of one sentence from elsewhere

std::string plural(std::uint64_t n, std::string_view one, std::string_view many = {}) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

/// Six digits say enough to a person; whole numbers are written whole.
std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return fmt::format("{:.6g}", value);
}

std::string measure_text(const Measure& measure) {
  std::string name = printable(measure.name);
  for (char& c : name) {
    if (c == '_') c = ' ';
  }
  std::string value;
  if (const auto* number = std::get_if<double>(&measure.value)) {
    value = number_text(*number);
  } else if (const auto* integer = std::get_if<std::int64_t>(&measure.value)) {
    value = fmt::format("{}", *integer);
  } else {
    value = printable(*std::get_if<std::string>(&measure.value));
  }
  // "joints 8 joints" says it twice.
  const std::string unit = printable(measure.unit);
  const bool said =
      name.size() >= unit.size() && name.compare(name.size() - unit.size(), unit.size(), unit) == 0;
  if (unit.empty() || said) return name + ' ' + value;
  return fmt::format("{} {}{}{}", name, value, unit == "%" ? "" : " ", unit);
}

std::string measures_text(const std::vector<Measure>& measures) {
  std::string text;
  for (const Measure& measure : measures) {
    if (!text.empty()) text += ", ";
    text += measure_text(measure);
  }
  return text;
}

/// The joint's own name out of "skin:Armature/hips/spine"; other elements keep their path.
std::string short_name(const ReportedElement& element) {
  std::string_view path = element.path;
  if (element.kind != element_kind_name(ElementKind::joint)) return printable(path, 120);
  const std::size_t cut =
      path.rfind('/') != std::string_view::npos ? path.rfind('/') : path.find(':');
  if (cut != std::string_view::npos && cut + 1 < path.size()) path.remove_prefix(cut + 1);
  return printable(path, 120);
}

/// "a, b, c and 12 more"; `total` when there are more than `items` holds.
template <class Items, class Name>
std::string capped_list(const Items& items, std::size_t cap, Name name, std::size_t total = 0) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == cap) break;
    if (shown++ != 0) text += ", ";
    text += name(item);
  }
  total = std::max(total, items.size());
  if (total > shown) text += fmt::format(" and {} more", total - shown);
  return text;
}

std::string format_text(const FileResult& result) {
  std::string text = printable(result.format);
  if (text == "gltf") text = "glTF";
  if (text == "glb") text = "GLB";
  if (text == "fbx") text = "FBX";
  if (!result.version.empty()) text += " " + printable(result.version);
  if (result.skins == 0) {
    text += text.empty() ? "no skin" : ", no skin";
  } else {
    text += fmt::format("{}{}, {}", text.empty() ? "" : ", ", plural(result.skins, "skin"),
                        plural(result.joints, "joint"));
  }
  return text;
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
    } else if (result.findings.empty()) {
      clean(result);
    } else {
      with_findings(result);
    }
    write();
  }

  void end(const RunSummary& summary) override {
    if (!quiet_) {
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
      if (summary.waived != 0) text += fmt::format(" {} waived.", summary.waived);
      if (summary.baselined != 0) text += fmt::format(" {} in the baseline.", summary.baselined);
      if (after_block_) line("");
      line(bold(text));
      if (summary.with_findings != 0) {
        paragraph(0, "", 0,
                  "\"skinlint explain RULE\" says more about a rule, and when it is not a fault.");
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
    const std::size_t used = indent + lead_width;
    const std::size_t room = width_ > used + 20 ? width_ - used : 20;
    bool first = true;
    for (const std::string& wrapped : wrap_words(text, room, room)) {
      if (first) {
        line(fmt::format("{:{}}{}{}", "", indent, lead, wrapped));
      } else {
        line(fmt::format("{:{}}{}", "", used, wrapped));
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
    if (!result.not_checked.empty()) {
      text += "; not checked: " + capped_list(result.not_checked, 2, [](const NotChecked& n) {
                return fmt::format("{} ({})", printable(n.what), printable(n.because));
              });
    }
    line(text);
  }

  void unreadable(const FileResult& result) {
    block();
    std::string text;
    if (result.error) {
      text = printable(result.error->message, kTextLimit);
      std::string place;
      if (!result.error->locator.empty()) place = "at " + printable(result.error->locator);
      if (result.error->offset) {
        place += fmt::format("{}at byte {}", place.empty() ? "" : ", ", *result.error->offset);
      }
      if (!place.empty()) text += fmt::format(" ({})", place);
    }
    const std::string_view status = status_name(result.status);
    line(fmt::format("{}: {}", bold(printable(result.path, kTextLimit)), painted("1;31", status)));
    paragraph(2, "", 0, text);
  }

  void with_findings(const FileResult& result) {
    block();
    std::uint64_t errors = 0, warnings = 0, notes = 0;
    std::map<std::string_view, std::size_t> per_rule;
    for (const ReportedFinding& reported : result.findings) {
      const Severity severity = reported.finding.severity;
      errors += severity == Severity::error;
      warnings += severity == Severity::warning;
      notes += severity == Severity::note;
      ++per_rule[reported.finding.rule];
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

    // A rule's findings are graded: its notes may be capped while its errors are not.
    const auto cap = [](const Finding& f) {
      return f.severity == Severity::note ? kNotesPerRule : kFindingsPerRule;
    };
    std::map<std::string_view, std::size_t> shown, printed;
    std::set<std::string> remedies;
    for (const ReportedFinding& reported : result.findings) {
      std::size_t& n = shown[reported.finding.rule];
      if (++n > cap(reported.finding)) continue;
      ++printed[reported.finding.rule];
      finding(reported, remedies);
    }
    for (const auto& [rule, total] : per_rule) {
      if (total <= printed[rule]) continue;
      line("");
      paragraph(2, "", 0,
                fmt::format("and {} of {} (the JSON report lists all {})",
                            plural(total - printed[rule], "more finding"), rule, total));
    }
    left_out(result);
  }

  void finding(const ReportedFinding& reported, std::set<std::string>& remedies) {
    const Finding& f = reported.finding;
    line("");
    line(fmt::format("  {}  {}  {}", severity(f.severity), bold(printable(f.rule)),
                     printable(reported.element.path)));
    paragraph(4, "", 0, printable(f.message, kTextLimit));

    std::string measured = measures_text(f.measured);
    if (!f.limits.empty()) {
      measured += fmt::format("{}limit: {}", measured.empty() ? "" : "; ", measures_text(f.limits));
    }
    labelled("measured", measured);
    if (!f.samples.empty()) {
      labelled("worst", samples_text(f));
    }
    related(reported);
    cause(f);

    // The same advice once per file is enough.
    const Remedy& r = reported.remedy;
    if (r.symptom.empty() && r.action.empty()) return;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", r.symptom, r.action, r.maya, r.max, r.blender);
    if (!remedies.insert(key).second) {
      labelled("do first", "as above for the same fault");
      return;
    }
    labelled("in engine", printable(r.symptom, kTextLimit));
    labelled("do first", printable(r.action, kTextLimit));
    labelled("Maya", printable(r.maya, kTextLimit));
    labelled("3ds Max", printable(r.max, kTextLimit));
    labelled("Blender", printable(r.blender, kTextLimit));
  }

  /// Elements that share the fault. The engine hands on some and the finding knows how many there
  /// are.
  void related(const ReportedFinding& reported) {
    if (reported.related.empty()) return;
    // Samples that name the same joints have said it already.
    const std::vector<Sample>& samples = reported.finding.samples;
    const std::size_t shown = std::min({kSamples, samples.size(), reported.related.size()});
    bool said = shown == std::min(kSamples, reported.related.size());
    for (std::size_t i = 0; i < shown; ++i) {
      said = said && printable(samples[i].label, 120) == short_name(reported.related[i]);
    }
    if (said) return;
    const std::string text =
        capped_list(reported.related, kNames, short_name, reported.finding.related.size());
    const bool joints = reported.related.front().kind == element_kind_name(ElementKind::joint) ||
                        reported.related.front().kind == element_kind_name(ElementKind::node);
    labelled(joints ? "joints" : "also", text);
  }

  std::string samples_text(const Finding& f) const {
    std::string text;
    const std::size_t n = std::min(f.samples.size(), kSamples);
    for (std::size_t i = 0; i < n; ++i) {
      const Sample& sample = f.samples[i];
      if (i != 0) text += ", ";
      text += fmt::format("#{} = {}", sample.index, number_text(sample.value));
      if (!sample.label.empty()) text += fmt::format(" ({})", printable(sample.label, 80));
    }
    if (f.count > n) text += fmt::format(" and {} more", f.count - n);
    return text;
  }

  void cause(const Finding& f) {
    if (!f.cause) return;
    const Cause& c = *f.cause;
    std::string text = printable(c.text.empty() ? c.id : c.text, kTextLimit);
    std::string tail;
    switch (c.confidence) {
      case Cause::Confidence::certain:
        tail = "certain";
        break;
      case Cause::Confidence::ambiguous:
        tail = "one of several that fit";
        break;
      case Cause::Confidence::none:
        tail = "no known cause fits";
        break;
    }
    if (!c.id.empty()) text += fmt::format(" [{}: {}]", printable(c.id), tail);
    labelled("cause", text);
    labelled("", c.joints.empty() ? std::string()
                                  : "At: " + capped_list(c.joints, kNames, [](const auto& name) {
                                      return printable(name, 120);
                                    }));
    labelled("", c.alternatives.empty()
                     ? std::string()
                     : "Could also be: " + capped_list(c.alternatives, kNames, [](const auto& id) {
                         return printable(id, 120);
                       }));
  }

  void left_out(const FileResult& result) {
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
