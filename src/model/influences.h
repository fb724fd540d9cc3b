#pragma once
// Which joints move which vertex, as the file has it: duplicates, negatives, NaN and order included
// (I4).

#include <cstdint>
#include <span>
#include <vector>

#include "model/stream.h"

namespace skinlint {

/// The influences of one mesh part in one binding. Either attribute sets (glTF: JOINTS_n,
/// WEIGHTS_n, 4 slots a set) or per-vertex lists (FBX: clusters regrouped by vertex, cluster order
/// kept).
struct InfluenceTable {
  /// One attribute set as declared, whatever its faults; `weights-array-mismatch` judges it.
  struct Set {
    std::int32_t number = 0;  // n of JOINTS_n/WEIGHTS_n
    Stream joints;            // undeclared when absent
    Stream weights;           // undeclared when absent
  };
  std::size_t vertex_count = 0;

  std::vector<Set> sets;  // in order of n

  // Lists: vertex v owns [first[v], first[v+1]). Empty when `sets` is used.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> joint;  // slot in Skin::joints
  std::vector<double> weight;

  /// FBX: every stored entry counts as an influence; glTF: weights > 0 do (slots are always there).
  bool entries_explicit = false;

  bool uses_lists() const { return !first.empty(); }
  /// Sets whose joints and weights are both readable, VEC4, of legal component type and
  /// vertex_count long: what evaluation uses. Indices into `sets`.
  std::vector<std::size_t> usable_sets() const;
  /// Nothing can be evaluated: no usable set and no list.
  bool empty() const;
  /// All usable weight sets are normalised integers of one type: the step is 1/255 or 1/65535; else
  /// 0.
  double quantisation_step() const;
};

/// A run of vertices with their influences. Fixed width for attribute sets, offsets for lists.
struct InfluenceBlock {
  std::size_t first_vertex = 0;
  std::size_t count = 0;
  std::size_t width = 0;  // slots per vertex; 0 when `offsets` is used
  const std::uint32_t* offsets =
      nullptr;  // count + 1 absolute offsets, made relative to joints/weights by `base`
  std::uint32_t base = 0;
  const std::uint32_t* joints = nullptr;
  const double* weights = nullptr;

  std::span<const std::uint32_t> joints_of(std::size_t i) const;
  std::span<const double> weights_of(std::size_t i) const;
};

/// Streams a table block by block (about 1024 vertices), or reads single vertices. Only usable sets
/// are read.
class InfluenceReader {
 public:
  explicit InfluenceReader(const InfluenceTable& table);
  /// Next block in vertex order; false at the end.
  bool next(InfluenceBlock& block);
  /// One vertex at random; the block is valid until the next call. `vertex` must be < vertex_count.
  InfluenceBlock at(std::size_t vertex);

 private:
  void fill(std::size_t begin, std::size_t n, InfluenceBlock& block);
  const InfluenceTable& table_;
  std::vector<std::size_t> usable_;
  std::size_t position_ = 0;
  std::vector<std::uint32_t> joints_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> set_joints_;
  std::vector<double> set_weights_;
};

}  // namespace skinlint
