#pragma once
// A FileResult as bytes: how results travel from worker processes and wait in the cache. Not a
// format for others: it changes with the tool's version.

#include <optional>
#include <string>
#include <string_view>

#include "engine/check.h"

namespace skinlint {

std::string encode_result(const FileResult& result);
/// Empty when the bytes are not a whole result: truncated, damaged, or of a rule that is not there.
std::optional<FileResult> decode_result(std::string_view bytes);

}  // namespace skinlint
