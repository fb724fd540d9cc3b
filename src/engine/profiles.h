#pragma once
// Profiles: named sets of severities and parameters for a target, nothing more. Each setting says
// where its number comes from; docs/profiles.md is generated from this table.

#include <optional>
#include <span>
#include <string_view>

#include "rules/finding.h"

namespace skinlint {

struct CheckConfig;

/// One setting: a rule's severity (param empty), or one of its parameters.
struct ProfileSetting {
  std::string_view rule;
  std::string_view param;
  double value = 0.0;                 // of the parameter
  Severity severity = Severity::off;  // of the rule, when param is empty
  std::string_view source;
};

struct Profile {
  std::string_view name;
  std::string_view summary;
  std::span<const ProfileSetting> settings;
};

/// Every profile; "default" first, which sets nothing.
std::span<const Profile> all_profiles();
const Profile* find_profile(std::string_view name);

/// Puts a profile's settings into `config`, over what is there.
void apply_profile(const Profile& profile, CheckConfig& config);

}  // namespace skinlint
