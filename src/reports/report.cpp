#include "reports/report.h"

#include "reports/formats.h"

namespace skinlint {

const std::vector<ReportFormat>& report_formats() {
  static const std::vector<ReportFormat> formats = {
      {"text", "for people: what is wrong, why, and what to do first", false, make_text_report},
      {"json", "for programs: everything, schema skinlint-report/1", true, make_json_report},
  };
  return formats;
}

}  // namespace skinlint
