#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

bool is_mirrored(const Mat4& m) { return linear(m).determinant() < 0.0; }

/// True, false, or neither for a matrix that has no handedness.
std::optional<bool> handedness(const Mat4& m) {
  if (!m.allFinite() || !(relative_determinant(linear(m)) >= 1e-12)) return std::nullopt;
  return is_mirrored(m);
}

void check_joints(const RuleInput& input, Sink& sink, std::size_t skin,
                  std::set<std::int32_t>& reported) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t>& nodes = asset.skins[skin].joints;
  const std::vector<bool> weighted = weighted_slots(input, skin);
  std::vector<JointAmount> mirrored, plain;
  for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
    if (!weighted[slot] || nodes[slot] < 0) continue;
    const auto world =
        handedness(input.facts.world_from_node()[static_cast<std::size_t>(nodes[slot])]);
    const auto index = static_cast<std::int32_t>(slot);
    if (!world || sink.skip(joint_ref(skin, index))) continue;
    (*world ? mirrored : plain).push_back({index, 1.0});
  }
  if (mirrored.empty()) return;
  const bool mixed = !plain.empty();
  if (mixed) {
    // Several skins often share a skeleton: the first tells of its joints.
    const auto known = [&](const JointAmount& joint) {
      return !reported.insert(nodes[static_cast<std::size_t>(joint.slot)]).second;
    };
    mirrored.erase(std::remove_if(mirrored.begin(), mirrored.end(), known), mirrored.end());
    if (mirrored.empty()) return;
    // Those whose own transform flips come first: the others only inherit it.
    std::stable_partition(mirrored.begin(), mirrored.end(), [&](const JointAmount& joint) {
      const auto node = static_cast<std::size_t>(nodes[static_cast<std::size_t>(joint.slot)]);
      return is_mirrored(asset.nodes[node].parent_from_node);
    });
  } else if (!reported.insert(nodes[static_cast<std::size_t>(mirrored.front().slot)]).second) {
    return;
  }
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(skin), 0};
  if (sink.skip(element)) return;
  Finding finding = finding_about(input, element, mixed ? Severity::warning : Severity::note);
  put_joints(finding, input, skin, mirrored);
  finding.sample_unit = "none";
  finding.measured = {whole("mirrored", mirrored.size(), "joints"),
                      whole("not_mirrored", plain.size(), "joints")};
  finding.message =
      mixed ? fmt::format("{} mirrored while {} not ({})",
                          counted(mirrored.size(), "joint is", "joints are"),
                          counted(plain.size(), "is", "are"), joint_names(asset, skin, mirrored))
            : fmt::format("all {} mirrored alike",
                          counted(mirrored.size(), "joint is", "joints are"));
  sink.report(std::move(finding));
}

/// A mirrored mesh node over joints that are not: engines that take the winding from the node turn
/// the faces over.
void check_mesh(const RuleInput& input, Sink& sink, std::size_t binding,
                std::set<std::int32_t>& reported) {
  const Asset& asset = input.asset;
  const Binding& bound = asset.bindings[binding];
  const auto mesh = handedness(input.facts.world_from_node()[static_cast<std::size_t>(bound.node)]);
  if (!mesh || !*mesh || !reported.insert(bound.node).second) return;
  const std::vector<JointBind>& joints = input.facts.bind(binding).joints;
  bool any = false;
  for (const JointBind& joint : joints) {
    if (!joint.weighted || joint.use != JointBind::Use::usable) continue;
    any = true;
    if (is_mirrored(joint.world_from_mesh))
      return;  // the skin mirrors along: bind-matrix-mirrored's
  }
  const ElementRef element{ElementKind::node, bound.node, 0};
  if (!any || sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::warning);
  finding.measured = {whole("mirrored", 0, "joints"),
                      whole("not_mirrored", joints.size(), "joints")};
  finding.message =
      fmt::format("mesh node {} is mirrored, its skeleton is not", asset.node_name(bound.node));
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  std::set<std::int32_t> joints, meshes;
  for (std::size_t skin = 0; skin < input.asset.skins.size(); ++skin) {
    check_joints(input, sink, skin, joints);
  }
  for (std::size_t binding = 0; binding < input.asset.bindings.size(); ++binding) {
    check_mesh(input, sink, binding, meshes);
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "all joints are mirrored alike, as by one axis conversion above the skeleton (a note)",
    "the mirrored joint carries no weight"};

}  // namespace

const Rule transform_mirrored = {
    {.id = "transform-mirrored",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Some joints, or the mesh node alone, carry a negative scale",
     .why = "Engines store rotation and scale apart and lose the mirror, or turn faces inside out; "
            "animation retargeted to a mirrored joint runs backwards.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Faces are inside out, or one side's animation turns the wrong way after "
                    "import.",
                .action =
                    "Replace negative scale by a mirrored build: mirror the joints by behaviour "
                    "and bind again.",
                .maya = "Skeleton > Mirror Joints (Behavior); on the mesh Modify > Freeze "
                        "Transformations, then Mesh Display > Reverse.",
                .max = "Utilities > Reset XForm on the mesh and collapse; Bone Tools > Mirror for "
                       "bones.",
                .blender = "Object > Apply > Scale, then Mesh > Normals > Recalculate Outside; "
                           "Armature > Symmetrize for bones."},
     .source = "sign of the determinant of the world transforms of joints and mesh node",
     .params = {}},
    check};

}  // namespace skinlint::rules
