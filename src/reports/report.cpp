#include "reports/report.h"

#include "reports/formats.h"

namespace skinlint {

const std::vector<ReportFormat>& report_formats() {
  static const std::vector<ReportFormat> formats = {
      {"text", "for people: what is wrong, why, and what to do first", false, make_text_report},
      {"json", "for programs: everything, schema skinlint-report/1", true, make_json_report},
      {"sarif", "SARIF 2.1.0, for code scanning", false, make_sarif_report},
      {"junit", "JUnit XML: a suite per file, a case per rule", false, make_junit_report},
      {"github", "annotations of a GitHub Actions step", false, make_github_report},
      {"gitlab", "GitLab code quality", false, make_gitlab_report},
      {"html", "one page for a browser", false, make_html_report},
  };
  return formats;
}

}  // namespace skinlint
