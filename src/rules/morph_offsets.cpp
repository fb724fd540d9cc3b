#include "rules/morph_offsets.h"

#include <Eigen/QR>
#include <cmath>

namespace skinlint::rules {
namespace {

const std::byte* data_of(const std::vector<Stream>& streams, std::size_t part) {
  return part < streams.size() ? streams[part].data : nullptr;
}

bool has_positions(const MeshPart& part) {
  return part.positions.data != nullptr && part.positions.components == 3;
}

double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }

}  // namespace

const MorphReach::Measured& MorphReach::measured(const Mesh& mesh, const MorphTarget::Shape& shape,
                                                 std::size_t part) {
  const auto [known, is_new] =
      known_.try_emplace({data_of(shape.positions, part), data_of(shape.indices, part)});
  if (is_new) {
    Measured& out = known->second;
    double squared = 0.0;
    for_each_offset(mesh, shape, part, [&](std::size_t, const Vec3& offset) {
      const double length = offset.squaredNorm();
      if (std::isfinite(length)) {
        squared = std::max(squared, length);
      } else if (offset.allFinite()) {
        squared = HUGE_VAL;
      } else {
        ++out.non_finite;
      }
    });
    out.longest = std::sqrt(squared);
  }
  return known->second;
}

double MorphReach::longest(const Mesh& mesh, const MorphTarget::Shape& shape) {
  double longest = 0.0;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p)
    longest = std::max(longest, measured(mesh, shape, p).longest);
  return longest;
}

std::uint64_t MorphReach::non_finite(const Mesh& mesh, const MorphTarget::Shape& shape) {
  std::uint64_t count = 0;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) count += measured(mesh, shape, p).non_finite;
  return count;
}

double MorphReach::at(const Mesh& mesh, const MorphTarget& target, double activation) {
  double most = 0.0;
  for (const MorphTarget::Shape& shape : target.shapes) {
    // Beyond the last shape, or before the first, offsets grow in proportion.
    const double full = target.shapes.back().full_weight;
    double factor = full != 0.0 ? std::abs(activation / full) : 1.0;
    if (target.shapes.size() > 1) factor = std::max(factor, 1.0);
    most = std::max(most, factor * longest(mesh, shape));
  }
  return most;
}

bool AbsoluteProbe::may_be_absolute(const MorphTarget::Shape& shape, double moving) const {
  // Of sparse offsets the count alone says how many move; of dense ones some are looked at.
  constexpr std::size_t looks = 256;
  double total = 0.0, most = 0.0;
  for (std::size_t p = 0; p < mesh_.parts.size() && p < shape.positions.size(); ++p) {
    const MeshPart& part = mesh_.parts[p];
    const Stream& offsets = shape.positions[p];
    total += static_cast<double>(part.vertex_count);
    if (!has_positions(part) || offsets.data == nullptr || offsets.components != 3) continue;
    if (p < shape.indices.size() && shape.indices[p].declared()) {
      most += static_cast<double>(std::min(offsets.count, part.vertex_count));
      continue;
    }
    const std::size_t count = std::min(offsets.count, part.vertex_count);
    const std::size_t step = std::max<std::size_t>(1, count / looks);
    double seen = 0.0, moved = 0.0, along = 0.0, length = 0.0, position_length = 0.0;
    for (std::size_t v = 0; v < count; v += step) {
      Vec3 offset, position;
      read_values(offsets, v, 1, offset.data());
      read_values(part.positions, v, 1, position.data());
      if (!offset.allFinite() || !position.allFinite()) continue;
      seen += 1.0;
      moved += offset.isZero(0.0) ? 0.0 : 1.0;
      along += offset.dot(position);
      length += offset.squaredNorm();
      position_length += position.squaredNorm();
    }
    // Generous: a part of the vertices may be worse than all of them.
    if (seen > 0.0 && along >= 0.5 * std::sqrt(length * position_length))
      most += static_cast<double>(count) * std::min(1.0, 0.1 + moved / seen);
  }
  return total > 0.0 && most > moving * total;
}

void AbsoluteProbe::sum_positions() {
  if (summed_) return;
  summed_ = true;
  std::array<double, 3 * 256> values;
  for (const MeshPart& part : mesh_.parts) {
    if (!has_positions(part)) continue;
    for (std::size_t first = 0; first < part.positions.count; first += 256) {
      const std::size_t n = std::min<std::size_t>(256, part.positions.count - first);
      read_values(part.positions, first, n, values.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Vec4 v(values[3 * i], values[3 * i + 1], values[3 * i + 2], 1.0);
        if (!v.allFinite()) continue;
        moments_ += v * v.transpose();
        vertices_ += 1.0;
      }
    }
  }
}

const AbsoluteFit& AbsoluteProbe::fit(const MorphTarget::Shape& shape) {
  std::vector<const std::byte*> streams;
  for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
    streams.push_back(data_of(shape.positions, p));
    streams.push_back(data_of(shape.indices, p));
  }
  const auto [known, is_new] = known_.try_emplace(std::move(streams));
  if (is_new) known->second = compute(shape);
  return known->second;
}

AbsoluteFit AbsoluteProbe::compute(const MorphTarget::Shape& shape) {
  sum_positions();
  AbsoluteFit out;
  if (vertices_ == 0.0) return out;
  Eigen::Matrix<double, 3, 4> mixed = Eigen::Matrix<double, 3, 4>::Zero();  // sum of d (v, 1)^T
  double squared = 0.0, moving = 0.0;
  for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
    const Stream& positions = mesh_.parts[p].positions;
    if (!has_positions(mesh_.parts[p])) continue;
    for_each_offset(mesh_, shape, p, [&](std::size_t vertex, const Vec3& offset) {
      Vec4 v(0.0, 0.0, 0.0, 1.0);
      read_values(positions, vertex, 1, v.data());
      if (!v.allFinite() || !offset.allFinite() || offset.isZero(0.0)) return;
      mixed += offset * v.transpose();
      squared += offset.squaredNorm();
      moving += 1.0;
    });
  }
  out.moving = moving / vertices_;
  const Vec3 offset_sum = mixed.col(3), position_sum = moments_.topRightCorner<3, 1>();
  const double position_squared = moments_.topLeftCorner<3, 3>().trace();
  const double along = mixed.topLeftCorner<3, 3>().trace();
  const double about_offset = squared - offset_sum.squaredNorm() / vertices_;
  const double about_position = position_squared - position_sum.squaredNorm() / vertices_;
  const double about_along = along - offset_sum.dot(position_sum) / vertices_;
  out.correlation_origin = ratio(along, std::sqrt(squared * position_squared));
  out.ratio_origin = std::sqrt(ratio(squared, position_squared));
  if (about_offset > 0.0 && about_position > 0.0) {
    out.correlation_centroid = about_along / std::sqrt(about_offset * about_position);
    out.ratio_centroid = std::sqrt(about_offset / about_position);
  }
  // Least squares d = A v + b over all vertices, those without an offset included.
  const Eigen::Matrix<double, 4, 3> map =
      moments_.completeOrthogonalDecomposition().solve(mixed.transpose());
  const double explained = (map.transpose() * moments_ * map).trace();
  out.unexplained = std::sqrt(std::max(0.0, ratio(squared - explained, squared)));
  out.map_from_identity = (map.topRows<3>() - Mat3::Identity()).norm();
  return out;
}

}  // namespace skinlint::rules
