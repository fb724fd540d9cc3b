#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "skinning/hierarchy.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 4> not_a_fault_when = {
    "the common root is an armature or group that is no joint itself",
    "skin.skeleton names a node above the common root, or is absent",
    "the file has no scenes, or no scene shows the mesh",
    "FBX: the joints of one skin stand below several bones that share an ancestor"};

/// Nothing in the scene is wrong then: only the exporter's choice of a node is.
constexpr Remedy declared_remedy = {
    .symptom = "None where this entry is ignored; strict importers refuse the file or lose joints.",
    .action =
        "Export again with a current exporter; if it comes back, delete skin.skeleton from "
        "the file: it is optional.",
    .maya = "Use the current glTF exporter, and select the skeleton's top joint with the mesh.",
    .max = "Use the current glTF exporter, and select the skeleton's top bone with the mesh.",
    .blender = "Use the current glTF exporter that comes with Blender."};

struct Problem {
  std::string name;  // stable, for tests and reports
  std::string text;
};

/// One joint slot under each topmost node.
std::map<std::int32_t, std::size_t> slot_of_root(const RuleInput& input, const Skin& skin) {
  std::map<std::int32_t, std::size_t> slots;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t joint = skin.joints[slot];
    if (joint < 0) continue;
    slots.try_emplace(input.facts.root_of_node()[static_cast<std::size_t>(joint)], slot);
  }
  return slots;
}

bool is_ancestor_or_self(const Asset& asset, std::int32_t above, std::int32_t node) {
  for (std::int32_t at = node; at >= 0; at = asset.nodes[static_cast<std::size_t>(at)].parent) {
    if (at == above) return true;
  }
  return false;
}

void judge_skeleton(const RuleInput& input, const Skin& skin, std::int32_t common,
                    std::vector<Problem>& problems) {
  if (!skin.declared_skeleton) return;
  if (skin.skeleton < 0) {
    problems.push_back(
        {"skeleton-out-of-range",
         fmt::format("skin.skeleton names node {}, which is not there", *skin.declared_skeleton)});
  } else if (common >= 0 && !is_ancestor_or_self(input.asset, skin.skeleton, common)) {
    problems.push_back(
        {"skeleton-not-above-joints",
         fmt::format("skin.skeleton names {}, which is not above all "
                     "joints; their common root is {}",
                     input.asset.node_name(skin.skeleton), input.asset.node_name(common))});
  }
}

/// Which scenes list a node as a root, and the other way round.
struct SceneRoots {
  explicit SceneRoots(const Asset& asset) : roots(asset.scenes.size()) {
    for (std::size_t scene = 0; scene < asset.scenes.size(); ++scene) {
      for (const std::int32_t root : asset.scenes[scene].roots) {
        if (roots[scene].insert(root).second) scenes[root].push_back(scene);
      }
    }
  }
  std::vector<std::set<std::int32_t>> roots;
  std::map<std::int32_t, std::vector<std::size_t>> scenes;
};

/// A scene that shows the mesh must hold the joints too.
void judge_scenes(const RuleInput& input, std::size_t s, const SceneRoots& known,
                  const std::map<std::int32_t, std::size_t>& slots, std::vector<Problem>& problems,
                  std::vector<ElementRef>& related) {
  const Asset& asset = input.asset;
  std::set<std::int32_t> mesh_roots;
  std::set<std::size_t> judged;
  for (const std::size_t b : input.facts.bindings_of_skin(s)) {
    const std::int32_t node = asset.bindings[b].node;
    const std::int32_t mesh_root = input.facts.root_of_node()[static_cast<std::size_t>(node)];
    const auto scenes = known.scenes.find(mesh_root);
    if (!mesh_roots.insert(mesh_root).second || scenes == known.scenes.end()) continue;
    for (const std::size_t scene : scenes->second) {
      if (!judged.insert(scene).second) continue;
      for (const auto& [root, slot] : slots) {
        if (known.roots[scene].count(root) != 0) continue;
        problems.push_back(
            {"joints-outside-scene",
             fmt::format("scene {} shows {} and does not hold its joint {}", scene,
                         asset.node_name(node), asset.node_name(asset.skins[s].joints[slot]))});
        related.push_back(
            {ElementKind::joint, static_cast<std::int32_t>(s), static_cast<std::int32_t>(slot)});
        return;  // one is enough to say it
      }
    }
  }
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const bool gltf = is_gltf(asset.format);
  const SceneRoots scenes(asset);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    const std::map<std::int32_t, std::size_t> slots = slot_of_root(input, skin);
    if (slots.empty()) continue;
    const std::int32_t common = common_ancestor(asset, input.facts.depth_of_node(), skin.joints);
    std::vector<Problem> problems;
    std::vector<ElementRef> related;
    if (common < 0) {
      problems.push_back(
          {"no-common-root",
           fmt::format("the joints stand below {} separate roots and share none", slots.size())});
      for (const auto& [root, slot] : slots) {
        if (related.size() >= input.max_samples) break;
        related.push_back(
            {ElementKind::joint, static_cast<std::int32_t>(s), static_cast<std::int32_t>(slot)});
      }
    }
    if (gltf) {
      judge_skeleton(input, skin, common, problems);
      judge_scenes(input, s, scenes, slots, problems, related);
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (problems.empty() || sink.skip(element)) continue;

    Finding finding =
        finding_about(input, element, gltf ? Severity::error : level(input, "tops_level"));
    finding.poisons_element = false;  // weights and matrices can be judged all the same
    finding.count = problems.size();
    finding.related = std::move(related);
    std::string names;
    for (const Problem& problem : problems) {
      names += (names.empty() ? "" : ", ") + problem.name;
      finding.message += (finding.message.empty() ? "" : "; ") + problem.text;
    }
    if (std::all_of(problems.begin(), problems.end(),
                    [](const Problem& p) { return p.name.rfind("skeleton-", 0) == 0; })) {
      finding.remedy = declared_remedy;
    }
    finding.measured = {words("problem", names), whole("roots", slots.size())};
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"tops_level", 1, 0, 3, "level", "FBX: how much several topmost nodes of one skin matter",
     "FBX scenes may hold several skeletons; engines of one root per skeleton refuse them"}};

}  // namespace

constinit const Rule skeleton_roots{
    {.id = "skeleton-roots",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary = "The joints of a skin have no common root, or the wrong one is named",
     .why = "Engines build one skeleton per skin from its root. Joints outside that tree are "
            "dropped, or the skin is split into several skeletons.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Import reports several roots or a missing skeleton; parts of the mesh do "
                    "not follow.",
                .action = "Put every joint below one root joint or group, in the same scene as the "
                          "mesh, and bind again.",
                .maya = "Select the stray joints, then the root, Edit > Parent; export both with "
                        "the mesh.",
                .max = "Select and Link the stray bones to the root bone; export both with the "
                       "mesh.",
                .blender = "Armature Edit mode: select stray bones, then the root, Ctrl+P > Keep "
                           "Offset; keep mesh and armature in one scene."},
     .source = "glTF 2.0 section 3.7.3.2 (joint hierarchy: a common root, in the scene that shows "
               "the mesh) and 5.28.2 (skin.skeleton)",
     .params = params},
    check};

}  // namespace skinlint::rules
