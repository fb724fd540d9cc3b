#pragma once
// What `check` and `config` understand of their options, apart from running them.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/batch.h"
#include "engine/configuration.h"

namespace skinlint::cli {

/// As typed.
struct RuleOptions {
  std::string config, profile, fail_on, zero_weight;
  std::vector<std::string> select, ignore, set, severity;
};
struct CheckOptions {
  RuleOptions rules;
  std::vector<std::string> paths, reports;
  std::string color = "auto", reference, baseline, write_baseline, isolate = "auto", cache, shard;
  std::size_t max_samples = 5;
  unsigned jobs = 0;
  double timeout_s = 0.0;
  std::uint64_t memory_limit_mib = 0;
  bool allow_outside = false, allow_empty = false, quiet = false, no_progress = false,
       stats = false, second_opinion = false;
};

/// The options that say how rules judge: of `check` and `config`.
void add_rule_options(CLI::App& command, RuleOptions& options);
/// All others of `check`.
void add_check_options(CLI::App& command, CheckOptions& options);

/// One sentence about what is wrong, or empty.
std::string parse_rule_options(const RuleOptions& options, CommandLineConfig& line);
std::string parse_check_options(const CheckOptions& options, CommandLineConfig& line);

/// "auto", "always", "never".
std::string parse_isolation(const std::string& text, Isolation& out);

/// "2/8": the second of eight parts. Index from 1.
struct Shard {
  unsigned index = 1, count = 1;
  /// Whether a file belongs to it, by a hash of its path relative to the working folder.
  bool has(const std::string& path) const;
};
std::string parse_shard(const std::string& text, Shard& out);

}  // namespace skinlint::cli
