#pragma once
// The rules as SARIF describes them: what a viewer shows beside a result.

#include <cstdint>
#include <string_view>

#include "engine/check.h"
#include "reports/json_writer.h"

namespace skinlint {

/// Position of a rule, or of a kind of file failure, in the array that write_sarif_rules() makes;
/// -1 for an id that is neither.
std::int64_t sarif_rule_index(std::string_view id);
/// The array of reportingDescriptors: every rule, then every file failure.
void write_sarif_rules(JsonWriter& w);
/// The array of configurationOverrides: what the configuration changes of the rules' defaults.
void write_sarif_overrides(JsonWriter& w, const CheckConfig& config);

}  // namespace skinlint
