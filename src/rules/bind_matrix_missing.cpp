#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Weighted joints that do not stand where the mesh space is, so that an absent matrix cannot be
/// right for them.
std::vector<JointAmount> misplaced_joints(const RuleInput& input, std::size_t skin, Sink& sink) {
  std::vector<double> worst(input.asset.skins[skin].joints.size(), -1.0);
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const BindAnalysis& bind = input.facts.bind(b);
    for (std::size_t slot = 0; slot < worst.size() && slot < bind.joints.size(); ++slot) {
      const JointBind& joint = bind.joints[slot];
      if (!joint.weighted || !joint.drifts) continue;
      worst[slot] = std::max(worst[slot], joint.relative.displacement);
    }
  }
  std::vector<JointAmount> joints;
  for (std::size_t slot = 0; slot < worst.size(); ++slot) {
    const auto index = static_cast<std::int32_t>(slot);
    if (worst[slot] >= 0.0 && !sink.skip(joint_ref(skin, index))) {
      joints.push_back({index, worst[slot]});
    }
  }
  sort_worst_first(joints);
  return joints;
}

void check_absent(const RuleInput& input, Sink& sink, std::size_t skin, const ElementRef& element) {
  const std::vector<JointAmount> joints = misplaced_joints(input, skin, sink);
  if (joints.empty()) return;
  Finding finding = finding_about(input, element, Severity::warning);
  put_joints(finding, input, skin, joints);
  finding.sample_unit = "m";
  finding.measured = {whole("matrices", 0), whole("joints", input.asset.skins[skin].joints.size()),
                      real("max_displacement", joints.front().amount, "m")};
  finding.message = fmt::format(
      "the skin stores no inverse bind matrices, yet {} the mesh's origin ({}); its vertices move "
      "up to {:.3g} m",
      counted(joints.size(), "joint does not stand at", "joints do not stand at"),
      joint_names(input.asset, skin, joints), joints.front().amount);
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const Skin& skin = input.asset.skins[s];
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (skin.joints.empty() || sink.skip(element)) continue;
    if (!skin.matrix_count) {
      check_absent(input, sink, s, element);
      continue;
    }
    const std::uint64_t stored = *skin.matrix_count;
    const std::uint64_t wanted = skin.joints.size();
    if (stored == wanted) continue;
    const bool too_few = stored < wanted;
    Finding finding = finding_about(input, element, too_few ? Severity::error : Severity::note);
    finding.measured = {whole("matrices", stored), whole("joints", wanted)};
    if (too_few) {
      finding.poisons_element = false;
      std::vector<JointAmount> joints;
      for (std::uint64_t slot = stored; slot < wanted; ++slot) {
        joints.push_back({static_cast<std::int32_t>(slot), 0.0});
      }
      put_joints(finding, input, s, joints);
      finding.sample_unit = "none";
      finding.message = fmt::format("{} for {} joints: {} without one",
                                    counted(stored, "inverse bind matrix", "inverse bind matrices"),
                                    wanted, joint_names(input.asset, s, joints));
    } else {
      finding.count = stored - wanted;
      finding.message = fmt::format("{} for {}: the surplus is never used",
                                    counted(stored, "inverse bind matrix", "inverse bind matrices"),
                                    counted(wanted, "joint", "joints"));
    }
    sink.report(std::move(finding));
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "the skin stores no matrices and every weighted joint stands where the mesh's origin is: the "
    "identity is then the right matrix"};

}  // namespace

const Rule bind_matrix_missing = {
    {.id = "bind-matrix-missing",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary = "A skin has fewer inverse bind matrices than joints, or none where it needs them",
     .why = "Without its inverse bind matrix a joint moves the vertices by its whole place in the "
            "scene, not by how far it went from the bind pose.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "The mesh is torn apart or blown up as soon as it loads; strict importers "
                    "refuse the file.",
                .action =
                    "Bind again in the source scene and export once more; if a script removes "
                    "or adds joints, let it rewrite the matrix accessor too.",
                .maya = "Skin > Unbind Skin with history kept, Skin > Go to Bind Pose, Skin > Bind "
                        "Skin; export all influences.",
                .max = "Skin modifier > Advanced Parameters > Always Deform off and on again to "
                       "store the bind pose; export with the skin included.",
                .blender = "Object > Parent > Armature Deform again; glTF export with Skinning on "
                           "and Data > Armature > Use Rest Position Armature."},
     .source = "glTF 2.0 section 5.28.1 (inverseBindMatrices: count at least that of joints; "
               "identity when undefined)",
     .params = {}},
    check};

}  // namespace skinlint::rules
