#include "engine/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "engine/path_pattern.h"
#include "engine/profiles.h"

namespace skinlint {
namespace fs = std::filesystem;
namespace {

constexpr const char* file_name = ".skinlint.json";
constexpr std::uintmax_t largest_config = std::uintmax_t{16} << 20;

void apply(const RuleSettings& rules, const std::string& origin, EffectiveConfig& config) {
  for (const auto& [id, setting] : rules) {
    if (setting.severity) {
      config.check.severities[id] = *setting.severity;
      config.origins[id + ".severity"] = origin;
    }
    for (const auto& [param, value] : setting.params) {
      config.check.params[id][param] = value;
      config.origins[fmt::format("{}.{}", id, param)] = origin;
    }
  }
}

fs::path absolute(const std::string& path) {
  std::error_code error;
  fs::path p = fs::absolute(path.empty() ? fs::path(".") : fs::path(path), error);
  return error ? fs::path(path) : p.lexically_normal();
}

}  // namespace

void set_zero_weight(CheckConfig& config, std::string_view policy) {
  constexpr std::string_view fallback = "fallback:";
  if (policy.substr(0, fallback.size()) == fallback) {
    config.zero_weight = ZeroWeightPolicy::Kind::fallback;
    config.fallback_joint = policy.substr(fallback.size());
  } else {
    config.zero_weight = ZeroWeightPolicy::Kind::reject;
    config.fallback_joint.clear();
  }
}

Configurations::Configurations(CommandLineConfig line, std::string fixed_path)
    : line_(std::move(line)), fixed_path_(std::move(fixed_path)) {}

Result<std::shared_ptr<const FoundConfig>, std::string> Configurations::load(
    const std::string& path) {
  const std::string shown = relative_path(path, ".");
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > largest_config) return fmt::format("{} is too large", shown);
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.good() && !in.eof()) return fmt::format("cannot read {}", shown);
  Result<ConfigFile, std::string> parsed = parse_config(text);
  if (!parsed) return fmt::format("{}: {}", shown, parsed.error());
  auto found = std::make_shared<FoundConfig>();
  found->path = shown;
  found->folder = absolute(path).parent_path().string();
  found->file = std::move(*parsed);
  return std::shared_ptr<const FoundConfig>(std::move(found));
}

Result<std::shared_ptr<const FoundConfig>, std::string> Configurations::for_folder(
    const std::string& folder) {
  const std::string key = fixed_path_.empty() ? absolute(folder).string() : std::string("*");
  if (const auto known = of_folder_.find(key); known != of_folder_.end()) return known->second;
  std::shared_ptr<const FoundConfig> found;
  if (!fixed_path_.empty()) {
    std::error_code error;
    if (!fs::is_regular_file(fixed_path_, error)) {
      return fmt::format("{} does not exist", relative_path(fixed_path_, "."));
    }
    auto loaded = load(fixed_path_);
    if (!loaded) return loaded;
    found = *loaded;
  } else {
    const fs::path here(key);
    const fs::path candidate = here / file_name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) {
      auto loaded = load(candidate.string());
      if (!loaded) return loaded;
      found = *loaded;
    } else if (here.has_parent_path() && here.parent_path() != here) {
      auto above = for_folder(here.parent_path().string());
      if (!above) return above;
      found = *above;
    }
  }
  of_folder_[key] = found;
  return found;
}

Result<std::shared_ptr<const EffectiveConfig>, std::string> Configurations::for_file(
    const std::string& path) {
  const auto found = for_folder(absolute(path).parent_path().string());
  if (!found) return found.error();
  std::vector<std::size_t> overrides;
  if (*found) {
    const std::string relative = relative_path(path, (*found)->folder);
    const std::vector<ConfigOverride>& all = (*found)->file.overrides;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::any_of(all[i].paths.begin(), all[i].paths.end(), [&](const std::string& pattern) {
            return path_matches(pattern, relative);
          })) {
        overrides.push_back(i);
      }
    }
  }
  auto& known = resolved_[{found->get(), overrides}];
  if (known == nullptr) known = resolve(*found, overrides);
  return known;
}

std::shared_ptr<const EffectiveConfig> Configurations::resolve(
    const std::shared_ptr<const FoundConfig>& found,
    const std::vector<std::size_t>& overrides) const {
  auto out = std::make_shared<EffectiveConfig>();
  out->check = line_.fixed;
  out->found = found;
  const ConfigFile* file = found != nullptr ? &found->file : nullptr;
  const std::string command_line = "command line";

  std::string profile = "default";
  if (file != nullptr && file->profile) {
    profile = *file->profile;
    out->origins["profile"] = found->path;
  }
  if (line_.profile) {
    profile = *line_.profile;
    out->origins["profile"] = command_line;
  }
  const Profile& chosen = *find_profile(profile);
  apply_profile(chosen, out->check);
  for (const ProfileSetting& setting : chosen.settings) {
    out->origins[fmt::format("{}.{}", setting.rule,
                             setting.param.empty() ? "severity" : setting.param)] =
        "profile " + profile;
  }
  if (file != nullptr) {
    apply(file->rules, found->path, *out);
    for (const std::size_t i : overrides) {
      apply(file->overrides[i].rules, fmt::format("{} overrides[{}]", found->path, i), *out);
    }
    if (file->fail_on) {
      out->check.fail_on = *file->fail_on;
      out->origins["fail_on"] = found->path;
    }
    if (file->zero_weight) {
      set_zero_weight(out->check, *file->zero_weight);
      out->origins["zero_weight"] = found->path;
    }
  }
  apply(line_.rules, command_line, *out);
  if (line_.fail_on) {
    out->check.fail_on = *line_.fail_on;
    out->origins["fail_on"] = command_line;
  }
  if (line_.zero_weight) {
    set_zero_weight(out->check, *line_.zero_weight);
    out->origins["zero_weight"] = command_line;
  }
  return out;
}

}  // namespace skinlint
