#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// One node of a skinned geometry and its geometric transform.
struct Shown {
  std::int32_t node = -1;
  std::size_t binding = 0;
};

double size_of(const RuleInput& input, std::size_t binding) {
  const Box& box = input.facts.influences(binding).box;
  const double size = input.facts.bind(binding).size;
  return size > 0.0 || box.isEmpty() ? size : box.diagonal().norm();
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  std::map<std::int32_t, Shown> nodes;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    nodes.try_emplace(asset.bindings[b].node, Shown{asset.bindings[b].node, b});
  }
  for (const auto& [node, shown] : nodes) {
    const Binding& binding = asset.bindings[shown.binding];
    const Mat4& residue = binding.node_from_geometry;
    if (!residue.allFinite()) continue;  // transform-non-finite's
    const TransformParts parts = decompose(residue);
    const double size = size_of(input, shown.binding);
    const double moved = translation(residue).norm();
    const double limit = input.param("residue");
    const double skew = (linear(residue) - Mat3::Identity()).cwiseAbs().maxCoeff();
    if (!(skew > limit) && !(moved > limit * size)) continue;
    const ElementRef element{ElementKind::node, node, 0};
    if (sink.skip(element)) continue;
    const auto& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
    const bool unequal = std::any_of(nodes.begin(), nodes.end(), [&](const auto& entry) {
      const Binding& other = asset.bindings[entry.second.binding];
      return other.mesh == binding.mesh &&
             !other.node_from_geometry.isApprox(residue, input.param("residue"));
    });
    Finding finding = finding_about(input, element, Severity::warning);
    finding.measured = {
        real("moved", moved, "m"), real("angle", parts.valid ? parts.angle_deg : 0.0, "deg"),
        real("scale", parts.valid ? parts.uniform_scale() : 0.0),
        whole("morphs", mesh.morphs.size()), words("shared_unequally", unequal ? "yes" : "no")};
    std::string what;
    const auto add = [&what](const std::string& part) {
      what += (what.empty() ? "" : ", ") + part;
    };
    if (parts.valid && parts.angle_deg >= 0.05) add(fmt::format("{:.4g}°", parts.angle_deg));
    if (moved > limit * size) add(fmt::format("{:.3g} m", moved));
    if (parts.valid &&
        (std::abs(parts.uniform_scale() - 1.0) > limit || parts.non_uniformity() > limit)) {
      add(fmt::format("x{:.4g}{}", parts.uniform_scale(),
                      parts.non_uniformity() > limit ? " unevenly" : ""));
    }
    if (parts.valid && parts.mirrored) add("mirrored");
    finding.message = fmt::format("{} keeps a geometric transform ({}) between node and vertices",
                                  asset.node_name(node), what.empty() ? "singular" : what);
    if (!mesh.morphs.empty()) {
      finding.message += fmt::format(
          "; its {} are stored before it, so tools that bake it into the vertices alone break them",
          counted(mesh.morphs.size(), "shape", "shapes"));
    }
    if (unequal) {
      finding.message +=
          "; another node shows the same geometry with another one, so it cannot be baked at all";
    }
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"residue", 1e-4, 1e-9, 1.0, "",
     "entry of the geometric matrix, or shift over the mesh's size, that is no rounding",
     "exporters write the identity exactly or leave it out"}};
constexpr std::string_view not_a_fault_when[] = {"the geometric transform is the identity",
                                                 "the mesh has no skin: many props keep one"};

}  // namespace

const Rule transform_geometric_residue = {
    {.id = "transform-geometric-residue",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A skinned FBX mesh keeps a geometric transform: Reset XForm was not collapsed",
     .why = "The geometric transform acts on the vertices alone. Importers forget it for skinned "
            "meshes, apply it twice, or bake it without the bind.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh is shifted, turned or scaled against its skeleton in some "
                           "engines.",
                .action = "Bake the pivot's offset into the vertices before skinning.",
                .maya = "Edit > Delete by Type > Non-Deformer History, Modify > Freeze "
                        "Transformations before Skin > Bind Skin; export again.",
                .max = "Remove Skin; Utilities > Reset XForm > Reset Selected, collapse the stack, "
                       "add Skin again.",
                .blender = "Import bakes it: Object > Apply > All Transforms, then export again."},
     .source = "FBX GeometricTranslation, GeometricRotation, GeometricScaling of the mesh's node",
     .params = params},
    check};

}  // namespace skinlint::rules
