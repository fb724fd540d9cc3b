#include "reports/finding_text.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/digest.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kNames = 6;  // joints named in one line
constexpr std::size_t kSamples = 5;
constexpr std::size_t kMeasures = 4;

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

/// The joint's own name out of "skin:Armature/hips/spine"; other elements keep their path.
std::string short_name(const ReportedElement& element) {
  std::string_view path = element.path;
  if (element.kind != element_kind_name(ElementKind::joint)) return printable(path, 120);
  const std::size_t cut =
      path.rfind('/') != std::string_view::npos ? path.rfind('/') : path.find(':');
  if (cut != std::string_view::npos && cut + 1 < path.size()) path.remove_prefix(cut + 1);
  return printable(path, 120);
}

/// "forearm.L 0.03 m", "vertex 12: 0.9 (part 1)"; "none" leaves the value out.
std::string sample_text(const Finding& f, const Sample& sample) {
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

/// A sentence that another can follow.
void add_sentence(std::string& text, std::string_view lead, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!text.empty()) {
    const bool closed = text.back() == '.' || text.back() == '!' || text.back() == '?';
    text += closed ? " " : ". ";
  }
  text += lead;
  text += sentence;
}

}  // namespace

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

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

std::string measured_text(const Finding& finding) {
  std::string measured = measures_text(finding.measured);
  const std::string limits = measures_text(finding.limits);
  if (!measured.empty() && !limits.empty()) measured += "; limit: " + limits;
  return measured;
}

std::string samples_text(const Finding& finding) {
  const std::size_t n = std::min(finding.samples.size(), kSamples);
  if (n == 0) return {};
  // `count` may go beyond the joints at fault, to those that follow them.
  const bool all_named =
      finding.sample_of == "joint" && n < kSamples && finding.related.size() == n;
  const std::uint64_t total = all_named ? n : finding.count;
  // One joint that the message names needs no line of its own.
  if (total <= 1 && !finding.samples[0].label.empty() && finding.sample_of == "joint" &&
      finding.message.find(finding.samples[0].label) != std::string::npos) {
    return {};
  }
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != 0) text += ", ";
    text += sample_text(finding, finding.samples[i]);
  }
  if (total > n) text += fmt::format(" and {} more", total - n);
  return text;
}

std::string_view samples_label(const Finding& finding) {
  return finding.sample_unit == "none" ? "where" : "worst";
}

std::string related_text(const ReportedFinding& reported) {
  if (reported.related.empty()) return {};
  if (reported.related.size() == 1 && reported.related[0].path == reported.element.path) return {};
  // Samples that name the same joints have said it already.
  const std::vector<Sample>& samples = reported.finding.samples;
  const std::size_t shown = std::min({kSamples, samples.size(), reported.related.size()});
  bool said = shown == std::min(kSamples, reported.related.size());
  for (std::size_t i = 0; i < shown; ++i) {
    said = said && printable(samples[i].label, 120) == short_name(reported.related[i]);
  }
  if (said) return {};
  // The engine hands on some and the finding knows how many there are.
  return capped_list(reported.related, kNames, short_name, reported.finding.related.size());
}

std::string_view related_label(const ReportedFinding& reported) {
  if (reported.related.empty()) return "also";
  const std::string& kind = reported.related.front().kind;
  const bool joints =
      kind == element_kind_name(ElementKind::joint) || kind == element_kind_name(ElementKind::node);
  return joints ? "joints" : "also";
}

std::vector<std::string> cause_lines(const Cause& cause) {
  std::vector<std::string> lines;
  std::string text = printable(cause.text.empty() ? cause.id : cause.text, kTextLimit);
  std::string_view tail;
  switch (cause.confidence) {
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
  if (!cause.id.empty()) text += fmt::format(" [{}: {}]", printable(cause.id), tail);
  if (!text.empty()) lines.push_back(std::move(text));
  const auto name = [](const std::string& item) { return printable(item, 120); };
  if (!cause.joints.empty()) lines.push_back("At: " + capped_list(cause.joints, kNames, name));
  if (!cause.alternatives.empty()) {
    lines.push_back("Could also be: " + capped_list(cause.alternatives, kNames, name));
  }
  return lines;
}

std::vector<std::pair<std::string_view, std::string>> finding_rows(
    const ReportedFinding& reported) {
  std::vector<std::pair<std::string_view, std::string>> rows;
  const auto row = [&rows](std::string_view label, std::string text) {
    if (!text.empty()) rows.emplace_back(label, std::move(text));
  };
  const Finding& finding = reported.finding;
  row("measured", measured_text(finding));
  row(samples_label(finding), samples_text(finding));
  row(related_label(reported), related_text(reported));
  if (finding.cause) {
    for (std::string& text : cause_lines(*finding.cause)) row("cause", std::move(text));
  }
  const Remedy& remedy = reported.remedy;
  row("in engine", printable(remedy.symptom, kTextLimit));
  row("do first", printable(remedy.action, kTextLimit));
  row("Maya", printable(remedy.maya, kTextLimit));
  row("3ds Max", printable(remedy.max, kTextLimit));
  row("Blender", printable(remedy.blender, kTextLimit));
  return rows;
}

std::string finding_paragraph(const ReportedFinding& reported, std::size_t max_code_points) {
  std::string text = printable(reported.finding.message, kTextLimit);
  const std::optional<Cause>& cause = reported.finding.cause;
  if (cause && cause->confidence != Cause::Confidence::none) {
    add_sentence(text,
                 cause->confidence == Cause::Confidence::certain ? "Cause: " : "Likely cause: ",
                 printable(cause->text.empty() ? cause->id : cause->text, kTextLimit));
  }
  add_sentence(text, "Do first: ", printable(reported.remedy.action, kTextLimit));
  return printable(text, max_code_points);
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

const std::vector<FileFailure>& file_failures() {
  static const std::vector<FileFailure> failures = {
      {"file-unreadable", "The file could not be read, so nothing in it was judged",
       "The message says what is wrong and where in the file. Export the file again; where it "
       "comes "
       "from Git LFS or names other files, see that those are there."},
      {"check-crashed", "An internal error ended the check of the file",
       "The fault is in the checker, or in a library it reads with, and not in the file alone; "
       "what "
       "the file holds was not judged."},
      {"check-timeout", "The check of the file took longer than the limit that was set",
       "What the file holds was not judged. Give it more time, or see why the file is so large."},
  };
  return failures;
}

const FileFailure* failure_of(FileResult::Status status) {
  switch (status) {
    case FileResult::Status::checked:
      return nullptr;
    case FileResult::Status::unreadable:
      return &file_failures()[0];
    case FileResult::Status::crashed:
      return &file_failures()[1];
    case FileResult::Status::timeout:
      return &file_failures()[2];
  }
  return nullptr;
}

std::string failure_text(const FileResult& result) {
  std::string text;
  std::string place;
  if (result.error) {
    text = printable(result.error->message, kTextLimit);
    if (!result.error->locator.empty()) place = "at " + printable(result.error->locator);
    if (result.error->offset) {
      place += fmt::format("{}at byte {}", place.empty() ? "" : ", ", *result.error->offset);
    }
  }
  if (text.empty()) {
    const FileFailure* failure = failure_of(result.status);
    text = failure != nullptr ? failure->summary : "The file was checked";
  }
  if (!place.empty()) text += fmt::format(" ({})", place);
  return text;
}

std::string failure_fingerprint(const FileResult& result) {
  const FileFailure* failure = failure_of(result.status);
  return sha256_hex(fmt::format("{}\n{}", failure != nullptr ? failure->id : "", result.path))
      .substr(0, 32);
}

AcceptedCount count_accepted(const FileResult& result) {
  AcceptedCount count;
  for (const ReportedFinding& reported : result.findings) {
    if (reported.waived) {
      ++count.waived;
    } else if (reported.baselined) {
      ++count.baselined;
    }
  }
  return count;
}

std::string accepted_text(const AcceptedCount& count) {
  std::string text;
  if (count.waived != 0) text = fmt::format("{} waived", count.waived);
  if (count.baselined != 0) {
    text += fmt::format("{}{} in the baseline", text.empty() ? "" : ", ", count.baselined);
  }
  return text;
}

std::string acceptance_reason(const ReportedFinding& reported) {
  if (!reported.waived) return reported.baselined ? "in the baseline" : std::string();
  std::string text = "waived: " + printable(reported.waived->reason, kTextLimit);
  if (!reported.waived->expires.empty()) {
    text += fmt::format(" (until {})", printable(reported.waived->expires));
  }
  return text;
}

std::string waiver_file(const std::string& line) {
  return line.substr(0, std::min(line.find(" waivers["), line.size()));
}

}  // namespace skinlint
