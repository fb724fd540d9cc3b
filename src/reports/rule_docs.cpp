#include "reports/rule_docs.h"

#include <fmt/format.h>

#include <string_view>

#include "model/element.h"

namespace skinlint {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '>' || c == '*' || c == '_' || c == '`') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

namespace {

void add_line(std::string& page, std::string_view label, std::string_view text) {
  if (!text.empty()) page += fmt::format("- **{}:** {}\n", label, markdown_text(text));
}

void add_params(std::string& page, std::span<const ParamInfo> params) {
  if (params.empty()) return;
  page += "\n| parameter | default | range | unit | meaning | from |\n|---|---|---|---|---|---|\n";
  for (const ParamInfo& param : params) {
    page += fmt::format("| `{}` | {:g} | {:g} … {:g} | {} | {} | {} |\n", param.name,
                        param.default_value, param.min, param.max, markdown_text(param.unit),
                        markdown_text(param.meaning), markdown_text(param.source));
  }
}

void add_rule(std::string& page, const RuleInfo& info) {
  page += fmt::format("\n## {}\n\n{}\n\n", info.id, markdown_text(info.summary));
  add_line(page, "Why", info.why);
  for (const std::string_view exception : info.not_a_fault_when) {
    add_line(page, "Not a fault when", exception);
  }
  add_line(page, "What you see", info.remedy.symptom);
  add_line(page, "What to do", info.remedy.action);
  add_line(page, "Maya", info.remedy.maya);
  add_line(page, "3ds Max", info.remedy.max);
  add_line(page, "Blender", info.remedy.blender);
  add_line(page, "Source", info.source);
  add_params(page, info.params);
}

}  // namespace

std::string rules_markdown(std::span<const Rule* const> rules) {
  std::string page =
      "# Rules\n\n"
      "Written by `./run rules --markdown >docs/rules.md` from the rules themselves; edit those.\n"
      "The severity is the worst a rule reports by default. Rules run in this order, and what an\n"
      "earlier stage found in error, later rules skip.\n\n"
      "| rule | severity | stage | about | what |\n|---|---|---|---|---|\n";
  for (const Rule* rule : rules) {
    const RuleInfo& info = rule->info;
    page += fmt::format("| [{0}](#{0}) | {1}{2} | {3} | {4} | {5} |\n", info.id,
                        severity_name(info.severity), info.on_by_default ? "" : " (off by default)",
                        stage_name(info.stage), element_kind_name(info.scope),
                        markdown_text(info.summary));
  }
  for (const Rule* rule : rules) add_rule(page, rule->info);
  return page;
}

std::string profiles_markdown(std::span<const Profile> profiles) {
  std::string page =
      "# Profiles\n\n"
      "Written by `./run rules --profiles >docs/profiles.md` from the table of profiles; edit "
      "that.\n"
      "A profile is a set of severities and parameters for a target, chosen with `--profile "
      "NAME`;\n"
      "`--set` and `--severity` go over it. Severities given as a parameter of unit \"level\" are\n"
      "those of one kind of finding of a rule: 0 off, 1 note, 2 warning, 3 error.\n";
  for (const Profile& profile : profiles) {
    page += fmt::format("\n## {}\n\n{}\n", profile.name, markdown_text(profile.summary));
    if (profile.settings.empty()) continue;
    page += "\n| rule | setting | value | from |\n|---|---|---|---|\n";
    for (const ProfileSetting& setting : profile.settings) {
      const std::string value = setting.param.empty() ? std::string(severity_name(setting.severity))
                                                      : fmt::format("{:g}", setting.value);
      page += fmt::format("| [{0}](rules.md#{0}) | {1} | {2} | {3} |\n", setting.rule,
                          setting.param.empty() ? "severity" : fmt::format("`{}`", setting.param),
                          value, markdown_text(setting.source));
    }
  }
  return page;
}

}  // namespace skinlint
