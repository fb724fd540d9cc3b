#pragma once
// A report is written file by file from FileResults, in input order; formats are rows of one table.

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/check.h"

namespace skinlint {

class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  virtual void begin(const CheckConfig& config) = 0;
  virtual void file(const FileResult& result) = 0;
  virtual void end(const RunSummary& summary) = 0;
};

struct ReportOptions {
  bool color = false;
  std::size_t terminal_width = 100;
  bool quiet = false;  // text: findings alone, no line for clean files and no total
};

struct ReportFormat {
  std::string_view name;
  std::string_view summary;
  bool needs_sha256;
  std::unique_ptr<ReportWriter> (*make)(std::ostream&, const ReportOptions&);
};
/// Explicit table, in the order shown by --help.
const std::vector<ReportFormat>& report_formats();

}  // namespace skinlint
