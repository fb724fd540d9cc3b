#include "engine/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/config_view.h"
#include "engine/suggest.h"
#include "model/letters.h"
#include "rules/rule.h"

namespace skinlint {
namespace {

using Json = nlohmann::json;

/// One sentence about what is wrong; it ends the reading. Stays within this file.
struct Wrong {
  std::string message;
};

[[noreturn]] void wrong(const std::string& where, const std::string& what) {
  throw Wrong{where.empty() ? what : where + ": " + what};
}

std::string joined(const std::string& where, std::string_view key) {
  return where.empty() ? std::string(key) : where + "." + std::string(key);
}

void only_keys(const Json& object, const std::string& where,
               const std::vector<std::string>& known) {
  if (!object.is_object()) wrong(where, "expected an object { … }");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      wrong(where, fmt::format("unknown key \"{}\"{}", key, suggestion(key, known)));
    }
  }
}

std::string text_of(const Json& value, const std::string& where) {
  if (!value.is_string()) wrong(where, "expected a text in quotes");
  std::string text = value.get<std::string>();
  if (text.empty()) wrong(where, "is empty");
  return text;
}

std::vector<std::string> texts_of(const Json& value, const std::string& where) {
  if (!value.is_array()) wrong(where, "expected a list [ … ]");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value.size(); ++i) {
    texts.push_back(text_of(value[i], fmt::format("{}[{}]", where, i)));
  }
  return texts;
}

Severity level_of(const Json& value, const std::string& where) {
  const std::string name = text_of(value, where);
  const std::optional<Severity> severity = severity_from_name(name);
  if (!severity) {
    wrong(where, fmt::format("unknown level \"{}\"{}", name,
                             suggestion(name, {"error", "warning", "note", "off"})));
  }
  return *severity;
}

double value_of(const Json& value, const ParamInfo& param, const std::string& where) {
  if (param.unit == "level" && value.is_string()) {
    return static_cast<double>(level_of(value, where));
  }
  if (!value.is_number()) wrong(where, "expected a number");
  const auto number = value.get<double>();
  if (!(number >= param.min && number <= param.max)) {
    wrong(where, fmt::format("{} is outside its range {} … {}", number, param.min, param.max));
  }
  return number;
}

RuleSetting setting_of(const Rule& rule, const Json& value, const std::string& where) {
  RuleSetting setting;
  if (value.is_string()) {
    setting.severity = level_of(value, where);
    return setting;
  }
  std::vector<std::string> known{"severity"};
  for (const ParamInfo& param : rule.info.params) known.emplace_back(param.name);
  if (!value.is_object()) wrong(where, "expected a level such as \"warning\" or an object { … }");
  only_keys(value, where, known);
  for (const auto& [key, item] : value.items()) {
    const std::string at = joined(where, key);
    if (key == "severity") {
      setting.severity = level_of(item, at);
      continue;
    }
    for (const ParamInfo& param : rule.info.params) {
      if (param.name == key) setting.params[key] = value_of(item, param, at);
    }
  }
  return setting;
}

RuleSettings rules_of(const Json& value, const std::string& where) {
  if (!value.is_object()) wrong(where, "expected an object { … }");
  RuleSettings rules;
  for (const auto& [id, setting] : value.items()) {
    const Rule* rule = find_rule(id);
    if (rule == nullptr) wrong(where, unknown_rule(id));
    rules[id] = setting_of(*rule, setting, joined(where, id));
  }
  return rules;
}

Waiver waiver_of(const Json& value, const std::string& where) {
  only_keys(value, where, {"path", "rule", "element", "reason", "expires"});
  Waiver waiver;
  for (const char* key : {"path", "rule", "reason"}) {
    if (!value.contains(key)) wrong(where, fmt::format("needs a {}", key));
  }
  waiver.path = text_of(value["path"], joined(where, "path"));
  waiver.rule = text_of(value["rule"], joined(where, "rule"));
  if (const std::string unknown = unknown_rule(waiver.rule); !unknown.empty()) {
    wrong(joined(where, "rule"), unknown);
  }
  waiver.reason = text_of(value["reason"], joined(where, "reason"));
  if (value.contains("element")) {
    waiver.element = text_of(value["element"], joined(where, "element"));
  }
  if (value.contains("expires")) {
    waiver.expires = text_of(value["expires"], joined(where, "expires"));
    if (!is_date(waiver.expires)) {
      wrong(joined(where, "expires"),
            fmt::format("\"{}\" is no date; write it as 2027-03-01", waiver.expires));
    }
  }
  return waiver;
}

Severity fail_on_of(const Json& value, const std::string& where) {
  const std::string name = text_of(value, where);
  const std::optional<Severity> severity = fail_on_from_name(name);
  if (!severity) {
    wrong(where, fmt::format("unknown level \"{}\"{}", name,
                             suggestion(name, {"error", "warning", "note", "never"})));
  }
  return *severity;
}

ConfigFile read(const Json& document) {
  only_keys(document, "",
            {"$schema", "profile", "fail_on", "rules", "overrides", "waivers", "zero_weight",
             "extensions", "exclude"});
  ConfigFile config;
  if (document.contains("profile")) {
    config.profile = text_of(document["profile"], "profile");
    const std::string unknown = unknown_profile(*config.profile);
    if (!unknown.empty()) wrong("profile", unknown);
  }
  if (document.contains("fail_on")) config.fail_on = fail_on_of(document["fail_on"], "fail_on");
  if (document.contains("zero_weight")) {
    config.zero_weight = text_of(document["zero_weight"], "zero_weight");
    const std::string error = check_zero_weight(*config.zero_weight);
    if (!error.empty()) wrong("zero_weight", error);
  }
  if (document.contains("extensions")) {
    config.extensions = texts_of(document["extensions"], "extensions");
    for (std::string& extension : *config.extensions) {
      if (extension.front() == '.') extension.erase(0, 1);
      extension = lower_case(extension);
    }
  }
  if (document.contains("exclude")) config.exclude = texts_of(document["exclude"], "exclude");
  if (document.contains("rules")) config.rules = rules_of(document["rules"], "rules");
  if (document.contains("overrides")) {
    const Json& list = document["overrides"];
    if (!list.is_array()) wrong("overrides", "expected a list [ … ]");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("overrides[{}]", i);
      only_keys(list[i], where, {"paths", "rules"});
      for (const char* key : {"paths", "rules"}) {
        if (!list[i].contains(key)) wrong(where, fmt::format("needs {}", key));
      }
      config.overrides.push_back({texts_of(list[i]["paths"], joined(where, "paths")),
                                  rules_of(list[i]["rules"], joined(where, "rules"))});
    }
  }
  if (document.contains("waivers")) {
    const Json& list = document["waivers"];
    if (!list.is_array()) wrong("waivers", "expected a list [ … ]");
    for (std::size_t i = 0; i < list.size(); ++i) {
      config.waivers.push_back(waiver_of(list[i], fmt::format("waivers[{}]", i)));
    }
  }
  return config;
}

/// Parses, and throws Wrong at a key that an object has already.
Json parse(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const Json::parser_callback_t watch = [&keys](int, Json::parse_event_t event, Json& value) {
    switch (event) {
      case Json::parse_event_t::object_start:
        keys.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        keys.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!keys.back().insert(value.get<std::string>()).second) {
          wrong("", fmt::format("the key \"{}\" is given twice", value.get<std::string>()));
        }
        break;
      case Json::parse_event_t::array_start:
      case Json::parse_event_t::array_end:
      case Json::parse_event_t::value:
        break;
    }
    return true;
  };
  return Json::parse(text.begin(), text.end(), watch, true, true);
}

}  // namespace

Result<ConfigFile, std::string> parse_config(std::string_view text) {
  try {
    return read(parse(text));
  } catch (const Wrong& error) {
    return error.message;
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    return fmt::format(
        "line {}: not JSON ({})", line + 1,
        std::string_view(error.what())
            .substr(std::min(std::string_view(error.what()).size(),
                             std::string_view(error.what()).rfind("; ") == std::string_view::npos
                                 ? 0
                                 : std::string_view(error.what()).rfind("; ") + 2)));
  } catch (const Json::exception& error) {
    return fmt::format("not JSON that can be read ({})", error.what());
  }
}

std::string check_zero_weight(std::string_view policy) {
  constexpr std::string_view fallback = "fallback:";
  if (policy == "reject") return {};
  if (policy.substr(0, fallback.size()) == fallback && policy.size() > fallback.size()) return {};
  return fmt::format("\"{}\" is neither \"reject\" nor \"fallback:JOINT\"", policy);
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [text](std::size_t at, std::size_t size) {
    int value = 0;
    for (std::size_t i = at; i < at + size; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1) return false;
  constexpr std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= lengths[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

}  // namespace skinlint
