#pragma once
// Runs rules over an asset in memory the way the tool does, and reads findings by name.

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/check.h"

namespace skinlint::test {

/// Findings of one rule, run alone (so nothing is poisoned by others), whatever its default.
inline std::vector<Finding> findings_of(const Asset& asset, std::string_view rule,
                                        CheckConfig config = {}) {
  config.select = {std::string(rule)};
  config.want_statistics = false;
  std::vector<Finding> findings;
  for (ReportedFinding& found : check_asset(asset, "test", config).findings) {
    findings.push_back(std::move(found.finding));
  }
  return findings;
}

/// Severity of the rule's only finding; off when there is none. Several count as none: a test that
/// expects one must then fail.
inline Severity only_severity(const Asset& asset, std::string_view rule, CheckConfig config = {}) {
  const std::vector<Finding> findings = findings_of(asset, rule, std::move(config));
  return findings.size() == 1 ? findings.front().severity : Severity::off;
}

/// Ids of all rules with a finding at or above `least`, every rule being run.
inline std::set<std::string> reporting(const Asset& asset, Severity least = Severity::warning,
                                       CheckConfig config = {}) {
  config.want_statistics = false;
  std::set<std::string> ids;
  for (const ReportedFinding& found : check_asset(asset, "test", config).findings) {
    if (found.finding.severity >= least) ids.insert(std::string(found.finding.rule));
  }
  return ids;
}

inline CheckConfig with_param(const std::string& rule, const std::string& param, double value) {
  CheckConfig config;
  config.params[rule][param] = value;
  return config;
}

/// A measured number by name; NaN when the finding has none of that name.
inline double number(const Finding& finding, std::string_view name) {
  for (const Measure& measure : finding.measured) {
    if (measure.name != name) continue;
    if (const double* real = std::get_if<double>(&measure.value)) return *real;
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&measure.value))
      return static_cast<double>(*whole);
  }
  return std::nan("");
}

/// Measured words by name; empty when the finding has none of that name.
inline std::string words_of(const Finding& finding, std::string_view name) {
  for (const Measure& measure : finding.measured) {
    const std::string* text = std::get_if<std::string>(&measure.value);
    if (measure.name == name && text != nullptr) return *text;
  }
  return {};
}

}  // namespace skinlint::test
