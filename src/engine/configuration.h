#pragma once
// From a checked file's path to the configuration that rules it: default, profile, the nearest
// .skinlint.json upward, its overrides, the command line, in this order, the later over the
// earlier. Every value remembers where it came from.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/check.h"
#include "engine/config_file.h"

namespace skinlint {

/// What the command line says of it.
struct CommandLineConfig {
  std::optional<std::string> profile;
  std::optional<Severity> fail_on;
  std::optional<std::string> zero_weight;
  RuleSettings rules;
  /// What no file can say: select, ignore, max_samples, reference, reading limits.
  CheckConfig fixed;
};

/// A configuration file and where it stands.
struct FoundConfig {
  std::string path;    // as shown: relative to the working folder
  std::string folder;  // what its patterns are relative to
  ConfigFile file;
};

struct EffectiveConfig {
  CheckConfig check;
  std::shared_ptr<const FoundConfig> found;  // null: none
  /// "profile", "fail_on", "zero_weight", "RULE.severity", "RULE.PARAM" -> "profile unreal",
  /// "art/.skinlint.json", "art/.skinlint.json overrides[0]", "command line". Absent: default.
  std::map<std::string, std::string, std::less<>> origins;
};

/// Finds and reads each configuration file once. Not for several threads.
class Configurations {
 public:
  /// `fixed_path` (--config): this file for everything, and no search.
  Configurations(CommandLineConfig line, std::string fixed_path);

  /// For one file to be checked; one sentence when a configuration file cannot be used.
  Result<std::shared_ptr<const EffectiveConfig>, std::string> for_file(const std::string& path);
  /// The configuration file that rules files of this folder; null: none.
  Result<std::shared_ptr<const FoundConfig>, std::string> for_folder(const std::string& folder);

 private:
  Result<std::shared_ptr<const FoundConfig>, std::string> load(const std::string& path);
  std::shared_ptr<const EffectiveConfig> resolve(const std::shared_ptr<const FoundConfig>& found,
                                                 const std::vector<std::size_t>& overrides) const;

  CommandLineConfig line_;
  std::string fixed_path_;
  std::map<std::string, std::shared_ptr<const FoundConfig>, std::less<>> of_folder_;
  std::map<std::pair<const FoundConfig*, std::vector<std::size_t>>,
           std::shared_ptr<const EffectiveConfig>>
      resolved_;
};

/// Sets the policy from "reject" or "fallback:JOINT", which check_zero_weight() accepted.
void set_zero_weight(CheckConfig& config, std::string_view policy);

}  // namespace skinlint
