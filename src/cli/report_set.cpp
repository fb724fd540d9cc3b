#include "cli/report_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "engine/suggest.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : report_formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

std::string parse_reports(const std::vector<std::string>& given, std::vector<Destination>& out) {
  for (const std::string& text : given.empty() ? std::vector<std::string>{"text"} : given) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    Destination destination;
    for (const ReportFormat& format : report_formats()) {
      if (format.name == name) destination.format = &format;
    }
    if (destination.format == nullptr) {
      return fmt::format("unknown report format \"{}\"{}", printable(name),
                         suggestion(name, format_names()));
    }
    if (equals != std::string::npos) {
      destination.path = text.substr(equals + 1);
      if (destination.path.empty()) return fmt::format("--report {} names no file", name + "=");
      if (destination.path == "-") destination.path.clear();
    }
    for (const Destination& other : out) {
      if (other.path != destination.path) continue;
      return destination.path.empty()
                 ? std::string(
                       "two reports on standard output; give one a file: "
                       "--report FORMAT=FILE")
                 : fmt::format("two reports to {}", printable(destination.path));
    }
    out.push_back(std::move(destination));
  }
  return {};
}

std::string ReportSet::open(const std::vector<Destination>& destinations, const std::string& color,
                            bool quiet) {
  std::string error;
  for (const Destination& destination : destinations) {
    Running report;
    report.output = destination.path.empty() ? OutputFile::standard_output()
                                             : OutputFile::create(destination.path, error);
    if (report.output == nullptr) return error;
    ReportOptions look;
    const bool standard = report.output->is_standard_output();
    on_terminal_ = on_terminal_ || report.output->is_terminal();
    // --color always is about the screen; a report in a file stays plain.
    look.color = standard && wants_color(color, report.output->is_terminal());
    look.terminal_width = standard ? terminal_width() : 100;
    look.quiet = quiet;
    report.writer = destination.format->make(report.output->stream(), look);
    reports_.push_back(std::move(report));
  }
  return {};
}

void ReportSet::begin(const CheckConfig& config) {
  for (Running& report : reports_) report.writer->begin(config);
}

void ReportSet::file(const FileResult& result) {
  for (Running& report : reports_) {
    if (report.failed) continue;
    report.writer->file(result);
    pass_on(report);
  }
}

void ReportSet::pass_on(Running& report) {
  OutputFile& output = *report.output;
  if (!output.is_standard_output() && output.stream().good()) return;
  if (output.flush()) return;
  report.failed = true;
  write_failed_ = true;
  if (!output.broken_pipe()) complain(output.close());
}

void ReportSet::end(const RunSummary& summary) {
  for (Running& report : reports_) {
    if (report.failed) continue;
    report.writer->end(summary);
    const std::string reason = report.output->close();
    if (reason.empty()) continue;
    write_failed_ = true;
    if (!report.output->broken_pipe()) complain(reason);
  }
}

bool ReportSet::all_failed() const {
  return std::all_of(reports_.begin(), reports_.end(), [](const Running& r) { return r.failed; });
}

}  // namespace skinlint::cli
