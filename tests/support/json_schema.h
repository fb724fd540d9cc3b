#pragma once
// A validator for the subset of JSON Schema that our published schemas use: type (one or a list),
// enum, const, required, properties, additionalProperties, items, minItems, maxItems, minimum,
// maximum, pattern, oneOf, anyOf, $ref within the document. An unknown keyword is an error, so that
// a schema cannot promise what nobody checks.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace skinlint::test {

/// Every breach as "JSON pointer: what"; empty when `value` is valid. At most 20.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace skinlint::test
