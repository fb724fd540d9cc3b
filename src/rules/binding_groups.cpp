#include "rules/binding_groups.h"

#include <map>
#include <utility>

namespace skinlint::rules {

std::vector<BindingGroup> binding_groups(const Asset& asset) {
  std::vector<BindingGroup> groups;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> known;
  for (std::size_t i = 0; i < asset.bindings.size(); ++i) {
    const Binding& binding = asset.bindings[i];
    const auto [entry, is_new] = known.try_emplace({binding.mesh, binding.skin}, groups.size());
    if (is_new) {
      groups.push_back({i, 1});
    } else {
      ++groups[entry->second].instances;
    }
  }
  return groups;
}

std::vector<BindingGroup> influence_groups(const Asset& asset) {
  std::vector<BindingGroup> groups;
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::size_t> known;
  const auto joints = [&](std::size_t binding) {
    return asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)].joints.size();
  };
  for (std::size_t i = 0; i < asset.bindings.size(); ++i) {
    const Binding& binding = asset.bindings[i];
    const auto [entry, is_new] =
        known.try_emplace({binding.mesh, binding.influences}, groups.size());
    if (is_new) {
      groups.push_back({i, 1});
      continue;
    }
    BindingGroup& group = groups[entry->second];
    ++group.instances;
    if (joints(i) < joints(group.first)) group.first = i;
  }
  return groups;
}

Finding finding_about(const RuleInput& input, const BindingGroup& group, Severity severity) {
  Finding finding = finding_about(
      input, ElementRef{ElementKind::binding, static_cast<std::int32_t>(group.first), 0}, severity);
  if (group.instances > 1) {
    finding.measured.push_back(whole("instances", group.instances));
  }
  return finding;
}

}  // namespace skinlint::rules
