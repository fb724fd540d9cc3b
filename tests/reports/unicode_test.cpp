#include "reports/unicode.h"

#include <catch2/catch.hpp>

using namespace skinlint;

TEST_CASE("code points are read strictly", "[reports]") {
  struct Row {
    std::string text;
    char32_t value;
    bool valid;
    std::size_t used;
  };
  const Row rows[] = {{"A", 'A', true, 1},
                      {"\xC3\xA9", 0xE9, true, 2},
                      {"\xE2\x82\xAC", 0x20AC, true, 3},
                      {"\xF0\x9F\xA6\xB4", 0x1F9B4, true, 4},
                      {"\xF4\x8F\xBF\xBF", 0x10FFFF, true, 4},
                      {"\x80", 0xFFFD, false, 1},
                      {"\xC0\xAF", 0xFFFD, false, 1},          // overlong
                      {"\xE0\x80\xAF", 0xFFFD, false, 1},      // overlong
                      {"\xED\xA0\x80", 0xFFFD, false, 1},      // surrogate
                      {"\xF4\x90\x80\x80", 0xFFFD, false, 1},  // beyond U+10FFFF
                      {"\xE2\x82", 0xFFFD, false, 1},          // cut short
                      {"\xFF", 0xFFFD, false, 1}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    std::size_t at = 0;
    const CodePoint c = next_code_point(row.text, at);
    CHECK(c.value == row.value);
    CHECK(c.valid == row.valid);
    CHECK(at == row.used);
  }
}

TEST_CASE("printable text keeps names and shows what is unsafe", "[reports]") {
  CHECK(printable("hips") == "hips");
  CHECK(printable("\xE9\xAA\xA8.L") == "\xE9\xAA\xA8.L");
  CHECK(printable("a\x1b[2Jb") == "a\\x1b[2Jb");
  CHECK(printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("a\x7F") == "a\\x7f");
  CHECK(printable("\xC2\x9B") == "\\x9b");
  CHECK(printable("\xE2\x80\xAE") == "\\u{202e}");
  CHECK(printable("\xFF!") == "\xEF\xBF\xBD!");
  CHECK(printable("abcdef", 3) == "abc...");
  CHECK(printable("abc", 3) == "abc");
}

TEST_CASE("wrapping fits the width and loses no word", "[reports]") {
  const std::string text = "one two three four five six seven";
  const auto lines = wrap_words(text, 8, 13);
  std::string joined;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(display_width(lines[i]) <= (i == 0 ? 8u : 13u));
    joined += (i == 0 ? "" : " ") + lines[i];
  }
  CHECK(joined == text);
  CHECK(wrap_words("", 10, 10).empty());
  CHECK(wrap_words("   ", 10, 10).empty());
  CHECK(wrap_words("averyveryverylongword x", 5, 5) ==
        std::vector<std::string>{"averyveryverylongword", "x"});
}

TEST_CASE("width counts wide and combining characters", "[reports]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xE9\xAA\xA8") == 2);
  CHECK(display_width("e\xCC\x81") == 1);
}
