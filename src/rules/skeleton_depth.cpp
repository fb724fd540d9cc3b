#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "rules/float_chain.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("depth");
  const std::vector<std::int32_t>& depth = input.facts.depth_of_node();
  std::vector<Mat4f> worlds;
  for (const std::size_t s : distinct_skeletons(asset)) {
    const std::vector<std::int32_t>& joints = asset.skins[s].joints;
    std::int32_t deepest = -1, nodes = 0;
    for (std::size_t slot = 0; slot < joints.size(); ++slot) {
      if (joints[slot] < 0) continue;
      const std::int32_t chain = depth[static_cast<std::size_t>(joints[slot])] + 1;
      if (chain <= nodes) continue;
      nodes = chain;
      deepest = static_cast<std::int32_t>(slot);
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (!(nodes > limit) || sink.skip(element)) continue;
    if (worlds.empty()) worlds = float_worlds(asset);
    const auto node = static_cast<std::size_t>(joints[static_cast<std::size_t>(deepest)]);
    const Vec3 exact = translation(input.facts.world_from_node()[node]);
    const Vec3 rounded = translation(Mat4(worlds[node].cast<double>()));
    const double error = exact.allFinite() && rounded.allFinite() ? (rounded - exact).norm() : 0.0;
    double size = 0.0;
    for (const std::size_t b : input.facts.bindings_of_skin(s)) {
      size = std::max(size, input.facts.bind(b).size);
    }
    Finding finding = finding_about(input, element, Severity::note);
    put_joints(finding, input, s, {{deepest, static_cast<double>(nodes)}});
    finding.sample_unit = "nodes";
    finding.measured = {whole("depth", static_cast<std::uint64_t>(nodes), "nodes"),
                        real("rounding", error, "m"),
                        real("rounding_over_size", size > 0.0 ? error / size : 0.0, "of size")};
    finding.message = fmt::format(
        "{} stands at the end of a chain of {} nodes; single precision puts it {:.2g} m off",
        joint_name(asset, s, deepest), nodes, error);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"depth", 64.0, 1.0, 1e6, "nodes",
                                 "nodes from the scene's root down to the deepest joint",
                                 "bodies with fingers reach 15 to 20, tails and ropes rarely 40"}};
constexpr std::string_view not_a_fault_when[] = {
    "ropes, chains and tentacles made that way on purpose (a note)",
    "many joints side by side: only the longest chain counts"};

}  // namespace

const Rule skeleton_depth = {
    {.id = "skeleton-depth",
     .severity = Severity::note,
     .stage = Stage::budget,
     .scope = ElementKind::skin,
     .summary = "A chain of joints is unusually deep",
     .why = "Every node of a chain waits for the one above and adds its rounding: deep chains cost "
            "time, and their tips tremble far from the origin.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The tip of a long chain jitters, or updating the skeleton is slow.",
                .action = "Use fewer joints in the chain, or hang parts of it on joints nearer to "
                          "the root.",
                .maya =
                    "Skeleton > Remove Joint on every second joint of the chain, then bind again.",
                .max = "Bone Tools > Remove Bone on every second bone of the chain.",
                .blender = "Edit mode: Armature > Dissolve on every second bone of the chain."},
     .source = "depth of the node hierarchy; the hierarchy evaluated in float and in double",
     .params = params},
    check};

}  // namespace skinlint::rules
