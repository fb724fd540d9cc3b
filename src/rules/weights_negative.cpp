#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 1> not_a_fault_when = {
    "smoothing left dust just below zero: a note, nothing moves by it"};

constexpr std::array<ParamInfo, 1> params = {
    {{.name = "dust",
      .default_value = 1e-6,
      .min = 0.0,
      .max = 1e-2,
      .unit = "",
      .meaning = "a weight above minus this is rounding dust and a note",
      .source =
          "below half a step of any 16-bit weight, so no engine that packs weights sees it"}}};

void check(const RuleInput& input, Sink& sink) {
  const double dust = input.param("dust");
  for (const BindingGroup& group : influence_groups(input.asset)) {
    VertexTally tally(input.max_samples);
    std::uint64_t negative = 0;
    double lowest = 0.0;
    for_each_suspect(input, sink, group.first, suspect_negative, [&](const SuspectVertex& at) {
      double worst = 0.0;
      for (const double weight : at.weights) {
        if (!(weight < 0.0)) continue;
        ++negative;
        worst = std::min(worst, weight);
      }
      if (worst == 0.0) return;
      lowest = std::min(lowest, worst);
      const bool moves = worst < -dust;
      if (moves) sink.poison_suspect(at.binding, at.index);
      tally.add(input.asset, at, moves ? Severity::error : Severity::note, -worst, worst);
    });
    if (tally.total() == 0) continue;
    Finding finding = finding_about(input, group, Severity::error);
    tally.put_into(finding);
    finding.measured.push_back(real("lowest_weight", lowest));
    finding.measured.push_back(whole("negative_weights", negative));
    finding.message = fmt::format("{} a negative weight, the lowest {:.6g}",
                                  counted(tally.total(), "vertex has", "vertices have"), lowest);
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_negative{
    {.id = "weights-negative",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::binding,
     .summary = "A weight is negative",
     .why = "A negative weight pushes the vertex away from its joint and lets the others pull too "
            "far. Engines that pack weights into bytes turn it into a large positive one or zero.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Single vertices move against the bone, or spike out in one engine and "
                           "not in another.",
                .action = "Set the weights of the vertices named here to zero or above and "
                          "normalise; smoothing or mirroring tools are the usual cause.",
                .maya =
                    "Windows > General Editors > Component Editor > Smooth Skins: set to 0, then "
                    "Skin > Normalize Weights.",
                .max =
                    "Skin modifier > Edit Envelopes > Weight Properties > Weight Table: set to 0, "
                    "Normalize on.",
                .blender = "Weight Paint: Weights > Clean, then Weights > Normalize All."},
     .source = "glTF 2.0 section 3.7.3.3 (weights must not be negative)",
     .params = params},
    check};

}  // namespace skinlint::rules
