#pragma once
// Whether an injected fault was found, and whether the cause named first is the right one.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/check.h"
#include "support/faults.h"

namespace skinlint::test {

struct Verdict {
  enum class Outcome : std::uint8_t { detected, missed, silent, false_alarm };
  Outcome outcome = Outcome::missed;
  /// Of the most severe new finding that carries one: its id, "unexplained", or "no cause".
  std::string cause = "no cause";
  bool ambiguous = false;
  bool cause_right = false;  // where the kind has causes and the fault was detected
  bool slots_judged = false, slots_right = false;
  /// Rules that spoke, at warning or above, besides those expected and their companions.
  std::vector<std::string> others;
};

/// Sizes below 1 must be silent, others found. What the clean asset's report says already is taken
/// off.
Verdict judge(const FileResult& clean, const FileResult& faulty, const FaultKind& kind, double size,
              const Injected& injected, std::size_t binding);

/// 0.5, 0.9, 2 and 10 for a graded kind, else 1.
const std::vector<double>& sizes_of(const FaultKind& kind);

/// A binding that stands as it was bound, with joints to break.
bool is_whole(const FaultSite& site);

struct KindTally {
  std::size_t outside = 0, detected = 0, inside = 0, silent = 0, not_applicable = 0;
  std::size_t causes_judged = 0, causes_right = 0, ambiguous = 0;
  std::size_t slots_judged = 0, slots_right = 0;
  std::map<std::string, std::size_t> causes;  // as named first, over detected faults
  std::map<std::string, std::size_t> others;
};

class Scoreboard {
 public:
  void not_applicable(const FaultKind& kind) { ++tallies_[std::string(kind.id)].not_applicable; }
  void add(const FaultKind& kind, double size, const Verdict& verdict);
  const std::map<std::string, KindTally>& tallies() const { return tallies_; }
  KindTally total() const;
  KindTally of_causes() const;  // the kinds that have causes
  void merge(const Scoreboard& other);

 private:
  std::map<std::string, KindTally> tallies_;
};

/// One injection and its judgement; empty when the fault is meaningless there. `encoded`: the
/// faulty asset goes through a writer and a reader before it is checked.
std::optional<Verdict> try_fault(const FaultSite& site, const FileResult& clean,
                                 const FaultKind& kind, std::uint32_t seed, double size,
                                 bool encoded);

}  // namespace skinlint::test
