#pragma once
// How a configuration is read and named wherever it is shown, applied or typed.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/check.h"

namespace skinlint {

/// The value of a rule's parameter: configured, or its default.
double param_value(const CheckConfig& config, const RuleInfo& rule, const ParamInfo& param);
/// "error", "warning", "note", "never".
std::string_view fail_on_name(Severity fail_on);
std::optional<Severity> fail_on_from_name(std::string_view name);
/// "reject" or "fallback:JOINT".
std::string zero_weight_name(const CheckConfig& config);

/// Every rule id and every profile's name, for suggestions.
std::vector<std::string> rule_ids();
std::vector<std::string> profile_names();
/// `unknown rule "weights-sums" (did you mean "weights-sum"?)`; empty when there is such a rule.
/// The same of a profile.
std::string unknown_rule(std::string_view id);
std::string unknown_profile(std::string_view name);

}  // namespace skinlint
