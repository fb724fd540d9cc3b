#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 4> not_a_fault_when = {
    "glTF: no polygon uses the vertex; FBX: then it is a note",
    "the policy names a fallback joint: a warning that says so",
    "FBX Additive link mode: clusters add to the mesh's own transform",
    "the weights could not be read or do not fit: reported as that"};

constexpr std::array<ParamInfo, 2> params = {
    {{.name = "eps",
      .default_value = 1e-6,
      .min = 0.0,
      .max = 0.1,
      .unit = "",
      .meaning = "a sum of weights up to this counts as zero",
      .source = "division by a smaller sum amplifies float rounding beyond the vertex itself"},
     {.name = "fbx_level",
      .default_value = 2,
      .min = 0,
      .max = 3,
      .unit = "level",
      .meaning = "FBX: how much a control point of a polygon without weight matters",
      .source = "FBX leaves such a point where it was bound; engines do not"}}};

bool additive(const Skin& skin) {
  return std::any_of(skin.clusters.begin(), skin.clusters.end(), [](const ClusterRecord& cluster) {
    return cluster.mode == LinkMode::additive;
  });
}

std::uint64_t used_vertex_count(const RuleInput& input, const Binding& binding) {
  std::uint64_t used = 0;
  for (std::size_t p = 0; p < binding.influences.size(); ++p) {
    if (binding.influences[p] < 0) continue;
    const std::vector<bool>& part =
        input.facts.used_vertices(static_cast<std::size_t>(binding.mesh), p);
    used += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), true));
  }
  return used;
}

void check_group(const RuleInput& input, Sink& sink, const BindingGroup& group) {
  const Asset& asset = input.asset;
  const Binding& binding = asset.bindings[group.first];
  const Skin& skin = asset.skins[static_cast<std::size_t>(binding.skin)];
  const bool gltf = !is_fbx(asset.format);  // the plain sum of weights
  if (skin.joints.empty() || additive(skin) || !sums_are_known(asset, group.first)) return;
  const double eps = input.param("eps");
  const ZeroWeightPolicy policy = input.facts.zero_weight(group.first);
  const bool falls_back =
      policy.kind == ZeroWeightPolicy::Kind::fallback && policy.fallback_slot >= 0;
  const Severity severity = falls_back ? Severity::warning
                            : gltf     ? Severity::error
                                       : level(input, "fbx_level");
  if (severity == Severity::off) return;

  VertexTally tally(input.max_samples);
  std::uint64_t used = 0, unused = 0;
  for_each_suspect(
      input, sink, group.first, suspect_zero | suspect_sum, [&](const SuspectVertex& at) {
        const double sum = at.weight_sum();
        if (!is_complete(*at.table) || !(sum <= eps) || !std::isfinite(sum)) return;
        const std::vector<bool>& part =
            input.facts.used_vertices(static_cast<std::size_t>(binding.mesh), at.part);
        const bool shown = at.vertex < part.size() && part[at.vertex];
        if (!shown && gltf) return;
        ++(shown ? used : unused);
        if (shown) sink.poison_suspect(at.binding, at.index);
        tally.add(asset, at, shown ? severity : Severity::note, shown ? 1.0 : 0.0, sum);
      });
  if (tally.total() == 0) return;
  const std::uint64_t all = used_vertex_count(input, binding);

  Finding finding = finding_about(input, group, severity);
  tally.put_into(finding);
  finding.measured.push_back(whole("used_vertices", used));
  finding.measured.push_back(whole("unused_vertices", unused));
  finding.measured.push_back(words("all_used_vertices", used == all && used > 0 ? "yes" : "no"));
  if (used == 0) {
    finding.message = fmt::format("{} no weight, and no polygon uses them",
                                  counted(unused, "control point has", "control points have"));
  } else if (used == all) {
    finding.message =
        fmt::format("all {} that polygons use have no weight: the mesh is not skinned",
                    counted(used, "vertex", "vertices"));
  } else {
    finding.message =
        fmt::format("{} no weight on any joint", counted(used, "vertex has", "vertices have"));
  }
  if (falls_back && used > 0) {
    const std::int32_t node = skin.joints[static_cast<std::size_t>(policy.fallback_slot)];
    const std::string joint = node >= 0 ? asset.node_name(node) : input.facts.fallback_joint();
    finding.measured.push_back(words("fallback_joint", joint));
    finding.message += fmt::format("; bound to {} as the policy says", joint);
  }
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  for (const BindingGroup& group : influence_groups(input.asset)) check_group(input, sink, group);
}

}  // namespace

constinit const Rule weights_zero_sum{
    {.id = "weights-zero-sum",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "A vertex has no weight on any joint",
     .why = "The formats give such a vertex no place: engines leave it at the origin, at its bind "
            "position, or on joint 0, each in its own way.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Vertices stay at the origin or in the air while the character walks "
                           "away: long spikes.",
                .action = "Give the vertices named here weight, usually that of their neighbours; "
                          "check parts that were joined to the mesh after binding.",
                .maya = "Select the vertices, Skin > Hammer Skin Weights, then Skin > Normalize "
                        "Weights.",
                .max = "Skin modifier > Edit Envelopes > Weight Properties > Weight Tool: select, "
                       "Blend, or set Abs. Effect to 1 for one bone.",
                .blender = "Edit mode > Select > Select All by Trait > Ungrouped Vertices, assign "
                           "to a group; Weight Paint: Weights > Smooth."},
     .source = "glTF 2.0 section 3.7.3.3 (weights sum to one); FBX link mode Normalize divides by "
               "the sum",
     .params = params},
    check};

}  // namespace skinlint::rules
