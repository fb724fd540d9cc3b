#include <fmt/format.h>

#include <array>

#include "rules/binding_groups.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 1> not_a_fault_when = {
    "almost always: a slot with weight zero moves nothing, whatever joint it names"};

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  for (const BindingGroup& group : influence_groups(input.asset)) {
    const std::uint64_t slots = input.facts.influences(group.first).zero_weight_with_joint;
    if (slots == 0) continue;
    if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0})) continue;
    Finding finding = finding_about(input, group, Severity::note);
    finding.count = slots;
    finding.measured.push_back(whole("slots", slots));
    finding.message = fmt::format("{} a joint other than 0 with weight 0",
                                  counted(slots, "slot names", "slots name"));
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_zero_with_joint{
    {.id = "weights-zero-with-joint",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "Slots with weight zero name a joint other than 0",
     .why =
         "It only costs compression, and a strict validator warns; the format asks for joint 0 in "
         "unused slots.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "None on screen; the file compresses a little worse.",
                .action = "Write joint 0 into slots of weight zero when exporting.",
                .maya = "Skin > Prune Small Weights, then export again.",
                .max = "Skin modifier > Advanced Parameters > Remove Zero Weights, then export "
                       "again.",
                .blender = "Weight Paint: Weights > Clean, then export again."},
     .source = "glTF 2.0 section 3.7.3.3 (unused joint values should be zero)",
     .params = {},
     .on_by_default = false},
    check};

}  // namespace skinlint::rules
