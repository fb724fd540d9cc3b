#pragma once
// JSON reports of several runs joined into one.

#include <string>
#include <vector>

#include "engine/check.h"
#include "model/result.h"

namespace skinlint {

struct NamedReport {
  std::string name;  // for messages
  std::string text;
};

struct MergedReport {
  std::string text;
  RunSummary summary;
};

/// All parts of a sharded run give the bytes of the whole run. Other reports are joined in the
/// order given, with the configuration of the first. One sentence when a text is no report, a part
/// is missing or given twice, parts are of different runs, or a file is in two reports.
Result<MergedReport, std::string> merge_reports(const std::vector<NamedReport>& reports);

}  // namespace skinlint
