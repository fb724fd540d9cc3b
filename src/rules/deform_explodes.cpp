#include <fmt/format.h>

#include "rules/rest_drift.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const BindAnalysis& bind = input.facts.bind(group.first);
    const double box = input.param("box"), stretch = input.param("stretch");
    if (!(bind.posed_box_ratio > box) && !(bind.edge_stretch > stretch)) continue;
    const std::optional<RestDrift> drift = rest_drift(input, sink, group, flattened);
    if (!drift || !has_exploded(*drift, bind, box, stretch)) continue;
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    Finding finding = finding_about(input, group, Severity::error);
    finding.poisons_element = false;
    put_joints(finding, input, skin, drift->roots.empty() ? drift->joints : drift->roots);
    const double posed = bind.posed_box.isEmpty() ? 0.0 : bind.posed_box.diagonal().norm();
    finding.measured.insert(
        finding.measured.end(),
        {real("posed_size", posed, "m"), real("bind_size", bind.size, "m"),
         real("posed_box_ratio", bind.posed_box_ratio), real("edge_stretch", bind.edge_stretch),
         real("max_displacement", bind.max_displacement, "m")});
    finding.count = 1;
    finding.samples = {{static_cast<std::int64_t>(bind.worst_vertex), bind.max_displacement,
                        part_label(asset, group.first, bind.worst_part)}};
    if (input.max_samples == 0) finding.samples.clear();
    finding.sample_of = "vertex";
    finding.sample_unit = "m";
    finding.message = fmt::format(
        "as posed the mesh measures {:.3g} m, {:.3g} times its size as bound; edges stretch "
        "x{:.3g}; "
        "vertex {} moves {:.3g} m",
        posed, bind.posed_box_ratio, bind.edge_stretch, bind.worst_vertex, bind.max_displacement);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"box", default_exploded_box, 1.0, 1e6, "of size",
     "posed bounding box over bind size above which the mesh has exploded",
     "as bind-rest-differs, which names the joints and the cause"},
    {"stretch", default_exploded_stretch, 1.0, 1e6, "",
     "stretch of edges (99.9 percentile) above which the mesh has exploded",
     "as bind-rest-differs, which names the joints and the cause"}};
constexpr std::string_view not_a_fault_when[] = {
    "the rest pose is a key of a clip: the pose is meant",
    "FBX: mesh and skeleton were moved together as one",
    "an earlier error hides some of the joints: the figures would mislead",
    "the pose bends or squashes the mesh: far below the limits"};

}  // namespace

const Rule deform_explodes = {
    {.id = "deform-explodes",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "At rest the skinned mesh is torn far beyond the size it was bound in",
     .why = "Goes with bind-rest-differs and says what its difference does to the vertices: how "
            "large the mesh becomes, how far edges stretch and which vertex flies farthest.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Spikes and shreds of the mesh reach across the scene as soon as it is "
                           "loaded; bounds, shadows and culling fail with them.",
                .action = "Follow the cause that bind-rest-differs names; the vertex and joints "
                          "here show where to look first.",
                .maya = "Select the named joints: Skin > Go to Bind Pose; if it fails, Unbind Skin "
                        "with history kept and bind again.",
                .max =
                    "Skin > Advanced Parameters: Always Deform off and on in the bind pose; look "
                    "at the named vertex in the Weight Table.",
                .blender = "Armature data > Rest Position: if the mesh is whole there, apply or "
                           "clear the pose of the named bones before export."},
     .source = "docs/model.md, bind state \"exploded\"; no posed asset of 391 measured comes near",
     .params = params},
    check};

}  // namespace skinlint::rules
