#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

struct Misfit {
  bool drifts = false;
  double displacement = 0.0;
};

/// Per slot: does the joint stand elsewhere than an identity matrix claims?
std::vector<Misfit> misfits(const RuleInput& input, std::size_t skin) {
  std::vector<Misfit> worst(input.asset.skins[skin].joints.size());
  const std::vector<ClusterRecord>& clusters = input.asset.skins[skin].clusters;
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const BindAnalysis& bind = input.facts.bind(b);
    for (std::size_t slot = 0; slot < worst.size() && slot < bind.joints.size(); ++slot) {
      const JointBind& joint = bind.joints[slot];
      if (joint.use != JointBind::Use::usable) continue;
      // FBX: the joint's own record of where it was bound says whether the identity was right.
      const bool drifts =
          slot < clusters.size() && clusters[slot].transform_link
              ? largest_distance(*clusters[slot].transform_link, bind.consensus,
                                 input.facts.influences(b).box) > bind.tau * bind.size
              : joint.drifts;
      if (!drifts) continue;
      worst[slot].drifts = true;
      worst[slot].displacement = std::max(worst[slot].displacement, joint.relative.displacement);
    }
  }
  return worst;
}

bool has_joint_below(const Asset& asset, std::int32_t node) {
  const std::vector<std::int32_t>& children = asset.nodes[static_cast<std::size_t>(node)].children;
  return std::any_of(children.begin(), children.end(), [&asset](std::int32_t child) {
    return asset.nodes[static_cast<std::size_t>(child)].is_joint;
  });
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double tolerance = input.param("tolerance");
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (has_no_matrices(asset, s)) continue;
    const Skin& skin = asset.skins[s];
    std::vector<std::int32_t> identities;
    for (std::size_t slot = 0; slot < skin.joint_from_mesh.size(); ++slot) {
      const auto& matrix = skin.joint_from_mesh[slot];
      if (!matrix || skin.joints[slot] < 0 || !matrix->allFinite()) continue;
      if ((*matrix - Mat4::Identity()).cwiseAbs().maxCoeff() <= tolerance) {
        identities.push_back(static_cast<std::int32_t>(slot));
      }
    }
    if (identities.empty()) continue;
    const std::vector<Misfit> misfit = misfits(input, s);
    const std::vector<bool> weighted = weighted_slots(input, s);
    std::vector<JointAmount> wrong;
    std::uint64_t weighted_count = 0;
    for (const std::int32_t index : identities) {
      const auto slot = static_cast<std::size_t>(index);
      if (!misfit[slot].drifts) continue;
      if (!weighted[slot] && !has_joint_below(asset, skin.joints[slot])) continue;
      if (sink.skip(joint_ref(s, index))) continue;
      if (weighted[slot]) ++weighted_count;
      wrong.push_back({index, misfit[slot].displacement});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (wrong.empty() || sink.skip(element)) continue;
    std::stable_sort(wrong.begin(), wrong.end(), [&](const JointAmount& a, const JointAmount& b) {
      const bool wa = weighted[static_cast<std::size_t>(a.slot)];
      const bool wb = weighted[static_cast<std::size_t>(b.slot)];
      return wa != wb ? wa : a.amount > b.amount;
    });
    Finding finding =
        finding_about(input, element, weighted_count > 0 ? Severity::warning : Severity::note);
    put_joints(finding, input, s, wrong);
    finding.sample_unit = "m";
    finding.measured = {whole("weighted", weighted_count, "joints"),
                        real("max_displacement", wrong.front().amount, "m")};
    finding.message =
        fmt::format("{} an inverse bind matrix left at the identity ({}): off by up to {:.3g} m",
                    counted(wrong.size(), "joint has", "joints have"), joint_names(asset, s, wrong),
                    wrong.front().amount);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"tolerance", 1e-6, 0.0, 1e-2, "",
                                 "largest element difference from the identity",
                                 "room for float rounding"}};
constexpr std::string_view not_a_fault_when[] = {
    "the joint stands where the mesh's space is: the identity is its right matrix",
    "a joint without weight at the end of a chain: converters write the identity there",
    "the skin stores no matrices at all: bind-matrix-missing tells of it"};

}  // namespace

const Rule bind_matrix_identity = {
    {.id = "bind-matrix-identity",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A joint's inverse bind matrix was never filled in",
     .why = "The identity says that the joint was bound at the mesh's origin; it was not, so its "
            "vertices move by the joint's whole place in the scene.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "One part of the mesh flies off, the others are right.",
                .action =
                    "The joint joined the skeleton after binding: add it to the skin properly "
                    "or remove its weights.",
                .maya = "Skin > Edit Influences > Add Influence for the joint, then export again.",
                .max = "Skin modifier > Bones > Remove, then Add the bone again.",
                .blender =
                    "Check that the vertex group names a deform bone (Bone > Deform on), then "
                    "export again."},
     .source = "glTF 2.0 section 3.7.3.1",
     .params = params,
     .symptom = Symptom::drift},
    check};

}  // namespace skinlint::rules
