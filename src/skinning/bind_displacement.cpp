#include <algorithm>
#include <array>
#include <cmath>

#include "skinning/bind_parts.h"
#include "skinning/evaluator.h"

namespace skinlint::bind_detail {
namespace {

constexpr std::size_t block_vertices = 1024;

const Mesh& mesh_of(const BindInput& input) {
  const Asset& asset = *input.asset;
  return asset.meshes[static_cast<std::size_t>(asset.bindings[input.binding].mesh)];
}

bool has_positions(const MeshPart& part, std::size_t count) {
  return part.positions.declared() && part.positions.data != nullptr &&
         part.positions.components == 3 && part.positions.count == count;
}

/// One dominant entry per row and column and nothing else: images of boxes are boxes.
bool keeps_boxes(const Mat3& m) {
  for (int c = 0; c < 3; ++c) {
    int entries = 0;
    for (int r = 0; r < 3; ++r) entries += std::abs(m(r, c)) > 1e-6 * m.col(c).norm() ? 1 : 0;
    if (entries != 1) return false;
  }
  return true;
}

/// Ratios counted in bins of 1/32 octave, so that a percentile needs no list of edges.
class StretchHistogram {
 public:
  void add(double ratio) {
    if (std::isnan(ratio)) return;  // no bin is its own
    const double octaves = std::log2(std::clamp(ratio, 1e-9, 1e9));
    ++bins_[static_cast<std::size_t>(std::lround((octaves + 32.0) * bins_per_octave))];
    ++total_;
  }
  double percentile(double fraction) const {
    if (total_ == 0) return 1.0;
    const double wanted = fraction * static_cast<double>(total_);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      below += bins_[i];
      if (static_cast<double>(below) >= wanted)
        return std::exp2(static_cast<double>(i) / bins_per_octave - 32.0);
    }
    return 1.0;
  }

 private:
  static constexpr double bins_per_octave = 32.0;
  std::array<std::uint32_t, 2050> bins_{};
  std::uint64_t total_ = 0;
};

/// Calls edge(a, b) for the edges of triangles and polygons, in index order; shared edges come
/// twice. Points and lines have none that skinning stretches.
template <class Edge>
void for_each_edge(const MeshPart& part, Edge edge) {
  const auto count =
      static_cast<std::uint32_t>(std::min<std::size_t>(part.vertex_count, 0xfffffffeU));
  const auto safe_edge = [&](std::uint32_t a, std::uint32_t b) {
    if (a < count && b < count && a != b) edge(a, b);
  };
  if (part.mode == -1) {
    std::uint32_t first = 0, previous = 0;
    bool open = false;
    std::vector<double> block(4096);
    for (std::size_t at = 0; part.indices.data != nullptr && at < part.indices.count;
         at += block.size()) {
      const std::size_t n = std::min(block.size(), part.indices.count - at);
      read_values(part.indices, at, n, block.data());
      for (std::size_t i = 0; i < n; ++i) {
        const bool last = block[i] < 0;
        const auto index = static_cast<std::uint32_t>(last ? -block[i] - 1 : block[i]);
        if (open) safe_edge(previous, index);
        if (!open) first = index;
        open = !last;
        if (last) safe_edge(index, first);
        previous = index;
      }
    }
    return;
  }
  if (part.mode < 4 || part.mode > 6) return;
  const bool indexed = part.indices.declared();
  if (indexed && part.indices.data == nullptr) return;
  const std::size_t total = indexed ? part.indices.count : part.vertex_count;
  std::vector<std::uint32_t> block(3 * 1024);
  std::uint32_t a = 0, b = 0, hub = 0;
  for (std::size_t at = 0; at < total; at += block.size()) {
    const std::size_t n = std::min(block.size(), total - at);
    if (indexed) {
      read_indices(part.indices, at, n, block.data());
    } else {
      for (std::size_t i = 0; i < n; ++i) block[i] = static_cast<std::uint32_t>(at + i);
    }
    if (part.mode == 4) {
      for (std::size_t i = 0; i + 2 < n; i += 3) {
        safe_edge(block[i], block[i + 1]);
        safe_edge(block[i + 1], block[i + 2]);
        safe_edge(block[i + 2], block[i]);
      }
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {  // strip (5) and fan (6): each new vertex makes two edges
      const std::uint32_t c = block[i];
      if (at + i == 0) hub = c;
      if (at + i >= 1) safe_edge(b, c);
      if (at + i >= 2) safe_edge(part.mode == 5 ? a : hub, c);
      a = b;
      b = c;
    }
  }
}

}  // namespace

double exact_size(const BindInput& input, const Mat4& consensus) {
  if (input.influences->box.isEmpty()) return 0.0;
  if (keeps_boxes(linear(consensus))) return image_diagonal(consensus, input.influences->box);
  const Asset& asset = *input.asset;
  const Binding& binding = asset.bindings[input.binding];
  const Mesh& mesh = mesh_of(input);
  Box image;
  std::vector<double> block(3 * block_vertices);
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (binding.influences[p] < 0 || !has_positions(mesh.parts[p], mesh.parts[p].vertex_count))
      continue;
    for (std::size_t at = 0; at < mesh.parts[p].vertex_count; at += block_vertices) {
      const std::size_t n = std::min(block_vertices, mesh.parts[p].vertex_count - at);
      read_values(mesh.parts[p].positions, at, n, block.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3 v(block[3 * i], block[3 * i + 1], block[3 * i + 2]);
        // The box of weighted vertices decides who takes part: it leaves out strays without weight.
        if (v.allFinite() && input.influences->box.contains(v))
          image.extend(transform_point(consensus, v));
      }
    }
  }
  return image.isEmpty() ? 0.0 : image.diagonal().norm();
}

void measure_displacement(const BindInput& input, const std::vector<JointMatrix>& joints,
                          BindAnalysis& out) {
  const Asset& asset = *input.asset;
  const Binding& binding = asset.bindings[input.binding];
  const Mesh& mesh = mesh_of(input);
  SkinMatrices matrices;
  for (const JointMatrix& joint : joints) {
    matrices.world_from_mesh.push_back(joint.rest_from_mesh);
    matrices.usable.push_back(joint.use == JointBind::Use::usable);
  }
  out.displacement_is_bound = false;
  StretchHistogram stretch;
  const double shortest = 1e-6 * out.size;  // a bind edge shorter than this has no meaningful ratio
  std::vector<double> positions(3 * block_vertices);
  std::vector<Eigen::Vector3f> posed;  // relative to S v, so that float keeps what matters
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (binding.influences[p] < 0) continue;
    const InfluenceTable& table = asset.influences[static_cast<std::size_t>(binding.influences[p])];
    if (table.empty() || !has_positions(part, table.vertex_count)) continue;
    const float missing = std::nanf("");
    posed.assign(table.vertex_count, Eigen::Vector3f::Constant(missing));
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      read_values(part.positions, block.first_vertex, block.count, positions.data());
      for (std::size_t i = 0; i < block.count; ++i) {
        const Vec3 v(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        const SkinnedVertex moved =
            skin_vertex(v, block.joints_of(i), block.weights_of(i), matrices);
        if (moved.state != SkinnedVertex::State::moved) continue;
        const Vec3 difference = moved.position - transform_point(out.consensus, v);
        const double distance = difference.norm();
        posed[block.first_vertex + i] = difference.cast<float>();
        out.posed_box.extend(moved.position);
        if (distance > out.max_displacement) {
          out.max_displacement = distance;
          out.worst_part = static_cast<std::uint32_t>(p);
          out.worst_vertex = static_cast<std::uint32_t>(block.first_vertex + i);
        }
      }
    }
    const auto vertex = [&](std::uint32_t i) {
      std::array<double, 3> v{};
      read_values(part.positions, i, 1, v.data());
      return Vec3(v[0], v[1], v[2]);
    };
    const Mat3 consensus = linear(out.consensus);
    for_each_edge(part, [&](std::uint32_t a, std::uint32_t b) {
      const Eigen::Vector3f change = posed[b] - posed[a];
      if (!change.allFinite()) return;
      const Vec3 bind_edge = consensus * (vertex(b) - vertex(a));
      const double length = bind_edge.norm();
      if (length > shortest) stretch.add((bind_edge + change.cast<double>()).norm() / length);
    });
  }
  if (out.size > 0.0 && !out.posed_box.isEmpty())
    out.posed_box_ratio = out.posed_box.diagonal().norm() / out.size;
  out.edge_stretch = stretch.percentile(0.999);
}

}  // namespace skinlint::bind_detail
