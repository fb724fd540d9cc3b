#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

struct Judged {
  bool counts = false;  // inherits in a way that other tools do not know
  double effect = 0.0;  // by how much the parent's scale matters
};

Judged judge(const Asset& asset, const Node& node, double limit) {
  Judged out;
  if (!node.fbx || node.parent < 0) return out;
  const Node& parent = asset.nodes[static_cast<std::size_t>(node.parent)];
  if (node.fbx->inherit_type == InheritType::Rrs) {
    out.counts = true;
    out.effect = largest_scale_change(asset, node.parent);
  } else if (node.fbx->inherit_type == InheritType::RrSs && parent.fbx) {
    // With one scale for all axes the order makes no difference.
    const Vec3 s = parent.fbx->scaling;
    out.effect = s.maxCoeff() - s.minCoeff();
    out.counts = out.effect > limit;
  }
  return out;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  const double limit = input.param("scale");
  const std::vector<bool> moving = nodes_moving_vertices(input);
  std::vector<bool> reported(asset.nodes.size(), false);
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    std::vector<JointAmount> affected, plain;
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      if (skin.joints[slot] < 0) continue;
      const auto node = static_cast<std::size_t>(skin.joints[slot]);
      if (reported[node] || !moving[node]) continue;
      const Judged judged = judge(asset, asset.nodes[node], limit);
      const auto index = static_cast<std::int32_t>(slot);
      if (!judged.counts || sink.skip(joint_ref(s, index))) continue;
      reported[node] = true;
      (judged.effect > limit ? affected : plain).push_back({index, judged.effect});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if ((affected.empty() && plain.empty()) || sink.skip(element)) continue;
    const bool matters = !affected.empty();
    std::vector<JointAmount>& named = matters ? affected : plain;
    sort_worst_first(named);
    Finding finding = finding_about(input, element, matters ? Severity::warning : Severity::note);
    put_joints(finding, input, s, named);
    finding.sample_unit = "none";
    finding.measured = {whole("affected", affected.size(), "joints"),
                        whole("without_effect", plain.size(), "joints"),
                        real("worst_parent_scale_change", named.front().amount)};
    finding.message = matters
                          ? fmt::format(
                                "{} a parent's scale in a way that most engines do not know ({}); "
                                "there children are scaled with their parent",
                                counted(affected.size(), "joint inherits", "joints inherit"),
                                joint_names(asset, s, affected))
                          : fmt::format(
                                "{} set not to inherit scale; no parent is scaled, so nothing "
                                "depends on it",
                                counted(plain.size(), "joint is", "joints are"));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"scale", 1e-3, 1e-6, 1.0, "",
     "the parent's scale off 1 at rest or in a clip (InheritType 2), or its axes apart (0)",
     "float32 transforms stay below 1e-5"}};
constexpr std::string_view not_a_fault_when[] = {
    "the parent is not scaled, at rest or by a clip: Maya writes InheritType 2 everywhere (a note)",
    "InheritType 0 under a parent with one scale for all axes: it makes no difference",
    "the joint moves no vertices"};

}  // namespace

const Rule transform_inherit_type = {
    {.id = "transform-inherit-type",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A joint does not inherit its parent's scale the way engines do",
     .why = "Maya's segment scale compensation has no counterpart in most engines and in glTF: "
            "there the children of a scaled joint grow with it.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Hands, feet or heads swell or shrink when the joint above them is "
                           "scaled or animated in scale.",
                .action = "Switch scale compensation off and bake, or keep all joints at scale 1.",
                .maya = "Attribute Editor > Joint > Segment Scale Compensate off on all joints, "
                        "then bake and bind again.",
                .max = "Hierarchy > Link Info > Inherit: Scale on for all bones.",
                .blender = "Bone > Relations > Inherit Scale: Full."},
     .source = "FBX InheritType: 0 RrSs, 1 RSrs, 2 Rrs",
     .params = params},
    check};

}  // namespace skinlint::rules
