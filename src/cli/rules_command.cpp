// skinlint rules, skinlint explain RULE

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "engine/config_view.h"
#include "reports/json_writer.h"
#include "reports/rule_docs.h"
#include "reports/unicode.h"
#include "rules/rule.h"

namespace skinlint::cli {
namespace {

int finish(OutputFile& out) {
  const std::string failed = out.close();
  if (failed.empty()) return kOk;
  if (!out.broken_pipe()) complain(failed);
  return kUsage;
}

void write_rule(JsonWriter& w, const RuleInfo& info) {
  w.begin_object();
  w.key("id").string(info.id);
  w.key("severity").string(severity_name(info.severity));
  w.key("stage").string(stage_name(info.stage));
  w.key("scope").string(element_kind_name(info.scope));
  w.key("on_by_default").boolean(info.on_by_default);
  w.key("summary").string(info.summary);
  w.key("why").string(info.why);
  w.key("not_a_fault_when").begin_array();
  for (const std::string_view text : info.not_a_fault_when) w.string(text);
  w.end_array();
  w.key("fix").begin_object();
  w.key("symptom").string(info.remedy.symptom);
  w.key("action").string(info.remedy.action);
  w.key("maya").string(info.remedy.maya);
  w.key("max").string(info.remedy.max);
  w.key("blender").string(info.remedy.blender);
  w.end_object();
  w.key("source").string(info.source);
  w.key("params").begin_array();
  for (const ParamInfo& param : info.params) {
    w.begin_object();
    w.key("name").string(param.name);
    w.key("default").number(param.default_value);
    w.key("min").number(param.min);
    w.key("max").number(param.max);
    w.key("unit").string(param.unit);
    w.key("meaning").string(param.meaning);
    w.key("source").string(param.source);
    w.end_object();
  }
  w.end_array();
  w.end_object();
}

struct RulesOptions {
  bool json = false, markdown = false, profiles = false;
};

int run_rules(const RulesOptions& options) {
  const auto out = OutputFile::standard_output();
  if (options.json) {
    JsonWriter w(out->stream());
    w.begin_object();
    w.key("schema").string("skinlint-rules/1");
    w.key("rules").begin_array();
    for (const Rule* rule : all_rules()) write_rule(w, rule->info);
    w.end_array().end_object();
    w.finish();
    return finish(*out);
  }
  if (options.markdown) {
    out->stream() << rules_markdown(all_rules());
    return finish(*out);
  }
  if (options.profiles) {
    out->stream() << profiles_markdown(all_profiles());
    return finish(*out);
  }
  std::size_t id_width = 4;
  for (const Rule* rule : all_rules()) id_width = std::max(id_width, rule->info.id.size());
  std::string text = fmt::format("{:<{}}  {:<8} summary\n", "rule", id_width, "at most");
  const std::size_t used = id_width + 11;
  const std::size_t width = terminal_width();
  const std::size_t room = width > used + 30 ? width - used : 30;
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    const std::string summary =
        std::string(info.summary) + (info.on_by_default ? "" : " (off by default)");
    bool first = true;
    for (const std::string& line : wrap_words(summary, room, room)) {
      text += fmt::format("{:<{}}  {:<8} {}\n", first ? info.id : "", id_width,
                          first ? severity_name(info.severity) : "", line);
      first = false;
    }
  }
  text +=
      "\n\"skinlint explain RULE\" says why a rule matters, when it is not a fault, and how to fix "
      "it.\n";
  out->stream() << text;
  return finish(*out);
}

class Page {
 public:
  explicit Page(std::size_t width) : width_(width) {}
  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }
  void paragraph(std::string_view title, std::string_view body) {
    if (body.empty()) return;
    line("");
    line(title);
    item("  ", body);
  }
  void item(std::string_view lead, std::string_view body) {
    bool first = true;
    const std::size_t room = width_ - std::min(width_ - 20, lead.size());
    for (const std::string& wrapped : wrap_words(body, room, room)) {
      line(first ? std::string(lead) + wrapped : std::string(lead.size(), ' ') + wrapped);
      first = false;
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  std::string text_;
};

int run_explain(const std::string& id) {
  const Rule* rule = find_rule(id);
  if (rule == nullptr) {
    return usage_error("explain", unknown_rule(printable(id)));
  }
  const RuleInfo& info = rule->info;
  Page page(terminal_width());
  // A binding is a mesh node with its skin; the model's word for it is no artist's.
  const std::string_view scope = info.scope == ElementKind::binding
                                     ? std::string_view("skinned mesh")
                                     : element_kind_name(info.scope);
  page.line(fmt::format("{} (at most {} {}{}; judges each {})", info.id,
                        info.severity == Severity::error ? "an" : "a", severity_name(info.severity),
                        info.on_by_default ? "" : "; off by default", scope));
  page.item("  ", info.summary);
  page.paragraph("Why", info.why);
  if (!info.not_a_fault_when.empty()) {
    page.line("");
    page.line("Not a fault when");
    for (const std::string_view text : info.not_a_fault_when) page.item("  - ", text);
  }
  page.paragraph("What you see in the engine", info.remedy.symptom);
  page.paragraph("What to do first", info.remedy.action);
  const auto tool = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) page.item(fmt::format("  {:<8} ", name), text);
  };
  tool("Maya", info.remedy.maya);
  tool("3ds Max", info.remedy.max);
  tool("Blender", info.remedy.blender);
  if (!info.params.empty()) {
    page.line("");
    page.line("Limits");
    for (const ParamInfo& param : info.params) {
      page.item("  ", fmt::format("{} = {:.6g}{}{} ({:.6g} to {:.6g}): {}", param.name,
                                  param.default_value, param.unit.empty() ? "" : " ", param.unit,
                                  param.min, param.max, param.meaning));
      if (!param.source.empty()) page.item("    ", fmt::format("from: {}", param.source));
    }
    page.line("");
    page.item("  ", fmt::format("Change one with: skinlint check --set {}.{}=VALUE PATH", info.id,
                                info.params.front().name));
  }
  page.paragraph("Source", info.source);
  const auto out = OutputFile::standard_output();
  out->stream() << page.text();
  return finish(*out);
}

}  // namespace

Command add_rules(CLI::App& app) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* rules = app.add_subcommand("rules", "List the rules");
  CLI::Option* json = rules->add_flag("--json", options->json, "For programs, with all they say");
  CLI::Option* markdown =
      rules->add_flag("--markdown", options->markdown, "The page docs/rules.md")->excludes(json);
  rules->add_flag("--profiles", options->profiles, "The page docs/profiles.md: what each sets")
      ->excludes(json)
      ->excludes(markdown);
  rules->footer("");
  return {rules, [options] { return run_rules(*options); }};
}

Command add_explain(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  CLI::App* explain = app.add_subcommand(
      "explain", "What a rule means, why, when it is not a fault, how to fix it");
  explain->add_option("RULE", *id, "Its id, as reports and \"skinlint rules\" print it")
      ->required()
      ->type_name("");
  explain->footer("");
  return {explain, [id] { return run_explain(*id); }};
}

}  // namespace skinlint::cli
