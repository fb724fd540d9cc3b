#include <fmt/format.h>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Joints of a skin sorted by handedness of one of their matrices.
struct Handedness {
  std::vector<JointAmount> positive, negative;
  bool mixed() const { return !positive.empty() && !negative.empty(); }
  /// The odd ones out; the mirrored ones when there are as many of either.
  const std::vector<JointAmount>& minority() const {
    return positive.size() < negative.size() ? positive : negative;
  }
  void add(std::int32_t slot, double determinant) {
    (determinant < 0.0 ? negative : positive).push_back({slot, 1.0});
  }
};

/// Nothing to judge in most skins, which determinants alone tell.
bool has_mirror(const Skin& skin, const std::vector<Mat4>& world) {
  for (std::size_t slot = 0; slot < skin.joint_from_mesh.size(); ++slot) {
    if (!skin.joint_from_mesh[slot] || skin.joints[slot] < 0) continue;
    const double bind = linear(*skin.joint_from_mesh[slot]).determinant();
    const double rest = linear(world[static_cast<std::size_t>(skin.joints[slot])]).determinant();
    if (bind < 0.0 || rest < 0.0) return true;
  }
  return false;
}

void check(const RuleInput& input, Sink& sink) {
  const std::vector<Mat4>& world = input.facts.world_from_node();
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const Skin& skin = input.asset.skins[s];
    if (!has_mirror(skin, world)) continue;
    const std::vector<bool> weighted = weighted_slots(input, s);
    Handedness posed, bound;  // det of world x inverse bind, det of the bind
    for (std::size_t slot = 0; slot < skin.joint_from_mesh.size() && slot < weighted.size();
         ++slot) {
      if (!weighted[slot] || skin.joints[slot] < 0 || !skin.joint_from_mesh[slot]) continue;
      const Mat4& matrix = *skin.joint_from_mesh[slot];
      const Mat4& joint = world[static_cast<std::size_t>(skin.joints[slot])];
      const auto index = static_cast<std::int32_t>(slot);
      if (!affine_inverse(matrix) || !affine_inverse(joint)) continue;
      if (sink.skip(joint_ref(s, index))) continue;
      const double bind_det = linear(matrix).determinant();
      posed.add(index, bind_det * linear(joint).determinant());
      bound.add(index, bind_det);
    }
    if (posed.negative.empty() && bound.negative.empty()) continue;
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (sink.skip(element)) continue;
    const Severity severity = posed.mixed()   ? Severity::error
                              : bound.mixed() ? Severity::warning
                                              : Severity::note;
    const std::vector<JointAmount>& odd = posed.mixed()            ? posed.minority()
                                          : bound.mixed()          ? bound.minority()
                                          : posed.negative.empty() ? bound.negative
                                                                   : posed.negative;
    Finding finding = finding_about(input, element, severity);
    finding.poisons_element = false;
    put_joints(finding, input, s, odd);
    finding.sample_unit = "none";
    finding.measured = {whole("mirrored_at_rest", posed.negative.size(), "joints"),
                        whole("mirrored_at_bind", bound.negative.size(), "joints"),
                        whole("joints", posed.positive.size() + posed.negative.size(), "joints")};
    if (severity == Severity::error) {
      finding.message = fmt::format("{} vertices inside out while the others do not ({})",
                                    counted(odd.size(), "joint turns its", "joints turn their"),
                                    joint_names(input.asset, s, odd));
    } else if (severity == Severity::warning) {
      finding.message = fmt::format("{} bound with the other handedness than the rest ({})",
                                    counted(odd.size(), "joint was", "joints were"),
                                    joint_names(input.asset, s, odd));
    } else {
      finding.message =
          fmt::format("all {} mirrored alike", counted(odd.size(), "joint is", "joints are"));
    }
    sink.report(std::move(finding));
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "the whole skin is mirrored alike, as by one axis conversion (a note)",
    "the joint carries no weight"};

}  // namespace

const Rule bind_matrix_mirrored = {
    {.id = "bind-matrix-mirrored",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Some joints of a skin are mirrored against the others",
     .why =
         "A vertex between a mirrored and a plain joint is blended through a plane: it collapses. "
         "Mirrored vertices turn their faces inside out.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "One limb is inside out, black or see-through, and pinched where it "
                     "joins the body.",
          .action = "Mirror the skeleton by behaviour, without negative scale, and bind again.",
          .maya = "Skeleton > Mirror Joints with Mirror function: Behavior; Channel Box scale "
                  "must stay positive.",
          .max = "Bone Tools > Mirror, then Hierarchy > Adjust Transform > Reset Scale; never "
                 "the Mirror tool on bones.",
          .blender = "Armature > Symmetrize in Edit mode instead of scaling by -1; Pose > "
                     "Clear Transform > Scale."},
     .source = "sign of the determinant of world_from_joint x inverse bind matrix",
     .params = {},
     .symptom = Symptom::drift},
    check};

}  // namespace skinlint::rules
