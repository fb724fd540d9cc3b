#include <algorithm>
#include <cassert>
#include <vector>

#include "rules/rule_list.h"

namespace skinlint {
namespace {

const std::vector<const Rule*>& ordered_rules() {
  static const std::vector<const Rule*> rules = [] {
    std::vector<const Rule*> listed = {
#define SKINLINT_RULE(function) &rules::function,
#include "rules/rule_list.inc"
#undef SKINLINT_RULE
    };
    std::stable_sort(listed.begin(), listed.end(),
                     [](const Rule* a, const Rule* b) { return a->info.stage < b->info.stage; });
    return listed;
  }();
  return rules;
}

}  // namespace

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::read:
      return "read";
    case Stage::structure:
      return "structure";
    case Stage::semantics:
      return "semantics";
    case Stage::budget:
      return "budget";
  }
  return "read";
}

double RuleInput::param(std::string_view name) const {
  const auto& known = rule.info.params;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].name == name) return i < params.size() ? params[i] : known[i].default_value;
  }
  assert(false && "a rule asked for a parameter that it does not declare");
  return 0.0;
}

std::span<const Rule* const> all_rules() { return ordered_rules(); }

const Rule* find_rule(std::string_view id) {
  for (const Rule* rule : ordered_rules()) {
    if (rule->info.id == id) return rule;
  }
  return nullptr;
}

}  // namespace skinlint
