#pragma once
// The rules over one asset: stages, poisoning, severities. Private to the engine.

#include <vector>

#include "engine/check.h"

namespace skinlint {

struct RuleOutcome {
  std::vector<Finding> findings;        // severities final, in reporting order
  std::vector<std::string_view> rules;  // that ran, in order
  struct Skip {
    std::string_view rule;
    ElementRef element;
    std::string_view because;
  };
  std::vector<Skip> skipped;
  std::vector<NotChecked> not_checked;  // rules that do not judge such an asset
};

/// Runs every selected rule in order. Deterministic: the same asset and configuration give the same
/// outcome.
RuleOutcome run_rules(const Asset& asset, const Facts& facts, const CheckConfig& config,
                      const ImporterView* importer = nullptr);

}  // namespace skinlint
