#pragma once
// The rules' own page, docs/rules.md, made from the registry.

#include <span>
#include <string>

#include "rules/rule.h"

namespace skinlint {

/// The page in Markdown: an index, then one section per rule in the order given. Ends with a
/// newline; an empty list gives the index's heading alone.
std::string rules_markdown(std::span<const Rule* const> rules);

}  // namespace skinlint
