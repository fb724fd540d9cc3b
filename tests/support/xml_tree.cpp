#include "support/xml_tree.h"

#include <stdexcept>

#include "reports/unicode.h"

namespace skinlint::test {
namespace {

bool allowed(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == ':';
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  XmlElement document() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      const CodePoint c = next_code_point(text_, at);
      if (!c.valid || !allowed(c.value)) fail("a character that XML forbids", begin);
    }
    if (starts("<?xml ")) skip_past("?>");
    space();
    if (starts("<!DOCTYPE ")) skip_past(">");
    space();
    XmlElement root = element();
    space();
    if (at_ != text_.size()) fail("something after the root", at_);
    return root;
  }

 private:
  [[noreturn]] static void fail(const std::string& what, std::size_t where) {
    throw std::runtime_error(what + " at byte " + std::to_string(where));
  }
  bool starts(const char* text) const {
    return text_.compare(at_, std::string(text).size(), text) == 0;
  }
  char peek() const {
    if (at_ >= text_.size()) fail("the end", at_);
    return text_[at_];
  }
  void take(char c) {
    if (peek() != c) fail(std::string("no ") + c, at_);
    ++at_;
  }
  void space() {
    while (at_ < text_.size() && std::string(" \t\r\n").find(text_[at_]) != std::string::npos)
      ++at_;
  }
  void skip_past(const char* end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string::npos) fail(std::string("no ") + end, at_);
    at_ = found + std::string(end).size();
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && name_char(text_[at_])) ++at_;
    if (at_ == begin) fail("no name", at_);
    return text_.substr(begin, at_ - begin);
  }

  std::string reference() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find(';', at_);
    if (end == std::string::npos || end - at_ > 10) fail("a bare &", begin);
    const std::string which = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (which == "amp") return "&";
    if (which == "lt") return "<";
    if (which == "gt") return ">";
    if (which == "quot") return "\"";
    if (which == "apos") return "'";
    if (which.empty() || which[0] != '#') fail("an unknown reference", begin);
    const bool hex = which.size() > 1 && which[1] == 'x';
    const unsigned long value = std::stoul(which.substr(hex ? 2 : 1), nullptr, hex ? 16 : 10);
    if (value > 0x7F || !allowed(static_cast<char32_t>(value)))
      fail("a forbidden reference", begin);
    return std::string(1, static_cast<char>(value));
  }

  void attributes(XmlElement& element) {
    for (;;) {
      const std::size_t before = at_;
      space();
      if (peek() == '>' || peek() == '/') return;
      if (at_ == before) fail("no space before an attribute", at_);
      const std::string key = name();
      if (element.has(key)) fail("an attribute twice", at_);
      take('=');
      take('"');
      std::string value;
      while (peek() != '"') {
        if (peek() == '<') fail("< in an attribute", at_);
        value += peek() == '&' ? reference() : std::string(1, text_[at_++]);
      }
      take('"');
      element.attributes.emplace_back(key, value);
    }
  }

  XmlElement element() {
    if (++depth_ > 100) fail("too deep", at_);
    XmlElement made;
    take('<');
    made.name = name();
    attributes(made);
    if (peek() == '/') {
      ++at_;
      take('>');
      --depth_;
      return made;
    }
    take('>');
    while (!starts("</")) {
      if (peek() == '<') {
        made.children.push_back(element());
      } else if (peek() == '&') {
        made.text += reference();
      } else {
        if (starts("]]>")) fail("]]> in text", at_);
        made.text += text_[at_++];
      }
    }
    at_ += 2;
    if (name() != made.name) fail("an end tag of another element", at_);
    space();
    take('>');
    --depth_;
    return made;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

void collect(const XmlElement& from, const std::string& name,
             std::vector<const XmlElement*>& found) {
  for (const XmlElement& child : from.children) {
    if (child.name == name) found.push_back(&child);
    collect(child, name, found);
  }
}

}  // namespace

bool XmlElement::has(const std::string& attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return true;
  }
  return false;
}

std::string XmlElement::at(const std::string& attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return value;
  }
  return {};
}

std::vector<const XmlElement*> XmlElement::all(const std::string& element) const {
  std::vector<const XmlElement*> found;
  collect(*this, element, found);
  return found;
}

XmlElement parse_xml(const std::string& text) { return Parser(text).document(); }

}  // namespace skinlint::test
