#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

constexpr const char* mesh_below_joint = "mesh-below-joint";
constexpr const char* joint_below_mesh = "joint-below-mesh";

/// How the mesh node and a joint of its skin hang together.
struct Nesting {
  const char* relation = "";
  std::int32_t slot = -1;
};

/// The nearest joint above the mesh node, or else the first at or below it.
std::optional<Nesting> nesting(const RuleInput& input, const Subtrees& tree,
                               const Binding& binding) {
  const Skin& skin = input.asset.skins[static_cast<std::size_t>(binding.skin)];
  const std::vector<std::int32_t>& depth = input.facts.depth_of_node();
  std::optional<Nesting> above, below;
  std::int32_t nearest = -1;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t joint = skin.joints[slot];
    if (joint < 0) continue;
    if (joint != binding.node && tree.holds(joint, binding.node)) {
      if (depth[static_cast<std::size_t>(joint)] <= nearest) continue;
      nearest = depth[static_cast<std::size_t>(joint)];
      above = Nesting{mesh_below_joint, static_cast<std::int32_t>(slot)};
    } else if (!below && tree.holds(binding.node, joint)) {
      below = Nesting{joint_below_mesh, static_cast<std::int32_t>(slot)};
    }
  }
  return above ? above : below;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("residue");
  if (asset.bindings.empty()) return;
  const Subtrees tree(asset);
  std::set<std::int32_t> judged;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    if (!judged.insert(binding.node).second) continue;
    const std::optional<Nesting> nested = nesting(input, tree, binding);
    const ElementRef element{ElementKind::node, binding.node, 0};
    if (!nested || sink.skip(element)) continue;
    const Node& node = asset.nodes[static_cast<std::size_t>(binding.node)];
    const double size = input.facts.bind(b).size;
    const double skew = (linear(node.parent_from_node) - Mat3::Identity()).cwiseAbs().maxCoeff();
    const double moved = translation(node.parent_from_node).norm();
    const bool animated = input.facts.animated(binding.node);
    const bool own = skew > limit || moved > limit * size;
    Finding finding =
        finding_about(input, element, own || animated ? Severity::warning : Severity::note);
    const auto skin = static_cast<std::size_t>(binding.skin);
    finding.related.push_back(joint_ref(skin, nested->slot));
    finding.measured = {
        words("relation", nested->relation), words("joint", joint_name(asset, skin, nested->slot)),
        words("own_transform", own ? "yes" : "no"), words("animated", animated ? "yes" : "no")};
    const std::string mesh = asset.node_name(binding.node);
    const std::string joint = joint_name(asset, skin, nested->slot);
    const bool below = nested->relation == mesh_below_joint;
    finding.message =
        fmt::format("{} hangs below {}{}{}", below ? mesh : joint, below ? joint : mesh,
                    below ? ", a joint that moves it already" : ", the skinned mesh that it moves",
                    animated ? "; a clip moves the mesh node as well"
                    : own    ? "; the mesh node has a transform of its own"
                             : "; the mesh node adds nothing of its own");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"residue", 1e-4, 1e-9, 1.0, "",
     "entry of the mesh node's matrix, or shift over the mesh's size, that counts as a transform",
     "frozen nodes are written as the identity, up to 1e-6"}};
constexpr std::string_view not_a_fault_when[] = {
    "the mesh node's own transform is the identity and no clip keys it (a note)",
    "the mesh hangs below the armature, or below a joint of another skin, as gear does",
    "face rigs that keep their joints below the head mesh: set the rule off for them"};

}  // namespace

const Rule transform_nested_skin = {
    {.id = "transform-nested-skin",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A skinned mesh hangs below one of its own joints, or a joint below its mesh",
     .why = "The joints alone place a skinned mesh. An engine that also applies the mesh node's "
            "transform moves it twice, or moves the joints with the mesh.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "The mesh moves twice as far as its skeleton, or drifts away from it, in "
                     "some engines.",
          .action = "Put the skinned mesh beside the skeleton, under the root or armature, "
                    "keeping its place, and export again.",
          .maya = "Unparent the mesh (Shift+P) or parent it to the character's group; Inherits "
                  "Transform off is no substitute in export.",
          .max = "Unlink Selection on the mesh; link it to no bone of its own Skin modifier.",
          .blender = "Object > Parent > Clear and Keep Transformation, then parent the mesh to "
                     "the armature object, not to a bone."},
     .source =
         "glTF 2.0 section 3.7.3.3 (only the joints' transforms apply to a skinned mesh); FBX: "
         "the clusters' matrices alone place the vertices",
     .params = params},
    check};

}  // namespace skinlint::rules
