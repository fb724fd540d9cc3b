#include "support/json_schema.h"

#include <catch2/catch.hpp>

using nlohmann::json;
using skinlint::test::schema_errors;

TEST_CASE("the schema validator refuses what each keyword forbids", "[support]") {
  struct Row {
    const char* schema;
    const char* good;
    const char* bad;
  };
  const Row rows[] = {
      {R"({"type":"integer"})", "3", "3.5"},
      {R"({"type":["string","null"]})", "null", "1"},
      {R"({"enum":["a",null]})", "null", R"("b")"},
      {R"({"const":"x"})", R"("x")", R"("y")"},
      {R"({"required":["a"]})", R"({"a":1})", R"({"b":1})"},
      {R"({"properties":{"a":{"type":"null"}},"additionalProperties":false})", R"({"a":null})",
       R"({"a":null,"b":1})"},
      {R"({"properties":{"a":{"type":"null"}}})", R"({"a":null})", R"({"a":1})"},
      {R"({"additionalProperties":{"type":"number"}})", R"({"a":1})", R"({"a":"1"})"},
      {R"({"items":{"type":"number"},"minItems":1,"maxItems":2})", "[1,2]", "[1,2,3]"},
      {R"({"items":{"type":"number"},"minItems":1})", "[1]", "[]"},
      {R"({"items":{"type":"number"}})", "[1]", R"(["1"])"},
      {R"({"minimum":0})", "0", "-1"},
      {R"({"maximum":3})", "3", "4"},
      {R"({"uniqueItems":true})", "[1,2]", "[1,1]"},
      {R"({"format":"uri-reference"})", R"("a%20b/c.glb")", R"("a b")"},
      {R"({"format":"uri-reference"})", R"("./a:b")", R"("1:b")"},
      {R"({"format":"uri-reference"})", R"("file:///a")", R"("100%.glb")"},
      {R"({"format":"uri"})", R"("https://example.org/a")", R"("a/b")"},
      {R"({"format":"date-time"})", R"("2026-01-02T03:04:05Z")", R"("2026-01-02")"},
      {R"({"pattern":"^[a-f]+$"})", R"("abc")", R"("xyz")"},
      {R"({"oneOf":[{"type":"number"},{"enum":["nan"]}]})", R"("nan")", R"("x")"},
      {R"({"oneOf":[{"type":"number"},{"minimum":0}]})", "-1", "1"},
      {R"({"anyOf":[{"type":"number"},{"type":"null"}]})", "null", R"("x")"},
      {R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}})", "1", R"("1")"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.schema);
    const json schema = json::parse(row.schema);
    CHECK(schema_errors(schema, json::parse(row.good)).empty());
    CHECK_FALSE(schema_errors(schema, json::parse(row.bad)).empty());
  }
  // A keyword nobody checks must not look like one that holds.
  CHECK_FALSE(schema_errors(json::parse(R"({"multipleOf":2})"), 4).empty());
}
