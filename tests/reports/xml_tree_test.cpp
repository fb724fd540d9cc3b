#include "support/xml_tree.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "reports/markup.h"

using skinlint::markup;
using skinlint::test::parse_xml;

TEST_CASE("the XML reader refuses what XML forbids", "[support]") {
  for (const std::string bad :
       {"", "<a>", "<a></b>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "<a b=1/>", "<a b=\"<\"/>",
        "<a>&</a>", "<a>&nbsp;</a>", "<a>&#0;</a>", "<a>\x01</a>", "<a>\xFF</a>",
        "<a>\xEF\xBF\xBE</a>", "<a>]]></a>", "text", "<a/>text", "<a b=\"1\"c=\"2\"/>"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_xml(bad), std::runtime_error);
  }
  const auto tree =
      parse_xml("<?xml version=\"1.0\"?>\n<a b=\"&lt;&#39;\">x<c/>&amp;y<c d=\"1\"/></a>");
  CHECK(tree.at("b") == "<'");
  CHECK(tree.text == "x&y");
  REQUIRE(tree.all("c").size() == 2);
  CHECK(tree.all("c")[1]->has("d"));
}

TEST_CASE("markup survives an XML reader, whatever the bytes", "[reports]") {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  for (const std::string& text :
       {every, std::string("\"'<>&]]>"), std::string("\xEF\xBF\xBF\xEF\xBF\xBE\xED\xA0\x80")}) {
    const std::string safe = markup(text);
    const auto tree = parse_xml("<a b=\"" + safe + "\">" + safe + "</a>");
    CHECK(tree.text == tree.at("b"));
    CHECK(tree.text.find('\n') == std::string::npos);
  }
  CHECK(markup("a<b & \"c\"'") == "a&lt;b &amp; &quot;c&quot;&#39;");
  CHECK(markup("\xEF\xBF\xBF") == "\xEF\xBF\xBD");
  CHECK(markup("abcdef", 3) == "abc...");
}
