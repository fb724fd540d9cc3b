#include "reports/markup.h"

#include "reports/unicode.h"

namespace skinlint {

std::string markup(std::string_view text, std::size_t max_code_points) {
  const std::string safe = printable(text, max_code_points);
  std::string out;
  out.reserve(safe.size() + 16);
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t begin = at;
    const CodePoint c = next_code_point(safe, at);
    switch (c.value) {
      case U'&':
        out += "&amp;";
        break;
      case U'<':
        out += "&lt;";
        break;
      case U'>':
        out += "&gt;";
        break;
      case U'"':
        out += "&quot;";
        break;
      case U'\'':
        out += "&#39;";
        break;
      case 0xFFFE:
      case 0xFFFF:
        // Valid in UTF-8, but no characters of XML (its production 2).
        out += "\xEF\xBF\xBD";
        break;
      default:
        out.append(safe, begin, at - begin);
    }
  }
  return out;
}

}  // namespace skinlint
