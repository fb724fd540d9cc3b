#pragma once
// What a rule is: its information and one stateless function. One .cpp per rule, named after the
// id, one line in rule_list.inc, one line in CMakeLists.txt.

#include <cstdint>
#include <span>
#include <string_view>

#include "rules/facts.h"
#include "rules/finding.h"

namespace skinlint {

/// Order of judgement. An error in an earlier stage poisons its element; later rules skip it and
/// say so.
enum class Stage : std::uint8_t { read, structure, semantics, budget };
std::string_view stage_name(Stage stage);

/// Which question of the diagnosis explains a finding of this rule.
enum class Symptom : std::uint8_t { none, drift, records, placement, offset };

struct ParamInfo {
  std::string_view name;
  double default_value;
  double min, max;
  std::string_view unit;
  std::string_view meaning;
  std::string_view source;  // where the number comes from
};

struct RuleInfo {
  std::string_view id;
  Severity severity;  // the worst it reports by default
  Stage stage;
  ElementKind scope;
  std::string_view summary;  // what: one line
  std::string_view why;
  std::span<const std::string_view> not_a_fault_when;
  Remedy remedy;
  std::string_view source;  // specification section, measured files
  std::span<const ParamInfo> params;
  bool on_by_default = true;
  /// The cause of this kind is hung on the rule's findings (element: a binding or a skin).
  Symptom symptom = Symptom::none;
};

struct RuleInput;
struct ImporterView;
struct Skeleton;
class Sink;

struct Rule {
  RuleInfo info;
  void (*check)(const RuleInput&, Sink&);
};

/// What a rule may ask of the run.
struct RuleInput {
  const Asset& asset;
  const Facts& facts;
  const Rule& rule;
  std::span<const double> params;  // parallel to rule.info.params
  std::size_t max_samples = 5;
  const Skeleton* reference = nullptr;  // the one that --reference names
  /// What another importer saw in the same file; only where --second-opinion asked for it.
  const ImporterView* importer = nullptr;

  /// Value of the rule's own parameter; the name must exist.
  double param(std::string_view name) const;
};

/// Where a rule puts findings, and what it asks before judging an element.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Error findings poison `element` and every joint in `related` for later stages.
  virtual void report(Finding finding) = 0;
  /// True when an earlier stage found an error on this element; the skip is counted.
  virtual bool skip(const ElementRef& element) = 0;
  /// The same for one suspect vertex of a binding (index into InfluenceAnalysis::suspects).
  /// Vertices are poisoned at once, within a stage too, in the order of rule_list.inc: no vertex is
  /// reported by two weights-* rules.
  virtual bool skip_suspect(std::size_t binding, std::size_t suspect) = 0;
  virtual void poison_suspect(std::size_t binding, std::size_t suspect) = 0;
};

/// Every rule, in the order of rule_list.inc (stage order, then id; within weights-* the order in
/// which a vertex is judged).
std::span<const Rule* const> all_rules();
const Rule* find_rule(std::string_view id);

}  // namespace skinlint
