#include "engine/config_view.h"

#include <fmt/format.h>

#include "engine/profiles.h"
#include "engine/suggest.h"

namespace skinlint {

double param_value(const CheckConfig& config, const RuleInfo& rule, const ParamInfo& param) {
  const auto set = config.params.find(rule.id);
  if (set == config.params.end()) return param.default_value;
  const auto given = set->second.find(param.name);
  return given == set->second.end() ? param.default_value : given->second;
}

std::string_view fail_on_name(Severity fail_on) {
  return fail_on == Severity::off ? std::string_view("never") : severity_name(fail_on);
}

std::optional<Severity> fail_on_from_name(std::string_view name) {
  if (name == "never") return Severity::off;
  const std::optional<Severity> severity = severity_from_name(name);
  return severity == Severity::off ? std::nullopt : severity;
}

std::string zero_weight_name(const CheckConfig& config) {
  return config.zero_weight == ZeroWeightPolicy::Kind::reject ? std::string("reject")
                                                              : "fallback:" + config.fallback_joint;
}

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const Rule* rule : all_rules()) ids.emplace_back(rule->info.id);
  return ids;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : all_profiles()) names.emplace_back(profile.name);
  return names;
}

std::string unknown_rule(std::string_view id) {
  if (find_rule(id) != nullptr) return {};
  return fmt::format("unknown rule \"{}\"{}", id, suggestion(id, rule_ids()));
}

std::string unknown_profile(std::string_view name) {
  if (find_profile(name) != nullptr) return {};
  return fmt::format("unknown profile \"{}\"{}", name, suggestion(name, profile_names()));
}

}  // namespace skinlint
