#pragma once
// Letter case of ASCII, whatever the locale. Other bytes, those of UTF-8 among them, stay as they
// are.

#include <string>

namespace skinlint {

constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lower_case(std::string text) {
  for (char& c : text) c = lower_case(c);
  return text;
}

}  // namespace skinlint
