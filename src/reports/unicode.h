#pragma once
// Names come from files and may hold anything. Reports never pass a control byte, an invalid UTF-8
// sequence or a direction override on to a terminal or a JSON reader.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skinlint {

/// One code point of `text` at `position`, which is moved past it. `valid` is false for a byte that
/// starts no well-formed sequence (overlong forms, surrogates and values beyond U+10FFFF included);
/// then one byte is consumed and `value` is U+FFFD. `position` must be < text.size().
struct CodePoint {
  char32_t value = 0;
  bool valid = true;
};
CodePoint next_code_point(std::string_view text, std::size_t& position);

/// True for what must not reach a terminal as it is: C0 and C1 controls, DEL, line and paragraph
/// separators, direction marks, overrides and isolates (Unicode 15, category Cc and Bidi_Control).
bool is_unsafe(char32_t code_point);

/// Text for a terminal: unsafe code points become \xNN (one byte) or \u{NNNN}, invalid bytes
/// U+FFFD; longer than `max_code_points` is cut with "...". A name of one line stays one line.
std::string printable(std::string_view text, std::size_t max_code_points = 400);

/// Columns that printable text takes: wide (East Asian, emoji) code points count two, combining
/// marks none. Good enough for alignment; not a full implementation of UAX #11.
std::size_t display_width(std::string_view text);

/// Breaks at spaces so that the first line fits `first` columns and the others `rest`; a word
/// longer than a line stays whole. Empty text gives no line.
std::vector<std::string> wrap_words(std::string_view text, std::size_t first, std::size_t rest);

}  // namespace skinlint
