// Faults of one vertex's weights, at multiples of the limits of the rules about them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/faults.h"

namespace skinlint::test::fault_detail {
namespace {

/// A vertex that a polygon uses and whose weights are right, with what it holds.
struct Vertex {
  std::size_t part = 0, table = 0, index = 0;
  double step = 0.0;  // of integer weights
  std::vector<RigInfluence> influences;
  double sum() const {
    double total = 0.0;
    for (const RigInfluence& influence : influences) total += influence.weight;
    return total;
  }
};

std::optional<Vertex> pick(const FaultSite& site, Random& random, bool floats) {
  constexpr int attempts = 64;
  const Binding& binding = site.bound();
  std::vector<std::size_t> parts;
  for (std::size_t p = 0; p < binding.influences.size(); ++p) {
    if (binding.influences[p] < 0) continue;
    const InfluenceTable& table =
        site.asset().influences[static_cast<std::size_t>(binding.influences[p])];
    if (table.vertex_count == 0 || table.empty()) continue;
    if (floats == (table.quantisation_step() > 0.0)) continue;
    parts.push_back(p);
  }
  if (parts.empty()) return std::nullopt;
  Vertex out;
  out.part = parts[random.below(parts.size())];
  out.table = static_cast<std::size_t>(binding.influences[out.part]);
  const InfluenceTable& table = site.asset().influences[out.table];
  out.step = table.quantisation_step();
  const std::vector<bool>& used =
      site.facts().used_vertices(static_cast<std::size_t>(binding.mesh), out.part);
  InfluenceReader reader(table);
  for (int i = 0; i < attempts; ++i) {
    out.index = random.below(table.vertex_count);
    if (!used[out.index]) continue;
    const InfluenceBlock block = reader.at(out.index);
    out.influences.clear();
    for (std::size_t k = 0; k < block.joints_of(0).size(); ++k) {
      if (block.weights_of(0)[k] > 0.0)
        out.influences.push_back({block.joints_of(0)[k], block.weights_of(0)[k]});
    }
    if (!out.influences.empty() && std::abs(out.sum() - 1.0) < 5e-7) return out;
  }
  return std::nullopt;
}

/// A joint of the skin that the vertex does not follow.
std::int32_t other_joint(const FaultSite& site, const Vertex& vertex, Random& random) {
  return choose(site.weighted(), random, [&](std::size_t slot) {
    return std::none_of(vertex.influences.begin(), vertex.influences.end(),
                        [&](const RigInfluence& influence) { return influence.joint == slot; });
  });
}

std::optional<Injected> with(const FaultSite& site, const Vertex& vertex,
                             const std::vector<RigInfluence>& influences) {
  Asset asset = site.asset();
  if (!set_influences(asset, vertex.table, vertex.index, influences)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

std::optional<Injected> non_finite(const FaultSite& site, Random& random, double) {
  std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) return std::nullopt;
  vertex->influences[random.below(vertex->influences.size())].weight =
      random.below(2) == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
  return with(site, *vertex, vertex->influences);
}

std::optional<Injected> negative(const FaultSite& site, Random& random, double size) {
  const std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) return std::nullopt;
  const std::int32_t other = other_joint(site, *vertex, random);
  if (other < 0) return std::nullopt;
  return with(
      site, *vertex,
      {{vertex->influences[0].joint, 1.0}, {static_cast<std::uint32_t>(other), -1e-6 * size}});
}

std::optional<Injected> above_one(const FaultSite& site, Random& random, double size) {
  const std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) return std::nullopt;
  return with(site, *vertex, {{vertex->influences[0].joint, 1.0 + 1e-3 * size}});
}

std::optional<Injected> zero_sum(const FaultSite& site, Random& random, double) {
  std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) vertex = pick(site, random, false);
  if (!vertex) return std::nullopt;
  return with(site, *vertex, {});
}

std::optional<Injected> sum_off(const FaultSite& site, Random& random, double by) {
  std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) return std::nullopt;
  auto heaviest = std::max_element(
      vertex->influences.begin(), vertex->influences.end(),
      [](const RigInfluence& a, const RigInfluence& b) { return a.weight < b.weight; });
  heaviest->weight += 1.0 - by - vertex->sum();
  return with(site, *vertex, vertex->influences);
}
std::optional<Injected> sum_note(const FaultSite& site, Random& random, double size) {
  // FBX: importers divide by the sum, and the limit is wider.
  return sum_off(site, random, size * (site.gltf() ? 1e-5 : 1e-3));
}
std::optional<Injected> sum_warning(const FaultSite& site, Random& random, double size) {
  return sum_off(site, random, size * 1e-3);
}
std::optional<Injected> sum_error(const FaultSite& site, Random& random, double size) {
  return sum_off(site, random, size * 1e-2);
}

/// Integer weights: the sum off by so many steps.
std::optional<Injected> steps_off(const FaultSite& site, Random& random, bool per_influence,
                                  double size) {
  std::optional<Vertex> vertex = pick(site, random, false);
  if (!vertex) return std::nullopt;
  const double limit = per_influence ? static_cast<double>(vertex->influences.size()) : 0.5;
  auto heaviest = std::max_element(
      vertex->influences.begin(), vertex->influences.end(),
      [](const RigInfluence& a, const RigInfluence& b) { return a.weight < b.weight; });
  const double steps = std::floor(limit * size);
  if (!(heaviest->weight > 2.0 * steps * vertex->step)) return std::nullopt;
  heaviest->weight -= steps * vertex->step;
  return with(site, *vertex, vertex->influences);
}
std::optional<Injected> steps_warning(const FaultSite& site, Random& random, double size) {
  return steps_off(site, random, false, size);
}
std::optional<Injected> steps_error(const FaultSite& site, Random& random, double size) {
  return steps_off(site, random, true, size);
}

std::optional<Injected> duplicate(const FaultSite& site, Random& random, double) {
  std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) return std::nullopt;
  RigInfluence& first = vertex->influences[0];
  first.weight *= 0.5;
  const RigInfluence again = first;
  vertex->influences.push_back(again);
  return with(site, *vertex, vertex->influences);
}

std::optional<Injected> out_of_range(const FaultSite& site, Random& random, double) {
  std::optional<Vertex> vertex = pick(site, random, true);
  if (!vertex) vertex = pick(site, random, false);
  if (!vertex) return std::nullopt;
  std::size_t joints = 0;
  for (const Binding& binding : site.asset().bindings) {
    if (binding.mesh == site.bound().mesh)
      joints = std::max(joints,
                        site.asset().skins[static_cast<std::size_t>(binding.skin)].joints.size());
  }
  vertex->influences[0].joint = static_cast<std::uint32_t>(joints + random.below(3));
  return with(site, *vertex, vertex->influences);
}

}  // namespace

std::vector<FaultKind> weight_faults() {
  using Forms = FaultKind::Forms;
  return {
      {.id = "weights-non-finite",
       .rules = {"weights-non-finite"},
       .least = Severity::error,
       .inject = non_finite},
      {.id = "weights-negative",
       .rules = {"weights-negative"},
       .least = Severity::error,
       .graded = true,
       .inject = negative},
      {.id = "weights-above-one",
       .rules = {"weights-above-one"},
       .graded = true,
       .inject = above_one},
      {.id = "weights-zero-sum", .rules = {"weights-zero-sum"}, .inject = zero_sum},
      {.id = "weights-sum/note",
       .rules = {"weights-sum"},
       .least = Severity::note,
       .graded = true,
       .inject = sum_note},
      {.id = "weights-sum/warning",
       .forms = Forms::gltf,
       .rules = {"weights-sum"},
       .graded = true,
       .inject = sum_warning},
      {.id = "weights-sum/error",
       .forms = Forms::gltf,
       .rules = {"weights-sum"},
       .least = Severity::error,
       .graded = true,
       .inject = sum_error},
      {.id = "weights-quantised-sum/warning",
       .forms = Forms::gltf,
       .rules = {"weights-quantised-sum"},
       .graded = true,
       .encodable = false,  // the writer rounds so that sums are kept
       .inject = steps_warning},
      {.id = "weights-quantised-sum/error",
       .forms = Forms::gltf,
       .rules = {"weights-quantised-sum"},
       .least = Severity::error,
       .graded = true,
       .encodable = false,
       .inject = steps_error},
      {.id = "weights-duplicate-joint", .rules = {"weights-duplicate-joint"}, .inject = duplicate},
      {.id = "weights-joint-out-of-range",
       .forms = Forms::gltf,
       .rules = {"weights-joint-out-of-range"},
       .least = Severity::error,
       .inject = out_of_range},
  };
}

}  // namespace skinlint::test::fault_detail
