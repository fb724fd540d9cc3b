#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "the integers sum to exactly 255 or 65535",
    "the vertex has no weight at all: weights-zero-sum says so"};

constexpr std::array<ParamInfo, 1> params = {
    {{.name = "steps_per_influence",
      .default_value = 1.0,
      .min = 0.0,
      .max = 64.0,
      .unit = "steps",
      .meaning = "a sum off by at most this times the vertex's influences is a warning, more an "
                 "error",
      .source = "rounding every weight by itself cannot be off by more than half a step each"}}};

void check(const RuleInput& input, Sink& sink) {
  if (!is_gltf(input.asset.format)) return;
  const double allowance = input.param("steps_per_influence");
  for (const BindingGroup& group : influence_groups(input.asset)) {
    VertexTally tally(input.max_samples);
    double worst = 0.0, steps = 0.0;
    for_each_suspect(input, sink, group.first, suspect_sum, [&](const SuspectVertex& at) {
      const double step = at.table->quantisation_step();
      if (step <= 0.0 || !is_complete(*at.table)) return;
      const auto influences = static_cast<double>(std::count_if(
          at.weights.begin(), at.weights.end(), [](double weight) { return weight > 0.0; }));
      const double full = std::round(1.0 / step);
      const double off = std::round(at.weight_sum() * full) - full;
      if (influences == 0.0 || off == 0.0) return;
      steps = full;
      if (std::abs(off) > std::abs(worst)) worst = off;
      const bool rounding = std::abs(off) <= allowance * influences;
      if (!rounding) sink.poison_suspect(at.binding, at.index);
      tally.add(input.asset, at, rounding ? Severity::warning : Severity::error, std::abs(off),
                off);
    });
    if (tally.total() == 0) continue;
    Finding finding = finding_about(input, group, tally.worst());
    tally.put_into(finding);
    finding.measured.push_back(real("worst_difference", worst, "steps"));
    finding.measured.push_back(real("full_sum", steps, "steps"));
    finding.message =
        fmt::format("the integer weights of {} do not sum to {:.0f}, the worst is off by {:+.0f}",
                    counted(tally.total(), "vertex", "vertices"), steps, worst);
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_quantised_sum{
    {.id = "weights-quantised-sum",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "Integer weights of a vertex do not sum to exactly one",
     .why =
         "Integer weights can sum exactly and the format demands it. Every missing step pulls the "
         "vertex towards the origin, so seams between vertices open.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Fine cracks or a shimmer along seams, worse far from the origin.",
                .action =
                    "Let the tool that packs the weights hand the rounding rest to the largest "
                    "weight of each vertex, or export float weights.",
                .maya = "Skin > Normalize Weights > Normalize Weights before the export; pack with "
                        "a current optimiser.",
                .max = "Skin modifier > Weight Properties: Normalize on before the export; pack "
                       "with a current optimiser.",
                .blender = "Weight Paint: Weights > Normalize All before the export; pack with a "
                           "current optimiser."},
     .source = "glTF 2.0 section 3.7.3.3 (normalised integer weights sum to 255 or 65535 before "
               "normalisation)",
     .params = params},
    check};

}  // namespace skinlint::rules
