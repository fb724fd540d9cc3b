#include "rules/stream_scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

/// Normals are most of what a file holds and nearly all are good: decided in the stored precision,
/// a little inside the limit, and only what fails that is looked at closely.
template <class T>
void scan_real_directions(const Stream& stream, double limit,
                          const std::function<void(std::size_t, const Vec4&)>& bad) {
  const double inside = 0.999 * limit;
  const T low = static_cast<T>((1.0 - inside) * (1.0 - inside));
  const T high = static_cast<T>((1.0 + inside) * (1.0 + inside));
  const bool has_fourth = stream.components == 4;
  const std::byte* at = stream.data;
  for (std::size_t i = 0; i < stream.count; ++i, at += stream.stride) {
    T v[4] = {0, 0, 0, 1};
    std::memcpy(v, at, 3 * sizeof(T));
    if (has_fourth) std::memcpy(v + 3, at + 3 * sizeof(T), sizeof(T));
    const T squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (squared >= low && squared <= high && v[3] * v[3] == T{1}) continue;
    const Vec4 wide(static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]),
                    static_cast<double>(v[3]));
    if (!(std::abs(wide.head<3>().norm() - 1.0) <= limit) || std::abs(wide[3]) != 1.0) bad(i, wide);
  }
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

void scan_directions(const Stream& stream, double limit,
                     const std::function<void(std::size_t, const Vec4&)>& bad) {
  if (!is_readable(stream) || (stream.components != 3 && stream.components != 4)) return;
  if (stream.type == ComponentType::f32) return scan_real_directions<float>(stream, limit, bad);
  if (stream.type == ComponentType::f64) return scan_real_directions<double>(stream, limit, bad);
  const bool has_fourth = stream.components == 4;
  for_each_element(stream, [&](std::size_t element, const double* v) {
    const Vec4 wide(v[0], v[1], v[2], has_fourth ? v[3] : 1.0);
    if (!(std::abs(wide.head<3>().norm() - 1.0) <= limit) || std::abs(wide[3]) != 1.0)
      bad(element, wide);
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
