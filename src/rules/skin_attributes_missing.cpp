#include <fmt/format.h>

#include <array>

#include "rules/binding_groups.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 3> not_a_fault_when = {
    "a mesh with weights is shown without a skin in one place and with one elsewhere",
    "a mesh with weights is not shown by any node",
    "influences are declared and cannot be read: file-damaged or weights-array-mismatch says so"};

bool has_influences(const MeshPart& part, std::int32_t table) {
  return table >= 0 || !part.influence_sets_declared.empty();
}

void check_skinned(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  for (const BindingGroup& group : binding_groups(asset)) {
    const Binding& binding = asset.bindings[group.first];
    const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
    std::vector<std::size_t> without;
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      if (!has_influences(mesh.parts[p], binding.influences[p])) without.push_back(p);
    }
    if (without.empty()) continue;
    const ElementRef element{ElementKind::binding, static_cast<std::int32_t>(group.first), 0};
    if (sink.skip(element)) continue;
    const bool all = without.size() == mesh.parts.size();
    Finding finding = finding_about(input, group, Severity::error);
    finding.poisons_element = all;
    finding.count = without.size();
    std::uint64_t vertices = 0;
    for (const std::size_t p : without) {
      vertices += mesh.parts[p].vertex_count;
      if (finding.related.size() >= input.max_samples) continue;
      finding.related.push_back({ElementKind::part, binding.mesh, static_cast<std::int32_t>(p)});
    }
    finding.measured.push_back(words("problem", all ? "skin without weights" : "parts differ"));
    finding.measured.push_back(whole("parts", mesh.parts.size()));
    finding.measured.push_back(whole("vertices_without_weights", vertices));
    finding.message =
        all ? fmt::format("the mesh has a skin and none of its {} carries weights",
                          counted(vertices, "vertex", "vertices"))
            : fmt::format("{} of the skinned mesh's {} parts carry no weights ({})", without.size(),
                          mesh.parts.size(), counted(vertices, "vertex", "vertices"));
    sink.report(std::move(finding));
  }
}

void check_unskinned(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  std::vector<bool> bound(asset.meshes.size(), false);
  for (const Binding& binding : asset.bindings)
    bound[static_cast<std::size_t>(binding.mesh)] = true;
  std::vector<std::vector<std::int32_t>> shown_by(asset.meshes.size());
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t mesh = asset.nodes[n].mesh;
    if (mesh >= 0) shown_by[static_cast<std::size_t>(mesh)].push_back(static_cast<std::int32_t>(n));
  }
  for (std::size_t m = 0; m < asset.meshes.size(); ++m) {
    if (bound[m] || shown_by[m].empty()) continue;
    std::uint64_t parts = 0, vertices = 0;
    for (const MeshPart& part : asset.meshes[m].parts) {
      if (part.influence_sets_declared.empty()) continue;
      ++parts;
      vertices += part.vertex_count;
    }
    if (parts == 0) continue;
    // A node whose skin reference is broken: that is the fault.
    const std::vector<std::int32_t>& nodes = shown_by[m];
    bool damaged = false;
    for (const std::int32_t node : nodes) {
      damaged = damaged || sink.skip({ElementKind::node, node, 0});
    }
    const ElementRef element{ElementKind::mesh, static_cast<std::int32_t>(m), 0};
    if (damaged || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::warning);
    finding.count = parts;
    finding.related.push_back({ElementKind::node, nodes.front(), 0});
    finding.measured = {words("problem", "weights without skin"), whole("parts", parts),
                        whole("vertices_with_weights", vertices), whole("instances", nodes.size())};
    finding.message = fmt::format("{} weights and no node gives the mesh a skin",
                                  counted(vertices, "vertex carries", "vertices carry"));
    sink.report(std::move(finding));
  }
}

void check(const RuleInput& input, Sink& sink) {
  check_skinned(input, sink);
  check_unskinned(input, sink);
}

}  // namespace

constinit const Rule skin_attributes_missing{
    {.id = "skin-attributes-missing",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::binding,
     .summary = "A mesh has a skin and no weights, or weights and no skin",
     .why = "Only both together deform a mesh. One alone leaves it rigid where the other parts of "
            "the character move, and some engines refuse it.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "The mesh, or one material's part of it, stays in its bind pose while the "
                     "character moves.",
          .action = "Bind the mesh named here to the skeleton and give all its parts weights, "
                    "or take the skin off it, then export mesh and skeleton together.",
          .maya = "Skin > Bind Skin for the mesh; File > Export with Deformed Models and Skins "
                  "switched on.",
          .max = "Add a Skin modifier with the character's bones; FBX export with Animation > "
                 "Deformations > Skins on.",
          .blender = "Ctrl+P > Armature Deform With Automatic Weights; glTF export with "
                     "Animation > Skinning on."},
     .source = "glTF 2.0 section 3.7.3.3 (a skinned mesh has JOINTS_0 and WEIGHTS_0)",
     .params = {}},
    check};

}  // namespace skinlint::rules
