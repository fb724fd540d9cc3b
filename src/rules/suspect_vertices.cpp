#include "rules/suspect_vertices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace skinlint::rules {

double SuspectVertex::weight_sum() const {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  return sum;
}

bool is_complete(const InfluenceTable& table) {
  return table.uses_lists() || table.usable_sets().size() == table.sets.size();
}

bool sums_are_known(const Asset& asset, std::size_t binding) {
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  return std::none_of(skin.clusters.begin(), skin.clusters.end(), [](const ClusterRecord& cluster) {
    return cluster.index_count != cluster.weight_count || cluster.out_of_range > 0;
  });
}

std::string part_label(const Asset& asset, std::size_t binding, std::uint32_t part) {
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[binding].mesh)];
  return mesh.parts.size() > 1 ? fmt::format("part {}", part) : std::string();
}

void for_each_suspect(const RuleInput& input, Sink& sink, std::size_t binding, std::uint16_t flags,
                      const std::function<void(const SuspectVertex&)>& judge) {
  const Binding& bound = input.asset.bindings[binding];
  const std::vector<Suspect>& suspects = input.facts.influences(binding).suspects;
  std::optional<InfluenceReader> reader;
  std::optional<std::uint32_t> open_part;
  bool part_skipped = false;
  bool binding_asked = false;
  SuspectVertex vertex;
  vertex.binding = binding;

  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const Suspect& suspect = suspects[i];
    if ((suspect.flags & flags) == 0) continue;
    // Asked only when there is something to judge, so that "skipped" lists checks that would have
    // run.
    if (!binding_asked) {
      if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(binding), 0})) return;
      binding_asked = true;
    }
    if (open_part != suspect.part) {
      open_part = suspect.part;
      reader.reset();
      const std::int32_t table =
          suspect.part < bound.influences.size() ? bound.influences[suspect.part] : -1;
      part_skipped =
          table < 0 || sink.skip({ElementKind::part, bound.mesh, static_cast<int>(suspect.part)});
      if (!part_skipped) {
        vertex.table = &input.asset.influences[static_cast<std::size_t>(table)];
        reader.emplace(*vertex.table);
      }
    }
    if (part_skipped || suspect.vertex >= vertex.table->vertex_count) continue;
    if (sink.skip_suspect(binding, i)) continue;
    const InfluenceBlock block = reader->at(suspect.vertex);
    vertex.index = i;
    vertex.part = suspect.part;
    vertex.vertex = suspect.vertex;
    vertex.joints = block.joints_of(0);
    vertex.weights = block.weights_of(0);
    judge(vertex);
  }
}

void VertexTally::add(const Asset& asset, const SuspectVertex& vertex, Severity severity,
                      double badness, double value, const std::string& label) {
  switch (severity) {
    case Severity::error:
      ++errors_;
      break;
    case Severity::warning:
      ++warnings_;
      break;
    case Severity::note:
      ++notes_;
      break;
    case Severity::off:
      return;
  }
  if (samples_.wants(badness)) {
    std::string text = part_label(asset, vertex.binding, vertex.part);
    if (!text.empty() && !label.empty()) text += ", ";
    samples_.add(badness, vertex.vertex, value, text + label);
  }
}

std::uint64_t VertexTally::count(Severity severity) const {
  switch (severity) {
    case Severity::error:
      return errors_;
    case Severity::warning:
      return warnings_;
    case Severity::note:
      return notes_;
    case Severity::off:
      return 0;
  }
  return 0;
}

Severity VertexTally::worst() const {
  if (errors_ > 0) return Severity::error;
  if (warnings_ > 0) return Severity::warning;
  return notes_ > 0 ? Severity::note : Severity::off;
}

void VertexTally::put_into(Finding& finding) {
  finding.severity = worst();
  finding.count = total();
  finding.poisons_element = false;
  finding.samples = samples_.take();
  finding.sample_of = "vertex";
  const int grades = (errors_ > 0) + (warnings_ > 0) + (notes_ > 0);
  if (grades > 1) {
    finding.measured.push_back(whole("error_vertices", errors_));
    finding.measured.push_back(whole("warning_vertices", warnings_));
    finding.measured.push_back(whole("note_vertices", notes_));
  }
}

}  // namespace skinlint::rules
