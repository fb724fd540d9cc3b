#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// A node's own uniform scale; 1 when it has none (not finite, singular) or is uneven, which
/// transform-non-uniform-scale reports.
double own_scale(const Node& node, double limit) {
  if (node.fbx && node.fbx->inherit_type != InheritType::RSrs) {
    // parent_from_node then holds what the node does not inherit: transform-inherit-type's.
    const Vec3 s = node.fbx->scaling.cwiseAbs();
    if (!s.allFinite() || !(s.minCoeff() > 0.0)) return 1.0;
    return s.maxCoeff() / s.minCoeff() - 1.0 <= limit ? std::cbrt(s.prod()) : 1.0;
  }
  const TransformParts parts = decompose(node.parent_from_node);
  return parts.valid && parts.non_uniformity() <= limit ? parts.uniform_scale() : 1.0;
}

std::string factor_text(double factor) {
  const std::optional<UnitFactor> unit = named_unit_factor(factor);
  return unit ? fmt::format("x{:.6g} ({})", factor, unit->name) : fmt::format("x{:.6g}", factor);
}

/// One factor above all joints: harmless, said once per node.
void check_above(const RuleInput& input, Sink& sink, const std::vector<bool>& above, double limit,
                 std::vector<bool>& reported) {
  for (std::size_t n = 0; n < above.size(); ++n) {
    if (!above[n] || reported[n]) continue;
    const double scale = own_scale(input.asset.nodes[n], limit);
    const auto index = static_cast<std::int32_t>(n);
    const ElementRef element{ElementKind::node, index, 0};
    if (!(std::abs(scale - 1.0) > limit) || sink.skip(element)) continue;
    reported[n] = true;
    const std::optional<UnitFactor> unit = named_unit_factor(scale);
    Finding finding = finding_about(input, element, Severity::note);
    finding.measured = {real("scale", scale),
                        words("named", unit ? std::string(unit->name) : std::string())};
    finding.message = fmt::format("{} scales the whole skeleton {}", input.asset.node_name(index),
                                  factor_text(scale));
    sink.report(std::move(finding));
  }
}

void check_inner(const RuleInput& input, Sink& sink, std::size_t s, const std::vector<bool>& above,
                 const std::vector<bool>& moving, double limit, std::vector<bool>& reported) {
  const Skin& skin = input.asset.skins[s];
  std::vector<bool> rescaled;
  std::vector<JointAmount> scaled;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    if (skin.joints[slot] < 0) continue;
    const auto node = static_cast<std::size_t>(skin.joints[slot]);
    if (above[node] || !moving[node] || reported[node]) continue;
    const double scale = own_scale(input.asset.nodes[node], limit);
    if (!(std::abs(scale - 1.0) > limit)) continue;
    if (rescaled.empty()) rescaled = rescaled_since_bind(input, s);
    const auto index = static_cast<std::int32_t>(slot);
    if (rescaled[slot] || sink.skip(joint_ref(s, index))) continue;
    reported[node] = true;
    scaled.push_back({index, std::abs(std::log(scale))});
  }
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
  if (scaled.empty() || sink.skip(element)) return;
  sort_worst_first(scaled);
  const auto worst_node =
      static_cast<std::size_t>(skin.joints[static_cast<std::size_t>(scaled.front().slot)]);
  const double worst = own_scale(input.asset.nodes[worst_node], limit);
  const std::optional<UnitFactor> unit = named_unit_factor(worst);
  Finding finding = finding_about(input, element, Severity::warning);
  put_joints(finding, input, s, scaled);
  for (Sample& sample : finding.samples) {
    const auto node = static_cast<std::size_t>(skin.joints[static_cast<std::size_t>(sample.index)]);
    sample.value = own_scale(input.asset.nodes[node], limit);
  }
  finding.measured = {real("scale", worst),
                      words("named", unit ? std::string(unit->name) : std::string())};
  finding.message = fmt::format("{} scaled within the skeleton ({}), by {}",
                                counted(scaled.size(), "joint is", "joints are"),
                                joint_names(input.asset, s, scaled), factor_text(worst));
  sink.report(std::move(finding));
}

/// A product of scales that leaves no precision, whatever it is made of.
void check_accumulated(const RuleInput& input, Sink& sink, std::size_t s,
                       std::optional<std::vector<std::int32_t>>& flattened) {
  const Skin& skin = input.asset.skins[s];
  const double most = input.param("accumulated");
  const std::vector<bool> weighted = weighted_slots(input, s);
  std::vector<JointAmount> extreme;
  double worst = 1.0;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    if (!weighted[slot] || skin.joints[slot] < 0) continue;
    const TransformParts parts =
        decompose(input.facts.world_from_node()[static_cast<std::size_t>(skin.joints[slot])]);
    if (!parts.valid) continue;
    const double scale = parts.uniform_scale();
    const auto index = static_cast<std::int32_t>(slot);
    if (scale <= most && scale >= 1.0 / most) continue;
    if (sink.skip(joint_ref(s, index))) continue;
    const double amount = std::abs(std::log(scale));
    if (amount > std::abs(std::log(worst))) worst = scale;
    extreme.push_back({index, amount});
  }
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
  if (extreme.empty()) return;
  if (!flattened) flattened = flattened_by(input.asset);
  if (has_flattened_joint(input, s, *flattened) || sink.skip(element)) return;
  sort_worst_first(extreme);
  Finding finding = finding_about(input, element, Severity::warning);
  put_joints(finding, input, s, extreme);
  finding.measured = {real("accumulated_scale", worst)};
  finding.message =
      fmt::format("scales multiply to x{:.3g} at {}", worst, joint_names(input.asset, s, extreme));
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  const double limit = input.param("scale");
  const std::vector<bool> moving = nodes_moving_vertices(input);
  std::vector<bool> reported(input.asset.nodes.size(), false);
  std::optional<std::vector<std::int32_t>> flattened;  // made for the first skin that needs it
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    if (input.facts.bindings_of_skin(s).empty()) continue;
    const std::vector<bool> above = nodes_above_skeleton(input, s);
    check_above(input, sink, above, limit, reported);
    check_inner(input, sink, s, above, moving, limit, reported);
    check_accumulated(input, sink, s, flattened);
  }
}

constexpr ParamInfo params[] = {
    {"scale", 1e-3, 1e-6, 1.0, "", "how far a scale may be from 1",
     "float32 transforms stay below 1e-5; drift of repeated exports below 1e-3"},
    {"accumulated", 1e4, 1.0, 1e12, "", "largest product of scales, and one over it the smallest",
     "float32 keeps seven digits: four go to scale, three are left for the pose"}};
constexpr std::string_view not_a_fault_when[] = {
    "one factor stands above all joints, as the 100 of Blender's FBX or Mixamo's 0.01 (a note)",
    "the joint was scaled after binding: bind-rest-differs tells of it",
    "the mesh's scale differs from the skeleton's and the bind cancels it; where it does not, "
    "bind-mesh-moved (FBX) or bind-common-offset (glTF) tells of it",
    "the joint moves no vertices"};

}  // namespace

const Rule transform_uniform_scale = {
    {.id = "transform-uniform-scale",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A joint inside the skeleton is scaled, or scales multiply to an extreme",
     .why = "Translations below a scaled joint are in another unit; retargeting, physics and "
            "attachments come out too large or too small.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Attached props or retargeted limbs have the wrong size; physics bodies "
                           "are huge or tiny.",
                .action =
                    "Apply the scale to skeleton and mesh together before binding, and export "
                    "in the scene's unit.",
                .maya = "Modify > Freeze Transformations (Scale) on the joints; FBX export: "
                        "Advanced Options > Units > Automatic.",
                .max =
                    "Utilities > Rescale World Units instead of scaling bones; Hierarchy > Reset "
                    "Scale.",
                .blender = "Object > Apply > Scale on armature and meshes; FBX export: Apply "
                           "Scalings > FBX All."},
     .source = "geometric mean of the singular values of local and world transforms",
     .params = params},
    check};

}  // namespace skinlint::rules
