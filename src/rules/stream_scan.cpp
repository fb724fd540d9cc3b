#include "rules/stream_scan.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace skinlint::rules {
namespace {

constexpr std::size_t block = 1024;

/// Calls `visit(element, values)` for each element, a block at a time.
template <class Visit>
void for_each_element(const Stream& stream, const Visit& visit) {
  const std::size_t width = stream.components;
  std::vector<double> values(width * block);
  for (std::size_t first = 0; first < stream.count; first += block) {
    const std::size_t n = std::min(block, stream.count - first);
    read_values(stream, first, n, values.data());
    for (std::size_t i = 0; i < n; ++i) visit(first + i, values.data() + width * i);
  }
}

bool is_readable(const Stream& stream) {
  return stream.readable() && stream.count > 0 && stream.components > 0;
}

}  // namespace

bool is_off_unit(const Vec4& quaternion, double limit) {
  return !(std::abs(quaternion.norm() - 1.0) <= limit);
}

void scan_vectors(const Stream& stream, const std::function<void(std::size_t)>& bad) {
  if (!is_readable(stream) || stream.components != 3 || is_integer(stream.type)) return;
  for_each_element(stream, [&bad](std::size_t element, const double* v) {
    if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2])) bad(element);
  });
}

void scan_keys(const Stream& stream, KeyKind kind, double limit,
               const std::function<void(std::size_t, double)>& bad) {
  if (!is_readable(stream)) return;
  const std::size_t width = stream.components;
  const bool judge_length = kind != KeyKind::plain && width == 4;
  if (is_integer(stream.type) && !judge_length) return;
  for_each_element(stream, [&](std::size_t element, const double* v) {
    const bool tangent = kind == KeyKind::cubic_rotation && element % 3 != 1;
    if (!std::all_of(v, v + width, [](double x) { return std::isfinite(x); })) {
      bad(element, std::nan(""));
    } else if (judge_length && !tangent) {
      const Vec4 q(v[0], v[1], v[2], v[3]);
      if (is_off_unit(q, limit)) bad(element, q.norm());
    }
  });
}

}  // namespace skinlint::rules
