#pragma once
// Text for XML and HTML, whatever bytes a name holds.

#include <string>
#include <string_view>

namespace skinlint {

/// Printable text (unicode.h) with & < > " ' as references, good in an element and in a quoted
/// attribute. The result holds only characters that XML 1.0 allows, on one line.
std::string markup(std::string_view text, std::size_t max_code_points = 2000);

}  // namespace skinlint
