#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"
#include "skinning/hierarchy.h"

namespace skinlint::rules {
namespace {

/// Deepest node above (or at) the mesh node and all joints; `top` is that of the joints alone.
std::int32_t shared_ancestor(const RuleInput& input, const Binding& binding, std::int32_t top) {
  if (top < 0) return -1;
  return common_ancestor(input.asset, input.facts.depth_of_node(), {top, binding.node});
}

/// A clip moves a node above the mesh node that does not move the joints as well. Channels of the
/// mesh node itself are clip-skinned-node's.
bool moved_alone(const RuleInput& input, std::int32_t node, std::int32_t shared) {
  if (node == shared) return false;
  for (std::int32_t n = input.asset.nodes[static_cast<std::size_t>(node)].parent;
       n >= 0 && n != shared; n = input.asset.nodes[static_cast<std::size_t>(n)].parent) {
    if (input.facts.animated(n)) return true;
  }
  return false;
}

void check_binding(const RuleInput& input, Sink& sink, std::size_t b, std::int32_t top) {
  const Asset& asset = input.asset;
  const Binding& binding = asset.bindings[b];
  const std::vector<Mat4>& world = input.facts.world_from_node();
  const Mat4& mesh_node = world[static_cast<std::size_t>(binding.node)];
  const Box& box = input.facts.influences(b).box;
  if (!mesh_node.allFinite() || box.isEmpty()) return;
  const std::int32_t shared = shared_ancestor(input, binding, top);
  const bool animated = moved_alone(input, binding.node, shared);
  const BindAnalysis& bind = input.facts.bind(b);
  const double size = bind.size > 0.0 ? bind.size : box.diagonal().norm();
  const double tolerance = std::max(input.param("displacement"), bind.tau) * size;
  const double ignored = largest_distance(mesh_node, Mat4::Identity(), box);
  if (!(ignored > tolerance) && !animated) return;

  const Mat4 above = shared >= 0 ? world[static_cast<std::size_t>(shared)] : Mat4(Mat4::Identity());
  const bool joints_share_it = !(largest_distance(mesh_node, above, box) > tolerance);
  const bool bind_cancels = bind.candidate == Candidate::mesh_node ||
                            (bind.state != BindState::unknown &&
                             !(largest_distance(mesh_node, bind.consensus, box) > tolerance));
  const ElementRef element{ElementKind::node, binding.node, 0};
  if (sink.skip(element)) return;
  const bool harmless = !animated && (joints_share_it || bind_cancels);
  Finding finding = finding_about(input, element, harmless ? Severity::note : Severity::warning);
  const TransformParts parts = decompose(mesh_node);
  finding.measured = {real("ignored_displacement", ignored, "m"),
                      real("angle", parts.valid ? parts.angle_deg : 0.0, "deg"),
                      real("scale", parts.valid ? parts.uniform_scale() : 0.0),
                      words("animated", animated ? "yes" : "no"),
                      words("joints_share_it", joints_share_it ? "yes" : "no"),
                      words("bind_cancels_it", bind_cancels ? "yes" : "no")};
  const std::string name = asset.node_name(binding.node);
  if (animated) {
    finding.message =
        fmt::format("a clip moves what {} hangs on, but a skinned mesh ignores its node", name);
  } else if (harmless) {
    finding.message =
        fmt::format("{}'s transform is ignored; {}", name,
                    bind_cancels ? "the bind holds it as well" : "the joints inherit the same");
  } else {
    finding.message = fmt::format(
        "{}'s transform is ignored: it would move the mesh by up to {:.3g} m", name, ignored);
  }
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  for (std::size_t skin = 0; skin < input.asset.skins.size(); ++skin) {
    const std::vector<std::size_t>& bindings = input.facts.bindings_of_skin(skin);
    if (bindings.empty() || input.asset.skins[skin].joints.empty()) continue;
    const std::int32_t top = skeleton_top(input, skin);
    for (const std::size_t b : bindings) check_binding(input, sink, b, top);
  }
}

constexpr ParamInfo params[] = {{"displacement", 1e-4, 1e-7, 1.0, "of size",
                                 "how far the ignored transform may move the mesh",
                                 "docs/model.md: the tolerance of every bind question"}};
constexpr std::string_view not_a_fault_when[] = {
    "the joints inherit the same transform, or the bind holds it as well (a note)",
    "the node merely is not at the top of the scene: silent",
    "a clip moves the mesh node itself: clip-skinned-node's"};

}  // namespace

const Rule transform_ignored_on_skin = {
    {.id = "transform-ignored-on-skin",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A skinned mesh node has a transform, which the format ignores",
     .why = "Joints alone place a skinned mesh. Whoever set this transform meant something by it; "
            "viewers that apply it show the mesh elsewhere than those that do not.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "The mesh stands in another place, size or turn than in the source scene, "
                     "or differs between viewers.",
          .action = "Move, turn or scale the skeleton's top node instead; keep the skinned mesh "
                    "node at the identity.",
          .maya = "Modify > Freeze Transformations on the mesh before binding; move the root "
                  "joint or a group above both.",
          .max = "Utilities > Reset XForm on the mesh before adding Skin; move the root bone.",
          .blender = "Object > Apply > All Transforms on the mesh; move the armature object "
                     "instead."},
     .source =
         "glTF 2.0 section 3.7.3.3 (only the joint transforms are applied to the skinned mesh)",
     .params = params},
    check};

}  // namespace skinlint::rules
