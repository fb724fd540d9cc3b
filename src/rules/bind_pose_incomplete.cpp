#include <fmt/format.h>

#include <algorithm>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

enum class Part : std::uint8_t { none, deforming, between, mesh, other };

std::string_view part_name(Part part) {
  switch (part) {
    case Part::deforming:
      return "deforming";
    case Part::between:
      return "ancestor";
    case Part::mesh:
      return "mesh";
    case Part::none:
    case Part::other:
      break;
  }
  return "other";
}

bool has_entry(const std::vector<std::vector<const Mat4*>>& posed, std::int32_t node) {
  return node >= 0 && !posed[static_cast<std::size_t>(node)].empty();
}

/// The part each node plays among the skins that have a bind pose at all: those without are
/// bind-pose-missing's.
std::vector<Part> parts_of_nodes(const RuleInput& input, Sink& sink,
                                 const std::vector<std::vector<const Mat4*>>& posed) {
  const Asset& asset = input.asset;
  std::vector<Part> parts(asset.nodes.size(), Part::none);
  const auto play = [&parts](std::int32_t node, Part part) {
    Part& known = parts[static_cast<std::size_t>(node)];
    if (known == Part::none || part < known) known = part;
  };
  const auto play_above = [&](std::int32_t node) {
    for (std::int32_t n = asset.nodes[static_cast<std::size_t>(node)].parent; n >= 0;
         n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      play(n, Part::other);
    }
  };
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<std::int32_t>& joints = asset.skins[s].joints;
    if (input.facts.bindings_of_skin(s).empty() ||
        sink.skip({ElementKind::skin, static_cast<std::int32_t>(s), 0}) ||
        std::none_of(joints.begin(), joints.end(),
                     [&](std::int32_t node) { return has_entry(posed, node); })) {
      continue;
    }
    std::vector<bool> link(asset.nodes.size(), false);
    for (const std::int32_t node : joints) {
      if (node >= 0) link[static_cast<std::size_t>(node)] = true;
    }
    const std::vector<bool> weighted = weighted_slots(input, s);
    for (std::size_t slot = 0; slot < joints.size(); ++slot) {
      const std::int32_t node = joints[slot];
      if (node < 0) continue;
      play(node, weighted[slot] ? Part::deforming : Part::other);
      play_above(node);
      if (!weighted[slot]) continue;
      // Everything between this link and the topmost link above it.
      std::int32_t top = -1;
      for (std::int32_t n = node; n >= 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
        if (link[static_cast<std::size_t>(n)]) top = n;
      }
      for (std::int32_t n = node; n != top; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
        if (n != node) play(n, Part::between);
      }
    }
    for (const std::size_t b : input.facts.bindings_of_skin(s)) {
      play(asset.bindings[b].node, Part::mesh);
      play_above(asset.bindings[b].node);
    }
  }
  return parts;
}

/// Slot of a node in some skin, for naming it as a joint.
std::optional<ElementRef> joint_of(const Asset& asset, std::int32_t node) {
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    for (std::size_t slot = 0; slot < asset.skins[s].joints.size(); ++slot) {
      if (asset.skins[s].joints[slot] == node) {
        return joint_ref(s, static_cast<std::int32_t>(slot));
      }
    }
  }
  return std::nullopt;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format) || asset.bind_poses.empty() || asset.skins.empty()) return;
  const std::vector<std::vector<const Mat4*>> posed = bind_pose_matrices(asset);
  const std::vector<Part> parts = parts_of_nodes(input, sink, posed);

  std::vector<std::pair<Part, std::int32_t>> missing;
  std::uint64_t counts[5] = {};
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const auto node = static_cast<std::int32_t>(n);
    if (parts[n] == Part::none || has_entry(posed, node)) continue;
    missing.emplace_back(parts[n], node);
    ++counts[static_cast<std::size_t>(parts[n])];
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto miscounted = static_cast<std::uint64_t>(
      std::count_if(asset.bind_poses.begin(), asset.bind_poses.end(), [](const BindPose& pose) {
        return pose.declared_count &&
               *pose.declared_count != static_cast<std::int64_t>(pose.entries.size());
      }));
  const ElementRef element{ElementKind::bind_pose, 0, 0};
  if ((missing.empty() && miscounted == 0) || sink.skip(element)) return;

  const bool worse = !missing.empty() && missing.front().first <= Part::between;
  Finding finding =
      finding_about(input, element, worse ? Severity::warning : level(input, "other_level"));
  finding.count = std::max<std::uint64_t>(missing.size(), 1);
  std::string names;
  std::size_t named = 0;
  for (const auto& [part, node] : missing) {
    const std::optional<ElementRef> joint = joint_of(asset, node);
    if (joint) finding.related.push_back(*joint);
    if (finding.samples.size() < input.max_samples) {
      finding.samples.push_back(
          {node, 0.0, fmt::format("{} ({})", asset.node_name(node), part_name(part))});
    }
    constexpr std::size_t most_named = 3;
    if (part == missing.front().first && named++ < most_named) {
      names += (names.empty() ? "" : ", ") + asset.node_name(node);
    }
  }
  finding.sample_of = "joint";
  finding.sample_unit = "none";
  const auto count_of = [&counts](Part part) { return counts[static_cast<std::size_t>(part)]; };
  finding.measured = {whole("deforming", count_of(Part::deforming), "joints"),
                      whole("ancestors_between", count_of(Part::between)),
                      whole("mesh_nodes", count_of(Part::mesh)),
                      whole("others", count_of(Part::other)), whole("wrong_counts", miscounted)};
  finding.message =
      missing.empty()
          ? fmt::format("{} another number of entries than it holds",
                        counted(miscounted, "bind pose states", "bind poses state"))
          : fmt::format(
                "{} missing in the bind pose: {} deforming, {} between joints, {} skinned "
                "meshes, {} others{}",
                counted(missing.size(), "node is", "nodes are"), count_of(Part::deforming),
                count_of(Part::between), count_of(Part::mesh), count_of(Part::other),
                names.empty() ? std::string() : " (" + names + ")");
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {
    {"other_level", 1, 0, 3, "level",
     "how much leaves, roots, meshes, nodes above them and wrong counts matter",
     "Blender leaves its leaf bones out, and importers take the rest pose for them"}};
constexpr std::string_view not_a_fault_when[] = {
    "only leaves, the root, or nodes above skeleton and mesh are missing (a note)",
    "the mesh alone is missing, or NbPoseNodes is wrong (a note)",
    "another bind pose of the file has the node: all of them count together",
    "no joint of the skin is in any bind pose: bind-pose-missing's"};

}  // namespace

const Rule bind_pose_incomplete = {
    {.id = "bind-pose-incomplete",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::bind_pose,
     .summary = "The FBX bind pose lacks nodes of the skeleton or the mesh",
     .why = "Importers take the rest pose for a node that the bind pose lacks, and so mix two "
            "poses in one skeleton; some refuse the whole bind pose.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "\"The following bones are missing from the bind pose\" on import; a "
                           "limb is bent in the reference pose.",
                .action = "Save one bind pose that holds all joints and their parents, with the "
                          "skeleton as it was bound.",
                .maya = "Skin > Go to Bind Pose, delete the bindPose nodes, select the whole "
                        "skeleton, MEL: dagPose -bindPose -save -selection.",
                .max =
                    "Add the missing bones to Skin, or export the whole bone hierarchy and not a "
                    "selection.",
                .blender = "Export the armature whole (Only Deform Bones off) together with its "
                           "meshes."},
     .source = "FBX Pose of type BindPose: every link, skinned mesh node and their ancestors",
     .params = params},
    check};

}  // namespace skinlint::rules
