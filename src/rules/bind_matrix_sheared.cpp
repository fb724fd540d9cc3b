#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// A joint's bind axes in mesh space (FBX: in the world), uniform scale taken out, and the squared
/// stretch they share.
struct BindAxes {
  std::int32_t slot = 0;
  Mat3 axes;
  Mat3 stretch;  // axes * axes^T
};

/// How sheared and how unevenly scaled a set of axes is.
struct Skew {
  double shear = 0.0;
  double unevenness = 0.0;
};

Skew skew_of(const Mat3& axes) { return {off_orthogonality(axes), condition_number(axes) - 1.0}; }

std::vector<BindAxes> bind_axes(const Skin& skin, const std::vector<bool>& weighted) {
  std::vector<BindAxes> all;
  for (std::size_t slot = 0; slot < skin.joint_from_mesh.size() && slot < weighted.size(); ++slot) {
    if (!weighted[slot] || !skin.joint_from_mesh[slot]) continue;
    const std::optional<Mat4> inverse = affine_inverse(*skin.joint_from_mesh[slot]);
    if (!inverse) continue;
    Mat3 raw = linear(*inverse);
    if (slot < skin.clusters.size() && skin.clusters[slot].transform_link) {
      // FBX says itself how the joint stood; its inverse bind matrix holds the mesh node as well.
      const Mat4& world_from_joint = *skin.clusters[slot].transform_link;
      if (!affine_inverse(world_from_joint)) continue;
      raw = linear(world_from_joint);
    }
    const Mat3 axes = raw / std::cbrt(std::abs(raw.determinant()));
    all.push_back({static_cast<std::int32_t>(slot), axes, axes * axes.transpose()});
  }
  return all;
}

/// What most joints share: a mesh node's or dequantisation's uneven scale stretches all alike. The
/// stretch that the most joints have within `limit` wins, ties to the lower slot.
Mat3 common_stretch(const std::vector<BindAxes>& all, double limit) {
  constexpr std::size_t most_candidates = 64;
  const std::size_t step = std::max<std::size_t>(1, all.size() / most_candidates);
  std::size_t best_votes = 0;
  Mat3 best = Mat3::Identity();
  const auto stand = [&](const Mat3& candidate) {
    const auto votes =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const BindAxes& joint) {
          return (joint.stretch - candidate).cwiseAbs().maxCoeff() <= limit;
        }));
    if (votes > best_votes) {
      best_votes = votes;
      best = candidate;
    }
  };
  stand(Mat3::Identity());
  for (std::size_t i = 0; i < all.size(); i += step) stand(all[i].stretch);
  return best;
}

/// The scene itself is skewed at this joint, and its bind says the same:
/// transform-non-uniform-scale and transform-not-trs speak of the node.
std::vector<bool> agreeing_slots(const RuleInput& input, std::size_t skin) {
  std::vector<bool> agrees(input.asset.skins[skin].joints.size(), false);
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const BindAnalysis& bind = input.facts.bind(b);
    for (std::size_t slot = 0; slot < agrees.size() && slot < bind.joints.size(); ++slot) {
      const JointBind& joint = bind.joints[slot];
      if (joint.weighted && joint.use == JointBind::Use::usable && !joint.drifts) {
        agrees[slot] = true;
      }
    }
  }
  return agrees;
}

bool scene_is_skewed(const RuleInput& input, std::int32_t node, double limit) {
  if (node < 0) return false;
  const Mat4& world = input.facts.world_from_node()[static_cast<std::size_t>(node)];
  if (!world.allFinite()) return false;
  const Skew skew = skew_of(linear(world));
  return !(skew.shear <= limit && skew.unevenness <= limit);
}

void check(const RuleInput& input, Sink& sink) {
  const double shear_limit = input.param("shear");
  const double note = input.param("unevenness_note"), warning = input.param("unevenness");
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const Skin& skin = input.asset.skins[s];
    const std::vector<BindAxes> all = bind_axes(skin, weighted_slots(input, s));
    if (all.empty()) continue;
    const Mat3 undo =
        Eigen::SelfAdjointEigenSolver<Mat3>(common_stretch(all, note)).operatorInverseSqrt();
    std::vector<bool> agrees;
    std::vector<JointAmount> skewed;
    Skew worst;
    Severity severity = Severity::note;
    for (const BindAxes& joint : all) {
      const Skew skew = skew_of(undo * joint.axes);
      if (skew.shear <= shear_limit && skew.unevenness <= note) continue;
      if (agrees.empty()) agrees = agreeing_slots(input, s);
      const auto slot = static_cast<std::size_t>(joint.slot);
      if (agrees[slot] && scene_is_skewed(input, skin.joints[slot], note)) continue;
      if (sink.skip(joint_ref(s, joint.slot))) continue;
      if (skew.shear > shear_limit || skew.unevenness > warning) severity = Severity::warning;
      worst.shear = std::max(worst.shear, skew.shear);
      worst.unevenness = std::max(worst.unevenness, skew.unevenness);
      skewed.push_back({joint.slot, std::max(skew.shear, skew.unevenness)});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (skewed.empty() || sink.skip(element)) continue;
    sort_worst_first(skewed);
    Finding finding = finding_about(input, element, severity);
    finding.poisons_element = false;
    put_joints(finding, input, s, skewed);
    finding.measured = {real("worst_shear", worst.shear),
                        real("worst_unevenness", 100.0 * worst.unevenness, "%")};
    finding.message = fmt::format(
        "{} sheared or unevenly scaled when bound ({}): axes off square by up to {:.3g}, scales "
        "differing by up to {}",
        counted(skewed.size(), "joint was", "joints were"), joint_names(input.asset, s, skewed),
        worst.shear, percent(100.0 * worst.unevenness));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"shear", 1e-3, 1e-6, 1.0, "", "cosine between two bind axes above which they are sheared",
     "float32 matrices stay below 1e-5"},
    {"unevenness_note", 1e-3, 1e-6, 1.0, "", "difference of the axes' scales worth a note",
     "float32 matrices stay below 1e-5"},
    {"unevenness", 1e-2, 1e-6, 10.0, "", "difference of the axes' scales to warn at",
     "one percent is visible where two joints share vertices"}};
constexpr std::string_view not_a_fault_when[] = {
    "all joints share the stretch: it belongs to the mesh node or to quantised positions",
    "the node itself is skewed and the bind agrees: transform-non-uniform-scale tells of it",
    "the joint carries no weight"};

}  // namespace

const Rule bind_matrix_sheared = {
    {.id = "bind-matrix-sheared",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A joint's bind axes are not at right angles or not of one length",
     .why = "Engines split the bind into translation, rotation and scale and lose the shear; the "
            "vertices of this joint then sit askew.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "The part around one joint is squashed or slanted, more so when it turns.",
                .action = "Freeze scale on the skeleton (all joints at scale 1), then bind again.",
                .maya = "Modify > Freeze Transformations (Scale) on the joints before Skin > Bind "
                        "Skin; Segment Scale Compensate off.",
                .max =
                    "Hierarchy > Adjust Transform > Reset Scale on the bones, then re-add them in "
                    "Skin.",
                .blender = "Object > Apply > Scale on the armature; Pose > Apply > Apply Pose as "
                           "Rest Pose with scales cleared."},
     .source = "singular values and angles of the inverse of each inverse bind matrix; FBX: of "
               "TransformLink",
     .params = params},
    check};

}  // namespace skinlint::rules
