#include "engine/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace skinlint {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows are enough.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view given, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 200;  // what is longer was not meant as a name
  if (given.empty() || given.size() > kLongest) return {};
  std::string best;
  std::size_t fewest = 0;
  for (const std::string& candidate : candidates) {
    const bool prefix = given.size() >= 3 && candidate.compare(0, given.size(), given) == 0;
    const std::size_t edits = prefix ? 1 : edit_distance(given, candidate);
    if (edits > std::max<std::size_t>(1, std::max(given.size(), candidate.size()) / 3)) continue;
    if (best.empty() || edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

std::string suggestion(std::string_view given, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShortList = 12;
  const std::string name = nearest(given, candidates);
  if (!name.empty()) return fmt::format(" (did you mean \"{}\"?)", name);
  if (candidates.empty() || candidates.size() > kShortList) return {};
  return fmt::format(" (one of: {})", fmt::join(candidates, ", "));
}

}  // namespace skinlint
