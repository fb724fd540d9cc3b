#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "rules/measures.h"
#include "rules/morph_offsets.h"
#include "rules/rule_list.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

/// Largest factor by which the binding's space stretches an offset; 1 when it is not known.
double stretch(const BindAnalysis& bind) {
  if (bind.state == BindState::unknown) return 1.0;
  const TransformParts parts = decompose(bind.consensus);
  return parts.valid ? parts.singular_values[0] : 1.0;
}

using MeshAndWeights = std::pair<std::int32_t, std::vector<double>>;

MeshAndWeights mesh_and_weights(const Binding& binding) {
  MeshAndWeights key{binding.mesh, binding.morph_weights};
  for (double& weight : key.second) {
    if (std::isnan(weight)) weight = HUGE_VAL;  // NaN has no order
  }
  return key;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  MorphReach reach;
  std::map<MeshAndWeights, std::size_t> instances;
  for (const Binding& binding : asset.bindings) ++instances[mesh_and_weights(binding)];
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    const std::size_t same = std::exchange(instances[mesh_and_weights(binding)], 0);
    if (same == 0) continue;  // reported with the first of its kind
    const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
    WorstSamples samples(input.max_samples);
    std::uint64_t active = 0;
    bool finite = true;
    double moved = 0.0, largest = 0.0;
    const std::size_t targets = std::min(mesh.morphs.size(), binding.morph_weights.size());
    for (std::size_t t = 0; t < targets; ++t) {
      const double weight = binding.morph_weights[t];
      if (std::abs(weight) <= input.param("weight")) continue;  // NaN is not
      ++active;
      finite = finite && std::isfinite(weight);
      if (std::isfinite(weight)) {
        moved += reach.at(mesh, mesh.morphs[t], weight);
        if (std::abs(weight) > std::abs(largest)) largest = weight;
      }
      samples.add(std::abs(weight), static_cast<std::int64_t>(t), weight, mesh.morphs[t].name);
    }
    if (active == 0) continue;
    const BindAnalysis& bind = input.facts.bind(b);
    const Box& box = input.facts.influences(b).box;
    moved *= stretch(bind);
    const double size = bind.size > 0.0 ? bind.size : box.isEmpty() ? 0.0 : box.diagonal().norm();
    if (finite && !(moved > input.param("displacement") * size)) continue;
    const ElementRef element{ElementKind::binding, static_cast<std::int32_t>(b), 0};
    if (sink.skip(element)) continue;
    Finding finding = finding_about(input, element, finite ? Severity::note : Severity::error);
    finding.poisons_element = false;
    finding.count = active;
    finding.measured = {real("largest_weight", largest), real("displacement", moved, "m"),
                        whole("morph_targets", mesh.morphs.size())};
    if (same > 1) finding.measured.push_back(whole("instances", same));
    finding.samples = samples.take();
    finding.sample_of = "shape";
    finding.message =
        finite ? fmt::format(
                     "{} at rest; vertices are up to {:.3g} m ({} of the size) from where "
                     "they were bound",
                     counted(active, "shape is active", "shapes are active"), moved,
                     percent(size > 0.0 ? 100.0 * moved / size : 0.0))
               : fmt::format("{} at rest, by a weight that is NaN or infinite",
                             counted(active, "shape is active", "shapes are active"));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"weight", 1e-4, 0.0, 1.0, "", "default weight that counts as zero",
     "sliders are left at zero exactly or at the rounding of a percentage"},
    {"displacement", 1e-4, 0.0, 1.0, "of size", "how far the active shapes may move a vertex",
     "docs/model.md: the tolerance of every bind question"}};
constexpr std::string_view not_a_fault_when[] = {
    "the default weights are zero", "the active shapes move nothing",
    "a clip plays shapes: only the weights at rest count",
    "a character is set up by its shapes, such as a body slider: meant so, hence a note"};

}  // namespace

const Rule morph_rest_weights = {
    {.id = "morph-rest-weights",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "Morph targets are active by default: the shape shown is not the one bound",
     .why = "The bind, bounds, physics and any tool that measures the mesh use the shape without "
            "targets; engines that ignore default weights show another character.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The face or body looks different between viewers, or snaps when the "
                           "first clip plays.",
                .action = "Set all shapes to zero before export, or bake the wanted shape into the "
                          "mesh.",
                .maya =
                    "Shape Editor: set all weights to 0; to keep the shape, duplicate it as the "
                    "new base and copy the skin weights.",
                .max = "Morpher > Global Parameters > Zero Active Channel Values.",
                .blender = "Object Data > Shape Keys: set all values to 0 (Clear Shape Keys); to "
                           "keep the shape: New Shape From Mix, make it the Basis."},
     .source = "glTF 2.0 section 3.7.2.2 (mesh.weights, node.weights); FBX DeformPercent",
     .params = params},
    check};

}  // namespace skinlint::rules
