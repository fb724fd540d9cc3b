#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 4> not_a_fault_when = {
    "the sum is off by float dust", "FBX Additive link mode: weights need not sum to one",
    "FBX Normalize link mode: importers divide by the sum, so it is a note",
    "the vertex is reported already: negative, not a number, above one, or no weight at all"};

constexpr std::array<ParamInfo, 5> params = {
    {{.name = "note",
      .default_value = 1e-5,
      .min = 0.0,
      .max = 1.0,
      .unit = "",
      .meaning = "glTF: a sum further from one than this is a note",
      .source = "237 skinned glTF files: nothing between 1e-5 and 1e-3"},
     {.name = "warning",
      .default_value = 1e-3,
      .min = 0.0,
      .max = 1.0,
      .unit = "",
      .meaning = "glTF: a sum further from one than this is a warning",
      .source = "237 skinned glTF files: nothing between 1e-5 and 1e-3"},
     {.name = "error",
      .default_value = 1e-2,
      .min = 0.0,
      .max = 1.0,
      .unit = "",
      .meaning = "glTF: a sum further from one than this is an error",
      .source = "1 % of the way to the origin: visible on any character; old files reach 0.82"},
     {.name = "fbx",
      .default_value = 1e-3,
      .min = 0.0,
      .max = 1.0,
      .unit = "",
      .meaning =
          "FBX: a sum further from one than this is a note (Normalize) or a warning (Total1)",
      .source = "45 of 154 skinned FBX files exceed it in Normalize mode and deform well"},
     {.name = "normalize_level",
      .default_value = 1,
      .min = 0,
      .max = 3,
      .unit = "level",
      .meaning = "FBX in link mode Normalize: how much such a sum matters",
      .source = "importers divide by the sum; engines that do not are told so by their profile"}}};

/// How a skin combines its weights as a whole: a single Additive or Total1 cluster decides.
LinkMode link_mode(const Skin& skin) {
  LinkMode mode = LinkMode::normalize;
  for (const ClusterRecord& cluster : skin.clusters) {
    if (cluster.mode == LinkMode::additive) return LinkMode::additive;
    if (cluster.mode == LinkMode::total_one) mode = LinkMode::total_one;
  }
  return mode;
}

/// Sums up to this are weights-zero-sum's.
constexpr double no_weight = 1e-6;

void check_group(const RuleInput& input, Sink& sink, const BindingGroup& group) {
  const Asset& asset = input.asset;
  const bool gltf = !is_fbx(asset.format);  // the plain sum of weights
  const LinkMode mode =
      link_mode(asset.skins[static_cast<std::size_t>(asset.bindings[group.first].skin)]);
  if (!gltf && mode == LinkMode::additive) return;
  if (!sums_are_known(asset, group.first)) return;
  const double note = input.param("note"), warning = input.param("warning"),
               error = input.param("error"), fbx = input.param("fbx");
  const Severity normalized = level(input, "normalize_level");
  const auto grade = [&](double off) {
    if (!gltf) {
      if (!(off > fbx)) return Severity::off;
      return mode == LinkMode::total_one ? Severity::warning : normalized;
    }
    if (off > error) return Severity::error;
    if (off > warning) return Severity::warning;
    return off > note ? Severity::note : Severity::off;
  };

  VertexTally tally(input.max_samples);
  double worst_sum = 1.0, lowest = HUGE_VAL, highest = -HUGE_VAL;
  for_each_suspect(input, sink, group.first, suspect_sum, [&](const SuspectVertex& at) {
    if (!is_complete(*at.table) || at.table->quantisation_step() > 0.0) return;
    const double sum = at.weight_sum();
    if (!std::isfinite(sum) || sum <= no_weight) return;
    const double off = std::abs(sum - 1.0);
    const Severity severity = grade(off);
    if (severity == Severity::off) return;
    if (off > std::abs(worst_sum - 1.0)) worst_sum = sum;
    lowest = std::min(lowest, sum);
    highest = std::max(highest, sum);
    if (severity == Severity::error) sink.poison_suspect(at.binding, at.index);
    tally.add(asset, at, severity, off, sum);
  });
  if (tally.total() == 0) return;
  Finding finding = finding_about(input, group, tally.worst());
  tally.put_into(finding);
  finding.measured.push_back(real("worst_sum", worst_sum));
  finding.measured.push_back(real("lowest_sum", lowest));
  finding.measured.push_back(real("highest_sum", highest));
  finding.message = fmt::format("the weights of {} do not sum to 1, the worst to {:.6g}",
                                counted(tally.total(), "vertex", "vertices"), worst_sum);
  if (!gltf && mode == LinkMode::normalize) finding.message += "; importers divide by the sum";
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  for (const BindingGroup& group : influence_groups(input.asset)) check_group(input, sink, group);
}

}  // namespace

constinit const Rule weights_sum{
    {.id = "weights-sum",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "The weights of a vertex do not sum to one",
     .why = "Engines that do not renormalise scale the vertex towards or away from the origin by "
            "the missing part, the more the further it stands from there.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh shrinks, swells or wobbles as the character moves away from "
                           "the origin.",
                .action = "Normalise all weights of the mesh after the last prune, smooth or "
                          "influence limit, then export.",
                .maya = "Skin > Normalize Weights > Normalize Weights.",
                .max = "Skin modifier > Edit Envelopes > Weight Properties: select all vertices, "
                       "Normalize on.",
                .blender = "Weight Paint: Weights > Normalize All with Lock Active off, after "
                           "Weights > Limit Total."},
     .source = "glTF 2.0 section 3.7.3.3 (weights sum as near to one as can be); FBX link modes",
     .params = params},
    check};

}  // namespace skinlint::rules
