#include "engine/run_rules.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/config_view.h"
#include "engine/reduced_evidence.h"
#include "rules/cause_texts.h"

namespace skinlint {
namespace {

bool listed(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<double> effective_params(const Rule& rule, const CheckConfig& config) {
  std::vector<double> values;
  for (const ParamInfo& param : rule.info.params) {
    values.push_back(param_value(config, rule.info, param));
  }
  return values;
}

class RunSink final : public Sink {
 public:
  RunSink(const Asset& asset, const Facts& facts, const CheckConfig& config)
      : asset_(asset), facts_(facts), config_(config) {}

  void start(const Rule& rule) { rule_ = &rule; }

  void report(Finding finding) override {
    if (finding.severity == Severity::off) return;
    // What a rule judged an error poisons even where the configuration reports it as less.
    if (finding.severity == Severity::error && finding.poisons_element) {
      poison(finding.element);
      for (const ElementRef& related : finding.related) {
        if (related.kind == ElementKind::joint) poison(related);
      }
    }
    finding.rule = rule_->info.id;
    if (const auto it = config_.severities.find(finding.rule); it != config_.severities.end())
      finding.severity = it->second;
    if (finding.samples.size() > config_.max_samples) finding.samples.resize(config_.max_samples);
    add_cause(finding);
    outcome.findings.push_back(std::move(finding));
  }

  bool skip(const ElementRef& element) override {
    const std::string_view* because = poisoned_by(element);
    if (because == nullptr) return false;
    if (noted_.insert({rule_, element}).second)
      outcome.skipped.push_back({rule_->info.id, element, *because});
    return true;
  }

  bool skip_suspect(std::size_t binding, std::size_t suspect) override {
    const auto it = suspects_.find(&facts_.influences(binding));
    return it != suspects_.end() && it->second[suspect];
  }

  void poison_suspect(std::size_t binding, std::size_t suspect) override {
    const InfluenceAnalysis& analysis = facts_.influences(binding);
    std::vector<bool>& poisoned = suspects_[&analysis];
    poisoned.resize(analysis.suspects.size());
    poisoned[suspect] = true;
  }

  RuleOutcome outcome;

 private:
  /// A cause is data on the finding that showed the symptom, never a second finding.
  void add_cause(Finding& finding) const {
    if (rule_->info.symptom == Symptom::none || finding.cause) return;
    std::optional<std::size_t> binding;
    if (finding.element.kind == ElementKind::binding) {
      binding = static_cast<std::size_t>(finding.element.index);
    } else if (finding.element.kind == ElementKind::skin) {
      const auto& bindings =
          facts_.bindings_of_skin(static_cast<std::size_t>(finding.element.index));
      if (!bindings.empty()) binding = bindings.front();
    }
    if (!binding) return;
    const BindingDiagnosis& diagnosis = facts_.diagnosis(*binding);
    const std::optional<Diagnosis>* part = nullptr;
    switch (rule_->info.symptom) {
      case Symptom::none:
        return;
      case Symptom::drift:
        // FBX: a single record may be wrong while rest pose and links agree.
        part = diagnosis.drift ? &diagnosis.drift : &diagnosis.records;
        break;
      case Symptom::records:
        part = &diagnosis.records;
        break;
      case Symptom::placement:
        part = &diagnosis.placement;
        break;
      case Symptom::offset:
        part = &diagnosis.offset;
        break;
    }
    if (!part->has_value()) return;
    // "Unexplained" is said where the whole binding is in question, not on a rule about single
    // matrices.
    if ((*part)->fits.empty() && finding.element.kind != ElementKind::binding) return;
    finding.cause = describe_cause(asset_, *binding, **part);
  }

  struct Poison {
    Stage stage;
    std::string_view rule;
  };

  void poison(const ElementRef& element) {
    poisoned_.try_emplace(element, Poison{rule_->info.stage, rule_->info.id});
  }

  const std::string_view* find_poison(const ElementRef& element) const {
    const auto it = poisoned_.find(element);
    return it != poisoned_.end() && it->second.stage < rule_->info.stage ? &it->second.rule
                                                                         : nullptr;
  }

  /// An element is judged by what it stands on, too: a binding by its skin, a joint by its skin.
  const std::string_view* poisoned_by(const ElementRef& element) const {
    if (poisoned_.empty()) return nullptr;
    if (const std::string_view* because = find_poison(element)) return because;
    if (element.kind == ElementKind::binding) {
      return find_poison(
          {ElementKind::skin, asset_.bindings[static_cast<std::size_t>(element.index)].skin, 0});
    }
    if (element.kind == ElementKind::joint)
      return find_poison({ElementKind::skin, element.index, 0});
    return nullptr;
  }

  const Asset& asset_;
  const Facts& facts_;
  const CheckConfig& config_;
  const Rule* rule_ = nullptr;
  std::map<ElementRef, Poison> poisoned_;
  std::set<std::pair<const Rule*, ElementRef>> noted_;
  std::map<const InfluenceAnalysis*, std::vector<bool>> suspects_;
};

}  // namespace

bool rule_runs(const Rule& rule, const CheckConfig& config) {
  const std::string_view id = rule.info.id;
  if (listed(config.ignore, id)) return false;
  const auto configured = config.severities.find(id);
  if (configured != config.severities.end() && configured->second == Severity::off) return false;
  if (!config.select.empty()) return listed(config.select, id);
  return rule.info.on_by_default || configured != config.severities.end();
}

RuleOutcome run_rules(const Asset& asset, const Facts& facts, const CheckConfig& config,
                      const ImporterView* importer) {
  RunSink sink(asset, facts, config);
  std::map<std::string_view, std::size_t> order;
  for (const Rule* rule : all_rules()) {
    order.emplace(rule->info.id, order.size());
    if (!rule_runs(*rule, config)) continue;
    if (const auto because = not_judged_because(asset, rule->info.id)) {
      sink.outcome.not_checked.push_back({std::string(rule->info.id), std::string(*because)});
      continue;
    }
    sink.outcome.rules.push_back(rule->info.id);
    sink.start(*rule);
    const std::vector<double> params = effective_params(*rule, config);
    const RuleInput input{asset,   facts, *rule, params, config.max_samples, config.reference.get(),
                          importer};
    rule->check(input, sink);
  }
  std::stable_sort(sink.outcome.findings.begin(), sink.outcome.findings.end(),
                   [&](const Finding& a, const Finding& b) {
                     if (a.severity != b.severity) return a.severity > b.severity;
                     if (a.rule != b.rule) return order.at(a.rule) < order.at(b.rule);
                     return a.element < b.element;
                   });
  return std::move(sink.outcome);
}

}  // namespace skinlint
