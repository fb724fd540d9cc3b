#include <fmt/format.h>

#include <map>
#include <set>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  struct Use {
    std::set<std::int32_t> skins, nodes;
  };
  std::map<std::int32_t, Use> uses;
  for (const Binding& binding : asset.bindings) {
    // A skin without clusters deforms nothing: skin-broken's.
    if (asset.skins[static_cast<std::size_t>(binding.skin)].joints.empty()) continue;
    Use& use = uses[binding.mesh];
    use.skins.insert(binding.skin);
    use.nodes.insert(binding.node);
  }
  for (const auto& [mesh, use] : uses) {
    const bool stacked = use.skins.size() > 1, shared = use.nodes.size() > 1;
    const ElementRef element{ElementKind::mesh, mesh, 0};
    if ((!stacked && !shared) || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::warning);
    finding.count = stacked ? use.skins.size() : use.nodes.size();
    for (const std::int32_t node : use.nodes) {
      if (finding.related.size() >= input.max_samples) break;
      finding.related.push_back({ElementKind::node, node, 0});
    }
    finding.measured = {whole("skins", use.skins.size()), whole("nodes", use.nodes.size())};
    if (stacked) {
      finding.message =
          fmt::format("{} skins deform one geometry; importers keep one of them", use.skins.size());
    }
    if (shared) {
      finding.message += fmt::format(
          "{}{} nodes show one skinned geometry; its bind can be right for one of them only",
          stacked ? "; " : "", use.nodes.size());
    }
    sink.report(std::move(finding));
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "glTF, where one mesh may be shown by many nodes and with several skins",
    "the geometry has one skin that moves something; the others have no clusters",
    "a shared geometry that is not skinned"};

}  // namespace

const Rule skin_stacked = {
    {.id = "skin-stacked",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::mesh,
     .summary = "An FBX geometry has several skins, or is shown by several nodes",
     .why = "FBX binds a geometry to one place with one skin. Importers keep the first or last "
            "skin, or give every instance the same bind.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Part of the deformation is missing, or copies of the mesh lie on top "
                           "of one another.",
                .action =
                    "Merge the skins into one and give every mesh node a geometry of its own.",
                .maya = "Bake Deformers: Skin > Bake Deformers to Skin Weights; Modify > Convert > "
                        "Instance to Object before binding.",
                .max = "One Skin modifier per object; right click > Make Unique on instances.",
                .blender =
                    "One Armature modifier per mesh; Object > Relations > Make Single User > "
                    "Object & Data."},
     .source = "FBX connections of Skin deformers, geometries and models",
     .params = {}},
    check};

}  // namespace skinlint::rules
