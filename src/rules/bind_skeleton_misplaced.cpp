#include <fmt/format.h>

#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "skinning/placement.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  for (const BindingGroup& group : binding_groups(asset)) {
    const Binding& binding = asset.bindings[group.first];
    const BindAnalysis& bind = input.facts.bind(group.first);
    const double note = input.param("note"), warning = input.param("warning");
    if (!bind.placement || !(*bind.placement > note)) continue;
    // Where the matrices disagree they place nothing: bind-rest-differs tells that story.
    if (bind.state == BindState::exploded || bind.no_consensus) continue;
    if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0}) ||
        sink.skip({ElementKind::skin, binding.skin, 0})) {
      continue;
    }
    const std::optional<PlacementFix> fix = find_placement_fix(
        asset, group.first, bind, input.facts.influences(group.first),
        input.facts.world_from_node()[static_cast<std::size_t>(binding.node)], note);
    Finding finding =
        finding_about(input, group, *bind.placement > warning ? Severity::warning : Severity::note);
    finding.count = bind.placement_joints;
    finding.measured.insert(finding.measured.end(),
                            {real("placement", *bind.placement, "of size"),
                             real("distance", *bind.placement * bind.size, "m"),
                             whole("joints", bind.placement_joints, "joints"),
                             words("put_right_by", fix ? fix->name : std::string())});
    if (fix) finding.measured.push_back(real("placement_then", fix->score, "of size"));
    finding.message =
        fmt::format("the joints stand {:.3g} m ({} of the size) away from the vertices they move{}",
                    *bind.placement * bind.size, percent(100.0 * *bind.placement),
                    fix ? fmt::format("; {} on the vertices would put them right", fix->name) : "");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"note", 0.05, 0.0, 10.0, "of size",
     "median distance of joints from their vertices worth a note",
     "clean files measure at most 0.041"},
    {"warning", 0.1, 0.0, 10.0, "of size",
     "median distance of joints from their vertices to warn at",
     "a shift by 0.2, a unit factor or a quarter turn scores above 0.05 in 99 to 100 % of trials"}};
constexpr std::string_view not_a_fault_when[] = {
    "fewer than five joints move vertices of their own: a rigid accessory may hang anywhere",
    "the skin stores no matrices: nothing says where its joints belong"};

}  // namespace

const Rule bind_skeleton_misplaced = {
    {.id = "bind-skeleton-misplaced",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "The mesh and its skeleton do not lie in one another, though all matrices agree",
     .why =
         "Joints turn vertices about points far outside them: the vertices, or the skeleton, were "
         "converted, scaled or moved alone.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "In the rest pose all looks right; as soon as a joint turns, its part "
                           "swings away in a wide arc.",
                .action = "Lay mesh and skeleton over one another in the source scene, apply both "
                          "transforms, bind again.",
                .maya = "Skin > Unbind Skin, move the mesh into the skeleton, Modify > Freeze "
                        "Transformations, Skin > Bind Skin.",
                .max = "Remove Skin, align the mesh, Utilities > Reset XForm, collapse, add Skin "
                       "again.",
                .blender =
                    "Clear the parent (Alt+P), align, Object > Apply > All Transforms on both, "
                    "parent with Armature Deform."},
     .source = "placement score: median distance of a joint's bind origin from the box of the "
               "vertices it weights above 0.3",
     .params = params,
     .symptom = Symptom::placement},
    check};

}  // namespace skinlint::rules
