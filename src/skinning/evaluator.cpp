#include "skinning/evaluator.h"

#include <algorithm>
#include <cmath>

namespace skinlint {
namespace {

/// The operator itself: sum_k c_k f_k over the influences, for any f (matrix on a point, linear
/// part). Returns the sum of weights, or NaN when an influence cannot be evaluated.
template <class Add>
double blend(std::span<const std::uint32_t> joints, std::span<const double> weights,
             const SkinMatrices& matrices, Add add) {
  double sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double w = weights[k];
    if (w == 0.0) continue;
    if (!(w > 0.0) || !std::isfinite(w) || joints[k] >= matrices.world_from_mesh.size() ||
        !matrices.usable[joints[k]]) {
      return std::nan("");
    }
    sum += w;
    add(w, matrices.world_from_mesh[joints[k]]);
  }
  return sum;
}

const Mat4* fallback_matrix(const SkinMatrices& matrices, const ZeroWeightPolicy& policy) {
  if (policy.kind != ZeroWeightPolicy::Kind::fallback || policy.fallback_slot < 0) return nullptr;
  const auto slot = static_cast<std::size_t>(policy.fallback_slot);
  return slot < matrices.world_from_mesh.size() && matrices.usable[slot]
             ? &matrices.world_from_mesh[slot]
             : nullptr;
}

/// Offset of one target at an activation: piecewise linear through (0, 0) and each in-between's
/// (full_weight, shape).
struct ShapeMix {
  std::size_t shape = 0;
  double factor = 0.0;
};

std::vector<ShapeMix> mix_shapes(const MorphTarget& target, double activation) {
  std::vector<ShapeMix> mix;
  if (activation == 0.0 || target.shapes.empty()) return mix;
  std::size_t upper = 0;
  while (upper + 1 < target.shapes.size() && activation > target.shapes[upper].full_weight) ++upper;
  const double hi = target.shapes[upper].full_weight;
  const double lo = upper == 0 ? 0.0 : target.shapes[upper - 1].full_weight;
  const double t = hi != lo ? (activation - lo) / (hi - lo) : 1.0;
  mix.push_back({upper, t});
  if (upper > 0) mix.push_back({upper - 1, 1.0 - t});
  return mix;
}

void add_shape(const MorphTarget::Shape& shape, std::size_t part, double factor, std::size_t first,
               std::span<Vec3> positions) {
  const Stream& offsets = shape.positions[part];
  if (!offsets.declared() || !offsets.readable() || offsets.components != 3) return;
  const Stream* indices = part < shape.indices.size() && shape.indices[part].declared()
                              ? &shape.indices[part]
                              : nullptr;
  constexpr std::size_t block = 512;
  std::vector<double> values(3 * block);
  std::vector<std::uint32_t> where(block);
  const std::size_t begin = indices != nullptr ? 0 : first;
  const std::size_t end = indices != nullptr ? std::min(offsets.count, indices->count)
                                             : std::min(offsets.count, first + positions.size());
  for (std::size_t at = begin; at < end; at += block) {
    const std::size_t n = std::min(block, end - at);
    read_values(offsets, at, n, values.data());
    if (indices != nullptr) read_indices(*indices, at, n, where.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t vertex = indices != nullptr ? where[i] : at + i;
      if (vertex < first || vertex - first >= positions.size()) continue;
      positions[vertex - first] +=
          factor * Vec3(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
    }
  }
}

}  // namespace

SkinnedVertex skin_vertex(const Vec3& position, std::span<const std::uint32_t> joints,
                          std::span<const double> weights, const SkinMatrices& matrices,
                          const ZeroWeightPolicy& policy) {
  SkinnedVertex out;
  Vec3 sum = Vec3::Zero();
  out.weight_sum = blend(joints, weights, matrices,
                         [&](double w, const Mat4& m) { sum += w * transform_point(m, position); });
  if (!std::isfinite(out.weight_sum) || !position.allFinite()) {
    out.state = SkinnedVertex::State::not_finite;
  } else if (out.weight_sum > policy.eps) {
    out.state = SkinnedVertex::State::moved;
    out.position = sum / out.weight_sum;
  } else if (const Mat4* m = fallback_matrix(matrices, policy)) {
    out.state = SkinnedVertex::State::fell_back;
    out.position = transform_point(*m, position);
  }
  return out;
}

Mat3 blended_linear(std::span<const std::uint32_t> joints, std::span<const double> weights,
                    const SkinMatrices& matrices, const ZeroWeightPolicy& policy) {
  Mat3 sum = Mat3::Zero();
  const double total =
      blend(joints, weights, matrices, [&](double w, const Mat4& m) { sum += w * linear(m); });
  if (!std::isfinite(total)) return Mat3::Zero();
  if (total > policy.eps) return sum / total;
  const Mat4* m = fallback_matrix(matrices, policy);
  return m != nullptr ? linear(*m) : Mat3(Mat3::Zero());
}

std::optional<Vec3> skin_normal(const Vec3& normal, const Mat3& linear_part) {
  if (!normal.allFinite() || normal.isZero(0.0)) return std::nullopt;
  // |L|_F bounds the largest singular value from above: past this test none has to be computed.
  const double size = linear_part.norm();
  const double det = linear_part.determinant();
  if (!(std::abs(det) >= 1e-9 * size * size * size) &&
      !(relative_determinant(linear_part) >= 1e-9)) {
    return std::nullopt;
  }
  // L^-T = cofactors / det; the length goes, the sign stays.
  Mat3 cofactors;
  for (Eigen::Index c = 0; c < 3; ++c)
    cofactors.col(c) = linear_part.col((c + 1) % 3).cross(linear_part.col((c + 2) % 3));
  const Vec3 moved = (det < 0.0 ? -1.0 : 1.0) / (size * size) * (cofactors * normal);
  const double length = moved.norm();
  if (!(length > 0.0) || !std::isfinite(length)) return std::nullopt;
  return Vec3(moved / length);
}

void add_morphs(const Mesh& mesh, std::size_t part, std::span<const double> activations,
                std::size_t first, std::span<Vec3> positions) {
  for (std::size_t t = 0; t < mesh.morphs.size() && t < activations.size(); ++t) {
    for (const ShapeMix& mix : mix_shapes(mesh.morphs[t], activations[t])) {
      const MorphTarget::Shape& shape = mesh.morphs[t].shapes[mix.shape];
      if (part < shape.positions.size()) add_shape(shape, part, mix.factor, first, positions);
    }
  }
}

}  // namespace skinlint
