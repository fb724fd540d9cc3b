#include <fmt/format.h>

#include <cmath>
#include <set>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  std::set<std::int32_t> judged;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    if (!judged.insert(binding.node).second) continue;
    const Node& node = asset.nodes[static_cast<std::size_t>(binding.node)];
    const TransformParts parts = decompose(node.parent_from_node);
    if (!parts.valid) continue;  // transform-zero-scale's, transform-non-finite's
    const BindAnalysis& bind = input.facts.bind(b);
    const double limit = input.param("residue");
    const double moved = translation(node.parent_from_node).norm();
    const double skew = (linear(node.parent_from_node) - Mat3::Identity()).cwiseAbs().maxCoeff();
    if (!(skew > limit) && !(moved > limit * bind.size)) continue;
    const bool known = bind.state != BindState::unknown;
    const bool cancels = known && (bind.candidate == Candidate::mesh_node ||
                                   (is_fbx(asset.format) && bind.candidate != Candidate::none));
    // What the bind of a glTF does not hold is transform-ignored-on-skin's.
    if (!is_fbx(asset.format) && !cancels) continue;
    const ElementRef element{ElementKind::node, binding.node, 0};
    if (sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::note);
    finding.measured = {real("moved", moved, "m"),
                        real("angle", parts.angle_deg, "deg"),
                        real("scale", parts.uniform_scale()),
                        real("non_uniformity", parts.non_uniformity()),
                        words("mirrored", parts.mirrored ? "yes" : "no"),
                        words("bind_cancels_it", !known    ? "unknown"
                                                 : cancels ? "yes"
                                                           : "no")};
    std::string what;
    const auto add = [&what](const std::string& part) {
      what += (what.empty() ? "" : ", ") + part;
    };
    if (parts.angle_deg >= 0.05) add(fmt::format("turned {:.4g}°", parts.angle_deg));
    if (std::abs(parts.uniform_scale() - 1.0) > limit) {
      add(fmt::format("scaled x{:.4g}", parts.uniform_scale()));
    }
    if (parts.non_uniformity() > limit) add("scaled unevenly");
    if (parts.mirrored) add("mirrored");
    if (what.empty() || moved > limit * bind.size) add(fmt::format("moved {:.3g} m", moved));
    finding.message = fmt::format("{} is not frozen: {}{}", asset.node_name(binding.node), what,
                                  !known    ? ""
                                  : cancels ? "; the bind cancels it"
                                            : "; the bind does not hold it");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"residue", 1e-4, 1e-9, 1.0, "",
     "entry of the node's matrix, or shift over the mesh's size, that is no rounding",
     "frozen nodes are written as the identity, up to 1e-6"}};
constexpr std::string_view not_a_fault_when[] = {
    "the bind cancels it: the mesh deforms rightly (a note); 62 of 154 FBX files carry a scale",
    "the bind does not: bind-mesh-moved or, in glTF, transform-ignored-on-skin tells of it",
    "only the parents of the mesh node, such as an armature, have a transform: silent"};

}  // namespace

const Rule transform_mesh_residue = {
    {.id = "transform-mesh-residue",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "The node of a skinned mesh has a transform of its own: it was not frozen",
     .why = "Engines that ignore the node of a skinned mesh and engines that apply it show the "
            "same file differently unless the bind holds the transform as well.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Mostly none; in some engines the mesh is moved, turned or scaled once "
                           "too often.",
                .action = "Freeze the mesh's transform before binding it.",
                .maya = "Modify > Freeze Transformations on the mesh before Skin > Bind Skin.",
                .max = "Utilities > Reset XForm and collapse before adding Skin.",
                .blender = "Object > Apply > All Transforms on the mesh before parenting it to the "
                           "armature."},
     .source = "the mesh node's own translation, rotation and scale; 62 of 154 FBX files",
     .params = params},
    check};

}  // namespace skinlint::rules
