#include "rules/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace skinlint::rules {

Measure real(std::string_view name, double value, std::string_view unit) {
  return {std::string(name), value, std::string(unit)};
}

Measure whole(std::string_view name, std::uint64_t value, std::string_view unit) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  return {std::string(name), static_cast<std::int64_t>(std::min(value, most)), std::string(unit)};
}

Measure words(std::string_view name, std::string value) {
  return {std::string(name), std::move(value), {}};
}

std::vector<Measure> limits_of(const RuleInput& input) {
  std::vector<Measure> limits;
  limits.reserve(input.rule.info.params.size());
  for (const ParamInfo& info : input.rule.info.params) {
    if (info.unit == "level") continue;  // a severity, no limit
    limits.push_back(real(info.name, input.param(info.name), info.unit));
  }
  return limits;
}

Finding finding_about(const RuleInput& input, const ElementRef& element, Severity severity) {
  Finding finding;
  finding.rule = input.rule.info.id;
  finding.severity = severity;
  finding.element = element;
  finding.limits = limits_of(input);
  return finding;
}

Severity level(const RuleInput& input, std::string_view param) {
  const double value = input.param(param);
  return value < 0.5   ? Severity::off
         : value < 1.5 ? Severity::note
         : value < 2.5 ? Severity::warning
                       : Severity::error;
}

std::string percent(double value) {
  return std::abs(value) < 100.0 ? fmt::format("{:.2g} %", value)
                                 : fmt::format("{:.6g} %", std::round(value));
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace skinlint::rules
