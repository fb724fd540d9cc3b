#pragma once
// Results made by hand, so that reports are tested without reading a file.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/check.h"

namespace skinlint::test {

/// One error with everything a finding can hold, values chosen to be recognisable.
ReportedFinding full_finding();
/// A GLB with full_finding(), one skip, one thing not checked, one binding.
FileResult result_with_finding();
FileResult clean_result(const std::string& path);
FileResult unreadable_result();
FileResult crashed_result();
FileResult timeout_result();
/// A GLB whose two findings do not count: one waived until 2027-03-01, one in the baseline.
FileResult accepted_result();
/// The same with a third that counts, a warning.
FileResult partly_accepted_result();
/// `n` findings of one rule and severity, on elements of different names.
FileResult crowded_result(const std::string& path, Severity severity, std::size_t n);
/// One of each of the above.
std::vector<FileResult> every_result();
/// One expired and one unused waiver.
RunSummary waiver_summary();
/// Names with an escape sequence, a NUL, a line break, a direction override and invalid UTF-8.
FileResult hostile_result();

/// The text of the report `format` for these results, as the command line writes it.
std::string report_text(const std::string& format, const std::vector<FileResult>& results,
                        const CheckConfig& config = {}, std::size_t width = 100, bool color = false,
                        bool quiet = false, RunSummary summary = {});
/// Path of a format's official schema in the folder that SKINLINT_REPORT_SCHEMAS names; empty,
/// after a warning, where that is unset or holds no such file.
std::string official_schema(const std::string& name);
/// How often `part` stands in `text`.
std::size_t times(const std::string& text, const std::string& part);
/// A schema published in docs/.
nlohmann::json published_schema(const std::string& name);

}  // namespace skinlint::test
