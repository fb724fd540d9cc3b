#pragma once
// The same file through Assimp, for comparison with what the record readers found.

#include <optional>
#include <string>
#include <vector>

#include "model/importer_view.h"
#include "readers/reader.h"

namespace skinlint {

/// Imports the file in an isolated process. Crashes, refusals and broken limits are outcomes of the
/// view. Empty where there is no opinion to be had (no importer in this build, or the asset itself
/// was read through it); `because` then says why. `companions` gets the names of other files that
/// the importer asked for and that are not in it yet.
std::optional<ImporterView> second_opinion(const std::string& path, const Asset& asset,
                                           const ReadOptions& options, std::string& because,
                                           std::vector<std::string>& companions);

}  // namespace skinlint
