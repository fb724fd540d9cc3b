#pragma once
// Comparisons that tests share. Each gives the worst difference, so that a test states its own
// limit and a failure shows the number.

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/asset.h"

namespace skinlint::test {

/// Largest absolute difference of two entries; infinity when one is finite and the other is not, 0
/// for two NaN.
inline double entry_difference(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0.0;
  const double difference = a == b ? 0.0 : std::abs(a - b);
  return std::isnan(difference) ? HUGE_VAL : difference;
}

template <class A, class B>
double worst_difference(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return HUGE_VAL;
  double worst = 0.0;
  for (Eigen::Index c = 0; c < a.cols(); ++c)
    for (Eigen::Index r = 0; r < a.rows(); ++r)
      worst = std::max(worst, entry_difference(a(r, c), b(r, c)));
  return worst;
}

/// All values of a stream; empty for an undeclared or unreadable one.
inline std::vector<double> values_of(const Stream& stream) {
  std::vector<double> values;
  if (!stream.readable()) return values;
  values.resize(stream.count * stream.components);
  if (!values.empty()) read_values(stream, 0, stream.count, values.data());
  return values;
}

/// Infinity when the lengths differ.
inline double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, entry_difference(a[i], b[i]));
  return worst;
}

inline double worst_difference(const Stream& a, const Stream& b) {
  if (a.declared() != b.declared() || a.readable() != b.readable()) return HUGE_VAL;
  return worst_difference(values_of(a), values_of(b));
}

}  // namespace skinlint::test
