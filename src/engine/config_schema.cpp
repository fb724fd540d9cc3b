#include "engine/config_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/profiles.h"

namespace skinlint {
namespace {

using Json = nlohmann::ordered_json;

Json levels() { return {"error", "warning", "note", "off"}; }

Json rule_schema(const RuleInfo& info) {
  Json properties = {{"severity", {{"enum", levels()}}}};
  for (const ParamInfo& param : info.params) {
    Json number = {{"type", "number"},
                   {"minimum", param.min},
                   {"maximum", param.max},
                   {"default", param.default_value}};
    Json value = number;
    if (param.unit == "level") value = {{"oneOf", {number, {{"enum", levels()}}}}};
    value["description"] =
        fmt::format("{}{}", param.meaning,
                    param.unit.empty() || param.unit == "level" ? std::string()
                                                                : fmt::format(" ({})", param.unit));
    properties[std::string(param.name)] = std::move(value);
  }
  return {{"description", info.summary},
          {"oneOf",
           {{{"enum", levels()}},
            {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}}};
}

Json text(const char* description) {
  return {{"type", "string"}, {"pattern", "."}, {"description", description}};
}

Json texts(const char* description) {
  return {{"type", "array"},
          {"items", {{"type", "string"}, {"pattern", "."}}},
          {"description", description}};
}

}  // namespace

std::string param_text(const ParamInfo& param, double value) {
  if (param.unit == "level" && value >= 0.0 && value <= 3.0) {
    return std::string(severity_name(static_cast<Severity>(std::lround(value))));
  }
  return fmt::format("{:g}", value);
}

std::string config_schema() {
  Json rules = Json::object();
  for (const Rule* rule : all_rules()) {
    rules[std::string(rule->info.id)] = rule_schema(rule->info);
  }
  Json profiles = Json::array();
  for (const Profile& profile : all_profiles()) profiles.push_back(profile.name);
  const Json rules_ref = {{"$ref", "#/$defs/rules"}};
  const Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", ".skinlint.json"},
      {"type", "object"},
      {"properties",
       {{"$schema", {{"type", "string"}}},
        {"profile", {{"enum", profiles}, {"description", "severities and limits for a target"}}},
        {"fail_on",
         {{"enum", {"error", "warning", "note", "never"}},
          {"description", "lowest level that makes the exit status 1"}}},
        {"zero_weight",
         {{"type", "string"},
          {"pattern", "^(reject$|fallback:.)"},
          {"description", "vertices without weight: reject, or fallback:JOINT"}}},
        {"extensions", texts("file name extensions that folders are searched for")},
        {"exclude", texts("patterns of paths that folders leave out, relative to this file")},
        {"rules", rules_ref},
        {"overrides",
         {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"paths", texts("patterns, relative to this file")}, {"rules", rules_ref}}},
            {"required", {"paths", "rules"}},
            {"additionalProperties", false}}}}},
        {"waivers",
         {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"path", text("pattern, relative to this file")},
              {"rule", {{"enum", Json::array()}}},
              {"element", text("the finding's element path, or a pattern of it")},
              {"reason", text("why this is accepted")},
              {"expires",
               {{"type", "string"},
                {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                {"description", "the last day it holds"}}}}},
            {"required", {"path", "rule", "reason"}},
            {"additionalProperties", false}}}}}}},
      {"additionalProperties", false},
      {"$defs",
       {{"rules", {{"type", "object"}, {"properties", rules}, {"additionalProperties", false}}}}}};
  Json filled = schema;
  Json& ids = filled["properties"]["waivers"]["items"]["properties"]["rule"]["enum"];
  for (const Rule* rule : all_rules()) ids.push_back(rule->info.id);
  return filled.dump(2) + "\n";
}

std::string default_config() {
  std::string out =
      "{\n  // Every setting with its default; keep what you change. \"skinlint config --schema\" "
      "writes\n  // the schema for editors.\n  \"profile\": \"default\",\n  \"fail_on\": "
      "\"error\",\n  \"zero_weight\": \"reject\",\n  \"exclude\": [],\n  \"rules\": {\n";
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    if (info.params.empty()) continue;
    out += fmt::format("    // {}\n    \"{}\": {{ ", info.summary, info.id);
    bool first = true;
    for (const ParamInfo& param : info.params) {
      const std::string value = param.unit == "level"
                                    ? fmt::format("\"{}\"", param_text(param, param.default_value))
                                    : Json(param.default_value).dump();
      out += fmt::format("{}\"{}\": {}", first ? "" : ", ", param.name, value);
      first = false;
    }
    out += rule == all_rules().back() ? " }\n" : " },\n";
  }
  // The last rule may have no parameters: no comma may stay before the brace.
  if (const std::size_t comma = out.rfind(",\n"); comma == out.size() - 2) out.erase(comma, 1);
  out += "  },\n  \"overrides\": [],\n  \"waivers\": []\n}\n";
  return out;
}

}  // namespace skinlint
