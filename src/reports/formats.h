#pragma once
// The makers of each report format; report.cpp lists them in one table.

#include "reports/report.h"

namespace skinlint {

/// For people: grouped by file, wrapped, capped, safe for a terminal. One write per file.
std::unique_ptr<ReportWriter> make_text_report(std::ostream& out, const ReportOptions& options);
/// Schema skinlint-report/1 (docs/report.schema.json). One write per file.
std::unique_ptr<ReportWriter> make_json_report(std::ostream& out, const ReportOptions& options);
/// SARIF 2.1.0 (OASIS), within the limits of GitHub's code scanning. Written at the end.
std::unique_ptr<ReportWriter> make_sarif_report(std::ostream& out, const ReportOptions& options);
/// JUnit XML as Jenkins and GitLab read it: a suite per file, a case per rule. One write per file.
std::unique_ptr<ReportWriter> make_junit_report(std::ostream& out, const ReportOptions& options);
/// Workflow commands of GitHub Actions, at most ten of each level. Written at the end.
std::unique_ptr<ReportWriter> make_github_report(std::ostream& out, const ReportOptions& options);
/// GitLab's code quality report. One write per file.
std::unique_ptr<ReportWriter> make_gitlab_report(std::ostream& out, const ReportOptions& options);
/// One page for a browser, without scripts or anything to fetch. One write per file.
std::unique_ptr<ReportWriter> make_html_report(std::ostream& out, const ReportOptions& options);

class JsonWriter;
/// The JSON report's end: "summary", "waivers" and "shard", within its object.
void write_summary(JsonWriter& w, const RunSummary& summary);

}  // namespace skinlint
