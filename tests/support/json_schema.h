#pragma once
// A validator for the subset of JSON Schema that our published schemas and that of SARIF use: type
// (one or a list), enum, const, required, properties, additionalProperties, items, minItems,
// maxItems, uniqueItems, minimum, maximum, pattern, format (uri, uri-reference, date-time), oneOf,
// anyOf, $ref within the document. An unknown keyword is an error, so that a schema cannot promise
// what nobody checks.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace skinlint::test {

/// Every breach as "JSON pointer: what"; empty when `value` is valid. At most 20.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace skinlint::test
