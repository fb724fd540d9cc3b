#include "reports/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace skinlint {

CodePoint next_code_point(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(position);
  std::size_t length = 0;
  char32_t value = 0;
  char32_t least = 0;
  if (lead < 0x80) {
    ++position;
    return {lead, true};
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, value = lead & 0x1Fu, least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, value = lead & 0x0Fu, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, value = lead & 0x07u, least = 0x10000;
  }
  bool good = length != 0 && position + length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    const unsigned char next = byte(position + i);
    good = (next & 0xC0u) == 0x80u;
    value = (value << 6u) | (next & 0x3Fu);
  }
  good = good && value >= least && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  if (!good) {
    ++position;
    return {0xFFFD, false};
  }
  position += length;
  return {value, true};
}

bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string printable(std::string_view text, std::size_t max_code_points) {
  std::string out;
  out.reserve(std::min(text.size(), max_code_points) + 8);
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (seen++ == max_code_points) {
      out += "...";
      break;
    }
    const std::size_t begin = at;
    const CodePoint c = next_code_point(text, at);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
    } else if (!is_unsafe(c.value)) {
      out.append(text, begin, at - begin);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value <= 0xFF) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c.value));
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<unsigned>(c.value));
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at).value;
    const bool combining = (c >= 0x0300 && c <= 0x036F) || c == 0x200B || c == 0x200D ||
                           (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0x3099 && c <= 0x309A);
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                      (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                      (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
    width += combining ? 0u : (wide ? 2u : 1u);
  }
  return width;
}

std::vector<std::string> wrap_words(std::string_view text, std::size_t first, std::size_t rest) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t line_width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = display_width(word);
    const std::size_t room = lines.empty() ? first : rest;
    if (!line.empty() && line_width + 1 + width > room) {
      lines.push_back(std::move(line));
      line.clear();
      line_width = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++line_width;
    }
    line += word;
    line_width += width;
    at = end;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace skinlint
