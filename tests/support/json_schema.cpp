#include "support/json_schema.h"

#include <regex>
#include <set>

namespace skinlint::test {
namespace {

using nlohmann::json;

constexpr std::size_t kMost = 20;

class Validator {
 public:
  explicit Validator(const json& document) : document_(document) {}

  void check(const json& schema, const json& value, const std::string& where) {
    if (errors.size() >= kMost) return;
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) fail(where, "nothing is allowed here");
      return;
    }
    for (const auto& [keyword, rule] : schema.items())
      keyword_check(schema, keyword, rule, value, where);
  }

  std::vector<std::string> errors;

 private:
  void fail(const std::string& where, const std::string& what) {
    if (errors.size() < kMost) errors.push_back((where.empty() ? "/" : where) + ": " + what);
  }

  static bool has_type(const std::string& type, const json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
  }

  /// RFC 3986 characters and escapes; a full URI has a scheme, and a relative one no colon before
  /// its first slash.
  static bool has_format(const std::string& format, const std::string& value) {
    static const std::regex characters(
        "([A-Za-z0-9._~:/?#@!$&'()*+,;=-]|\\[|\\]|%[0-9A-Fa-f]{2})*");
    static const std::regex scheme("[A-Za-z][A-Za-z0-9+.-]*:.*");
    static const std::regex colon_first("[^/?#]*:.*");
    static const std::regex date("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)");
    const bool has_scheme = std::regex_match(value, scheme);
    if (format == "date-time") return std::regex_match(value, date);
    if (format == "uri") return has_scheme && std::regex_match(value, characters);
    return format == "uri-reference" && std::regex_match(value, characters) &&
           (has_scheme || !std::regex_match(value, colon_first));
  }

  std::size_t matches(const json& schemas, const json& value) const {
    std::size_t n = 0;
    for (const json& schema : schemas) {
      Validator one(document_);
      one.check(schema, value, "");
      if (one.errors.empty()) ++n;
    }
    return n;
  }

  void keyword_check(const json& schema, const std::string& keyword, const json& rule,
                     const json& value, const std::string& where) {
    static const std::set<std::string> annotations = {"$schema", "$defs", "definitions", "id",
                                                      "$id",     "title", "description", "default"};
    if (annotations.count(keyword) != 0) return;
    if (keyword == "$ref") {
      check(document_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, where);
    } else if (keyword == "type") {
      bool good = false;
      if (rule.is_string()) {
        good = has_type(rule.get<std::string>(), value);
      } else {
        for (const json& type : rule) good = good || has_type(type.get<std::string>(), value);
      }
      if (!good) fail(where, "is " + std::string(value.type_name()) + ", not " + rule.dump());
    } else if (keyword == "enum") {
      bool good = false;
      for (const json& allowed : rule) good = good || allowed == value;
      if (!good) fail(where, value.dump() + " is not one of " + rule.dump());
    } else if (keyword == "const") {
      if (value != rule) fail(where, value.dump() + " is not " + rule.dump());
    } else if (keyword == "required") {
      for (const json& name : rule) {
        if (value.is_object() && !value.contains(name.get<std::string>())) {
          fail(where, "lacks " + name.dump());
        }
      }
    } else if (keyword == "properties") {
      if (!value.is_object()) return;
      for (const auto& [name, sub] : rule.items()) {
        if (value.contains(name)) check(sub, value.at(name), where + "/" + name);
      }
    } else if (keyword == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& [name, sub] : value.items()) {
        if (schema.contains("properties") && schema.at("properties").contains(name)) continue;
        if (rule == json(false)) {
          fail(where, "has the unknown key " + name);
        } else {
          check(rule, sub, where + "/" + name);
        }
      }
    } else if (keyword == "items") {
      if (!value.is_array()) return;
      for (std::size_t i = 0; i < value.size(); ++i) {
        check(rule, value[i], where + "/" + std::to_string(i));
      }
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule.get<std::size_t>()) fail(where, "too few items");
    } else if (keyword == "maxItems") {
      if (value.is_array() && value.size() > rule.get<std::size_t>()) fail(where, "too many items");
    } else if (keyword == "uniqueItems") {
      const bool unique =
          !value.is_array() || std::set<json>(value.begin(), value.end()).size() == value.size();
      if (rule.get<bool>() && !unique) fail(where, "holds an item twice");
    } else if (keyword == "maximum") {
      if (value.is_number() && value.get<double>() > rule.get<double>()) {
        fail(where, value.dump() + " is above " + rule.dump());
      }
    } else if (keyword == "format") {
      if (value.is_string() && !has_format(rule.get<std::string>(), value.get<std::string>())) {
        fail(where, value.dump() + " is no " + rule.get<std::string>());
      }
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>()) {
        fail(where, value.dump() + " is below " + rule.dump());
      }
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) {
        fail(where, value.dump() + " does not match " + rule.dump());
      }
    } else if (keyword == "anyOf") {
      if (matches(rule, value) == 0) fail(where, value.dump().substr(0, 80) + " fits no choice");
    } else if (keyword == "oneOf") {
      if (matches(rule, value) != 1) {
        fail(where, value.dump().substr(0, 80) + " fits none or several choices");
      }
    } else {
      fail(where, "the schema uses " + keyword + ", which this validator does not know");
    }
  }

  const json& document_;
};

}  // namespace

std::vector<std::string> schema_errors(const json& schema, const json& value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return std::move(validator.errors);
}

}  // namespace skinlint::test
