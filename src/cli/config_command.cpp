// skinlint config [PATH]: the effective configuration, and where each value comes from.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "engine/config_schema.h"
#include "engine/config_view.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

struct ConfigOptions {
  RuleOptions rules;
  std::string path = ".";
  bool defaults = false, schema = false;
};

int write(const std::string& text) {
  const auto out = OutputFile::standard_output();
  out->stream() << text;
  const std::string failed = out->close();
  if (failed.empty()) return kOk;
  if (!out->broken_pipe()) complain(failed);
  return kUsage;
}

class Page {
 public:
  explicit Page(const EffectiveConfig& config) : config_(config) {}

  void line(std::string_view key, const std::string& value) {
    const auto origin = config_.origins.find(key);
    text_ += fmt::format("{:<48} {:<12} {}\n", key, value,
                         origin == config_.origins.end() ? "default" : printable(origin->second));
  }
  const std::string& text() const { return text_; }

 private:
  const EffectiveConfig& config_;
  std::string text_ = fmt::format("{:<48} {:<12} {}\n", "setting", "value", "from");
};

std::string describe(const EffectiveConfig& config) {
  Page page(config);
  const CheckConfig& check = config.check;
  page.line("profile", check.profile);
  page.line("fail_on", std::string(fail_on_name(check.fail_on)));
  page.line("zero_weight", printable(zero_weight_name(check)));
  for (const Rule* rule : all_rules()) {
    const std::string id(rule->info.id);
    const auto severity = check.severities.find(id);
    page.line(id + ".severity", severity != check.severities.end()
                                    ? std::string(severity_name(severity->second))
                                : rule->info.on_by_default ? std::string("graded")
                                                           : std::string("off"));
    for (const ParamInfo& param : rule->info.params) {
      page.line(fmt::format("{}.{}", id, param.name),
                param_text(param, param_value(check, rule->info, param)));
    }
  }
  std::string text = page.text();
  if (config.found != nullptr) {
    const ConfigFile& file = config.found->file;
    text += fmt::format("\nconfiguration file: {}\n", printable(config.found->path));
    if (!file.exclude.empty()) text += fmt::format("exclude: {}\n", fmt::join(file.exclude, ", "));
    if (file.extensions) text += fmt::format("extensions: {}\n", fmt::join(*file.extensions, ", "));
    text += fmt::format("overrides: {}, waivers: {}\n", file.overrides.size(), file.waivers.size());
  } else {
    text += "\nno configuration file\n";
  }
  return text;
}

int run_config(const ConfigOptions& options) {
  if (options.schema) return write(config_schema());
  if (options.defaults) return write(default_config());
  CommandLineConfig line;
  const std::string error = parse_rule_options(options.rules, line);
  if (!error.empty()) return usage_error("config", error);
  std::error_code failed;
  const auto status = std::filesystem::status(options.path, failed);
  if (!std::filesystem::exists(status)) {
    return usage_error("config", fmt::format("{} does not exist", printable(options.path)));
  }
  Configurations configurations(std::move(line), options.rules.config);
  const auto config = configurations.for_file(
      std::filesystem::is_directory(status) ? options.path + "/*" : options.path);
  if (!config) return usage_error("config", config.error());
  return write(describe(**config));
}

}  // namespace

Command add_config(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* config =
      app.add_subcommand("config", "The effective configuration, and where each value comes from");
  config
      ->add_option("PATH", options->path,
                   "A file or folder: what rules there, overrides included (default: here)")
      ->type_name("");
  add_rule_options(*config, options->rules);
  CLI::Option* defaults = config->add_flag("--default", options->defaults,
                                           "A .skinlint.json with every default, to begin with");
  config->add_flag("--schema", options->schema, "The JSON Schema of .skinlint.json, for editors")
      ->excludes(defaults);
  config->footer("");
  return {config, [options] { return run_config(*options); }};
}

}  // namespace skinlint::cli
