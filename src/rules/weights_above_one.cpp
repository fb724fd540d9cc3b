#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "the excess is float dust: weights-sum looks at the whole vertex",
    "FBX: importers divide by the sum, so it is a warning there"};

constexpr std::array<ParamInfo, 1> params = {
    {{.name = "tolerance",
      .default_value = 1e-3,
      .min = 0.0,
      .max = 1.0,
      .unit = "",
      .meaning = "a single weight up to 1 plus this is accepted",
      .source = "above float dust and below one step of an 8-bit weight (1/255)"}}};

void check(const RuleInput& input, Sink& sink) {
  const double most = 1.0 + input.param("tolerance");
  const Severity severity = is_gltf(input.asset.format) ? Severity::error : Severity::warning;
  for (const BindingGroup& group : influence_groups(input.asset)) {
    VertexTally tally(input.max_samples);
    double largest = 0.0;
    for_each_suspect(input, sink, group.first, suspect_above_one, [&](const SuspectVertex& at) {
      const double worst = *std::max_element(at.weights.begin(), at.weights.end());
      if (!(worst > most)) return;
      largest = std::max(largest, worst);
      // The sum above one is this fault's shadow, so weights-sum must not see it in FBX either.
      sink.poison_suspect(at.binding, at.index);
      tally.add(input.asset, at, severity, worst, worst);
    });
    if (tally.total() == 0) continue;
    Finding finding = finding_about(input, group, severity);
    tally.put_into(finding);
    finding.measured.push_back(real("largest_weight", largest));
    finding.message = fmt::format("{} a weight above 1, the largest {:.6g}",
                                  counted(tally.total(), "vertex has", "vertices have"), largest);
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_above_one{
    {.id = "weights-above-one",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "A single weight is above one",
     .why = "The vertex is moved further than its joint moves. Engines that store weights in bytes "
            "clamp it, so the same file looks different there.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Vertices grow away from the mesh when the joint moves.",
                .action =
                    "Normalise the weights of the mesh; weights painted in percent (0 to 100) "
                    "must be divided first.",
                .maya =
                    "Skin > Normalize Weights > Normalize Weights, with Normalize Weights set to "
                    "Interactive.",
                .max = "Skin modifier > Edit Envelopes > Weight Properties: select all vertices, "
                       "Normalize on.",
                .blender = "Weight Paint: Weights > Normalize All, Lock Active off."},
     .source = "glTF 2.0 section 3.7.3.3 (weights are non-negative and sum to one)",
     .params = params},
    check};

}  // namespace skinlint::rules
