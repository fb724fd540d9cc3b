#include <fmt/format.h>

#include <array>
#include <utility>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 4> kinds = {"post_rotation", "pivots", "offsets",
                                                   "rotation_order"};

/// Which of the kinds a joint uses.
std::array<bool, 4> used_kinds(const FbxTransform& t, double limit) {
  const auto set = [limit](const Vec3& v) { return v.cwiseAbs().maxCoeff() > limit; };
  return {t.uses_rotation_space() && set(t.post_rotation),
          set(t.rotation_pivot) || set(t.scaling_pivot),
          set(t.rotation_offset) || set(t.scaling_offset),
          t.uses_rotation_space() && t.rotation_order != 0};
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  const double limit = input.param("residue");
  std::vector<bool> reported(asset.nodes.size(), false);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    std::array<std::uint64_t, 4> counts{};
    std::vector<JointAmount> joints;
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      if (skin.joints[slot] < 0) continue;
      const auto n = static_cast<std::size_t>(skin.joints[slot]);
      const Node& node = asset.nodes[n];
      const auto index = static_cast<std::int32_t>(slot);
      if (reported[n] || !node.fbx || sink.skip(joint_ref(s, index))) continue;
      const std::array<bool, 4> used = used_kinds(*node.fbx, limit);
      double amount = 0.0;
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (!used[k]) continue;
        ++counts[k];
        amount += 1.0;
      }
      if (amount == 0.0) continue;
      reported[n] = true;
      joints.push_back({index, amount});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (joints.empty() || sink.skip(element)) continue;
    sort_worst_first(joints);
    Finding finding = finding_about(input, element, Severity::note);
    put_joints(finding, input, s, joints);
    finding.sample_unit = "none";
    std::string what;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      finding.measured.push_back(whole(kinds[k], counts[k], "joints"));
      if (counts[k] == 0) continue;
      constexpr std::array<std::string_view, 4> labels = {"post-rotation", "pivots", "offsets",
                                                          "another rotation order"};
      what += fmt::format("{}{} on {}", what.empty() ? "" : ", ", labels[k], counts[k]);
    }
    finding.message = fmt::format("{} more than translation, rotation and scale ({}): {}",
                                  counted(joints.size(), "joint uses", "joints use"), what,
                                  joint_names(asset, s, joints));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"residue", 1e-6, 0.0, 1.0, "",
                                 "size of a pivot, offset (file units) or angle (degrees) that "
                                 "counts as set",
                                 "exporters write unused ones as zero"}};
constexpr std::string_view not_a_fault_when[] = {
    "PreRotation, which holds joint orientations: silent",
    "rotation order or PostRotation on a node whose RotationActive is off",
    "all of it is legal, and this tool evaluates it: a note at most"};

}  // namespace

const Rule transform_pivots = {
    {.id = "transform-pivots",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Joints use FBX post-rotation, pivots, offsets or another rotation order",
     .why = "Importers differ in how they flatten these into translation, rotation and scale; "
            "several get post-rotation or animated pivots wrong.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Joints turn about the wrong point or axis in one engine, right in "
                           "another.",
                .action = "Bake the animation onto plain joints before export.",
                .maya = "Modify > Freeze Transformations and Reset Pivots on the joints; Edit > "
                        "Keys > Bake Simulation; rotateOrder xyz.",
                .max = "Hierarchy > Pivot > Reset Pivot; Motion > Trajectories > Collapse to a "
                       "plain PRS controller.",
                .blender = "Importing bakes them; pose bones: Rotation Mode XYZ Euler or "
                           "Quaternion, then export again."},
     .source = "FBX SDK documentation, \"Computing transformation matrices\"",
     .params = params},
    check};

}  // namespace skinlint::rules
