#pragma once
// A small strict XML reader for tests: elements, attributes, text, the five named and numeric
// references. What XML 1.0 forbids is an error: bare & or <, duplicate attributes, characters
// outside its Char production, unmatched tags, two roots. No DTD beyond <!DOCTYPE name>.

#include <string>
#include <utility>
#include <vector>

namespace skinlint::test {

struct XmlElement {
  std::string name, text;  // text: of this element alone, references resolved
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  bool has(const std::string& attribute) const;
  /// Empty when there is none.
  std::string at(const std::string& attribute) const;
  /// Those of this name, in order, at any depth below.
  std::vector<const XmlElement*> all(const std::string& element) const;
};

/// Throws std::runtime_error with the byte's position for what is not well-formed.
XmlElement parse_xml(const std::string& text);

}  // namespace skinlint::test
