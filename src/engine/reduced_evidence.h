#pragma once
// Which rules do not judge files that a library's importer reads (Format::imported), and why.

#include <optional>
#include <string_view>

#include "model/asset.h"

namespace skinlint {

/// Why the rule is not run on this asset; empty: it is. Rules that can only miss something there
/// run all the same; those that would say something wrong do not. What the reading hides as such
/// stands in Asset::not_checked.
std::optional<std::string_view> not_judged_because(const Asset& asset, std::string_view rule);

}  // namespace skinlint
