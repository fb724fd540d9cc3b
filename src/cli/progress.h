#pragma once
// How far a batch is, on standard error: one line that changes on a terminal, a line now and then
// in a log, nothing for few files.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace skinlint::cli {

class Progress {
 public:
  enum class Style : std::uint8_t { none, terminal, log };
  /// `total` files. Terminal: from half a second on, ten times a second at most; log: every 30 s.
  Progress(Style style, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, const std::string& current);
  /// Takes the line off the terminal, before something else is written there.
  void clear();

  /// "1200 of 10000 files, 350/s, 25 s left: art/hero.fbx"; for tests.
  static std::string line(std::size_t done, std::size_t total, double elapsed_s,
                          const std::string& current);

 private:
  using Clock = std::chrono::steady_clock;
  Style style_;
  std::size_t total_;
  Clock::time_point start_, shown_;
  bool visible_ = false;
};

}  // namespace skinlint::cli
