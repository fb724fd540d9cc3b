#pragma once
// Measures: the numbers a finding carries, and the limits they were judged against.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

/// A real number, e.g. real("worst_sum", 0.82) or real("displacement", 0.03, "m").
Measure real(std::string_view name, double value, std::string_view unit = {});
/// A whole number; values beyond int64 are capped.
Measure whole(std::string_view name, std::uint64_t value, std::string_view unit = {});
/// Words, e.g. a joint's name.
Measure words(std::string_view name, std::string value);

/// Every parameter of the running rule with its effective value: what Finding::limits holds unless
/// a rule knows better.
std::vector<Measure> limits_of(const RuleInput& input);

/// A finding of the running rule about `element`, with the rule's limits filled in.
Finding finding_about(const RuleInput& input, const ElementRef& element, Severity severity);

/// The severity that a level parameter asks for: 0 off, 1 note, 2 warning, 3 error. For kinds of
/// one rule whose weight depends on the target: profiles set them.
Severity level(const RuleInput& input, std::string_view param);

/// "0.36 %", "22 %", "7398 %": two digits, and never a power of ten for what is large.
std::string percent(double value);

/// "1 vertex", "3 vertices": for messages.
std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

}  // namespace skinlint::rules
