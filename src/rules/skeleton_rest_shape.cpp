#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/arm_pose.h"
#include "rules/joint_list.h"
#include "rules/joint_sides.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Which pose a profile asks for, as its parameter says it.
enum class Wanted : std::uint8_t { either, t_pose, a_pose };

const char* wanted_name(Wanted wanted) {
  switch (wanted) {
    case Wanted::t_pose:
      return "a T pose";
    case Wanted::a_pose:
      return "an A pose";
    case Wanted::either:
      break;
  }
  return "a T or A pose";
}

std::string shape_of(const RuleInput& input, const ArmPose& pose) {
  if (pose.forward_deg > input.param("forward") || pose.elbow_deg > input.param("elbow")) {
    return "neither";
  }
  if (std::abs(pose.below_deg) <= input.param("t_angle")) return "T";
  return pose.below_deg > 0.0 && pose.below_deg <= input.param("a_angle") ? "A" : "neither";
}

bool accepted(Wanted wanted, const std::string& shape) {
  if (shape == "T") return wanted != Wanted::a_pose;
  return shape == "A" && wanted != Wanted::t_pose;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const auto wanted = static_cast<Wanted>(std::lround(input.param("wanted")));
  std::set<std::int32_t> judged;  // upper arms; meshes of one character have skins of their own
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<std::optional<Mat4>> world = joints_at_bind(input, s);
    const Arms arms = find_arms(asset, asset.skins[s], world);
    const BodyFrame body = body_frame(asset.skins[s], arms, world);
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if ((!arms.left && !arms.right) || sink.skip(element)) continue;
    std::vector<JointAmount> wrong;
    std::vector<Measure> measured;
    std::vector<double> angles;
    std::string text;
    bool fresh = true;
    for (const auto& [side, arm] : {std::pair("left", arms.left), std::pair("right", arms.right)}) {
      const std::optional<ArmPose> pose =
          arm ? arm_pose(*arm, world, body) : std::optional<ArmPose>();
      if (!pose) continue;
      fresh = judged.insert(asset.skins[s].joints[static_cast<std::size_t>(arm->upper)]).second &&
              fresh;
      const std::string shape = shape_of(input, *pose);
      const std::string prefix(side);
      angles.push_back(pose->below_deg);
      measured.push_back(real(prefix + "_below", pose->below_deg, "deg"));
      measured.push_back(real(prefix + "_forward", pose->forward_deg, "deg"));
      measured.push_back(real(prefix + "_elbow", pose->elbow_deg, "deg"));
      measured.push_back(words(prefix + "_shape", shape));
      text += fmt::format("{}{} {:.0f}°", text.empty() ? "" : ", ", side, pose->below_deg);
      if (!accepted(wanted, shape)) wrong.push_back({arm->upper, pose->below_deg});
    }
    const bool differ =
        angles.size() == 2 && std::abs(angles[0] - angles[1]) > input.param("difference");
    if (!fresh || (wrong.empty() && !differ)) continue;
    if (wrong.empty()) wrong = {{arms.left->upper, angles[0]}, {arms.right->upper, angles[1]}};
    Finding finding = finding_about(input, element, Severity::note);
    put_joints(finding, input, s, wrong);
    finding.sample_unit = "deg";
    measured.push_back(words("found", arms.by_name ? "by name" : "by shape"));
    measured.push_back(words("wanted", wanted_name(wanted)));
    finding.measured = std::move(measured);
    finding.message = fmt::format("the arms are not bound in {} (below the horizontal: {}{})",
                                  wanted_name(wanted), text, differ ? "; the sides differ" : "");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"wanted", 0.0, 0.0, 2.0, "0, 1 or 2", "0: T or A pose; 1: T pose only; 2: A pose only",
     "Unity's humanoid avatars start from a T pose, Unreal's mannequin from an A pose"},
    {"t_angle", 15.0, 0.0, 45.0, "deg", "an arm this far from the horizontal is a T pose",
     "modelled T poses droop by up to 10"},
    {"a_angle", 65.0, 0.0, 90.0, "deg", "an arm this far below the horizontal still is an A pose",
     "A poses are modelled at 30 to 60"},
    {"forward", 30.0, 0.0, 90.0, "deg", "how far an arm may point to the front or back",
     "relaxed A poses reach 20"},
    {"elbow", 45.0, 0.0, 180.0, "deg", "how far an elbow may be bent", "relaxed A poses reach 30"},
    {"difference", 10.0, 0.0, 90.0, "deg", "how far both arms may differ",
     "modelled symmetric; a posed arm differs by more"}};
constexpr std::string_view not_a_fault_when[] = {
    "creatures, and rigs on which no arms can be told: silent",
    "no retargeting is meant: the rule is off unless a profile or the user asks",
    "the pose at rest differs from the one at bind: the bind counts"};

}  // namespace

const Rule skeleton_rest_shape = {
    {.id = "skeleton-rest-shape",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "The arms are bound in neither a T pose nor an A pose",
     .why = "Humanoid retargeting takes the bind for its reference pose. Arms that hang or reach "
            "forward there turn every borrowed clip by that much.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Retargeted clips hold the arms too high, too low or twisted.",
                .action = "Bind in the pose that the target engine expects, or set the reference "
                          "pose there by hand.",
                .maya = "HumanIK: Characterize in a T pose; Skin > Go to Bind Pose, pose the arms, "
                        "bind again.",
                .max = "Biped: Figure Mode, pose the arms as in the mesh; Skin > Advanced: Always "
                       "Deform off while moving bones.",
                .blender = "Pose Mode: Pose > Apply > Apply Pose as Rest Pose, after applying the "
                           "Armature modifier to the meshes."},
     .source = "Unity manual, humanoid avatar (T-pose); Unreal Engine documentation, IK Retargeter "
               "(retarget pose)",
     .params = params,
     .on_by_default = false},
    check};

}  // namespace skinlint::rules
