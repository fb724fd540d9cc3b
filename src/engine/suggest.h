#pragma once
// "Did you mean": the valid name nearest to what was typed.

#include <string>
#include <string_view>
#include <vector>

namespace skinlint {

/// Edits (insert, delete, replace, swap of neighbours) from one string to the other, by bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the fewest edits, or one that begins with `given`; empty when nothing is
/// close (more than a third of the name would have to change).
std::string nearest(std::string_view given, const std::vector<std::string>& candidates);

/// ` (did you mean "x"?)`, or ` (one of: a, b, c)` when nothing is close and the list is short.
std::string suggestion(std::string_view given, const std::vector<std::string>& candidates);

}  // namespace skinlint
