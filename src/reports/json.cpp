// The JSON report: schema skinlint-report/1, described in docs/cli.md and docs/report.schema.json.
// Every key is always there; the summary stands last because files are written as they come.

#include <cmath>
#include <set>
#include <string>

#include "engine/config_view.h"
#include "reports/formats.h"
#include "reports/json_writer.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

std::string_view confidence_name(Cause::Confidence confidence) {
  switch (confidence) {
    case Cause::Confidence::certain:
      return "certain";
    case Cause::Confidence::ambiguous:
      return "ambiguous";
    case Cause::Confidence::none:
      break;
  }
  return "none";
}

void write_element(JsonWriter& w, const ReportedElement& element) {
  w.begin_object(Layout::line);
  w.key("kind").string(element.kind);
  w.key("path").string(element.path);
  w.key("index").integer(element.index);
  w.key("locator").string(element.locator);
  w.end_object();
}

void write_measures(JsonWriter& w, const std::vector<Measure>& measures) {
  w.begin_object();
  std::set<std::string_view> seen;  // a key must not repeat, whatever a rule does
  for (const Measure& measure : measures) {
    if (!seen.insert(measure.name).second) continue;
    w.key(measure.name).begin_object(Layout::line).key("value");
    if (const auto* number = std::get_if<double>(&measure.value)) {
      w.number(*number);
    } else if (const auto* integer = std::get_if<std::int64_t>(&measure.value)) {
      w.integer(*integer);
    } else {
      w.string(*std::get_if<std::string>(&measure.value));
    }
    w.key("unit").string(measure.unit).end_object();
  }
  w.end_object();
}

void write_strings(JsonWriter& w, const std::vector<std::string>& strings) {
  w.begin_array(Layout::line);
  for (const std::string& string : strings) w.string(string);
  w.end_array();
}

void write_cause(JsonWriter& w, const std::optional<Cause>& cause) {
  if (!cause) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("id").string(cause->id);
  w.key("confidence").string(confidence_name(cause->confidence));
  w.key("residual_before").number(cause->residual_before);
  w.key("residual_after").number(cause->residual_after);
  w.key("joints");
  write_strings(w, cause->joints);
  w.key("alternatives");
  write_strings(w, cause->alternatives);
  w.key("text").string(cause->text);
  w.end_object();
}

void write_finding(JsonWriter& w, const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  w.begin_object();
  w.key("rule").string(finding.rule);
  w.key("severity").string(severity_name(finding.severity));
  w.key("message").string(finding.message);
  w.key("element");
  write_element(w, reported.element);
  w.key("related").begin_array();
  for (const ReportedElement& element : reported.related) write_element(w, element);
  w.end_array();
  w.key("measured");
  write_measures(w, finding.measured);
  w.key("limits");
  write_measures(w, finding.limits);
  w.key("count").count(finding.count);
  w.key("samples").begin_array();
  for (const Sample& sample : finding.samples) {
    w.begin_object(Layout::line);
    w.key("index").integer(sample.index);
    w.key("value").number(sample.value);
    w.key("label").string(sample.label);
    w.end_object();
  }
  w.end_array();
  w.key("sample_of").string(finding.sample_of);
  w.key("sample_unit").string(finding.sample_unit);
  w.key("cause");
  write_cause(w, finding.cause);
  w.key("fix").begin_object();
  w.key("symptom").string(reported.remedy.symptom);
  w.key("action").string(reported.remedy.action);
  w.key("maya").string(reported.remedy.maya);
  w.key("max").string(reported.remedy.max);
  w.key("blender").string(reported.remedy.blender);
  w.end_object();
  w.key("fingerprint").string(reported.fingerprint);
  w.key("waived");
  if (reported.waived) {
    w.begin_object(Layout::line);
    w.key("reason").string(reported.waived->reason);
    w.key("expires").string_or_null(reported.waived->expires);
    w.end_object();
  } else {
    w.null();
  }
  w.key("baselined").boolean(reported.baselined);
  w.end_object();
}

void write_bind(JsonWriter& w, const BindAnalysis& bind) {
  w.begin_object();
  w.key("state").string(bind_state_name(bind.state));
  w.key("consensus").matrix(bind.consensus);
  w.key("consensus_share").number(bind.consensus_share);
  w.key("candidate").string(candidate_name(bind.candidate));
  w.key("placement");
  if (bind.placement) {
    w.number(*bind.placement);
  } else {
    w.null();
  }
  w.key("max_displacement_percent");
  if (bind.size > 0.0) {
    w.number(100.0 * bind.max_displacement / bind.size);
  } else {
    w.null();
  }
  w.key("max_displacement_m").number(bind.max_displacement);
  w.key("drifting_joints").count(bind.drifting_joints);
  w.end_object();
}

/// NaN means that no vertex has an influence: there is no sum, rather than a sum that is NaN.
void write_sum(JsonWriter& w, double sum) {
  if (std::isnan(sum)) {
    w.null();
  } else {
    w.number(sum);
  }
}

void write_statistics(JsonWriter& w, const FileResult& result) {
  w.begin_object().key("bindings").begin_array();
  for (const BindingStatistics& binding : result.bindings) {
    w.begin_object();
    w.key("mesh_node").string(binding.mesh_node);
    w.key("skin").string(binding.skin);
    w.key("vertices").count(binding.vertices);
    w.key("joints").count(binding.joints);
    w.key("max_influences").count(binding.max_influences);
    w.key("unweighted_vertices").count(binding.unweighted_vertices);
    w.key("weight_sum_min");
    write_sum(w, binding.weight_sum_min);
    w.key("weight_sum_max");
    write_sum(w, binding.weight_sum_max);
    w.key("bind");
    write_bind(w, binding.bind);
    w.end_object();
  }
  w.end_array().end_object();
}

void write_error(JsonWriter& w, const std::optional<ReadError>& error) {
  if (!error) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("kind").string(read_error_kind_name(error->kind));
  w.key("message").string(error->message);
  w.key("offset");
  if (error->offset) {
    w.count(*error->offset);
  } else {
    w.null();
  }
  w.key("locator").string_or_null(error->locator);
  w.end_object();
}

void write_config(JsonWriter& w, const CheckConfig& config) {
  w.begin_object();
  w.key("profile").string(config.profile);
  w.key("fail_on").string(fail_on_name(config.fail_on));
  w.key("zero_weight").string(zero_weight_name(config));
  w.key("reference").string_or_null(config.reference_path);
  w.key("max_samples").count(config.max_samples);
  w.key("allow_outside").boolean(config.read.allow_outside);
  w.key("second_opinion").boolean(config.second_opinion);
  w.key("select");
  write_strings(w, config.select);
  w.key("ignore");
  write_strings(w, config.ignore);
  w.key("rules").begin_object();
  for (const Rule* rule : all_rules()) {
    const RuleInfo& info = rule->info;
    w.key(info.id).begin_object(Layout::line);
    w.key("severity");  // what the user set; null: as graded by the rule
    const auto severity = config.severities.find(info.id);
    if (severity == config.severities.end()) {
      w.null();
    } else {
      w.string(severity_name(severity->second));
    }
    w.key("params").begin_object();
    for (const ParamInfo& param : info.params) {
      w.key(param.name).number(param_value(config, info, param));
    }
    w.end_object().end_object();
  }
  w.end_object();
  w.end_object();
}

}  // namespace

void write_summary(JsonWriter& w, const RunSummary& summary) {
  w.key("summary").begin_object();
  w.key("files").count(summary.files);
  w.key("clean").count(summary.clean);
  w.key("with_findings").count(summary.with_findings);
  w.key("unreadable").count(summary.unreadable);
  w.key("crashed").count(summary.crashed);
  w.key("errors").count(summary.errors);
  w.key("warnings").count(summary.warnings);
  w.key("notes").count(summary.notes);
  w.key("waived").count(summary.waived);
  w.key("baselined").count(summary.baselined);
  w.key("failed").count(summary.failed);
  w.end_object();
  w.key("waivers").begin_object();
  w.key("expired");
  write_strings(w, summary.expired_waivers);
  w.key("unused");
  write_strings(w, summary.unused_waivers);
  w.end_object();
  w.key("shard");
  if (!summary.shard) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("index").count(summary.shard->index);
  w.key("count").count(summary.shard->count);
  w.key("positions").begin_array(JsonWriter::Layout::line);
  for (const std::uint64_t position : summary.shard->positions) w.count(position);
  w.end_array();
  w.key("used_waivers");
  write_strings(w, summary.shard->used_waivers);
  w.end_object();
}

namespace {

class JsonReport final : public ReportWriter {
 public:
  explicit JsonReport(std::ostream& out) : w_(out) {}

  void begin(const CheckConfig& config) override {
    w_.begin_object();
    w_.key("schema").string("skinlint-report/1");
    w_.key("tool").begin_object();
    w_.key("name").string("skinlint");
    w_.key("version").string(SKINLINT_VERSION);
    std::string assimp;
    for (const LibraryVersion& library : reader_libraries()) {
      if (library.name == "assimp") assimp = library.version;
    }
    w_.key("assimp").string_or_null(assimp);
    w_.end_object();
    w_.key("config");
    write_config(w_, config);
    w_.key("files").begin_array();
    w_.flush();
  }

  void file(const FileResult& result) override {
    w_.begin_object();
    w_.key("path").string(result.path);
    w_.key("format").string_or_null(result.format);
    w_.key("version").string_or_null(result.version);
    w_.key("generator").string_or_null(result.generator);
    w_.key("status").string(status_name(result.status));
    w_.key("sha256").string_or_null(result.sha256);
    w_.key("bytes").count(result.bytes);
    w_.key("config").string_or_null(result.config_path);
    w_.key("fail_on").string(fail_on_name(result.fail_on));
    w_.key("error");
    write_error(w_, result.error);
    w_.key("findings").begin_array();
    for (const ReportedFinding& finding : result.findings) write_finding(w_, finding);
    w_.end_array();
    w_.key("skipped").begin_array();
    for (const SkippedCheck& skipped : result.skipped) {
      w_.begin_object().key("rule").string(skipped.rule).key("element");
      write_element(w_, skipped.element);
      w_.key("because").string(skipped.because).end_object();
    }
    w_.end_array();
    w_.key("not_checked").begin_array();
    for (const NotChecked& not_checked : result.not_checked) {
      w_.begin_object().key("what").string(not_checked.what);
      w_.key("because").string(not_checked.because).end_object();
    }
    w_.end_array();
    w_.key("statistics");
    write_statistics(w_, result);
    w_.end_object();
    w_.flush();
  }

  void end(const RunSummary& summary) override {
    w_.end_array();
    write_summary(w_, summary);
    w_.end_object();
    w_.finish();
  }

 private:
  JsonWriter w_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_json_report(std::ostream& out, const ReportOptions&) {
  return std::make_unique<JsonReport>(out);
}

}  // namespace skinlint
