#include "cli/check_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/command.h"
#include "engine/config_view.h"
#include "engine/digest.h"
#include "engine/path_pattern.h"
#include "engine/profiles.h"
#include "engine/suggest.h"
#include "reports/report.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

std::string check_rule_ids(const std::vector<std::string>& given, std::string_view option) {
  for (const std::string& id : given) {
    const std::string unknown = unknown_rule(printable(id));
    if (!unknown.empty()) return fmt::format("{}: {}", option, unknown);
  }
  return {};
}

/// RULE.PARAM=VALUE.
std::string parse_set(const std::string& text, RuleSettings& rules) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
    return fmt::format("--set {}: expected RULE.PARAM=VALUE", printable(text));
  }
  const std::string rule = text.substr(0, dot);
  const std::string param = text.substr(dot + 1, equals - dot - 1);
  const std::string value = text.substr(equals + 1);
  std::string error = check_rule_ids({rule}, "--set");
  if (!error.empty()) return error;
  const ParamInfo* known = nullptr;
  std::vector<std::string> params;
  for (const ParamInfo& info : find_rule(rule)->info.params) {
    params.emplace_back(info.name);
    if (info.name == param) known = &info;
  }
  if (params.empty()) return fmt::format("--set {}: the rule has no parameters", printable(text));
  if (known == nullptr) {
    return fmt::format("--set: {} has no parameter \"{}\"{}", rule, printable(param),
                       suggestion(param, params));
  }
  if (const auto level = severity_from_name(value); level && known->unit == "level") {
    rules[rule].params[param] = static_cast<double>(*level);
    return {};
  }
  double number = 0.0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return fmt::format("--set {}: \"{}\" is not a number", printable(text), printable(value));
  }
  rules[rule].params[param] = number;
  return {};
}

/// RULE=LEVEL.
std::string parse_severity(const std::string& text, RuleSettings& rules) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return fmt::format("--severity {}: expected RULE=LEVEL", printable(text));
  }
  const std::string rule = text.substr(0, equals);
  const std::string level = text.substr(equals + 1);
  std::string error = check_rule_ids({rule}, "--severity");
  if (!error.empty()) return error;
  const std::optional<Severity> severity = severity_from_name(level);
  if (!severity) {
    return fmt::format("--severity {}: unknown level \"{}\"{}", printable(text), printable(level),
                       suggestion(level, {"error", "warning", "note", "off"}));
  }
  rules[rule].severity = *severity;
  return {};
}

std::string parse_profile(const std::string& name, CommandLineConfig& line) {
  if (name.empty()) return {};
  const std::string unknown = unknown_profile(printable(name));
  if (!unknown.empty()) return "--profile: " + unknown;
  line.profile = name;
  return {};
}

std::string parse_fail_on(const std::string& name, CommandLineConfig& line) {
  if (name.empty()) return {};
  const auto level = fail_on_from_name(name);
  if (!level) {
    return fmt::format("--fail-on: unknown level \"{}\"{}", printable(name),
                       suggestion(name, {"error", "warning", "note", "never"}));
  }
  line.fail_on = *level;
  return {};
}

/// Ranges of --set: what the line says on its own.
std::string check_ranges(const CommandLineConfig& line) {
  CheckConfig config = line.fixed;
  for (const auto& [rule, setting] : line.rules) config.params[rule] = setting.params;
  return validate(config);
}

}  // namespace

std::string parse_rule_options(const RuleOptions& options, CommandLineConfig& line) {
  std::string error = parse_profile(options.profile, line);
  if (error.empty()) error = check_rule_ids(options.select, "--select");
  if (error.empty()) error = check_rule_ids(options.ignore, "--ignore");
  for (const std::string& text : options.set) {
    if (error.empty()) error = parse_set(text, line.rules);
  }
  for (const std::string& text : options.severity) {
    if (error.empty()) error = parse_severity(text, line.rules);
  }
  if (error.empty()) error = parse_fail_on(options.fail_on, line);
  if (error.empty() && !options.zero_weight.empty()) {
    if (!check_zero_weight(options.zero_weight).empty()) {
      error = fmt::format("--zero-weight: \"{}\" is neither reject nor fallback:JOINT",
                          printable(options.zero_weight));
    }
    line.zero_weight = options.zero_weight;
  }
  if (!error.empty()) return error;
  line.fixed.select = options.select;
  line.fixed.ignore = options.ignore;
  return check_ranges(line);
}

std::string parse_check_options(const CheckOptions& options, CommandLineConfig& line) {
  std::string error = parse_rule_options(options.rules, line);
  if (!error.empty()) return error;
  if (options.color != "auto" && options.color != "always" && options.color != "never") {
    return fmt::format("--color: unknown choice \"{}\"{}", printable(options.color),
                       suggestion(options.color, {"auto", "always", "never"}));
  }
  constexpr std::size_t most_samples = 1000;
  if (options.max_samples > most_samples) {
    return fmt::format("--max-samples: {} is more than {}", options.max_samples, most_samples);
  }
  constexpr unsigned most_jobs = 1024;
  if (options.jobs > most_jobs) {
    return fmt::format("--jobs: {} is more than {}", options.jobs, most_jobs);
  }
  if (!(options.timeout_s >= 0.0 && options.timeout_s <= 1e6)) {
    return fmt::format("--timeout: {} is outside its range 0 … 1e6", options.timeout_s);
  }
  line.fixed.max_samples = options.max_samples;
  line.fixed.read.allow_outside = options.allow_outside;
  line.fixed.second_opinion = options.second_opinion;
  if (options.timeout_s > 0.0)
    line.fixed.read.import.seconds = std::min(line.fixed.read.import.seconds, options.timeout_s);
  if (options.memory_limit_mib > 0) {
    line.fixed.read.import.memory_mib =
        std::min(line.fixed.read.import.memory_mib, options.memory_limit_mib);
  }
  if (!options.reference.empty()) {
    auto reference = read_reference(options.reference, line.fixed);
    if (!reference) {
      return fmt::format("--reference {}: {}", printable(options.reference),
                         reference.error().message);
    }
    line.fixed.reference_path = options.reference;
    line.fixed.reference = *reference;
  }
  return {};
}

std::string parse_isolation(const std::string& text, Isolation& out) {
  if (text == "auto") {
    out = Isolation::automatic;
  } else if (text == "always") {
    out = Isolation::always;
  } else if (text == "never") {
    out = Isolation::never;
  } else {
    return fmt::format("--isolate: unknown choice \"{}\"{}", printable(text),
                       suggestion(text, {"auto", "always", "never"}));
  }
  return {};
}

bool Shard::has(const std::string& path) const {
  if (count <= 1) return true;
  return stable_hash(relative_path(path, ".")) % count == index - 1;
}

std::string parse_shard(const std::string& text, Shard& out) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto number = [](std::string_view digits, unsigned& value) {
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  };
  const std::string_view view = text;
  if (slash == std::string::npos || !number(view.substr(0, slash), out.index) ||
      !number(view.substr(slash + 1), out.count) || out.index < 1 || out.count < 1 ||
      out.index > out.count) {
    return fmt::format("--shard: \"{}\" is not I/N with 1 <= I <= N", printable(text));
  }
  return {};
}

void add_rule_options(CLI::App& command, RuleOptions& options) {
  // One value per use, so that a PATH after it stays a PATH.
  const auto repeatable = [&command](const char* name, std::vector<std::string>& into,
                                     const std::string& type, const std::string& help) {
    return command.add_option(name, into, help)->type_name(type)->allow_extra_args(false);
  };
  command
      .add_option("--config", options.config,
                  "This configuration file for every file (default: the nearest .skinlint.json "
                  "upward from each)")
      ->type_name("FILE");
  std::string profiles = "Severities and limits for a target:";
  for (const Profile& profile : all_profiles()) {
    profiles += fmt::format("{} {}", profile.name == "default" ? "" : ",", profile.name);
  }
  command.add_option("--profile", options.profile, profiles)->type_name("NAME");
  repeatable("--select", options.select, "RULE,...", "Only these rules")->delimiter(',');
  repeatable("--ignore", options.ignore, "RULE,...", "All but these rules")->delimiter(',');
  repeatable("--set", options.set, "RULE.PARAM=VALUE",
             "Another limit (\"skinlint explain RULE\" lists them)");
  repeatable("--severity", options.severity, "RULE=LEVEL",
             "Report a rule as error, warning or note, or turn it off");
  command
      .add_option("--fail-on", options.fail_on,
                  "Lowest level that makes the exit status 1: error, warning, note or never "
                  "(default error)")
      ->type_name("LEVEL");
  command
      .add_option("--zero-weight", options.zero_weight,
                  "Vertices without weight: reject (an error, the default), or fallback:JOINT when "
                  "your engine binds them to that joint")
      ->type_name("POLICY");
}

void add_check_options(CLI::App& command, CheckOptions& options) {
  command
      .add_option("PATH", options.paths,
                  "Files; folders (searched for files with a known extension); patterns such as "
                  "\"assets/**/*.fbx\"; - reads a list of paths from standard input")
      ->required()
      ->type_name("");
  std::string formats =
      "Report format and file (FORMAT or FORMAT=FILE; repeatable; default text on "
      "standard output).";
  for (const ReportFormat& format : report_formats()) {
    formats += fmt::format(" {}: {}.", format.name, format.summary);
  }
  command.add_option("--report", options.reports, formats)
      ->type_name("FORMAT[=FILE]")
      ->allow_extra_args(false);
  add_rule_options(command, options.rules);
  command
      .add_option("--reference", options.reference,
                  "A file whose skeleton all files must share: names, parents, bind and rest")
      ->type_name("FILE");
  command
      .add_option("--baseline", options.baseline, "Findings that are known: only new ones count")
      ->type_name("FILE");
  command
      .add_option("--write-baseline", options.write_baseline,
                  "Write what is found as the baseline of later runs; the status is then not 1")
      ->type_name("FILE");
  command.add_option("--jobs", options.jobs, "Files checked at once (default: one for each core)")
      ->type_name("N");
  command
      .add_option("--isolate", options.isolate,
                  "Check in worker processes, so that a crash costs one file its verdict: auto "
                  "(when a limit is given), always or never")
      ->type_name("WHEN")
      ->capture_default_str();
  command
      .add_option("--timeout", options.timeout_s,
                  "Seconds that one file may take, in time and in CPU time; 0: any (isolates)")
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--memory-limit", options.memory_limit_mib,
                  "MiB of heap that one worker may take; 0: any (isolates)")
      ->type_name("MIB")
      ->capture_default_str();
  command
      .add_option("--cache", options.cache,
                  "Folder for results: files whose content and configuration did not change are "
                  "not checked again")
      ->type_name("DIR");
  command
      .add_option("--shard", options.shard,
                  "Only the I-th of N parts of the files; \"skinlint merge\" joins their JSON "
                  "reports")
      ->type_name("I/N");
  command
      .add_option("--max-samples", options.max_samples,
                  "How many of the worst places each finding names")
      ->type_name("N")
      ->capture_default_str();
  command.add_flag("--second-opinion", options.second_opinion,
                   "Import each FBX and glTF file with Assimp as well, and report what it sees "
                   "otherwise (rule importer-disagrees)");
  command.add_flag("--allow-outside", options.allow_outside,
                   "Follow a glTF file's references out of its folder");
  command.add_flag("--allow-empty", options.allow_empty,
                   "A folder, pattern, list or shard without files is not an error");
  command.add_flag("--quiet", options.quiet,
                   "Text report: findings alone, no line for clean files, no total; no progress");
  command.add_flag("--no-progress", options.no_progress, "No progress on standard error");
  command.add_flag("--stats", options.stats, "Files, bytes, time and rate on standard error");
  command
      .add_option("--color", options.color,
                  "Colours in the text report: auto, always or never (NO_COLOR is honoured)")
      ->type_name("WHEN")
      ->capture_default_str();
}

}  // namespace skinlint::cli
