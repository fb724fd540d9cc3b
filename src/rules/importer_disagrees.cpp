#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/importer_view.h"
#include "rules/importer_gaps.h"
#include "rules/measures.h"
#include "rules/rule_list.h"
#include "skinning/importer_vertices.h"

namespace skinlint::rules {
namespace {

using Kind = ImporterDifference::Kind;

constexpr std::array<std::string_view, 4> not_a_fault_when = {
    "only the form differs: vertices repeated for each corner, meshes split by material, helper "
    "nodes, unit and axes left to the caller",
    "the difference is a gap of the importer that the finding names as legal: the file is right, "
    "and the importer or the engine on it is to be mended",
    "joints without weight are left out",
    "the second opinion was not asked for, or this build has no other importer"};

/// Assimp's own numbers are float32, through chains of float32 matrices.
constexpr ParamInfo params[] = {
    {"displacement", 1e-3, 0, 1, "of size", "how far a vertex may stand elsewhere at rest",
     "where Assimp reads real files rightly it agrees within 1e-5, with float32 throughout"},
    {"weight", 1e-4, 0, 1, "", "how far a weight may differ",
     "float32 rounding is 1e-7; integer weights are exact in steps of 1/65535"}};

void name_gap(Finding& finding, const ImporterView& view, ImporterGap gap) {
  const GapText text = gap_text(gap);
  finding.measured.push_back(words("importer", view.importer));
  finding.measured.push_back(words("gap", std::string(text.id.empty() ? "unknown" : text.id)));
  if (text.id.empty()) return;
  finding.message += fmt::format("; known: {} {}{}", view.importer, text.name,
                                 text.legal ? " (the file is legal)" : " (mend the file)");
}

void check_outcome(const RuleInput& input, const ImporterView& view, Sink& sink) {
  using Outcome = ImporterView::Outcome;
  if (view.outcome == Outcome::imported && view.crash_on_release.empty()) return;
  Finding finding = finding_about(input, {ElementKind::file, 0, 0}, Severity::warning);
  const char* outcome = "crashed";
  switch (view.outcome) {
    case Outcome::imported:
      outcome = "crashed-on-release";
      finding.message = fmt::format("{} reads the file and crashes when it lets the scene go: {}",
                                    view.importer, view.crash_on_release);
      break;
    case Outcome::crashed:
      finding.message = fmt::format("{} crashes on the file: {}", view.importer, view.detail);
      break;
    case Outcome::refused:
      outcome = "refused";
      finding.message = fmt::format("{} refuses the file: {}", view.importer, view.detail);
      break;
    case Outcome::timed_out:
      outcome = "timed-out";
      finding.message =
          fmt::format("{} does not read the file within {}", view.importer, view.detail);
      break;
    case Outcome::over_memory:
      outcome = "over-memory";
      finding.message =
          fmt::format("{} needs more than {} for the file", view.importer, view.detail);
      break;
  }
  finding.measured = {words("outcome", outcome)};
  finding.limits = {};
  name_gap(finding, view, gap_of_failure(input.asset, view, input.facts.depth_of_node()));
  sink.report(std::move(finding));
}

/// What the items of a difference are.
bool counts_joints(Kind kind) {
  return kind == Kind::joints_lost || kind == Kind::bind_matrices || kind == Kind::joints_placed;
}

void add_items(const RuleInput& input, const Binding& binding, const ImporterDifference& d,
               Finding& finding) {
  const bool joints = counts_joints(d.kind);
  const auto& slots = input.asset.skins[static_cast<std::size_t>(binding.skin)].joints;
  if (gap_text(d.gap).varies) return;
  for (const ImporterDifference::Item& item : d.items) {
    Sample& sample = finding.samples.emplace_back();
    sample.index = item.index;
    sample.value = item.value;
    if (!joints) continue;
    sample.label = input.asset.node_name(slots[static_cast<std::size_t>(item.index)]);
    finding.related.push_back(
        {ElementKind::joint, binding.skin, static_cast<std::int32_t>(item.index)});
  }
  if (finding.samples.empty()) return;
  finding.sample_of = joints ? "joint" : "vertex";
  finding.sample_unit = d.kind == Kind::joints_lost ? "vertices"
                        : d.kind == Kind::weights   ? ""
                                                    : "m";
}

void check(const RuleInput& input, Sink& sink) {
  if (input.importer == nullptr) return;
  const ImporterView& view = *input.importer;
  check_outcome(input, view, sink);
  if (view.outcome != ImporterView::Outcome::imported) return;
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> nodes = match_nodes(asset, view);
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[b];
    const double size = input.facts.bind(b).size;
    const ImporterComparison compared = compare_binding(
        {asset, view, nodes, input.facts.world_from_node(), input.facts.skin_matrices(b), b, size,
         size * input.param("displacement"), input.param("weight"), input.max_samples});
    bool first = std::none_of(compared.differences.begin(), compared.differences.end(),
                              [](const ImporterDifference& d) { return gap_text(d.gap).varies; });
    for (const ImporterDifference& d : compared.differences) {
      Finding finding = finding_about(
          input, {ElementKind::binding, static_cast<std::int32_t>(b), 0},
          d.kind == Kind::method_lost || d.kind == Kind::not_aligned ? Severity::note
                                                                     : Severity::warning);
      finding.count = d.count;
      finding.message = difference_text(d, size);
      finding.measured = {words("kind", std::string(difference_name(d.kind))),
                          whole("compared", d.total)};
      if (gap_text(d.gap).varies) {
        // No number of rubbish is the same twice, nor does it say anything.
      } else if (d.kind == Kind::weights) {
        finding.measured.push_back(real("weight", d.ours));
        finding.measured.push_back(real("importers_weight", d.theirs));
      } else if (d.worst > 0.0) {
        finding.measured.push_back(real("displacement", d.worst, "m"));
      }
      if (first && compared.moved > 0) {
        finding.measured.push_back(whole("moved_vertices", compared.moved));
        finding.measured.push_back(real("moved_by", compared.displacement, "m"));
        if (d.kind != Kind::posed_vertices) {
          finding.message +=
              fmt::format("; at rest {} of {} stand elsewhere, {}",
                          counted(compared.moved, "vertex", "vertices"), compared.posed,
                          share_of_size(compared.displacement, size));
        }
      }
      first = false;
      add_items(input, binding, d, finding);
      name_gap(finding, view, d.gap);
      sink.report(std::move(finding));
    }
  }
}

}  // namespace

constinit const Rule importer_disagrees{
    {.id = "importer-disagrees",
     .severity = Severity::warning,
     .stage = Stage::budget,
     .scope = ElementKind::binding,
     .summary = "Another importer crashes on the file, refuses it, or sees another skin in it",
     .why = "Many engines and pipelines import through Assimp. Whatever it drops, changes or "
            "misplaces is what they show, however right the file is.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The asset is right in the DCC and in other engines, and wrong, "
                           "unskinned or missing where Assimp imports it.",
                .action = "Where the finding says that the file is legal, mend or replace the "
                          "importer, or export in a form that it reads; else mend the file first.",
                .maya = "FBX: freeze transforms and remove pivots; glTF exporters: float weights, "
                        "with inverse bind matrices.",
                .max = "Collapse Reset XForm before Skin, so that no geometric transform is left; "
                       "give every bone its own name.",
                .blender = "Export glTF without quantisation and with the skin's matrices; give "
                           "every bone its own name."},
     .source = "measured with Assimp 5.2.5 of Debian 12: docs/importer-differences.md",
     .params = params},
    check};

}  // namespace skinlint::rules
