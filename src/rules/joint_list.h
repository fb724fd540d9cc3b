#pragma once
// The joints a finding is about: ranked, named, counted. Every bind-* and transform-* rule that
// judges joints one by one gathers them here and reports them together.

#include <cstdint>
#include <string>
#include <vector>

#include "rules/measures.h"

namespace skinlint::rules {

/// One slot of a skin and how badly it is at fault (larger is worse, NaN worst).
struct JointAmount {
  std::int32_t slot = 0;
  double amount = 0.0;
};

/// Worst first; equal amounts in slot order.
void sort_worst_first(std::vector<JointAmount>& joints);

/// Sets count, related (all of them, as given) and samples (index = slot, value = amount, label =
/// joint name; at most `max_samples`).
void put_joints(Finding& finding, const RuleInput& input, std::size_t skin,
                const std::vector<JointAmount>& worst_first);

/// Display name of the joint in a slot; "joint[3]" when the slot names no node.
std::string joint_name(const Asset& asset, std::size_t skin, std::int32_t slot);

/// "hips", "hips and spine", "hips, spine, neck and 4 more".
std::string joint_names(const Asset& asset, std::size_t skin,
                        const std::vector<JointAmount>& joints);

/// Per slot: does any mesh give this joint weight? All false for a skin no mesh uses.
std::vector<bool> weighted_slots(const RuleInput& input, std::size_t skin);

/// A joint of a skin as an element.
ElementRef joint_ref(std::size_t skin, std::int32_t slot);

/// The file stores no inverse bind matrices for this glTF skin, so that each is the identity.
bool has_no_matrices(const Asset& asset, std::size_t skin);

}  // namespace skinlint::rules
