#include <fmt/format.h>

#include <map>
#include <optional>

#include "rules/bind_records.h"
#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

constexpr const char* root_role = "skeleton";
constexpr const char* mesh_role = "mesh";

/// The proper quarter turn of a node's own rotation, when it is one and not none.
std::optional<AxisTurn> own_turn(const Node& node, double tolerance_deg) {
  std::optional<AxisTurn> turn = nearest_axis_turn(linear(node.parent_from_node), tolerance_deg);
  if (!turn || turn->is_identity || turn->mirrored) return std::nullopt;  // mirrors: other rules'
  return turn;
}

/// The one turn by which every joint with weight has drifted.
std::optional<AxisTurn> common_drift_turn(const BindAnalysis& bind, Sink& sink, std::size_t skin,
                                          double tolerance_deg) {
  std::optional<AxisTurn> common;
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const JointBind& joint = bind.joints[slot];
    if (!joint.weighted || joint.use != JointBind::Use::usable) continue;
    if (sink.skip(joint_ref(skin, static_cast<std::int32_t>(slot)))) return std::nullopt;
    const std::optional<AxisTurn> turn = nearest_axis_turn(linear(joint.drift), tolerance_deg);
    if (!turn || turn->is_identity || turn->mirrored) return std::nullopt;
    if (common && common->linear != turn->linear) return std::nullopt;
    common = turn;
  }
  return common;
}

void check_bindings(const RuleInput& input, Sink& sink, double tolerance_deg) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    const BindAnalysis& bind = input.facts.bind(group.first);
    if (bind.state == BindState::unknown || bind.weighted_joints < 2 ||
        has_no_matrices(asset, skin)) {
      continue;
    }
    std::optional<AxisTurn> turn;
    const char* where = "";
    // In FBX that is a mesh node turned after the bind: bind-mesh-moved's.
    if (bind.unexplained && !bind.no_consensus && !is_fbx(asset.format)) {
      turn = nearest_axis_turn(linear(bind.unexplained->offset), tolerance_deg);
      where = "against all that the file declares, the bind holds an axis turn:";
    }
    if (!turn || turn->is_identity || turn->mirrored) {  // a mirror is bind-common-offset's
      turn = common_drift_turn(bind, sink, skin, tolerance_deg);
      where = "since it was bound, every joint took an axis turn:";
    }
    if (!turn || has_flattened_joint(input, skin, flattened)) continue;
    if (moved_as_a_whole(input, group.first)) continue;  // both sides took it
    if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0}) ||
        sink.skip({ElementKind::skin, static_cast<std::int32_t>(skin), 0})) {
      continue;
    }
    Finding finding = finding_about(input, group, Severity::warning);
    finding.measured.push_back(words("turn", std::string(axis_turn_name(*turn))));
    finding.measured.push_back(words("role", "bind"));
    finding.message =
        fmt::format("{} {}; a conversion reached one side only", where, axis_turn_name(*turn));
    sink.report(std::move(finding));
  }
}

/// FBX: the axes the file declares are left-handed, so that every importer must mirror it.
void check_declared_axes(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const ElementRef element{ElementKind::file, 0, 0};
  if (!is_fbx(asset.format) || !asset.axes_declared || asset.bindings.empty() ||
      !(linear(asset.canonical_from_file).determinant() < 0.0) || sink.skip(element)) {
    return;
  }
  Finding finding = finding_about(input, element, Severity::note);
  finding.measured = {words("role", "settings"), words("up", asset.axes.up),
                      words("front", asset.axes.front), words("right", asset.axes.right)};
  finding.message = fmt::format(
      "the file declares left-handed axes (up {}, front {}, right {}): importers must mirror it",
      asset.axes.up, asset.axes.front, asset.axes.right);
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  check_declared_axes(input, sink);
  const double tolerance_deg = input.param("angle");
  check_bindings(input, sink, tolerance_deg);

  std::map<std::int32_t, const char*> nodes;  // in node order; a root that is a mesh node is a root
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (input.facts.bindings_of_skin(s).empty()) continue;
    for (std::int32_t n = skeleton_top(input, s); n >= 0;
         n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      nodes.insert_or_assign(n, root_role);
    }
  }
  for (const Binding& binding : asset.bindings) {
    if (binding.node >= 0) nodes.try_emplace(binding.node, mesh_role);
  }
  for (const auto& [node, role] : nodes) {
    const std::optional<AxisTurn> turn =
        own_turn(asset.nodes[static_cast<std::size_t>(node)], tolerance_deg);
    const ElementRef element{ElementKind::node, node, 0};
    if (!turn || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::note);
    finding.measured = {words("turn", std::string(axis_turn_name(*turn))), words("role", role)};
    finding.message = fmt::format("{} ({}) holds an axis turn, {}: left over from a conversion",
                                  asset.node_name(node), role, axis_turn_name(*turn));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"angle", 0.1, 1e-4, 5.0, "deg",
                                 "how near to a quarter turn a rotation must be",
                                 "float32 conversions land within 1e-4; hand-made turns do not"}};
constexpr std::string_view not_a_fault_when[] = {
    "the bind knows the turn as well, as with Blender's -90° about X (a note)",
    "an FBX that declares left-handed axes (a note), or none: file-damaged says what was assumed",
    "FBX: mesh and skeleton took the turn together after the bind (a note on each node)",
    "FBX: the mesh node alone was turned after the bind: bind-mesh-moved names the turn"};

}  // namespace

const Rule transform_axis_residue = {
    {.id = "transform-axis-residue",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "A quarter turn of an axis conversion is left on the root, armature or mesh",
     .why =
         "Harmless while mesh, skeleton and bind all know of it; engines that drop or add a root "
         "rotation then lay the character down.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The character lies on its back or faces sideways after import or "
                           "retargeting.",
                .action = "Export with the target's axes, or apply the turn to armature and mesh "
                          "together and bind again.",
                .maya = "Preferences > Settings > World Coordinate System: Up axis Y; FBX export: "
                        "Advanced Options > Axis Conversion.",
                .max = "FBX export: Axis Conversion > Up Axis: Y-up.",
                .blender = "Object > Apply > Rotation on armature and meshes; FBX export: Apply "
                           "Transform off, Primary Bone Axis as the engine wants."},
     .source = "the 48 signed axis permutations against the rotation, within the angle",
     .params = params},
    check};

}  // namespace skinlint::rules
