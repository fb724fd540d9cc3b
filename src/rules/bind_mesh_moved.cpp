#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/bind_records.h"
#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

bool animated_at_or_above(const RuleInput& input, std::int32_t node) {
  for (std::int32_t n = node; n >= 0; n = input.asset.nodes[static_cast<std::size_t>(n)].parent) {
    if (input.facts.animated(n)) return true;
  }
  return false;
}

/// Some weighted joint was moved since the bind exactly as the mesh node was: the character was
/// moved as a whole, mesh included.
bool moves_with_a_joint(const BindAnalysis& bind, const Mat4& moved, const Box& world_box,
                        double tolerance) {
  return std::any_of(bind.joints.begin(), bind.joints.end(), [&](const JointBind& joint) {
    return joint.weighted && joint.use == JointBind::Use::usable && joint.drifts &&
           change_between(joint.drift, moved, world_box).displacement <= tolerance;
  });
}

void check_binding(const RuleInput& input, Sink& sink, std::size_t b,
                   const std::vector<std::int32_t>& flattened) {
  const Asset& asset = input.asset;
  const Binding& binding = asset.bindings[b];
  const BindAnalysis& bind = input.facts.bind(b);
  const Mat4& now = input.facts.world_from_node()[static_cast<std::size_t>(binding.node)];
  const std::optional<Mat4> at_bind = mesh_node_at_bind(input, b);
  if (!at_bind || !now.allFinite() || bind.consensus_share < input.param("share") ||
      flattened[static_cast<std::size_t>(binding.node)] >= 0) {
    return;
  }
  const std::optional<Mat4> node_from_world = affine_inverse(*at_bind);
  if (!node_from_world) return;
  Box node_box, world_box;
  const Box& vertices = input.facts.influences(b).box;
  for (int c = 0; c < 8; ++c) {
    const Vec3 corner = vertices.corner(static_cast<Box::CornerType>(c));
    node_box.extend(transform_point(binding.node_from_geometry, corner));
    world_box.extend(transform_point(bind.consensus, corner));
  }
  const MatrixChange change = change_between(*at_bind, now, node_box);
  const double tolerance = std::max(input.param("displacement"), bind.tau) * bind.size;
  if (!(change.displacement > tolerance)) return;
  if (animated_at_or_above(input, binding.node)) return;
  if (moves_with_a_joint(bind, now * *node_from_world, world_box, tolerance)) return;

  const ElementRef element{ElementKind::binding, static_cast<std::int32_t>(b), 0};
  if (sink.skip(element) || sink.skip({ElementKind::skin, binding.skin, 0}) ||
      sink.skip({ElementKind::node, binding.node, 0})) {
    return;
  }
  const double scale_limit = input.param("scale");
  const bool scaled = change.valid && (std::abs(change.scale - 1.0) > scale_limit ||
                                       change.non_uniformity > scale_limit || change.mirrored);
  const std::optional<UnitFactor> unit = named_unit_factor(change.scale);
  const std::optional<AxisTurn> turn =
      nearest_axis_turn(linear(now * *node_from_world), input.param("angle"));
  std::string named;
  if (unit) named = unit->name;
  if (turn && !turn->is_identity) {
    named += (named.empty() ? "" : " and ") + std::string(axis_turn_name(*turn));
  }
  Finding finding =
      finding_about(input, element, scaled ? Severity::warning : level(input, "moved_level"));
  finding.related.push_back({ElementKind::node, binding.node, 0});
  finding.measured = {real("moved", change.displacement, "m"),
                      real("angle", change.angle_deg, "deg"),
                      real("scale", change.scale),
                      real("non_uniformity", change.non_uniformity),
                      words("mirrored", change.mirrored ? "yes" : "no"),
                      words("named", named)};
  std::string how;
  const auto add = [&how](const std::string& part) { how += (how.empty() ? "" : ", ") + part; };
  if (change.angle_deg >= 0.05) add(fmt::format("turned {:.4g}°", change.angle_deg));
  if (std::abs(change.scale - 1.0) > scale_limit) add(fmt::format("scaled x{:.4g}", change.scale));
  if (change.non_uniformity > scale_limit) add("scaled unevenly");
  if (change.mirrored) add("mirrored");
  if (how.empty()) add(fmt::format("moved {:.3g} m", change.displacement));
  finding.message =
      fmt::format("{} was {} after it was bound{}; the skin puts the mesh back where it was bound",
                  asset.node_name(binding.node), how, named.empty() ? "" : " (" + named + ")");
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_fbx(input.asset.format)) return;
  const std::vector<std::int32_t> flattened = flattened_by(input.asset);
  for (std::size_t b = 0; b < input.asset.bindings.size(); ++b) {
    check_binding(input, sink, b, flattened);
  }
}

constexpr ParamInfo params[] = {
    {"displacement", 1e-4, 1e-7, 1.0, "of size",
     "how far the mesh node may have moved since the bind",
     "docs/model.md: the tolerance of every bind question"},
    {"scale", 1e-3, 1e-6, 10.0, "", "change of the mesh node's scale to warn at",
     "float32 matrices agree within 1e-5"},
    {"share", 0.5, 0.0, 1.0, "", "part of the weight that must agree on where the mesh was bound",
     "a place that fewer agree on is bind-cluster-mesh-spread's"},
    {"angle", 0.1, 1e-4, 5.0, "deg", "how near to a quarter turn a turn must be to be named so",
     "float32 conversions land within 1e-4"},
    {"moved_level", 1, 0, 3, "level", "how much it matters that the node was only moved or turned",
     "the deformation cancels it; 21 of 154 real files"}};
constexpr std::string_view not_a_fault_when[] = {
    "the mesh node was only moved or turned: the deformation cancels it (a note)",
    "a clip moves the mesh node or a node above it: silent",
    "mesh and skeleton were moved together: bind-rest-differs tells of it",
    "the mesh node is scaled to nothing: transform-zero-scale's"};

}  // namespace

const Rule bind_mesh_moved = {
    {.id = "bind-mesh-moved",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "The FBX mesh node no longer stands where its mesh was bound",
     .why = "Skinning puts the mesh back where it was bound, so the change is without effect in "
            "one engine and moves, turns or scales the mesh in another that applies the node.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh stands beside its skeleton, or is 100 times too large or "
                           "small, in one engine and not in another.",
                .action = "Set the mesh node back to where it was bound, or bind again with the "
                          "mesh where it is now.",
                .maya = "Undo the move (Skin > Go to Bind Pose), or Skin > Unbind Skin, Modify > "
                        "Freeze Transformations, Skin > Bind Skin.",
                .max = "Do not move the node after Skin: remove Skin, Reset XForm, collapse, add "
                       "Skin again (save and load envelopes).",
                .blender = "Alt+G, Alt+R, Alt+S on the mesh, or Object > Apply > All Transforms on "
                           "mesh and armature together."},
     .source = "TransformLink x Transform against the mesh node's world; 21 of 154 real files",
     .params = params,
     .symptom = Symptom::offset},
    check};

}  // namespace skinlint::rules
