#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

void check_skin(const RuleInput& input, Sink& sink, std::size_t s) {
  const Skin& skin = input.asset.skins[s];
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
  std::vector<JointAmount> boneless;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    // A cluster of nothing moves nothing, whatever it hangs on.
    if (skin.joints[slot] >= 0 || skin.clusters[slot].index_count == 0) continue;
    boneless.push_back(
        {static_cast<std::int32_t>(slot), static_cast<double>(skin.clusters[slot].index_count)});
  }
  const bool empty = skin.joints.empty();
  if ((!empty && boneless.empty()) || sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::error);
  finding.poisons_element = false;  // the other clusters can be judged
  if (empty) {
    finding.measured = {words("problem", "no clusters")};
    finding.message = "the skin has no clusters: no bone moves its mesh";
  } else {
    sort_worst_first(boneless);
    put_joints(finding, input, s, boneless);
    finding.sample_unit = "entries";
    std::uint64_t entries = 0;
    for (const JointAmount& joint : boneless) {
      entries += skin.clusters[static_cast<std::size_t>(joint.slot)].index_count;
    }
    for (Sample& sample : finding.samples) {
      const std::string& name = skin.clusters[static_cast<std::size_t>(sample.index)].name;
      if (!name.empty()) sample.label = name;
    }
    finding.measured = {words("problem", "cluster without bone"),
                        whole("clusters", boneless.size()), whole("entries", entries)};
    finding.message = fmt::format("{} no bone ({}); {} lost",
                                  counted(boneless.size(), "cluster has", "clusters have"),
                                  finding.samples.empty() ? "" : finding.samples.front().label,
                                  counted(entries, "weight is", "weights are"));
  }
  sink.report(std::move(finding));
}

/// Meshes that hang on a bone, at any depth, move with it without a skin.
bool any_mesh_under_bone(const Asset& asset) {
  std::vector<bool> under(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (parent >= 0) {
      const auto p = static_cast<std::size_t>(parent);
      under[n] = under[p] || is_bone(asset.nodes[p]);
    }
    if (asset.nodes[n].mesh >= 0 && (under[n] || is_bone(asset.nodes[n]))) return true;
  }
  return false;
}

void check_bones_without_skin(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const bool shown = std::any_of(asset.nodes.begin(), asset.nodes.end(),
                                 [](const Node& node) { return node.mesh >= 0; });
  const auto bones =
      static_cast<std::size_t>(std::count_if(asset.nodes.begin(), asset.nodes.end(), is_bone));
  if (!asset.skins.empty() || !shown || static_cast<double>(bones) < input.param("bones") ||
      any_mesh_under_bone(asset)) {
    return;
  }
  const ElementRef element{ElementKind::file, 0, 0};
  if (sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::warning);
  finding.count = bones;
  finding.measured = {words("problem", "no skin"), whole("bones", bones),
                      whole("meshes", asset.meshes.size())};
  finding.message =
      fmt::format("the file holds {} and {}, and no skin that joins them",
                  counted(bones, "bone", "bones"), counted(asset.meshes.size(), "mesh", "meshes"));
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_fbx(input.asset.format)) return;
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) check_skin(input, sink, s);
  check_bones_without_skin(input, sink);
}

constexpr ParamInfo params[] = {{"bones", 2, 1, 1000, "bones",
                                 "fewest bones that look like a skeleton without its skin",
                                 "one bone alone is a locator or a prop's pivot"}};
constexpr std::string_view not_a_fault_when[] = {
    "bones and no mesh: a skeleton or an animation alone",
    "meshes hang on the bones themselves and move rigidly with them", "a single bone: a locator",
    "a cluster without bone that lists no vertices"};

}  // namespace

const Rule skin_broken = {
    {.id = "skin-broken",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary = "An FBX skin lacks its clusters or their bones, or there are bones and no skin",
     .why = "A cluster is what ties vertices to a bone. Without its bone its weights are dropped "
            "and the vertices follow whatever is left.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Part of the mesh, or all of it, stays behind when the skeleton moves.",
                .action = "Check that every influence is part of the export, then export skeleton "
                          "and mesh together with skinning on.",
                .maya = "Select root joint and meshes; FBX export: Animation > Deformed Models > "
                        "Skins on. Skin > Edit Influences > Remove Unused Influences.",
                .max = "Select bones and meshes; FBX export: Animation > Deformations > Skins on; "
                       "Skin must be the top modifier.",
                .blender = "The mesh needs an Armature modifier; FBX export: Object Types with "
                           "Armature and Mesh, Only Deform Bones as needed."},
     .source = "FBX connections: geometry - Skin - Cluster - Model",
     .params = params},
    check};

}  // namespace skinlint::rules
