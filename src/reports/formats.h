#pragma once
// The makers of each report format; report.cpp lists them in one table.

#include "reports/report.h"

namespace skinlint {

/// For people: grouped by file, wrapped, capped, safe for a terminal. One write per file.
std::unique_ptr<ReportWriter> make_text_report(std::ostream& out, const ReportOptions& options);
/// Schema skinlint-report/1 (docs/report.schema.json). One write per file.
std::unique_ptr<ReportWriter> make_json_report(std::ostream& out, const ReportOptions& options);

class JsonWriter;
/// The JSON report's end: "summary", "waivers" and "shard", within its object.
void write_summary(JsonWriter& w, const RunSummary& summary);

}  // namespace skinlint
