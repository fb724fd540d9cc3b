#include <fmt/format.h>

#include <algorithm>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// How far a cluster puts the vertices it moves from where the others put the mesh, over its size.
double spread_of(const RuleInput& input, std::size_t binding, std::size_t slot) {
  const Asset& asset = input.asset;
  const Binding& bound = asset.bindings[binding];
  const ClusterRecord& cluster = asset.skins[static_cast<std::size_t>(bound.skin)].clusters[slot];
  const JointInfluence& joint = input.facts.influences(binding).joints[slot];
  const BindAnalysis& bind = input.facts.bind(binding);
  Box box = joint.heavy_box;
  box.extend(joint.centroid());
  const Mat4 world_from_mesh =
      *cluster.transform_link * *cluster.transform * bound.node_from_geometry;
  return change_between(bind.consensus, world_from_mesh, box).displacement / bind.size;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  const double warning = input.param("warning"), error = input.param("error");
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<std::size_t>& bindings = input.facts.bindings_of_skin(s);
    if (bindings.empty()) continue;
    const std::size_t b = bindings.front();
    const BindAnalysis& bind = input.facts.bind(b);
    if (bind.state == BindState::unknown) continue;
    std::vector<JointAmount> apart;
    std::size_t judged = 0;
    for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
      const ClusterRecord& cluster = asset.skins[s].clusters[slot];
      if (!bind.joints[slot].weighted || bind.joints[slot].use != JointBind::Use::usable ||
          !cluster.transform || !cluster.transform_link || cluster.from_bind_pose) {
        continue;
      }
      const auto index = static_cast<std::int32_t>(slot);
      ++judged;
      const double amount = spread_of(input, b, slot);
      if (!(amount > std::max(warning, bind.tau)) || sink.skip(joint_ref(s, index))) continue;
      apart.push_back({index, amount});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (apart.empty() || sink.skip(element)) continue;
    sort_worst_first(apart);
    const double worst = apart.front().amount;
    Finding finding =
        finding_about(input, element, worst > error ? Severity::error : Severity::warning);
    finding.poisons_element = false;
    put_joints(finding, input, s, apart);
    finding.sample_unit = "of size";
    finding.measured = {real("worst_spread", worst, "of size"),
                        real("distance", worst * bind.size, "m"),
                        whole("clusters", judged, "joints")};
    finding.message =
        fmt::format("{} where the mesh was bound ({}): by up to {:.3g} m ({:.2g} % of the size)",
                    counted(apart.size(), "cluster disagrees with the others on",
                            "clusters disagree with the others on"),
                    joint_names(asset, s, apart), worst * bind.size, 100.0 * worst);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"warning", 1e-3, 1e-6, 1.0, "of size", "spread of a cluster's bind to warn at",
     "244 of 245 real FBX skins: the worst 6e-7"},
    {"error", 1e-2, 1e-6, 10.0, "of size", "spread of a cluster's bind that is an error",
     "one percent opens a visible gap"}};
constexpr std::string_view not_a_fault_when[] = {
    "the cluster moves no vertices", "the cluster's matrices were taken from the bind pose"};

}  // namespace

const Rule bind_cluster_mesh_spread = {
    {.id = "bind-cluster-mesh-spread",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "The clusters of one FBX skin disagree on where the mesh was bound",
     .why = "A mesh is bound in one place. Each cluster stores that place; one that says otherwise "
            "shifts its vertices against those of its neighbours.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Around one joint the mesh is torn, shifted or turned against the rest.",
                .action = "Bind the whole mesh again in one pose; do not add influences in "
                          "another pose or after moving the mesh.",
                .maya = "Skin > Go to Bind Pose, Skin > Unbind Skin (keep history), Skin > Bind "
                        "Skin.",
                .max = "Skin > Advanced Parameters: switch Always Deform off and on at the bind "
                       "frame.",
                .blender = "Export again with armature and mesh in Rest Position, transforms "
                           "applied."},
     .source = "TransformLink x Transform must be one matrix over a skin",
     .params = params,
     .symptom = Symptom::records},
    check};

}  // namespace skinlint::rules
