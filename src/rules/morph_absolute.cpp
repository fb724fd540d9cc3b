#include <fmt/format.h>

#include <algorithm>

#include "rules/measures.h"
#include "rules/morph_absolute.h"
#include "rules/rule_list.h"
#include "rules/skinned_meshes.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {

bool is_absolute(const AbsoluteFit& fit, const AbsoluteLimits& limits) {
  const auto fits = [&](double correlation, double ratio) {
    return correlation > limits.correlation && ratio >= limits.ratio_low &&
           ratio <= limits.ratio_high;
  };
  if (!(fit.moving > limits.moving)) return false;
  if (!fits(fit.correlation_origin, fit.ratio_origin) ||
      !fits(fit.correlation_centroid, fit.ratio_centroid)) {
    return false;
  }
  // A shape that grows, stretches or thins the mesh is a linear map of the positions, and hardly
  // ever the identity.
  return fit.unexplained > limits.grow_residual || fit.map_from_identity < limits.grow_map;
}

std::optional<AbsoluteFit> absolute_fit(AbsoluteProbe& probe, const MorphTarget& target,
                                        const AbsoluteLimits& limits) {
  for (const MorphTarget::Shape& shape : target.shapes) {
    if (!probe.may_be_absolute(shape, limits.moving)) continue;
    const AbsoluteFit fit = probe.fit(shape);
    if (is_absolute(fit, limits)) return fit;
  }
  return std::nullopt;
}

namespace {

void check(const RuleInput& input, Sink& sink) {
  AbsoluteLimits limits;
  limits.correlation = input.param("correlation");
  limits.ratio_low = input.param("ratio_low");
  limits.ratio_high = input.param("ratio_high");
  limits.moving = input.param("moving");
  for (const SkinnedMesh& skinned : skinned_meshes(input.asset)) {
    const Mesh& mesh = input.asset.meshes[skinned.mesh];
    const auto index = static_cast<std::int32_t>(skinned.mesh);
    if (mesh.morphs.empty()) continue;
    AbsoluteProbe probe(mesh);
    Finding finding = finding_about(input, {ElementKind::mesh, index, 0}, Severity::warning);
    finding.count = 0;
    WorstSamples samples(input.max_samples);
    AbsoluteFit worst;
    std::string worst_name;
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      const std::optional<AbsoluteFit> fit = absolute_fit(probe, mesh.morphs[t], limits);
      if (!fit) continue;
      const ElementRef target{ElementKind::morph_target, index, static_cast<std::int32_t>(t)};
      ++finding.count;
      finding.related.push_back(target);
      const double correlation = std::min(fit->correlation_origin, fit->correlation_centroid);
      if (finding.count == 1 ||
          correlation > std::min(worst.correlation_origin, worst.correlation_centroid)) {
        worst = *fit;
        worst_name = mesh.morphs[t].name;
      }
      samples.add(correlation, static_cast<std::int64_t>(t), correlation, mesh.morphs[t].name);
    }
    if (finding.count == 0 || sink.skip(finding.element)) continue;
    finding.measured = {real("correlation_origin", worst.correlation_origin),
                        real("correlation_centroid", worst.correlation_centroid),
                        real("length_ratio", worst.ratio_centroid),
                        real("moving", 100.0 * worst.moving, "%"),
                        whole("morph_targets", mesh.morphs.size())};
    finding.samples = samples.take();
    finding.sample_of = "shape";
    finding.message = fmt::format(
        "{} look like positions, not offsets (\"{}\": offsets follow the positions by {:.3f}, {} "
        "of "
        "the vertices move); the mesh doubles in size where it is played",
        counted(finding.count, "shape", "shapes"), worst_name,
        std::min(worst.correlation_origin, worst.correlation_centroid),
        percent(100.0 * worst.moving));
    sink.report(std::move(finding));
  }
}

constexpr std::string_view origin =
    "stored positions correlate above 0.99 with the vertices; expressions and correctives of real "
    "files stay below 0.6";
constexpr ParamInfo params[] = {
    {"correlation", AbsoluteLimits{}.correlation, 0.0, 1.0, "",
     "correlation of offsets with positions, about the origin and about the centroid", origin},
    {"ratio_low", AbsoluteLimits{}.ratio_low, 0.0, 1.0, "",
     "smallest ratio of offset lengths to position lengths", "positions have a ratio near 1"},
    {"ratio_high", AbsoluteLimits{}.ratio_high, 1.0, 100.0, "",
     "largest ratio of offset lengths to position lengths", "positions have a ratio near 1"},
    {"moving", AbsoluteLimits{}.moving, 0.0, 1.0, "of vertices",
     "share of the vertices that must move",
     "positions are zero at no vertex; expressions move a part of the face"}};
constexpr std::string_view not_a_fault_when[] = {
    "the shape grows, stretches or thins the mesh: a linear map other than the identity explains "
    "it",
    "few vertices move: a corrective or an expression",
    "the offsets are much smaller or larger than the positions",
    "the mesh has no skin: it is not judged"};

}  // namespace

const Rule morph_absolute = {
    {.id = "morph-absolute",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::mesh,
     .summary = "Morph targets seem to hold positions where offsets belong",
     .why = "Both formats add a shape to the vertices. A shape stored as positions adds the whole "
            "mesh to itself.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Playing an expression blows the head up to twice its size and moves it "
                           "away.",
                .action = "Check these shapes by playing them; if they explode, export them again "
                          "as offsets from the base mesh.",
                .maya = "Shape Editor: delete the target and add it again with Create > Blend "
                        "Shape (Origin: local); do not export baked target meshes as shapes.",
                .max = "Morpher: reload the target from its mesh (Reload All Morph Targets) after "
                       "Reset XForm on both, and export again.",
                .blender = "Shape Keys: Relative on; a key made while it was off has to be made "
                           "anew with New Shape From Mix."},
     .source = "glTF 2.0 section 3.7.2.2 and FBX shapes of version 100: offsets from the base mesh",
     .params = params},
    check};

}  // namespace skinlint::rules
