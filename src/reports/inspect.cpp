#include "reports/inspect.h"

#include <algorithm>
#include <array>
#include <vector>

namespace skinlint {

Mat4 in_convention(const Mat4& matrix, Convention convention) {
  switch (convention) {
    case Convention::row:
      return matrix.transpose();
    case Convention::unity: {
      Mat4 mirrored = matrix;  // conjugated by diag(-1, 1, 1, 1)
      mirrored.row(0) = -mirrored.row(0);
      mirrored.col(0) = -mirrored.col(0);
      return mirrored;
    }
    case Convention::column:
      break;
  }
  return matrix;
}

Vec3 in_convention(const Vec3& position, Convention convention) {
  if (convention != Convention::unity) return position;
  return Vec3(-position.x(), position.y(), position.z());
}

std::string_view convention_name(Convention convention) {
  switch (convention) {
    case Convention::row:
      return "row";
    case Convention::unity:
      return "unity";
    case Convention::column:
      break;
  }
  return "column";
}

std::optional<Mat4> world_from_mesh(const Facts& facts, std::size_t binding) {
  const Asset& asset = facts.asset();
  if (is_fbx(asset.format)) {
    const Binding& b = asset.bindings[binding];
    if (b.node < 0) return std::nullopt;
    return facts.world_from_node()[static_cast<std::size_t>(b.node)] * b.node_from_geometry;
  }
  const BindAnalysis& bind = facts.bind(binding);
  if (bind.state == BindState::unknown || bind.no_consensus) return std::nullopt;
  return bind.consensus;
}

std::uint64_t unused_vertices(const Facts& facts, std::size_t binding) {
  const Binding& b = facts.asset().bindings[binding];
  std::uint64_t unused = 0;
  for (std::size_t part = 0; part < b.influences.size(); ++part) {
    if (b.influences[part] < 0) continue;
    const std::vector<bool>& used = facts.used_vertices(static_cast<std::size_t>(b.mesh), part);
    unused += static_cast<std::uint64_t>(std::count(used.begin(), used.end(), false));
  }
  return unused;
}

MorphStatistics morph_statistics(const MorphTarget::Shape& shape) {
  constexpr std::size_t kBlock = 1024;
  MorphStatistics statistics;
  std::array<double, 3 * kBlock> values{};
  for (std::size_t part = 0; part < shape.positions.size(); ++part) {
    const Stream& stream = shape.positions[part];
    if (!stream.readable() || stream.components != 3) continue;
    const bool sparse = part < shape.indices.size() && shape.indices[part].declared();
    for (std::size_t begin = 0; begin < stream.count; begin += kBlock) {
      const std::size_t n = std::min(kBlock, stream.count - begin);
      read_values(stream, begin, n, values.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3 offset(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
        if (!sparse && offset.isZero(0.0)) continue;
        ++statistics.offsets;
        statistics.delta_sum += offset;
      }
    }
  }
  return statistics;
}

}  // namespace skinlint
