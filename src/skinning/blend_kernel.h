#pragma once
// The innermost step of every evaluation, private to this room: one weighted sum of matrices.

#include <cstddef>
#include <cstdint>

#include "model/math.h"

namespace skinlint::skin_detail {

/// The upper three rows of an affine matrix, as they lie best for summing.
template <class T>
using Affine = Eigen::Matrix<T, 3, 4, Eigen::RowMajor>;

/// sum_k w_k * M[j_k] and the sum of weights. Nothing is checked: joints are in range and weights
/// finite.
template <class T>
inline Affine<T> blend_matrices(const std::uint32_t* joints, const T* weights, std::size_t n,
                                const Affine<T>* matrices, T& weight_sum) {
  Affine<T> sum = Affine<T>::Zero();
  weight_sum = T(0);
  for (std::size_t k = 0; k < n; ++k) {
    sum.noalias() += weights[k] * matrices[joints[k]];
    weight_sum += weights[k];
  }
  return sum;
}

/// The image of a point, of a blend whose weights sum to `weight_sum`.
template <class T>
inline Eigen::Matrix<T, 3, 1> blended_point(const Affine<T>& sum, T weight_sum,
                                            const Eigen::Matrix<T, 3, 1>& p) {
  const T scale = T(1) / weight_sum;
  Eigen::Matrix<T, 3, 1> out;
  for (Eigen::Index r = 0; r < 3; ++r)
    out[r] = (sum(r, 0) * p[0] + sum(r, 1) * p[1] + sum(r, 2) * p[2] + sum(r, 3)) * scale;
  return out;
}

}  // namespace skinlint::skin_detail
