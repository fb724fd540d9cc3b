#pragma once
// Commands that show one file: inspect, trace, pose.

#include <string>
#include <string_view>

#include "readers/reader.h"

namespace skinlint::cli {

/// Says on standard error where and why a file cannot be read; gives status 3.
int unreadable(const std::string& path, const ReadError& error);
/// The file, read; or the exit status, when what stands in the way has been said on standard error:
/// wrong usage for a path that is not there or a folder, else unreadable.
Result<Asset, int> read_one_file(std::string_view command, const std::string& path,
                                 const ReadOptions& options);

}  // namespace skinlint::cli
