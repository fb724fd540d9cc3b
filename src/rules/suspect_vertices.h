#pragma once
// The walk that every weights-* rule makes: over the vertices that the one pass of
// analyse_influences marked, each read again, past those an earlier rule has already reported.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "rules/binding_groups.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {

struct SuspectVertex {
  std::size_t binding = 0;
  std::size_t index = 0;  // into InfluenceAnalysis::suspects
  std::uint32_t part = 0;
  std::uint32_t vertex = 0;  // within the part
  const InfluenceTable* table = nullptr;
  std::span<const std::uint32_t> joints;  // as stored, parallel to weights
  std::span<const double> weights;

  double weight_sum() const;  // in file order; not finite when a weight is not
};

/// Calls `judge` for the suspects of `binding` that carry one of `flags`, in vertex order. A
/// binding, part or vertex that an earlier error poisoned is passed over (and counted by the sink).
/// The spans live until `judge` returns.
void for_each_suspect(const RuleInput& input, Sink& sink, std::size_t binding, std::uint16_t flags,
                      const std::function<void(const SuspectVertex&)>& judge);

/// Every set that the table declares can be used, so that the sum of a vertex's weights is known.
bool is_complete(const InfluenceTable& table);

/// False when an FBX skin has clusters whose arrays do not fit (lengths that differ, control points
/// outside the mesh): some vertex then lost weight, nobody can say which, and its sum is a
/// consequence of that fault.
bool sums_are_known(const Asset& asset, std::size_t binding);

/// "part 2" when the binding's mesh has several parts, else empty.
std::string part_label(const Asset& asset, std::size_t binding, std::uint32_t part);

/// Counts of one rule's vertices per grade, and the worst few of them.
class VertexTally {
 public:
  explicit VertexTally(std::size_t max_samples) : samples_(max_samples) {}
  void add(const Asset& asset, const SuspectVertex& vertex, Severity severity, double badness,
           double value, const std::string& label = {});
  std::uint64_t count(Severity severity) const;
  std::uint64_t total() const { return errors_ + warnings_ + notes_; }
  Severity worst() const;
  /// Fills severity, count, samples, and the counts per grade when there are several grades; the
  /// finding poisons vertices alone.
  void put_into(Finding& finding);

 private:
  std::uint64_t errors_ = 0, warnings_ = 0, notes_ = 0;
  WorstSamples samples_;
};

}  // namespace skinlint::rules
