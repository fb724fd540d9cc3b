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
/// Names with an escape sequence, a NUL, a line break, a direction override and invalid UTF-8.
FileResult hostile_result();

/// The text of the report `format` for these results, as the command line writes it.
std::string report_text(const std::string& format, const std::vector<FileResult>& results,
                        const CheckConfig& config = {}, std::size_t width = 100, bool color = false,
                        bool quiet = false);
/// A schema published in docs/.
nlohmann::json published_schema(const std::string& name);

}  // namespace skinlint::test
