// skinlint check PATH...

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/file_list.h"
#include "cli/output_file.h"
#include "engine/check.h"
#include "engine/profiles.h"
#include "engine/suggest.h"
#include "reports/report.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> paths, reports, select, ignore, set, severity;
  std::string fail_on = "error", zero_weight = "reject", color = "auto", profile = "default",
              reference;
  std::size_t max_samples = 5;
  bool allow_outside = false, allow_empty = false, quiet = false;
};

/// One --report: a format and where it goes.
struct Destination {
  const ReportFormat* format = nullptr;
  std::string path;  // empty: standard output
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : report_formats()) names.emplace_back(format.name);
  return names;
}

/// One sentence about what is wrong, or empty.
std::string parse_reports(const std::vector<std::string>& given, std::vector<Destination>& out) {
  for (const std::string& text : given.empty() ? std::vector<std::string>{"text"} : given) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    Destination destination;
    for (const ReportFormat& format : report_formats()) {
      if (format.name == name) destination.format = &format;
    }
    if (destination.format == nullptr) {
      return fmt::format("unknown report format \"{}\"{}", printable(name),
                         suggestion(name, format_names()));
    }
    if (equals != std::string::npos) {
      destination.path = text.substr(equals + 1);
      if (destination.path.empty()) return fmt::format("--report {} names no file", name + "=");
      if (destination.path == "-") destination.path.clear();
    }
    for (const Destination& other : out) {
      if (other.path != destination.path) continue;
      return destination.path.empty()
                 ? std::string(
                       "two reports on standard output; give one a file: "
                       "--report FORMAT=FILE")
                 : fmt::format("two reports to {}", printable(destination.path));
    }
    out.push_back(std::move(destination));
  }
  return {};
}

std::string check_rule_ids(const std::vector<std::string>& given, std::string_view option) {
  const std::vector<std::string> ids = rule_ids();
  for (const std::string& id : given) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      return fmt::format("{}: unknown rule \"{}\"{}", option, printable(id), suggestion(id, ids));
    }
  }
  return {};
}

/// RULE.PARAM=VALUE. Ranges are judged by validate().
std::string parse_set(const std::string& text, CheckConfig& config) {
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
  std::vector<std::string> params;
  for (const ParamInfo& info : find_rule(rule)->info.params) params.emplace_back(info.name);
  if (params.empty()) return fmt::format("--set {}: the rule has no parameters", printable(text));
  if (std::find(params.begin(), params.end(), param) == params.end()) {
    return fmt::format("--set: {} has no parameter \"{}\"{}", rule, printable(param),
                       suggestion(param, params));
  }
  double number = 0.0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return fmt::format("--set {}: \"{}\" is not a number", printable(text), printable(value));
  }
  config.params[rule][param] = number;
  return {};
}

/// RULE=LEVEL.
std::string parse_severity(const std::string& text, CheckConfig& config) {
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
  config.severities[rule] = *severity;
  return {};
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : all_profiles()) names.emplace_back(profile.name);
  return names;
}

std::string make_config(const CheckOptions& options, CheckConfig& config) {
  const Profile* profile = find_profile(options.profile);
  if (profile == nullptr) {
    return fmt::format("--profile: unknown profile \"{}\"{}", printable(options.profile),
                       suggestion(options.profile, profile_names()));
  }
  apply_profile(*profile, config);
  std::string error = check_rule_ids(options.select, "--select");
  if (error.empty()) error = check_rule_ids(options.ignore, "--ignore");
  for (const std::string& text : options.set) {
    if (error.empty()) error = parse_set(text, config);
  }
  for (const std::string& text : options.severity) {
    if (error.empty()) error = parse_severity(text, config);
  }
  if (!error.empty()) return error;
  config.select = options.select;
  config.ignore = options.ignore;
  if (options.fail_on == "never") {
    config.fail_on = Severity::off;
  } else if (const auto level = severity_from_name(options.fail_on);
             level && *level != Severity::off) {
    config.fail_on = *level;
  } else {
    return fmt::format("--fail-on: unknown level \"{}\"{}", printable(options.fail_on),
                       suggestion(options.fail_on, {"error", "warning", "note", "never"}));
  }
  constexpr std::string_view kFallback = "fallback:";
  if (options.zero_weight.compare(0, kFallback.size(), kFallback) == 0 &&
      options.zero_weight.size() > kFallback.size()) {
    config.zero_weight = ZeroWeightPolicy::Kind::fallback;
    config.fallback_joint = options.zero_weight.substr(kFallback.size());
  } else if (options.zero_weight != "reject") {
    return fmt::format("--zero-weight: \"{}\" is neither reject nor fallback:JOINT",
                       printable(options.zero_weight));
  }
  if (options.color != "auto" && options.color != "always" && options.color != "never") {
    return fmt::format("--color: unknown choice \"{}\"{}", printable(options.color),
                       suggestion(options.color, {"auto", "always", "never"}));
  }
  constexpr std::size_t kMostSamples = 1000;
  if (options.max_samples > kMostSamples) {
    return fmt::format("--max-samples: {} is more than {}", options.max_samples, kMostSamples);
  }
  config.max_samples = options.max_samples;
  config.read.allow_outside = options.allow_outside;
  return validate(config);
}

/// The skeleton of --reference; one sentence when there is none.
std::string take_reference(const std::string& path, CheckConfig& config) {
  auto reference = read_reference(path, config);
  if (!reference) {
    return fmt::format("--reference {}: {}", printable(path), reference.error().message);
  }
  config.reference_path = path;
  config.reference = *reference;
  return {};
}

/// A report on its way: where it goes, and whether it still can.
struct Running {
  std::unique_ptr<OutputFile> output;
  std::unique_ptr<ReportWriter> writer;
  bool failed = false;

  /// Passes on what was written; false on the first failure.
  bool pass_on() {
    if (failed) return false;
    if (output->is_standard_output() || !output->stream().good()) failed = !output->flush();
    return !failed;
  }
};

int run_check(const CheckOptions& options) {
  CheckConfig config;
  std::string error = make_config(options, config);
  std::vector<Destination> destinations;
  if (error.empty()) error = parse_reports(options.reports, destinations);
  if (error.empty() && !options.reference.empty())
    error = take_reference(options.reference, config);
  if (!error.empty()) return usage_error("check", error);
  const FileList list = collect_files(options.paths, options.allow_empty);
  if (!list.error.empty()) return usage_error("check", list.error);

  std::vector<Running> reports;
  for (const Destination& destination : destinations) {
    Running report;
    report.output = destination.path.empty() ? OutputFile::standard_output()
                                             : OutputFile::create(destination.path, error);
    if (report.output == nullptr) {
      complain(error);
      return kUsage;
    }
    ReportOptions look;
    const bool terminal = report.output->is_terminal();
    // --color always is about the screen; a report in a file stays plain.
    look.color = report.output->is_standard_output() && wants_color(options.color, terminal);
    look.terminal_width = report.output->is_standard_output() ? terminal_width() : 100;
    look.quiet = options.quiet;
    config.want_sha256 = config.want_sha256 || destination.format->needs_sha256;
    report.writer = destination.format->make(report.output->stream(), look);
    reports.push_back(std::move(report));
  }

  // A report that cannot be written makes the status 2 whatever was found: its reader must not take
  // half a report for a verdict. When no report is left, checking on would be for nobody.
  bool write_failed = false;
  const auto after_write = [&](Running& report) {
    if (report.failed || report.pass_on()) return;
    write_failed = true;
    if (!report.output->broken_pipe()) complain(report.output->close());
  };
  const auto all_failed = [&] {
    return std::all_of(reports.begin(), reports.end(), [](const Running& r) { return r.failed; });
  };

  RunSummary summary;
  for (Running& report : reports) report.writer->begin(config);
  for (const std::string& path : list.files) {
    const FileResult result = check_file(path, config);
    summary.add(result);
    for (Running& report : reports) {
      if (report.failed) continue;
      report.writer->file(result);
      after_write(report);
    }
    if (all_failed()) return kUsage;
  }
  for (Running& report : reports) {
    if (report.failed) continue;
    report.writer->end(summary);
    const std::string reason = report.output->close();
    if (reason.empty()) continue;
    write_failed = true;
    if (!report.output->broken_pipe()) complain(reason);
  }
  return write_failed ? kUsage : exit_status(summary);
}

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* check = app.add_subcommand("check", "Check files, folders and patterns");
  check
      ->add_option("PATH", options->paths,
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
  std::string profiles = "Severities and limits for a target:";
  for (const Profile& profile : all_profiles()) {
    profiles += fmt::format("{} {}", profile.name == "default" ? "" : ",", profile.name);
  }
  check->add_option("--profile", options->profile, profiles)
      ->type_name("NAME")
      ->capture_default_str();
  check
      ->add_option("--reference", options->reference,
                   "A file whose skeleton all files must share: names, parents, bind and rest")
      ->type_name("FILE");
  // One value per use, so that a PATH after it stays a PATH.
  const auto repeatable = [&](const char* name, std::vector<std::string>& into,
                              const std::string& type, const std::string& help) {
    return check->add_option(name, into, help)->type_name(type)->allow_extra_args(false);
  };
  repeatable("--report", options->reports, "FORMAT[=FILE]", formats);
  repeatable("--select", options->select, "RULE,...", "Only these rules")->delimiter(',');
  repeatable("--ignore", options->ignore, "RULE,...", "All but these rules")->delimiter(',');
  repeatable("--set", options->set, "RULE.PARAM=VALUE",
             "Another limit (\"skinlint explain RULE\" lists them)");
  repeatable("--severity", options->severity, "RULE=LEVEL",
             "Report a rule as error, warning or note, or turn it off");
  check
      ->add_option("--fail-on", options->fail_on,
                   "Lowest level that makes the exit status 1: error, warning, note or never")
      ->type_name("LEVEL")
      ->capture_default_str();
  check
      ->add_option("--zero-weight", options->zero_weight,
                   "Vertices without weight: reject (an error), or fallback:JOINT when your engine "
                   "binds them to that joint")
      ->type_name("POLICY")
      ->capture_default_str();
  check
      ->add_option("--max-samples", options->max_samples,
                   "How many of the worst places each finding names")
      ->type_name("N")
      ->capture_default_str();
  check->add_flag("--allow-outside", options->allow_outside,
                  "Follow a glTF file's references out of its folder");
  check->add_flag("--allow-empty", options->allow_empty,
                  "A folder, pattern or list without files is not an error");
  check->add_flag("--quiet", options->quiet,
                  "Text report: findings alone, no line for clean files, no total");
  check
      ->add_option("--color", options->color,
                   "Colours in the text report: auto, always or never (NO_COLOR is honoured)")
      ->type_name("WHEN")
      ->capture_default_str();
  check->footer(
      "Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage or a report "
      "that\n"
      "could not be written, 3 a file could not be read, 4 internal error.");
  return {check, [options] { return run_check(*options); }};
}

}  // namespace skinlint::cli
