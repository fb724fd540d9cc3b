#include <fmt/format.h>

#include <array>
#include <map>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "the same node is a joint of several skins",
    "an FBX skin has two clusters on one bone: weights-duplicate-joint judges the vertices"};

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    const Skin& skin = input.asset.skins[s];
    if (skin.joint_ids.empty()) {
      if (sink.skip(element)) continue;
      Finding finding = finding_about(input, element, Severity::error);
      finding.message = "the skin lists no joints";
      finding.measured = {whole("joints", 0)};
      sink.report(std::move(finding));
      continue;
    }
    std::map<std::int64_t, std::size_t> first_slot;
    std::vector<std::size_t> repeats;
    for (std::size_t slot = 0; slot < skin.joint_ids.size(); ++slot) {
      if (!first_slot.try_emplace(skin.joint_ids[slot], slot).second) repeats.push_back(slot);
    }
    if (repeats.empty() || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::error);
    finding.count = repeats.size();
    for (std::size_t i = 0; i < repeats.size() && i < input.max_samples; ++i) {
      const std::size_t slot = repeats[i];
      finding.related.push_back(
          {ElementKind::joint, element.index, static_cast<std::int32_t>(slot)});
      finding.samples.push_back(
          {static_cast<std::int64_t>(slot), static_cast<double>(first_slot[skin.joint_ids[slot]]),
           skin.joints[slot] >= 0 ? input.asset.node_name(skin.joints[slot]) : std::string()});
    }
    finding.sample_of = "slot";
    finding.sample_unit = "none";
    finding.measured = {whole("joints", skin.joint_ids.size()),
                        whole("different_joints", first_slot.size())};
    finding.message = fmt::format(
        "{} a joint that the skin lists already, the first in slot {} of its joint list",
        counted(repeats.size(), "slot repeats", "slots repeat"), repeats.front());
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule skeleton_joint_repeated{
    {.id = "skeleton-joint-repeated",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary = "A skin lists a joint twice, or no joints at all",
     .why = "Engines that match joints by node keep one of the two slots: weights on the other are "
            "lost, or follow another inverse bind matrix.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Import fails, or the vertices of one joint stay behind.",
                .action = "Export again; if it comes back, merge the two slots' weights onto one "
                          "joint before the export.",
                .maya = "Skin > Edit Influences > Remove Influence for the duplicate, then export.",
                .max = "Skin modifier > Parameters > Bones: Remove the duplicate entry.",
                .blender = "Merge the duplicate vertex groups with a Vertex Weight Mix modifier "
                           "(Add), remove one, then export."},
     .source = "glTF 2.0 section 5.28.3 (skin.joints: unique elements, at least one)",
     .params = {}},
    check};

}  // namespace skinlint::rules
