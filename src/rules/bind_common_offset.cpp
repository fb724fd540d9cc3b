#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// Diagonal of the box of the joints' origins, as they rest in the world.
double skeleton_extent(const RuleInput& input, const Skin& skin) {
  Box box;
  for (const std::int32_t node : skin.joints) {
    if (node < 0) continue;
    const Mat4& world = input.facts.world_from_node()[static_cast<std::size_t>(node)];
    if (world.allFinite()) box.extend(translation(world));
  }
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

/// How far the offset carries the middle of the mesh.
double carried(const Mat4& offset, const Mat4& consensus, const Box& mesh) {
  const std::optional<Mat4> back = affine_inverse(offset);
  if (!back) return 0.0;
  const Vec3 middle = transform_point(consensus, mesh.center());
  return (middle - transform_point(*back, middle)).norm();
}

std::string describe(const CommonOffset& offset, double moved) {
  std::string text = offset.named;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  // A unit's factor is named alone, whatever turn or shift comes with it.
  if (!text.empty() && (!offset.is_unit_factor || offset.is_axis_turn)) return text;
  if (offset.parts.mirrored && text.empty()) add("mirrored");
  if (offset.parts.angle_deg >= 0.05) add(fmt::format("turned {:.4g}°", offset.parts.angle_deg));
  const double scale = offset.parts.uniform_scale();
  if (std::abs(scale - 1.0) > 1e-3 && !offset.is_unit_factor)
    add(fmt::format("scaled x{:.4g}", scale));
  if (text.empty() || moved > 0.0) add(fmt::format("moved {:.3g} m", moved));
  return text;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  // FBX stores where the mesh node was bound: bind-mesh-moved compares it with where it is.
  if (is_fbx(asset.format)) return;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    if (has_no_matrices(asset, skin)) continue;
    const BindAnalysis& bind = input.facts.bind(group.first);
    // One joint alone may have any bind; a vote that nobody won is no common offset.
    if (bind.state == BindState::unknown || bind.weighted_joints < 2 || !bind.unexplained ||
        bind.no_consensus || bind.consensus_share < 0.5 || !bind.unexplained->parts.valid ||
        has_flattened_joint(input, skin, flattened)) {
      continue;
    }
    if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0}) ||
        sink.skip({ElementKind::skin, static_cast<std::int32_t>(skin), 0})) {
      continue;
    }
    const CommonOffset& offset = *bind.unexplained;
    const double moved =
        carried(offset.offset, bind.consensus, input.facts.influences(group.first).box);
    const double scale_limit = input.param("scale");
    const bool scaled = std::abs(offset.parts.uniform_scale() - 1.0) > scale_limit ||
                        offset.parts.non_uniformity() > scale_limit;
    const bool far = moved > input.param("distance") *
                                 std::max(bind.size, skeleton_extent(input, asset.skins[skin]));
    const bool harmful = !offset.is_dequantisation && (scaled || offset.parts.mirrored || far);

    Finding finding = finding_about(input, group, harmful ? Severity::warning : Severity::note);
    finding.poisons_element = false;
    finding.count = bind.weighted_joints;
    finding.measured.insert(
        finding.measured.end(),
        {real("scale", offset.parts.uniform_scale()),
         real("non_uniformity", offset.parts.non_uniformity()),
         real("angle", offset.parts.angle_deg, "deg"), real("moved", moved, "m"),
         words("mirrored", offset.parts.mirrored ? "yes" : "no"), words("named", offset.named),
         real("share", 100.0 * bind.consensus_share, "%")});
    finding.message =
        fmt::format("all joints were bound with one offset that no node of the file explains: {}{}",
                    describe(offset, moved),
                    offset.is_dequantisation ? " (undoes the quantised positions, harmless)" : "");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"scale", 1e-3, 1e-6, 1.0, "", "scale or stretch of the offset that is no longer rounding",
     "docs/model.md: float32 chains measure 1e-7 to 4e-5"},
    {"distance", 2.0, 0.0, 1e6, "of size",
     "how far the offset may carry the mesh, over the larger of mesh and skeleton",
     "237 glTF files: legitimate placements stay inside"}};
constexpr std::string_view not_a_fault_when[] = {
    "the offset undoes quantised positions (a note)",
    "the mesh is stored in the space of its node, the armature or the armature's parent: silent",
    "a single joint carries the mesh: any bind is consistent",
    "FBX: the mesh node stood elsewhere when bound; bind-mesh-moved tells of it"};

}  // namespace

const Rule bind_common_offset = {
    {.id = "bind-common-offset",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "All joints place the mesh where no node of the file says it is",
     .why = "Every inverse bind matrix carries one common turn, scale, mirror or shift: usually a "
            "conversion applied to the matrices but not to the nodes, or the other way round.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "The mesh is too large or small, mirrored, lying down or far away, while "
                    "animation itself looks right.",
                .action = "Freeze the mesh's and armature's transforms, then bind and export with "
                          "one setting for axis and units.",
                .maya =
                    "Modify > Freeze Transformations on the mesh before Skin > Bind Skin; check "
                    "Preferences > Settings > Working Units.",
                .max = "Utilities > Reset XForm on the mesh, collapse, then add Skin; check "
                       "Customize > Units Setup > System Unit Setup.",
                .blender = "Object > Apply > All Transforms on mesh and armature together, then "
                           "parent again with Armature Deform."},
     .source = "consensus of world_from_joint x inverse bind matrix; 237 glTF files: 147 identity, "
               "49 one declared space",
     .params = params,
     .symptom = Symptom::offset},
    check};

}  // namespace skinlint::rules
