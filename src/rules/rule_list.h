#pragma once
// Declares every rule that rule_list.inc lists. Each rule's source includes this, so that a rule
// that is defined but not listed is an unused variable, and one that is listed but not defined a
// link error.

#include "rules/rule.h"

namespace skinlint::rules {

#define SKINLINT_RULE(function) extern const Rule function;
#include "rules/rule_list.inc"
#undef SKINLINT_RULE

}  // namespace skinlint::rules
