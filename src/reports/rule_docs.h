#pragma once
// The pages docs/rules.md and docs/profiles.md, made from the registry and the table of profiles.

#include <span>
#include <string>
#include <string_view>

#include "engine/profiles.h"
#include "rules/rule.h"

namespace skinlint {

/// Text for one table cell or paragraph: no character that Markdown would take as its own.
std::string markdown_text(std::string_view text);

/// The page in Markdown: an index, then one section per rule in the order given. Ends with a
/// newline; an empty list gives the index's heading alone.
std::string rules_markdown(std::span<const Rule* const> rules);

/// docs/profiles.md: what each profile sets, and where the number comes from.
std::string profiles_markdown(std::span<const Profile> profiles);

}  // namespace skinlint
