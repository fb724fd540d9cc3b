#include "reports/sarif_rules.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "reports/finding_text.h"
#include "reports/rule_docs.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::size_t kDescriptionLimit = 1000;  // GitHub takes 1024 characters

/// "bind-matrix-singular" -> "BindMatrixSingular", the form that names have in SARIF logs.
std::string pascal_case(std::string_view id) {
  std::string name;
  bool first = true;
  for (const char c : id) {
    if (c == '-') {
      first = true;
      continue;
    }
    name += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = false;
  }
  return name;
}

std::string_view level_name(Severity severity) {
  return severity == Severity::off ? std::string_view("none") : severity_name(severity);
}

struct HelpLine {
  std::string_view label, text;
};

std::vector<HelpLine> help_lines(const RuleInfo& info) {
  std::vector<HelpLine> lines = {{"Why", info.why}};
  for (const std::string_view exception : info.not_a_fault_when) {
    lines.push_back({"Not a fault when", exception});
  }
  lines.push_back({"What you see", info.remedy.symptom});
  lines.push_back({"What to do", info.remedy.action});
  lines.push_back({"Maya", info.remedy.maya});
  lines.push_back({"3ds Max", info.remedy.max});
  lines.push_back({"Blender", info.remedy.blender});
  lines.push_back({"Source", info.source});
  return lines;
}

void write_message(JsonWriter& w, std::string_view key, std::string_view text) {
  w.key(key).begin_object(Layout::line);
  w.key("text").string(printable(text, kDescriptionLimit)).end_object();
}

void write_help(JsonWriter& w, std::string_view summary, const std::vector<HelpLine>& lines) {
  std::string text(summary);
  std::string markdown = markdown_text(summary) + "\n";
  for (const HelpLine& line : lines) {
    if (line.text.empty()) continue;
    text += fmt::format("\n{}: {}", line.label, line.text);
    markdown += fmt::format("\n- **{}:** {}", line.label, markdown_text(line.text));
  }
  w.key("help").begin_object();
  w.key("text").string(text);
  w.key("markdown").string(markdown);
  w.end_object();
}

void write_descriptor(JsonWriter& w, std::string_view id, std::string_view summary,
                      std::string_view full, bool enabled, Severity severity,
                      const std::vector<HelpLine>& help, const std::vector<std::string>& tags) {
  w.begin_object();
  w.key("id").string(id);
  w.key("name").string(pascal_case(id));
  write_message(w, "shortDescription", summary);
  write_message(w, "fullDescription", full.empty() ? summary : full);
  write_help(w, summary, help);
  w.key("defaultConfiguration").begin_object(Layout::line);
  w.key("enabled").boolean(enabled);
  w.key("level").string(level_name(severity));
  w.end_object();
  w.key("properties").begin_object(Layout::line).key("tags").begin_array();
  for (const std::string& tag : tags) w.string(tag);
  w.end_array().end_object();
  w.end_object();
}

}  // namespace

std::int64_t sarif_rule_index(std::string_view id) {
  static const std::map<std::string_view, std::int64_t> indices = [] {
    std::map<std::string_view, std::int64_t> made;
    for (const Rule* rule : all_rules()) {
      made.emplace(rule->info.id, static_cast<std::int64_t>(made.size()));
    }
    for (const FileFailure& failure : file_failures()) {
      made.emplace(failure.id, static_cast<std::int64_t>(made.size()));
    }
    return made;
  }();
  const auto at = indices.find(id);
  return at == indices.end() ? -1 : at->second;
}

void write_sarif_rules(JsonWriter& w) {
  w.begin_array();
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    std::string about(element_kind_name(info.scope));
    for (char& c : about) {
      if (c == '_') c = '-';
    }
    // GitHub shows ten tags and takes twenty.
    std::vector<std::string> tags = {"skinning", std::string(stage_name(info.stage))};
    if (about != tags.back()) tags.push_back(about);
    write_descriptor(w, info.id, info.summary, info.why, info.on_by_default, info.severity,
                     help_lines(info), tags);
  }
  for (const FileFailure& failure : file_failures()) {
    write_descriptor(w, failure.id, failure.summary, failure.explanation, true, Severity::error,
                     {{"What to do", failure.explanation}}, {"skinning", "file"});
  }
  w.end_array();
}

void write_sarif_overrides(JsonWriter& w, const CheckConfig& config) {
  w.begin_array();
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    const bool enabled = rule_runs(*rule, config);
    const auto set = config.severities.find(info.id);
    const bool graded = enabled && set != config.severities.end() && set->second != info.severity;
    if (enabled == info.on_by_default && !graded) continue;
    w.begin_object(Layout::line);
    w.key("configuration").begin_object();
    if (enabled != info.on_by_default) w.key("enabled").boolean(enabled);
    if (graded) w.key("level").string(level_name(set->second));
    w.end_object();
    w.key("descriptor").begin_object();
    w.key("id").string(info.id);
    w.key("index").integer(sarif_rule_index(info.id));
    w.end_object();
    w.end_object();
  }
  w.end_array();
}

}  // namespace skinlint
