#pragma once
// WorstSamples keeps the worst few of any number of occurrences, in memory that does not grow with
// the file.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/finding.h"

namespace skinlint::rules {

class WorstSamples {
 public:
  /// `most`: RuleInput::max_samples; 0 keeps none.
  explicit WorstSamples(std::size_t most) : most_(most) {}

  /// True when an occurrence this bad would be kept: lets a caller skip making a label. NaN badness
  /// counts as infinitely bad.
  bool wants(double badness) const {
    return most_ > 0 && (kept_.size() < most_ || rank(badness) > kept_.back().badness);
  }

  /// Keeps the occurrence if it is among the worst; ties go to the one that came first.
  void add(double badness, std::int64_t index, double value, std::string label = {}) {
    if (!wants(badness)) return;
    const double ranked = rank(badness);
    const auto place = std::find_if(kept_.begin(), kept_.end(), [ranked](const Entry& entry) {
      return ranked > entry.badness;
    });
    kept_.insert(place, Entry{ranked, Sample{index, value, std::move(label)}});
    if (kept_.size() > most_) kept_.pop_back();
  }

  bool empty() const { return kept_.empty(); }

  /// Worst first.
  std::vector<Sample> take() {
    std::vector<Sample> samples;
    samples.reserve(kept_.size());
    for (Entry& entry : kept_) samples.push_back(std::move(entry.sample));
    kept_.clear();
    return samples;
  }

 private:
  struct Entry {
    double badness;
    Sample sample;
  };
  static double rank(double badness) { return std::isnan(badness) ? HUGE_VAL : badness; }

  std::size_t most_;
  std::vector<Entry> kept_;  // worst first
};

}  // namespace skinlint::rules
