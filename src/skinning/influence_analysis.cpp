#include "skinning/influence_analysis.h"

#include <algorithm>
#include <cmath>

namespace skinlint {
namespace {

constexpr double dust = 1e-6;
constexpr double heavy_weight = 0.3;
constexpr std::size_t quadratic_limit = 16;

/// True when some joint appears twice with both weights > 0. Quadratic for the usual few, sorted
/// beyond.
bool has_duplicate(std::span<const std::uint32_t> joints, std::span<const double> weights,
                   std::vector<std::uint32_t>& scratch) {
  if (joints.size() <= quadratic_limit) {
    for (std::size_t k = 1; k < joints.size(); ++k) {
      if (!(weights[k] > 0.0)) continue;
      for (std::size_t q = 0; q < k; ++q) {
        if (joints[q] == joints[k] && weights[q] > 0.0) return true;
      }
    }
    return false;
  }
  scratch.clear();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (weights[k] > 0.0) scratch.push_back(joints[k]);
  }
  std::sort(scratch.begin(), scratch.end());
  return std::adjacent_find(scratch.begin(), scratch.end()) != scratch.end();
}

class Pass {
 public:
  Pass(const Mesh& mesh, std::size_t joint_count, InfluenceAnalysis& out)
      : mesh_(mesh), joint_count_(joint_count), out_(out) {
    out_.joints.resize(joint_count);
  }

  void part(std::size_t index, const InfluenceTable& table) {
    const MeshPart& part = mesh_.parts[index];
    out_.vertices += table.vertex_count;
    const bool positions = part.positions.declared() && part.positions.data != nullptr &&
                           part.positions.components == 3 &&
                           part.positions.count == table.vertex_count;
    if (table.empty()) {
      out_.unweighted_vertices += table.vertex_count;
      return;
    }
    explicit_entries_ = table.entries_explicit;
    slots_ = !table.uses_lists();
    const double step = table.quantisation_step();
    sum_tolerance_ = step > 0.0 ? 0.5 * step : dust;
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      if (positions) {
        positions_.resize(3 * block.count);
        read_values(part.positions, block.first_vertex, block.count, positions_.data());
      }
      for (std::size_t i = 0; i < block.count; ++i) {
        const std::uint16_t flags = vertex(block.joints_of(i), block.weights_of(i),
                                           positions ? &positions_[3 * i] : nullptr);
        if (flags != 0) {
          out_.suspects.push_back({static_cast<std::uint32_t>(index),
                                   static_cast<std::uint32_t>(block.first_vertex + i), flags});
        }
      }
    }
  }

  void finish() {
    if (sum_seen_) {
      out_.sum_min = sum_min_;
      out_.sum_max = sum_max_;
    }
  }

 private:
  std::uint16_t vertex(std::span<const std::uint32_t> joints, std::span<const double> weights,
                       const double* p) {
    std::uint32_t flags = 0;
    double sum = 0.0;
    std::uint32_t used = 0;
    const bool place = p != nullptr && std::isfinite(p[0] + p[1] + p[2]);
    if (p != nullptr && !place) flags |= suspect_position;
    const Vec3 v = place ? Vec3(p[0], p[1], p[2]) : Vec3(Vec3::Zero());
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double w = weights[k];
      const std::uint32_t j = joints[k];
      const bool in_range = j < joint_count_;
      if (w > 0.0 && std::isfinite(w)) [[likely]] {
        ++used;
        sum += w;
        if (w > 1.0 + dust) flags |= suspect_above_one;
        if (in_range) [[likely]] {
          JointInfluence& joint = out_.joints[j];
          ++joint.weight_count;
          joint.weight_sum += w;
          if (place) {
            joint.positive_weight += w;
            joint.weighted_position += w * v;
            if (w > heavy_weight) {
              joint.heavy_box.extend(v);
              ++joint.heavy_count;
            }
          }
        }
      } else {
        odd_weight(w, j, in_range, flags, used, sum);
      }
      if (!in_range) {
        ++out_.out_of_range;
        flags |= suspect_out_of_range;
      }
    }
    if (used > 1 && has_duplicate(joints, weights, scratch_)) {
      flags |= suspect_duplicate;
      ++out_.duplicate_vertices;
    }
    out_.max_influences = std::max(out_.max_influences, used);
    if (used == 0) {
      ++out_.unweighted_vertices;
    } else {
      if (place) out_.box.extend(v);
      if ((flags & suspect_non_finite) == 0) {
        sum_min_ = sum_seen_ ? std::min(sum_min_, sum) : sum;
        sum_max_ = sum_seen_ ? std::max(sum_max_, sum) : sum;
        sum_seen_ = true;
      }
    }
    if (!(std::abs(sum - 1.0) <= sum_tolerance_)) flags |= suspect_sum;
    if (std::abs(sum) <= dust) flags |= suspect_zero;
    return static_cast<std::uint16_t>(flags);
  }

  /// Zero, negative and non-finite weights: rare, kept out of the hot path.
  void odd_weight(double w, std::uint32_t j, bool in_range, std::uint32_t& flags,
                  std::uint32_t& used, double& sum) {
    if (w == 0.0) {
      if (slots_ && j != 0) ++out_.zero_weight_with_joint;
    } else if (std::isfinite(w)) {
      ++out_.negative;
      flags |= suspect_negative;
      sum += w;
    } else {
      ++out_.non_finite;
      flags |= suspect_non_finite;
    }
    // Lists: each stored entry is an influence, whatever its weight.
    if (explicit_entries_) ++used;
    if (!in_range) return;
    JointInfluence& joint = out_.joints[j];
    if (explicit_entries_) ++joint.weight_count;
    if (std::isfinite(w)) joint.weight_sum += w;
  }

  const Mesh& mesh_;
  std::size_t joint_count_;
  InfluenceAnalysis& out_;
  bool explicit_entries_ = false;
  bool slots_ = true;
  double sum_tolerance_ = dust;
  double sum_min_ = 0.0, sum_max_ = 0.0;
  bool sum_seen_ = false;
  std::vector<double> positions_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace

InfluenceAnalysis analyse_influences(const Asset& asset, const Mesh& mesh,
                                     const std::vector<std::int32_t>& influences,
                                     std::size_t joint_count) {
  InfluenceAnalysis out;
  Pass pass(mesh, joint_count, out);
  for (std::size_t p = 0; p < mesh.parts.size() && p < influences.size(); ++p) {
    if (influences[p] >= 0) pass.part(p, asset.influences[static_cast<std::size_t>(influences[p])]);
  }
  pass.finish();
  return out;
}

std::vector<bool> used_vertices(const MeshPart& part) {
  if (!part.indices.declared()) return std::vector<bool>(part.vertex_count, true);
  std::vector<bool> used(part.vertex_count, false);
  if (part.indices.data == nullptr) return used;
  constexpr std::size_t block = 4096;
  const bool polygons = part.mode == -1;
  std::vector<std::uint32_t> indices(block);
  std::vector<double> signed_indices(polygons ? block : 0);
  for (std::size_t at = 0; at < part.indices.count; at += block) {
    const std::size_t n = std::min(block, part.indices.count - at);
    if (polygons) {
      // FBX: the last index of a polygon is stored as its one's complement.
      read_values(part.indices, at, n, signed_indices.data());
      for (std::size_t i = 0; i < n; ++i) {
        const double index = signed_indices[i] < 0 ? -signed_indices[i] - 1 : signed_indices[i];
        indices[i] = static_cast<std::uint32_t>(index);
      }
    } else {
      read_indices(part.indices, at, n, indices.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (indices[i] < used.size()) used[indices[i]] = true;
    }
  }
  return used;
}

}  // namespace skinlint
