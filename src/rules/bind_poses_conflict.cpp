#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Where a node is bound: the binding of the smallest size that uses it, and its slot there (-1:
/// as the mesh node).
struct Bound {
  double size = 0.0;
  std::size_t binding = 0;
  std::int32_t slot = -1;
};

std::map<std::int32_t, Bound> bound_nodes(const RuleInput& input) {
  const Asset& asset = input.asset;
  std::map<std::int32_t, Bound> bound;
  const auto note = [&bound](std::int32_t node, const Bound& at) {
    if (node < 0) return;
    const auto [known, fresh] = bound.try_emplace(node, at);
    if (!fresh && at.size < known->second.size) known->second = at;
  };
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const BindAnalysis& bind = input.facts.bind(b);
    if (bind.state == BindState::unknown) continue;
    const std::vector<std::int32_t>& joints =
        asset.skins[static_cast<std::size_t>(asset.bindings[b].skin)].joints;
    for (std::size_t slot = 0; slot < joints.size(); ++slot) {
      note(joints[slot], {bind.size, b, static_cast<std::int32_t>(slot)});
    }
    note(asset.bindings[b].node, {bind.size, b, -1});
  }
  return bound;
}

/// Where the vertices in question lie, seen from the node.
Box box_in_node(const RuleInput& input, const Bound& at) {
  if (at.slot >= 0) return box_in_joint(input, at.binding, static_cast<std::size_t>(at.slot));
  const Mat4& node_from_geometry = input.asset.bindings[at.binding].node_from_geometry;
  const Box& mesh = input.facts.influences(at.binding).box;
  Box box;
  for (int c = 0; c < 8 && !mesh.isEmpty(); ++c) {
    box.extend(transform_point(node_from_geometry, mesh.corner(static_cast<Box::CornerType>(c))));
  }
  return box;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format) || asset.bind_poses.empty()) return;
  const double limit = input.param("displacement");
  const std::vector<std::vector<const Mat4*>> posed = bind_pose_matrices(asset);
  struct Conflict {
    std::int32_t node = -1;
    double amount = 0.0, metres = 0.0;
    Bound at;
  };
  std::vector<Conflict> conflicts;
  for (const auto& [node, at] : bound_nodes(input)) {
    const std::vector<const Mat4*>& matrices = posed[static_cast<std::size_t>(node)];
    if (matrices.size() < 2 || !(at.size > 0.0)) continue;
    Box box = box_in_node(input, at);
    if (box.isEmpty()) box.extend(Vec3(Vec3::Zero()));
    Conflict conflict{node, 0.0, 0.0, at};
    for (std::size_t k = 1; k < matrices.size(); ++k) {
      const double moved = change_between(*matrices[0], *matrices[k], box).displacement;
      if (moved > conflict.metres) conflict.metres = moved;
    }
    conflict.amount = conflict.metres / at.size;
    if (!(conflict.amount > limit)) continue;
    if (at.slot >= 0 &&
        sink.skip(joint_ref(static_cast<std::size_t>(asset.bindings[at.binding].skin), at.slot))) {
      continue;
    }
    conflicts.push_back(conflict);
  }
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const Conflict& a, const Conflict& b) { return a.amount > b.amount; });
  const ElementRef element{ElementKind::bind_pose, 0, 0};
  if (conflicts.empty() || sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::warning);
  finding.count = conflicts.size();
  for (const Conflict& conflict : conflicts) {
    if (conflict.at.slot >= 0) {
      finding.related.push_back(joint_ref(
          static_cast<std::size_t>(asset.bindings[conflict.at.binding].skin), conflict.at.slot));
    }
    if (finding.samples.size() < input.max_samples) {
      finding.samples.push_back({conflict.node, conflict.amount, asset.node_name(conflict.node)});
    }
  }
  finding.sample_of = "joint";
  finding.sample_unit = "of size";
  finding.measured = {real("worst_displacement", conflicts.front().metres, "m"),
                      real("worst_over_size", conflicts.front().amount, "of size"),
                      whole("bind_poses", asset.bind_poses.size())};
  finding.message =
      fmt::format("{} in different places in two bind poses, {} by {:.3g} m ({:.2g} % of the size)",
                  counted(conflicts.size(), "node stands", "nodes stand"),
                  asset.node_name(conflicts.front().node), conflicts.front().metres,
                  100.0 * conflicts.front().amount);
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {
    {"displacement", 1e-3, 1e-6, 1.0, "of size",
     "how far two bind poses may put a node's vertices apart, over the smallest mesh it moves",
     "bind poses written together agree within 1e-5"}};
constexpr std::string_view not_a_fault_when[] = {
    "one bind pose per skin: disjoint, or equal where they meet",
    "the node is neither a joint nor a skinned mesh"};

}  // namespace

const Rule bind_poses_conflict = {
    {.id = "bind-poses-conflict",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::bind_pose,
     .summary = "Two FBX bind poses put one node in different places",
     .why = "Importers take whichever bind pose they meet first, so the same file has another "
            "reference pose in each of them.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The reference pose differs between engines, or from mesh to mesh of "
                           "one character.",
                .action =
                    "Keep one bind pose: delete the others, put the skeleton into the pose it "
                    "was bound in, save it again.",
                .maya = "Delete all bindPose nodes, Skin > Go to Bind Pose on each mesh, MEL: "
                        "dagPose -bindPose -save -selection on the skeleton.",
                .max = "Bind all meshes at one frame (Skin > Advanced Parameters > Always Deform) "
                       "and export in one file.",
                .blender = "Use one armature for all meshes and export once in Rest Position."},
     .source = "entries of all Pose objects of type BindPose for one node",
     .params = params},
    check};

}  // namespace skinlint::rules
