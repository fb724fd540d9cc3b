#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/command.h"
#include "reports/unicode.h"

namespace skinlint::cli {

Progress::Progress(Style style, std::size_t total)
    : style_(total > 1 ? style : Style::none),
      total_(total),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() { clear(); }

std::string Progress::line(std::size_t done, std::size_t total, double elapsed_s,
                           const std::string& current) {
  std::string text = fmt::format("{} of {} files", done, total);
  if (done > 0 && elapsed_s > 0.0) {
    const double rate = static_cast<double>(done) / elapsed_s;
    const double left = std::ceil(static_cast<double>(total - std::min(done, total)) / rate);
    text += rate >= 10.0 ? fmt::format(", {:.0f}/s", rate) : fmt::format(", {:.1f}/s", rate);
    text += left < 120.0 ? fmt::format(", {:.0f} s left", left)
                         : fmt::format(", {:.0f} min left", std::ceil(left / 60.0));
  }
  if (!current.empty()) text += ": " + printable(current, 60);
  return text;
}

void Progress::update(std::size_t done, const std::string& current) {
  if (style_ == Style::none) return;
  const Clock::time_point now = Clock::now();
  using std::chrono::milliseconds;
  const auto pause = style_ == Style::log ? milliseconds(30000)
                     : visible_           ? milliseconds(100)
                                          : milliseconds(500);
  if (now - shown_ < pause) return;
  shown_ = now;
  const std::string text =
      line(done, total_, std::chrono::duration<double>(now - start_).count(), current);
  // ESC [ K erases what a longer line left behind.
  const std::string out = style_ == Style::terminal ? fmt::format("\r{}\x1b[K", text)
                                                    : fmt::format("skinlint: {}\n", text);
  std::fwrite(out.data(), 1, out.size(), stderr);
  visible_ = style_ == Style::terminal;
}

void Progress::clear() {
  if (!visible_) return;
  std::fputs("\r\x1b[K", stderr);
  visible_ = false;
}

}  // namespace skinlint::cli
