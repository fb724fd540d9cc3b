#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

constexpr const char* joint_role = "root joint";
constexpr const char* armature_role = "armature";

/// What is left of a transform after what exporters put there by design.
struct Residue {
  double angle_deg = 0.0;  // of a rotation that is no quarter turn
  double scale = 1.0;      // of a uniform scale that is no unit factor
  double moved = 0.0;      // metres; root joints may be anywhere
  bool any = false;
};

/// The rotation that was set on the node: in FBX, PreRotation is the joint's orientation and no
/// residue.
Mat3 set_rotation(const Node& node) {
  if (node.fbx && node.fbx->uses_rotation_space() && !node.fbx->pre_rotation.isZero()) {
    return fbx_euler(node.fbx->rotation, node.fbx->rotation_order);
  }
  return linear(node.parent_from_node);
}

Residue residue_of(const RuleInput& input, const Node& node, const char* role, double size) {
  Residue out;
  const TransformParts parts = decompose(node.parent_from_node);
  if (!parts.valid) return out;
  const double angle = input.param("angle"), scale = input.param("scale");
  const Mat3 rotation = set_rotation(node);
  const std::optional<AxisTurn> turn = nearest_axis_turn(rotation, angle);
  if (!turn) {
    Mat4 turned = Mat4::Identity();
    turned.topLeftCorner<3, 3>() = rotation;
    const TransformParts set = decompose(turned);
    if (set.valid) out.angle_deg = set.angle_deg;
  }
  const double factor = parts.uniform_scale();
  if (parts.non_uniformity() <= scale && std::abs(factor - 1.0) > scale &&
      !named_unit_factor(factor)) {
    out.scale = factor;  // uneven scales are transform-non-uniform-scale's
  }
  if (role == armature_role) {
    const double moved = translation(node.parent_from_node).norm();
    if (moved > input.param("distance") * size) out.moved = moved;
  }
  out.any = out.angle_deg > angle || out.scale != 1.0 || out.moved > 0.0;
  return out;
}

/// The joint, or a joint above it, was moved after the bind: bind-rest-differs tells of it.
bool posed_since_bind(const RuleInput& input, std::size_t s, std::int32_t node) {
  for (const std::size_t b : input.facts.bindings_of_skin(s)) {
    const BindAnalysis& bind = input.facts.bind(b);
    for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
      if (input.asset.skins[s].joints[slot] == node && bind.joints[slot].drifts) return true;
    }
  }
  return false;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  std::map<std::int32_t, std::pair<const char*, double>> nodes;  // role, size of the largest mesh
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    double size = 0.0;
    for (const std::size_t b : input.facts.bindings_of_skin(s)) {
      size = std::max(size, input.facts.bind(b).size);
    }
    if (input.facts.bindings_of_skin(s).empty() || !(size > 0.0)) continue;
    const auto add = [&nodes, size](std::int32_t node, const char* role) {
      auto& entry = nodes.try_emplace(node, role, size).first->second;
      entry.second = std::max(entry.second, size);
    };
    std::set<std::int32_t> roots;
    for (const std::int32_t joint : asset.skins[s].joints) {
      std::int32_t root = joint;  // the topmost joint at or above this one
      for (std::int32_t n = joint; n >= 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
        if (is_joint_or_bone(asset.nodes[static_cast<std::size_t>(n)])) root = n;
      }
      if (root >= 0) roots.insert(root);
    }
    for (const std::int32_t root : roots) {
      // Of several none is the root: they are limbs, turned as limbs are.
      if (roots.size() == 1 && !posed_since_bind(input, s, root)) add(root, joint_role);
      for (std::int32_t n = asset.nodes[static_cast<std::size_t>(root)].parent; n >= 0;
           n = asset.nodes[static_cast<std::size_t>(n)].parent) {
        add(n, armature_role);
      }
    }
  }
  for (const auto& [index, known] : nodes) {
    const auto& [role, size] = known;
    const Node& node = asset.nodes[static_cast<std::size_t>(index)];
    const Residue residue = residue_of(input, node, role, size);
    const ElementRef element{ElementKind::node, index, 0};
    if (!residue.any || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, Severity::note);
    finding.measured = {real("angle", residue.angle_deg, "deg"), real("scale", residue.scale),
                        real("moved", residue.moved, "m"), words("role", role)};
    std::string what;
    const auto add = [&what](const std::string& part) {
      what += (what.empty() ? "" : ", ") + part;
    };
    if (residue.angle_deg > 0.0) add(fmt::format("turned {:.4g}°", residue.angle_deg));
    if (residue.scale != 1.0) add(fmt::format("scaled x{:.4g}", residue.scale));
    if (residue.moved > 0.0) add(fmt::format("moved {:.3g} m", residue.moved));
    finding.message =
        fmt::format("{} ({}) was not zeroed before export: {}", asset.node_name(index), role, what);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"angle", 0.1, 1e-4, 180.0, "deg",
     "rotation, or its distance from a quarter turn, that is a residue",
     "float32 conversions land within 1e-4"},
    {"scale", 1e-3, 1e-6, 1.0, "", "distance of a scale from 1 and from every unit factor",
     "float32 transforms stay below 1e-5"},
    {"distance", 1e-4, 0.0, 1.0, "of size", "shift of an armature node that is a residue",
     "docs/model.md: the tolerance of every bind question"}};
constexpr std::string_view not_a_fault_when[] = {
    "the rotation is a plain quarter turn: transform-axis-residue names it",
    "the scale is a unit factor such as Blender's 100: transform-uniform-scale names it",
    "the root joint is translated: hips stand above the floor",
    "the skin's joints have several roots, which are limbs",
    "FBX: the rotation is the joint's orientation, in PreRotation",
    "the joint was posed after the bind: bind-rest-differs tells of it"};

}  // namespace

const Rule transform_root_residue = {
    {.id = "transform-root-residue",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::node,
     .summary = "The root joint or the armature was not zeroed before export",
     .why = "Engines that put their own transform on the root, or take it for root motion, lose or "
            "double what is left there.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The character stands askew or beside its place once it is animated or "
                           "given root motion.",
                .action = "Move the character to the origin, zero root and armature, then bind.",
                .maya = "Zero the root group's channels (Modify > Reset Transformations); on the "
                        "root joint Modify > Freeze Transformations (Rotate) before binding.",
                .max = "Link the skeleton below a dummy at the origin, or set the root bone's "
                       "rotation to zero before Skin.",
                .blender = "Object > Apply > All Transforms on the armature together with its "
                           "meshes."},
     .source = "own transform of the topmost joints and of the nodes above them",
     .params = params},
    check};

}  // namespace skinlint::rules
