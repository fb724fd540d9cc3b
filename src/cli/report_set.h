#pragma once
// The reports of one run: each a format and where it goes.

#include <memory>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "reports/report.h"

namespace skinlint::cli {

/// One --report: a format and where it goes.
struct Destination {
  const ReportFormat* format = nullptr;
  std::string path;  // empty: standard output
};

/// FORMAT[=FILE] as given; one sentence about what is wrong, or empty. None given: text on
/// standard output.
std::string parse_reports(const std::vector<std::string>& given, std::vector<Destination>& out);

class ReportSet {
 public:
  /// Opens every destination; one sentence on the first that cannot be opened.
  std::string open(const std::vector<Destination>& destinations, const std::string& color,
                   bool quiet);

  void begin(const CheckConfig& config);
  void file(const FileResult& result);
  void end(const RunSummary& summary);
  /// Leaves files as they were before the run; what is on standard output stays there.
  void abandon() { reports_.clear(); }

  /// Some report could not be written: the status is then 2 whatever was found, because its reader
  /// must not take half a report for a verdict.
  bool write_failed() const { return write_failed_; }
  /// No report is left: checking on would be for nobody.
  bool all_failed() const;
  bool on_terminal() const { return on_terminal_; }

 private:
  struct Running {
    std::unique_ptr<OutputFile> output;
    std::unique_ptr<ReportWriter> writer;
    bool failed = false;
  };
  void pass_on(Running& report);

  std::vector<Running> reports_;
  bool write_failed_ = false, on_terminal_ = false;
};

}  // namespace skinlint::cli
