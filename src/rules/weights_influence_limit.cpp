#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "rules/rule_list.h"
#include "rules/suspect_vertices.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 3> not_a_fault_when = {
    "the weights beyond the limit are below 1/512, less than any 8-bit weight holds",
    "the target takes more influences: set the limit",
    "film assets: switch the rule off, as the profile film does"};

constexpr std::array<ParamInfo, 3> params = {
    {{.name = "limit",
      .default_value = 4.0,
      .min = 1.0,
      .max = 1024.0,
      .unit = "influences",
      .meaning = "influences per vertex that the target engine keeps",
      .source = "glTF 2.0 section 3.7.3.3: support beyond one set of four is optional; Unreal 8 "
                "to 12"},
     {.name = "smallest_weight",
      .default_value = 1.0 / 512.0,
      .min = 0.0,
      .max = 0.5,
      .unit = "",
      .meaning = "weights up to this do not count as influences",
      .source = "rounds to zero in an 8-bit weight (half of 1/255 is about 1/512)"},
     {.name = "warning_loss",
      .default_value = 1.0,
      .min = 0.0,
      .max = 100.0,
      .unit = "%",
      .meaning = "a vertex that loses at least this much weight is a warning, below it a note",
      .source = "1 % of a joint's movement: the same limit as an error of weights-sum"}}};

struct Width {
  std::size_t influences = 0;
  double lost_percent = 0.0;
};

/// Influences that count, and the share of weight that goes when only the `limit` largest stay.
Width measure(std::span<const double> weights, std::size_t limit, double smallest,
              std::vector<double>& scratch) {
  scratch.clear();
  Width width;
  double sum = 0.0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight <= 0.0) continue;
    sum += weight;
    scratch.push_back(weight);
    if (weight > smallest) ++width.influences;
  }
  if (width.influences <= limit) return width;
  std::sort(scratch.begin(), scratch.end(), std::greater<>());
  double lost = 0.0;
  for (std::size_t k = limit; k < scratch.size(); ++k) lost += scratch[k];
  width.lost_percent = 100.0 * lost / sum;
  return width;
}

void check_group(const RuleInput& input, Sink& sink, const BindingGroup& group) {
  const InfluenceAnalysis& analysis = input.facts.influences(group.first);
  const auto limit = static_cast<std::size_t>(input.param("limit"));
  // Most files end here: the one pass has seen no vertex that wide.
  if (analysis.max_influences <= limit) return;
  if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0})) return;
  const double smallest = input.param("smallest_weight"), visible = input.param("warning_loss");
  const Binding& binding = input.asset.bindings[group.first];
  VertexTally tally(input.max_samples);
  std::vector<double> scratch;
  std::size_t most = 0, suspect = 0;
  double most_lost = 0.0;
  for (std::size_t p = 0; p < binding.influences.size(); ++p) {
    if (binding.influences[p] < 0) continue;
    SuspectVertex at;
    at.binding = group.first;
    at.part = static_cast<std::uint32_t>(p);
    at.table = &input.asset.influences[static_cast<std::size_t>(binding.influences[p])];
    InfluenceReader reader(*at.table);
    for (InfluenceBlock block; reader.next(block);) {
      for (std::size_t v = 0; v < block.count; ++v) {
        const Width width = measure(block.weights_of(v), limit, smallest, scratch);
        if (width.influences <= limit) continue;
        at.vertex = static_cast<std::uint32_t>(block.first_vertex + v);
        // Suspects are in vertex order: one walk beside this one finds those reported already.
        const std::vector<Suspect>& suspects = analysis.suspects;
        while (suspect < suspects.size() &&
               (suspects[suspect].part < at.part ||
                (suspects[suspect].part == at.part && suspects[suspect].vertex < at.vertex))) {
          ++suspect;
        }
        if (suspect < suspects.size() && suspects[suspect].part == at.part &&
            suspects[suspect].vertex == at.vertex && sink.skip_suspect(group.first, suspect)) {
          continue;
        }
        most = std::max(most, width.influences);
        most_lost = std::max(most_lost, width.lost_percent);
        tally.add(input.asset, at,
                  width.lost_percent < visible ? Severity::note : Severity::warning,
                  width.lost_percent, static_cast<double>(width.influences));
      }
    }
  }
  if (tally.total() == 0) return;
  Finding finding = finding_about(input, group, tally.worst());
  tally.put_into(finding);
  finding.measured.push_back(whole("most_influences", most, "influences"));
  finding.measured.push_back(real("largest_loss", most_lost, "%"));
  finding.message = fmt::format(
      "{} more than {} influences, at most {}; cut to {}, one loses {:.3g} % of its weight",
      counted(tally.total(), "vertex has", "vertices have"), limit, most, limit, most_lost);
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  for (const BindingGroup& group : influence_groups(input.asset)) check_group(input, sink, group);
}

}  // namespace

constinit const Rule weights_influence_limit{
    {.id = "weights-influence-limit",
     .severity = Severity::warning,
     .stage = Stage::budget,
     .scope = ElementKind::binding,
     .summary = "Vertices follow more joints than the target keeps",
     .why = "The engine drops the smallest weights, with or without renormalising: the surface "
            "jumps where neighbours keep other joints.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "Creases and steps at shoulders, hips and faces that the scene did not "
                     "have.",
          .action = "Limit the influences in the scene and look at the result there, or raise "
                    "the limit in the engine and here.",
          .maya = "Skin > Bind Skin options: Max Influences with Maintain Max Influences; then "
                  "Skin > Prune Small Weights.",
          .max = "Skin modifier > Advanced Parameters > Bone Affect Limit.",
          .blender = "Weight Paint: Weights > Limit Total (4), then Weights > Normalize All."},
     .source = "glTF 2.0 section 3.7.3.3 (one set of four must be supported); engine manuals",
     .params = params},
    check};

}  // namespace skinlint::rules
