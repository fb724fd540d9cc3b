#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/clip_keys.h"
#include "rules/clip_moves.h"
#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

struct Animated {
  std::uint64_t channels = 0;
  std::int32_t clip = -1;  // the first that moves it
};

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_gltf(asset.format) || asset.clips.empty()) return;
  std::map<std::int32_t, Animated> nodes;
  for (const Binding& binding : asset.bindings) nodes[binding.node];
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    for (const Channel& channel : asset.clips[c].channels) {
      const auto found = nodes.find(channel.node);
      if (found == nodes.end() || !leaves_rest(asset, channel)) continue;
      if (found->second.channels++ == 0) found->second.clip = static_cast<std::int32_t>(c);
    }
  }
  for (const auto& [node, animated] : nodes) {
    if (animated.channels == 0) continue;
    const ElementRef element{ElementKind::node, node, 0};
    if (sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::warning);
    finding.count = animated.channels;
    const std::string& clip = asset.clips[static_cast<std::size_t>(animated.clip)].name;
    finding.measured = {words("clip", clip)};
    finding.message = fmt::format(
        "{} ({}): the node of a skinned mesh is ignored, so the mesh stays where its joints are",
        counted(animated.channels, "channel moves the mesh node", "channels move the mesh node"),
        clip.empty() ? std::string("unnamed clip") : fmt::format("clip \"{}\"", clip));
    sink.report(std::move(finding));
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "the channel only repeats the node's rest transform, as exporters bake it",
    "the channel plays morph weights: those are the mesh's own",
    "a parent of the mesh node is moved: transform-ignored-on-skin's",
    "FBX: the bind holds the mesh node, moving it is bind-mesh-moved's"};

}  // namespace

const Rule clip_skinned_node = {
    {.id = "clip-skinned-node",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A clip moves the node of a skinned mesh, which the format ignores",
     .why = "Joints alone place a skinned mesh. Whoever keyed its node meant it to move; viewers "
            "that obey the format leave it where it is, others move it twice.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh stays in place where it should travel, or runs ahead of its "
                           "skeleton, depending on the viewer.",
                .action = "Move the motion to the root joint, or to a node above the skeleton.",
                .maya =
                    "Graph Editor: cut the mesh's curves and paste them on the root joint; lock "
                    "the mesh's transform.",
                .max =
                    "Motion panel: link the mesh's motion to the root bone instead; collapse the "
                    "mesh's transform.",
                .blender = "Delete the action of the mesh object; animate the armature object or "
                           "the root bone instead."},
     .source = "glTF 2.0 section 3.7.3.3 (only the joint transforms are applied to the skinned "
               "mesh)",
     .params = {}},
    check};

}  // namespace skinlint::rules
