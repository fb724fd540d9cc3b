#include <fmt/format.h>

#include <array>
#include <cmath>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 1> not_a_fault_when = {
    "never: no importer has a meaning for it"};

void check(const RuleInput& input, Sink& sink) {
  for (const BindingGroup& group : influence_groups(input.asset)) {
    VertexTally tally(input.max_samples);
    std::uint64_t nans = 0, infinities = 0;
    for_each_suspect(input, sink, group.first, suspect_non_finite, [&](const SuspectVertex& at) {
      double found = 0.0;
      for (const double weight : at.weights) {
        if (std::isfinite(weight)) continue;
        ++(std::isnan(weight) ? nans : infinities);
        found = weight;
      }
      if (std::isfinite(found)) return;
      sink.poison_suspect(at.binding, at.index);
      tally.add(input.asset, at, Severity::error, 1.0, found);
    });
    if (tally.total() == 0) continue;
    Finding finding = finding_about(input, group, Severity::error);
    tally.put_into(finding);
    finding.measured.push_back(whole("nan_weights", nans));
    finding.measured.push_back(whole("infinite_weights", infinities));
    finding.message =
        fmt::format("{} a weight that is no number ({} NaN, {} infinite)",
                    counted(tally.total(), "vertex has", "vertices have"), nans, infinities);
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule weights_non_finite{
    {.id = "weights-non-finite",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::binding,
     .summary = "A weight is NaN or infinite",
     .why =
         "One such weight makes the vertex position NaN: its triangles vanish or spread over the "
         "screen, and bounding boxes and physics built on them fail.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "Triangles flicker or vanish, the mesh is culled at random, bounds are "
                     "infinite.",
          .action = "Reset the weights of the vertices named here and normalise them; a weight "
                    "script that divided by zero is the usual cause.",
          .maya = "Windows > General Editors > Component Editor > Smooth Skins: type new "
                  "weights, then Skin > Normalize Weights.",
          .max = "Skin modifier > Edit Envelopes > Weight Properties > Weight Table: type new "
                 "weights, Normalize on.",
          .blender = "Edit mode, select the vertices, N panel > Item > Vertex Weights: remove "
                     "and assign again, then Weights > Normalize All."},
     .source = "glTF 2.0 section 3.6.2.2 (accessor values must not be NaN or infinite)",
     .params = {}},
    check};

}  // namespace skinlint::rules
