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
constexpr std::size_t kFullPerRule = 3;       // of those with all their numbers
constexpr std::size_t kNames = 6;             // joints named in one line
constexpr std::size_t kSamples = 5;
constexpr std::size_t kMeasures = 4;
constexpr std::size_t kAlso = 3;  // further elements with the same note
constexpr std::size_t kNotChecked = 5;
constexpr std::size_t kLabelWidth = 11;   // "measured" and the like, padded
constexpr std::size_t kTextLimit = 2000;  // code points of one sentence from elsewhere

std::string plural(std::uint64_t n, std::string_view one, std::string_view many = {}) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

/// Four digits say enough to a person; whole numbers are written whole.
std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  if (value == std::trunc(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

/// A number with its unit; "of size" is said in percent, one joint is not "1 joints".
std::string with_unit(double value, std::string_view unit) {
  if (unit.empty()) return number_text(value);
  if (unit == "of size") return number_text(100.0 * value) + " % of the size";
  std::string text = fmt::format("{} {}", number_text(value), printable(unit));
  if (value == 1.0 && unit == "joints") text.pop_back();
  return text;
}

std::string measure_text(const Measure& measure, double value) {
  std::string name = printable(measure.name);
  for (char& c : name) {
    if (c == '_') c = ' ';
  }
  const auto ends_with = [&name](std::string_view end) {
    return !end.empty() && name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  // "joints 8 joints" and "displacement percent 3 %" say it twice.
  if (ends_with(" percent")) name.resize(name.size() - std::string_view(" percent").size());
  const bool said = ends_with(measure.unit);
  return name + ' ' + (said ? number_text(value) : with_unit(value, measure.unit));
}

/// The first few numbers, the ones a rule puts first. Words are left to the message, which says
/// them better, and numbers of something that did not occur are no news.
std::string measures_text(const std::vector<Measure>& measures) {
  std::string text;
  std::size_t shown = 0;
  for (const Measure& measure : measures) {
    if (std::holds_alternative<std::string>(measure.value)) continue;
    const auto* integer = std::get_if<std::int64_t>(&measure.value);
    const double value =
        integer != nullptr ? static_cast<double>(*integer) : *std::get_if<double>(&measure.value);
    if (shown > 0 && value == 0.0 && (integer != nullptr || !measure.unit.empty())) continue;
    if (shown++ == kMeasures) break;
    if (!text.empty()) text += ", ";
    text += measure_text(measure, value);
  }
  return text;
}

/// What an element is, before its name: "mesh body", "skin hero", "joint hero:hips/spine".
std::string element_text(const ReportedElement& element, std::size_t room) {
  std::string kind = printable(element.kind);
  if (kind == "binding" || kind == "part") kind = "mesh";
  for (char& c : kind) {
    if (c == '_') c = ' ';
  }
  std::string path = printable(element.path, kTextLimit);
  // "file file" and "skin skin[0]" say it twice.
  const bool said = element.path == element.kind || path.rfind(kind + '[', 0) == 0;
  if (said || kind.empty()) kind.clear();
  if (!kind.empty()) kind += ' ';
  // Of a long path the end is what is looked for; a name is never cut.
  constexpr std::string_view gap = ".../";
  if (display_width(kind) + display_width(path) > room) {
    std::string_view rest = path;
    for (std::size_t cut = rest.find('/'); cut != std::string_view::npos; cut = rest.find('/')) {
      rest.remove_prefix(cut + 1);
      if (display_width(kind) + gap.size() + display_width(rest) <= room) break;
    }
    if (rest.size() != path.size()) path = std::string(gap) + std::string(rest);
  }
  return kind + path;
}

/// The one tool a file says it comes from, or none: its advice is then the only one needed.
enum class Tool : std::uint8_t { any, maya, max, blender };
Tool tool_of(std::string_view generator) {
  std::string text(generator.substr(0, 400));
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto names = [&text](std::string_view name) {
    return text.find(name) != std::string::npos;
  };
  const bool maya = names("maya"), blender = names("blender");
  const bool max = names("3ds max") || names("3dsmax");
  if (maya + max + blender != 1) return Tool::any;
  return maya ? Tool::maya : max ? Tool::max : Tool::blender;
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
    for (const ReportedFinding& reported : result.findings) {
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

    std::string measured = measures_text(f.measured);
    const std::string limits = measures_text(f.limits);
    if (!measured.empty() && !limits.empty()) measured += "; limit: " + limits;
    labelled("measured", measured);
    samples(f);
    related(reported);
    cause(f);

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

  /// Elements that share the fault. The engine hands on some and the finding knows how many there
  /// are.
  void related(const ReportedFinding& reported) {
    if (reported.related.empty()) return;
    if (reported.related.size() == 1 && reported.related[0].path == reported.element.path) return;
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

  void samples(const Finding& f) {
    const std::size_t n = std::min(f.samples.size(), kSamples);
    if (n == 0) return;
    // `count` may go beyond the joints at fault, to those that follow them.
    const bool all_named = f.sample_of == "joint" && n < kSamples && f.related.size() == n;
    const std::uint64_t total = all_named ? n : f.count;
    // One joint that the sentence above names needs no line of its own.
    if (total <= 1 && !f.samples[0].label.empty() && f.sample_of == "joint" &&
        f.message.find(f.samples[0].label) != std::string::npos) {
      return;
    }
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      if (i != 0) text += ", ";
      text += sample_text(f, f.samples[i]);
    }
    if (total > n) text += fmt::format(" and {} more", total - n);
    labelled(f.sample_unit == "none" ? "where" : "worst", text);
  }

  /// "forearm.L 0.03 m", "vertex 12: 0.9 (part 1)"; "none" leaves the value out.
  static std::string sample_text(const Finding& f, const Sample& sample) {
    const std::string label = printable(sample.label, 80);
    const bool named = f.sample_of == "joint" && !label.empty();
    std::string text = named                 ? label
                       : f.sample_of.empty() ? fmt::format("#{}", sample.index)
                                             : fmt::format("{} {}", f.sample_of, sample.index);
    if (f.sample_unit != "none") {
      text += fmt::format("{} {}", named ? "" : ":", with_unit(sample.value, f.sample_unit));
    }
    if (!named && !label.empty()) text += fmt::format(" ({})", label);
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
