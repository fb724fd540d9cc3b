#pragma once
// What a diagnosis says to an artist: one text and one remedy per cause.

#include "rules/finding.h"
#include "skinning/diagnosis.h"

namespace skinlint {

/// The best fit as a finding's cause, with the others as alternatives; `none` and "unexplained"
/// when nothing fits.
Cause describe_cause(const Asset& asset, std::size_t binding, const Diagnosis& diagnosis);

}  // namespace skinlint
