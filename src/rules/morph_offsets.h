#pragma once
// What the morph-* rules ask of the offsets of morph targets. Any number of targets may share one
// stream of a file, so what was learnt of a stream is remembered.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/asset.h"

namespace skinlint::rules {

/// Calls `visit(vertex, offset)` for every stored offset of a shape on a part whose vertex the part
/// has, in stored order. Nothing for streams that cannot be read or are no three-vectors.
template <class Visit>
void for_each_offset(const Mesh& mesh, const MorphTarget::Shape& shape, std::size_t part,
                     const Visit& visit) {
  if (part >= shape.positions.size() || part >= mesh.parts.size()) return;
  const Stream& offsets = shape.positions[part];
  if (!offsets.declared() || !offsets.readable() || offsets.components != 3) return;
  const Stream* indices = part < shape.indices.size() && shape.indices[part].declared()
                              ? &shape.indices[part]
                              : nullptr;
  if (indices != nullptr && !indices->readable()) return;
  constexpr std::size_t block = 256;
  std::array<double, 3 * block> values;
  std::array<std::uint32_t, block> where;
  const std::size_t count =
      indices != nullptr ? std::min(offsets.count, indices->count) : offsets.count;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t n = std::min(block, count - first);
    read_values(offsets, first, n, values.data());
    if (indices != nullptr) read_indices(*indices, first, n, where.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t vertex = indices != nullptr ? where[i] : first + i;
      if (vertex >= mesh.parts[part].vertex_count) continue;
      visit(vertex, Vec3(values[3 * i], values[3 * i + 1], values[3 * i + 2]));
    }
  }
}

/// How far morph targets move vertices.
class MorphReach {
 public:
  /// Length of the longest finite offset of a shape of `mesh`, mesh space; 0 when it moves nothing.
  double longest(const Mesh& mesh, const MorphTarget::Shape& shape);
  /// Offsets of a shape that are NaN or infinite.
  std::uint64_t non_finite(const Mesh& mesh, const MorphTarget::Shape& shape);
  /// Bound on what `activation` of a target moves a vertex by; exact with one shape.
  double at(const Mesh& mesh, const MorphTarget& target, double activation);

 private:
  struct Measured {
    double longest = 0.0;
    std::uint64_t non_finite = 0;
  };
  const Measured& measured(const Mesh& mesh, const MorphTarget::Shape& shape, std::size_t part);
  std::map<std::pair<const std::byte*, const std::byte*>, Measured> known_;  // offsets, indices
};

/// Offsets held against the vertices they belong to: are they positions by mistake?
struct AbsoluteFit {
  double correlation_origin = 0.0, correlation_centroid = 0.0;  // of offsets with positions
  double ratio_origin = 0.0, ratio_centroid = 0.0;  // lengths of offsets over lengths of positions
  double moving = 0.0;                              // share of vertices with an offset
  /// Part of the offsets (root mean square) that no affine map of the positions explains, and how
  /// far the best map's linear part is from the identity.
  double unexplained = 1.0, map_from_identity = 0.0;
};

/// Judges targets of one mesh; positions are summed once.
class AbsoluteProbe {
 public:
  explicit AbsoluteProbe(const Mesh& mesh) : mesh_(mesh) {}
  /// False when too few vertices move, or across their positions; most targets end there, after a
  /// glance at some of their offsets.
  bool may_be_absolute(const MorphTarget::Shape& shape, double moving) const;
  const AbsoluteFit& fit(const MorphTarget::Shape& shape);

 private:
  void sum_positions();
  AbsoluteFit compute(const MorphTarget::Shape& shape);
  const Mesh& mesh_;
  bool summed_ = false;
  double vertices_ = 0.0;
  Eigen::Matrix4d moments_ = Eigen::Matrix4d::Zero();           // sum of (v, 1) (v, 1)^T
  std::map<std::vector<const std::byte*>, AbsoluteFit> known_;  // by the streams of all parts
};

}  // namespace skinlint::rules
