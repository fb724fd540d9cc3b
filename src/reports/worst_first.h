#pragma once
// Keeps the worst of many items in bounded memory: for formats whose readers take only so many.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace skinlint {

/// Rendered items by rank, 0 the worst; of one rank the first ones are kept, in the order added.
class WorstFirst {
 public:
  /// At most `most` items of together at most `most_bytes`; ranks run below `ranks`.
  WorstFirst(std::size_t ranks, std::size_t most, std::size_t most_bytes)
      : most_(most), most_bytes_(most_bytes), kept_(ranks), dropped_(ranks) {}

  /// False when an item of this rank would be dropped at once, so that nobody need render it; it is
  /// counted as dropped then.
  bool takes(std::size_t rank) {
    const bool room = count_ < most_ || lowest() > rank;
    if (!room) ++dropped_[rank];
    return room;
  }
  void add(std::size_t rank, std::string item) {
    bytes_ += item.size();
    ++count_;
    kept_[rank].push_back(std::move(item));
    while (count_ > most_ || (bytes_ > most_bytes_ && count_ > 0)) {
      const std::size_t last = lowest();
      bytes_ -= kept_[last].back().size();
      --count_;
      kept_[last].pop_back();
      ++dropped_[last];
    }
  }

  template <class Use>
  void for_each(Use use) const {
    for (std::size_t rank = 0; rank < kept_.size(); ++rank) {
      for (const std::string& item : kept_[rank]) use(rank, item);
    }
  }
  std::size_t size() const { return count_; }
  std::uint64_t dropped(std::size_t rank) const { return dropped_[rank]; }
  std::uint64_t dropped() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : dropped_) sum += n;
    return sum;
  }

 private:
  /// The lowest rank that holds an item; 0 when none does.
  std::size_t lowest() const {
    std::size_t rank = kept_.size();
    while (rank > 1 && kept_[rank - 1].empty()) --rank;
    return rank - 1;
  }

  std::size_t most_, most_bytes_;
  std::vector<std::deque<std::string>> kept_;
  std::vector<std::uint64_t> dropped_;
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace skinlint
