#pragma once
// What the reports say of a finding in words, once for all of them: names, numbers with units,
// capped lists. Everything that comes from a file is made printable (unicode.h).

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/check.h"

namespace skinlint {

constexpr std::size_t kTextLimit = 2000;  // code points of one sentence from elsewhere

/// "1 file", "2 files"; `many` where the plural has no "s".
std::string plural(std::uint64_t n, std::string_view one, std::string_view many = {});

/// "a, b, c and 12 more"; `total` when there are more than `items` holds.
template <class Items, class Name>
std::string capped_list(const Items& items, std::size_t cap, Name name, std::size_t total = 0) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == cap) break;
    if (shown++ != 0) text += ", ";
    text += name(item);
  }
  total = std::max<std::size_t>(total, items.size());
  if (total > shown) text += " and " + std::to_string(total - shown) + " more";
  return text;
}

/// What an element is, before its name: "mesh body", "skin hero", "joint hero:hips/spine". A path
/// longer than `room` columns keeps its end.
std::string element_text(const ReportedElement& element, std::size_t room = kTextLimit);

/// The first few numbers of a finding against the limit they broke; may be empty.
std::string measured_text(const Finding& finding);
/// The worst places, or where they are; empty when the message has said it.
std::string samples_text(const Finding& finding);
/// "worst", or "where" when the samples' values say nothing.
std::string_view samples_label(const Finding& finding);
/// Elements that share the fault, capped, with their exact number; empty when samples name them.
std::string related_text(const ReportedFinding& reported);
std::string_view related_label(const ReportedFinding& reported);
/// The likely cause with its confidence, the joints where it sits, what else it could be.
std::vector<std::string> cause_lines(const Cause& cause);

/// Everything above with the advice, as (label, text) in reading order; no empty texts.
std::vector<std::pair<std::string_view, std::string>> finding_rows(const ReportedFinding& reported);
/// Message, cause and first action in a row, for reports that have one text.
std::string finding_paragraph(const ReportedFinding& reported, std::size_t max_code_points);

/// "GLB 2.0, 1 skin, 6 joints".
std::string format_text(const FileResult& result);

/// A file that could not be judged, where a report shows findings alone: a rule of its own.
struct FileFailure {
  std::string_view id, summary, explanation;
};
/// All of them, for reports that declare their rules.
const std::vector<FileFailure>& file_failures();
/// The one for a status; null for `checked`.
const FileFailure* failure_of(FileResult::Status status);
/// Why, and where in the file; never empty.
std::string failure_text(const FileResult& result);
/// Of file and kind of failure, like a finding's.
std::string failure_fingerprint(const FileResult& result);

/// Findings of a file that a waiver or the baseline accepts, as the summary counts them.
struct AcceptedCount {
  std::uint64_t waived = 0, baselined = 0;
};
AcceptedCount count_accepted(const FileResult& result);
/// "2 waived, 1 in the baseline"; empty for none.
std::string accepted_text(const AcceptedCount& count);
/// Why one finding does not count: "waived: REASON (until 2027-03-01)", "in the baseline".
std::string acceptance_reason(const ReportedFinding& reported);
/// Path of the configuration file in a line of RunSummary::expired_waivers or unused_waivers.
std::string waiver_file(const std::string& line);

}  // namespace skinlint
