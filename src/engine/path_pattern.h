#pragma once
// Patterns over relative paths, as configuration files use them.

#include <string>
#include <string_view>

namespace skinlint {

/// Whether `path` ("hero/body.fbx", relative, "/" between parts) matches. `*`, `?` and `[...]` stay
/// within one part; `**` is any number of parts, none included; a pattern without "/" matches the
/// last part, at any depth. A pattern that ends in "/" matches everything below. Letter case
/// counts.
bool path_matches(std::string_view pattern, std::string_view path);

/// `path` relative to `folder`, both as given or absolute, without touching the disk: "a/b" for
/// ("x/a/b", "x"); with ".." where it lies outside.
std::string relative_path(const std::string& path, const std::string& folder);

}  // namespace skinlint
