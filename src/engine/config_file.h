#pragma once
// .skinlint.json: what it says, and nothing about what it means for a run (configuration.h).

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "rules/finding.h"

namespace skinlint {

/// What a configuration says of one rule.
struct RuleSetting {
  std::optional<Severity> severity;
  std::map<std::string, double, std::less<>> params;
};
using RuleSettings = std::map<std::string, RuleSetting, std::less<>>;

struct ConfigOverride {
  std::vector<std::string> paths;  // patterns, relative to the configuration file's folder
  RuleSettings rules;
};

/// A finding that is accepted, with the reason.
struct Waiver {
  std::string path;     // pattern, relative to the configuration file's folder
  std::string rule;     // id
  std::string element;  // the finding's element path, or a pattern of it; empty: any
  std::string reason;
  std::string expires;  // "2027-03-01": the last day it holds; empty: never
};

struct ConfigFile {
  std::optional<std::string> profile;
  std::optional<Severity> fail_on;  // off: never
  std::optional<std::string> zero_weight;
  std::optional<std::vector<std::string>> extensions;  // lower case, without dot
  std::vector<std::string> exclude;
  RuleSettings rules;
  std::vector<ConfigOverride> overrides;
  std::vector<Waiver> waivers;
};

/// JSON with comments. Every key, rule, parameter, level and profile must exist and every number
/// be in range; otherwise one sentence that names the place and the nearest valid name. Keys given
/// twice are an error: one of the two would be lost without a word.
Result<ConfigFile, std::string> parse_config(std::string_view text);

/// "reject" or "fallback:JOINT"; one sentence when it is neither.
std::string check_zero_weight(std::string_view policy);

/// "2027-02-30" is no date.
bool is_date(std::string_view text);

}  // namespace skinlint
