#pragma once
// What a reader changed, skipped or could not read, collected while it reads. Equal places are
// counted, not listed twice, and a hostile file cannot grow the list without bound.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/asset.h"

namespace skinlint {

class RepairLog {
 public:
  /// Adds one repair, or adds `count` to the one of the same kind, element and locator; its text is
  /// then kept and the stronger `affects_skinning` wins. `count` 0 announces a cause whose victims
  /// are counted by later calls. Beyond max_listed repairs only a total per kind is kept.
  void add(Repair::Kind kind, ElementRef element, bool affects_skinning, std::string detail,
           std::string locator, std::uint64_t count = 1);
  /// The repairs in the order they were first seen, counts at least 1, then the totals of what was
  /// not listed. Leaves the log empty.
  std::vector<Repair> take();

  static constexpr std::size_t max_listed = 1000;

 private:
  using Key = std::tuple<Repair::Kind, ElementRef, std::string>;
  std::vector<Repair> repairs_;
  std::map<Key, std::size_t> index_;
  struct Total {
    std::uint64_t count = 0;
    bool affects_skinning = false;
  };
  std::map<Repair::Kind, Total> unlisted_;
};

/// Bytes that a file may still make us allocate. Claims are spent before anything is allocated.
class Allowance {
 public:
  explicit Allowance(std::uint64_t bytes) : left_(bytes) {}
  /// False, and nothing spent, when fewer than `bytes` are left.
  bool spend(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

}  // namespace skinlint
