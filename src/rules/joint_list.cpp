#include "rules/joint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skinlint::rules {

void sort_worst_first(std::vector<JointAmount>& joints) {
  std::stable_sort(joints.begin(), joints.end(), [](const JointAmount& a, const JointAmount& b) {
    const double rank_a = std::isnan(a.amount) ? HUGE_VAL : a.amount;
    const double rank_b = std::isnan(b.amount) ? HUGE_VAL : b.amount;
    return rank_a != rank_b ? rank_a > rank_b : a.slot < b.slot;
  });
}

void put_joints(Finding& finding, const RuleInput& input, std::size_t skin,
                const std::vector<JointAmount>& worst_first) {
  finding.count = worst_first.size();
  finding.sample_of = "joint";
  finding.related.reserve(finding.related.size() + worst_first.size());
  for (const JointAmount& joint : worst_first) {
    finding.related.push_back(joint_ref(skin, joint.slot));
    if (finding.samples.size() < input.max_samples) {
      finding.samples.push_back(
          {joint.slot, joint.amount, joint_name(input.asset, skin, joint.slot)});
    }
  }
}

std::string joint_name(const Asset& asset, std::size_t skin, std::int32_t slot) {
  const std::vector<std::int32_t>& joints = asset.skins[skin].joints;
  const std::int32_t node =
      static_cast<std::size_t>(slot) < joints.size() ? joints[static_cast<std::size_t>(slot)] : -1;
  return node >= 0 ? asset.node_name(node) : fmt::format("joint[{}]", slot);
}

std::string joint_names(const Asset& asset, std::size_t skin,
                        const std::vector<JointAmount>& joints) {
  constexpr std::size_t most = 3;
  std::string text;
  const std::size_t shown = std::min(joints.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += (i + 1 == shown && shown == joints.size()) ? " and " : ", ";
    text += joint_name(asset, skin, joints[i].slot);
  }
  if (joints.size() > shown) text += fmt::format(" and {} more", joints.size() - shown);
  return text;
}

std::vector<bool> weighted_slots(const RuleInput& input, std::size_t skin) {
  std::vector<bool> weighted(input.asset.skins[skin].joints.size(), false);
  const InfluenceAnalysis* last = nullptr;
  for (const std::size_t binding : input.facts.bindings_of_skin(skin)) {
    const InfluenceAnalysis& influences = input.facts.influences(binding);
    if (&influences == last) continue;  // a mesh shown by many nodes is analysed once
    last = &influences;
    const std::vector<JointInfluence>& joints = influences.joints;
    for (std::size_t slot = 0; slot < weighted.size() && slot < joints.size(); ++slot) {
      if (joints[slot].weighted()) weighted[slot] = true;
    }
  }
  return weighted;
}

ElementRef joint_ref(std::size_t skin, std::int32_t slot) {
  return {ElementKind::joint, static_cast<std::int32_t>(skin), slot};
}

bool has_no_matrices(const Asset& asset, std::size_t skin) {
  return is_gltf(asset.format) && !asset.skins[skin].matrix_count;
}

}  // namespace skinlint::rules
