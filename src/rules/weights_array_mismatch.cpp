#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "a part has neither JOINTS nor WEIGHTS, or a cluster neither Indexes nor Weights",
    "an accessor cannot be read and file-damaged says so"};

using Problems = std::vector<std::string>;

/// What one pass over the asset tells, so that judging a part costs no search.
struct Known {
  explicit Known(const Asset& asset) {
    for (const Repair& repair : asset.repairs) {
      repaired.insert(repair.element);
    }
    for (const Binding& binding : asset.bindings) {
      for (std::size_t part = 0; part < binding.influences.size(); ++part) {
        if (binding.influences[part] < 0) continue;
        tables.try_emplace({binding.mesh, part},
                           &asset.influences[static_cast<std::size_t>(binding.influences[part])]);
      }
    }
  }
  const InfluenceTable* table(std::size_t mesh, std::size_t part) const {
    const auto found = tables.find({static_cast<std::int32_t>(mesh), part});
    return found != tables.end() ? found->second : nullptr;
  }
  std::set<ElementRef> repaired;
  std::map<std::pair<std::int32_t, std::size_t>, const InfluenceTable*> tables;
};

void judge_stream(const Known& known, const ElementRef& part, const InfluenceTable& table,
                  const std::string& name, const Stream& stream, bool is_weights,
                  Problems& problems) {
  const bool unsigned_small = stream.type == ComponentType::u8 || stream.type == ComponentType::u16;
  const bool legal =
      is_weights ? stream.type == ComponentType::f32 || (unsigned_small && stream.normalized)
                 : unsigned_small && !stream.normalized;
  if (stream.components != 4) {
    problems.push_back(fmt::format("{} has {} components instead of 4", name, stream.components));
  }
  if (!legal) {
    problems.push_back(fmt::format("{} is stored as {}{}", name, component_type_name(stream.type),
                                   stream.normalized ? ", normalised" : ""));
  }
  if (stream.count != table.vertex_count) {
    problems.push_back(
        fmt::format("{} has {} entries for {} vertices", name, stream.count, table.vertex_count));
  } else if (legal && stream.components == 4 && !stream.readable() &&
             known.repaired.count({ElementKind::accessor, stream.source, 0}) == 0 &&
             known.repaired.count(part) == 0) {
    problems.push_back(fmt::format("{} cannot be read", name));
  }
}

void judge_sets(const Known& known, const ElementRef& element, const MeshPart& part,
                const InfluenceTable* table, Problems& problems) {
  const std::set<std::int32_t> declared(part.influence_sets_declared.begin(),
                                        part.influence_sets_declared.end());
  std::int32_t expected = 0;
  for (const std::int32_t number : declared) {
    if (number != expected) {
      problems.push_back(fmt::format("set {} is there without set {}", number, expected));
    }
    expected = number + 1;
  }
  if (table == nullptr) return;
  for (const InfluenceTable::Set& set : table->sets) {
    const std::string joints = fmt::format("JOINTS_{}", set.number);
    const std::string weights = fmt::format("WEIGHTS_{}", set.number);
    if (set.joints.declared() != set.weights.declared()) {
      problems.push_back(set.joints.declared() ? joints + " is there without " + weights
                                               : weights + " is there without " + joints);
    }
    if (set.joints.declared())
      judge_stream(known, element, *table, joints, set.joints, false, problems);
    if (set.weights.declared())
      judge_stream(known, element, *table, weights, set.weights, true, problems);
  }
}

void check_gltf(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const Known known(asset);
  for (std::size_t m = 0; m < asset.meshes.size(); ++m) {
    for (std::size_t p = 0; p < asset.meshes[m].parts.size(); ++p) {
      Problems problems;
      const ElementRef element{ElementKind::part, static_cast<std::int32_t>(m),
                               static_cast<std::int32_t>(p)};
      judge_sets(known, element, asset.meshes[m].parts[p], known.table(m, p), problems);
      if (problems.empty()) continue;
      Finding finding = finding_about(input, element, Severity::error);
      finding.count = problems.size();
      for (const std::string& problem : problems) {
        finding.message += (finding.message.empty() ? "" : "; ") + problem;
      }
      finding.measured = {words("problem", problems.front()),
                          whole("vertices", asset.meshes[m].parts[p].declared_vertex_count)};
      sink.report(std::move(finding));
    }
  }
}

void check_fbx(const RuleInput& input, Sink& sink) {
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const auto skin = static_cast<std::int32_t>(s);
    const std::vector<ClusterRecord>& clusters = input.asset.skins[s].clusters;
    Finding finding = finding_about(input, {ElementKind::skin, skin, 0}, Severity::error);
    finding.count = 0;
    // The joint's matrices are sound; only its weights are not known.
    finding.poisons_element = false;
    WorstSamples samples(input.max_samples);
    std::uint64_t worst = 0;
    for (std::size_t slot = 0; slot < clusters.size(); ++slot) {
      const ClusterRecord& cluster = clusters[slot];
      if (cluster.index_count == cluster.weight_count) continue;
      const std::uint64_t difference = cluster.index_count > cluster.weight_count
                                           ? cluster.index_count - cluster.weight_count
                                           : cluster.weight_count - cluster.index_count;
      ++finding.count;
      worst = std::max(worst, difference);
      samples.add(static_cast<double>(difference), static_cast<std::int64_t>(slot),
                  static_cast<double>(difference), cluster.name);
      if (finding.related.size() < input.max_samples) {
        finding.related.push_back({ElementKind::joint, skin, static_cast<std::int32_t>(slot)});
      }
    }
    if (finding.count == 0) continue;
    finding.samples = samples.take();
    finding.sample_of = "joint";
    finding.sample_unit = "entries";
    finding.measured = {whole("largest_difference", worst, "entries")};
    finding.message =
        fmt::format("{} as many weights as control points, off by up to {}",
                    counted(finding.count, "cluster has not", "clusters have not"), worst);
    sink.report(std::move(finding));
  }
}

void check(const RuleInput& input, Sink& sink) {
  if (is_gltf(input.asset.format)) {
    check_gltf(input, sink);
  } else {
    check_fbx(input, sink);
  }
}

}  // namespace

constinit const Rule weights_array_mismatch{
    {.id = "weights-array-mismatch",
     .severity = Severity::error,
     .stage = Stage::read,
     .scope = ElementKind::part,
     .summary = "Joint indices and weights do not fit together",
     .why =
         "Every vertex needs as many weights as joint indices. When one list is short, missing or "
         "of another type, importers shift weights to other vertices, drop them, or refuse.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh stays in its bind pose, tears apart, or does not load.",
                .action =
                    "Export again with a current exporter; if it comes back, rebuild the skin "
                    "of the mesh named here from copied weights.",
                .maya = "Duplicate the mesh, Skin > Bind Skin to the same joints, then Skin > Copy "
                        "Skin Weights from the old mesh.",
                .max = "Skin modifier > Advanced Parameters > Save, remove the modifier, add a new "
                       "Skin with the same bones, Load.",
                .blender = "Duplicate the mesh, remove its vertex groups, add a Data Transfer "
                           "modifier: Vertex Data > Vertex Groups, from the old mesh."},
     .source =
         "glTF 2.0 section 3.7.3.3 (skinned mesh attributes) and 3.7.2.1 (attribute types and "
         "set numbers); FBX Cluster Indexes and Weights",
     .params = {}},
    check};

}  // namespace skinlint::rules
