#include <fmt/format.h>

#include <algorithm>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

std::uint64_t clusters_in_mode(const Skin& skin, LinkMode mode) {
  return static_cast<std::uint64_t>(std::count_if(
      skin.clusters.begin(), skin.clusters.end(),
      [mode](const ClusterRecord& c) { return c.mode == mode && c.index_count > 0; }));
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    const std::uint64_t additive = clusters_in_mode(skin, LinkMode::additive);
    const std::uint64_t total_one = clusters_in_mode(skin, LinkMode::total_one);
    const bool mode = additive + total_one > 0;
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if ((skin.method == SkinningMethod::linear && !mode) || sink.skip(element)) continue;
    Finding finding =
        finding_about(input, element, mode ? Severity::warning : level(input, "blend_level"));
    finding.count = std::max<std::uint64_t>(1, additive + total_one);
    finding.measured = {words("method", std::string(skinning_method_name(skin.method))),
                        whole("additive_clusters", additive),
                        whole("total_one_clusters", total_one)};
    std::string text;
    if (skin.method != SkinningMethod::linear) {
      text = fmt::format("skinning method {}: engines that blend linearly show another shape",
                         skinning_method_name(skin.method));
    }
    if (mode) {
      text += fmt::format(
          "{}{} in link mode {}: importers treat them as Normalize, so missing weight is spread "
          "over the joints",
          text.empty() ? "" : "; ", counted(additive + total_one, "cluster is", "clusters are"),
          additive > 0 && total_one > 0 ? "Additive or Total1"
          : additive > 0                ? "Additive"
                                        : "Total1");
    }
    finding.message = text;
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"blend_level", 1, 0, 3, "level", "how much Rigid, dual quaternion or blended skinning matters",
     "legal FBX; targets that only blend linearly are told so by their profile"}};
constexpr std::string_view not_a_fault_when[] = {
    "Rigid, dual quaternion or blended skinning is legal: a note",
    "the cluster in another link mode lists no vertices"};

}  // namespace

const Rule skin_method = {
    {.id = "skin-method",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "An FBX skin blends in a way that engines do not",
     .why = "Game engines and glTF know linear blending of normalised weights. Whatever else the "
            "file asks for is dropped without a word.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Twisted joints collapse, or vertices hang back, in the engine and not "
                           "in the DCC.",
                .action = "Switch to linear blending with normalised weights and correct the "
                          "weights there.",
                .maya = "skinCluster: Skinning Method Classic Linear, Normalize Weights "
                        "Interactive; Skin > Normalize Weights.",
                .max = "Skin modifier > Dual Quaternion off; Weight Properties > Normalize on.",
                .blender = "Armature modifier > Preserve Volume off; Weights > Normalize All."},
     .source = "FBX Skin SkinningType and Cluster Mode; 4 real files use Total1",
     .params = params},
    check};

}  // namespace skinlint::rules
