#include "skinning/bound_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "skinning/mesh_evaluator.h"

namespace skinlint {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// Calls triangle(a, b, c) for every three corners of a polygon stream (negative index ends one).
template <class Emit>
void fan_polygons(const MeshPart& part, Emit emit) {
  if (part.indices.data == nullptr) return;
  std::vector<double> block(4096);
  std::uint32_t hub = 0, previous = 0;
  std::size_t corners = 0;
  for (std::size_t at = 0; at < part.indices.count; at += block.size()) {
    const std::size_t n = std::min(block.size(), part.indices.count - at);
    read_values(part.indices, at, n, block.data());
    for (std::size_t i = 0; i < n; ++i) {
      const bool last = block[i] < 0;
      const auto index = static_cast<std::uint32_t>(last ? -block[i] - 1 : block[i]);
      if (corners == 0) hub = index;
      if (corners >= 2) emit(hub, previous, index);
      previous = index;
      corners = last ? 0 : corners + 1;
    }
  }
}

std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h ^= value + 0x9e3779b97f4a7c15U + (h << 6U) + (h >> 2U);
  return h * 0xff51afd7ed558ccdU;
}

std::uint64_t bits(double value) {
  value += 0.0;  // -0 and 0 are one place
  std::uint64_t b = 0;
  std::memcpy(&b, &value, sizeof b);
  return b;
}

std::uint64_t place_hash(const Vec3& p) {
  return mixed(mixed(mixed(0, bits(p.x())), bits(p.y())), bits(p.z()));
}

/// Joins vertices to points while reading.
class Builder {
 public:
  Builder(BoundMesh& mesh, std::size_t vertices) : mesh_(mesh) {
    points_at_.reserve(vertices);
    mesh_.first.push_back(0);
  }

  /// The point of a vertex stored at `stored`, world place `world`; influences are merged per
  /// joint, sorted and sum to 1.
  std::uint32_t point(const Vec3& stored, const Vec3& world, std::uint32_t vertex,
                      const std::vector<std::pair<std::uint32_t, double>>& influences) {
    const std::uint64_t hash = place_hash(stored);
    const auto [begin, end] = points_at_.equal_range(hash);
    std::uint32_t place = BoundMesh::kNoPoint;
    for (auto it = begin; it != end; ++it) {
      if (stored_[it->second] != stored) continue;
      place = mesh_.place[it->second];
      if (!same(it->second, influences)) continue;
      if (!merged_[it->second]) ++mesh_.merged;
      merged_[it->second] = true;
      return it->second;
    }
    const auto point = static_cast<std::uint32_t>(mesh_.positions.size());
    points_at_.emplace(hash, point);
    stored_.push_back(stored);
    merged_.push_back(false);
    mesh_.positions.push_back(world);
    mesh_.vertex.push_back(vertex);
    mesh_.place.push_back(place == BoundMesh::kNoPoint ? places_++ : place);
    for (const auto& [joint, weight] : influences) {
      mesh_.joints.push_back(joint);
      mesh_.weights.push_back(weight);
    }
    mesh_.first.push_back(static_cast<std::uint32_t>(mesh_.joints.size()));
    return point;
  }

 private:
  bool same(std::uint32_t point,
            const std::vector<std::pair<std::uint32_t, double>>& influences) const {
    const auto joints = mesh_.joints_of(point);
    const auto weights = mesh_.weights_of(point);
    if (joints.size() != influences.size()) return false;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      // Exporters round weights of a split vertex on their own: 1/255 apart is no seam.
      if (joints[k] != influences[k].first || std::abs(weights[k] - influences[k].second) > 4e-3)
        return false;
    }
    return true;
  }

  BoundMesh& mesh_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> points_at_;
  std::vector<Vec3> stored_;
  std::vector<bool> merged_;
  std::uint32_t places_ = 0;
};

/// Influences of one vertex, merged, without zeros, normalised; false when it cannot be evaluated.
bool merged_influences(std::span<const std::uint32_t> joints, std::span<const double> weights,
                       const std::vector<BoundJoint>& bones,
                       std::vector<std::pair<std::uint32_t, double>>& out) {
  out.clear();
  double sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double w = weights[k];
    if (w == 0.0) continue;
    if (!(w > 0.0) || !std::isfinite(w) || joints[k] >= bones.size() || !bones[joints[k]].usable)
      return false;
    sum += w;
    out.emplace_back(joints[k], w);
  }
  if (!(sum > ZeroWeightPolicy{}.eps) || !std::isfinite(sum)) return false;
  std::sort(out.begin(), out.end());
  std::size_t kept = 0;
  for (const auto& influence : out) {
    if (kept > 0 && out[kept - 1].first == influence.first) {
      out[kept - 1].second += influence.second;
    } else {
      out[kept++] = influence;
    }
  }
  out.resize(kept);
  for (auto& influence : out) influence.second /= sum;
  return true;
}

void join_neighbours(BoundMesh& mesh) {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) edges.emplace_back(std::minmax(t[i], t[(i + 1) % 3]));
  }
  std::sort(edges.begin(), edges.end());
  mesh.border.assign(mesh.positions.size(), false);
  std::vector<Edge> distinct;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i + 1;
    while (j < edges.size() && edges[j] == edges[i]) ++j;
    if (j == i + 1) mesh.border[edges[i].first] = mesh.border[edges[i].second] = true;
    distinct.push_back(edges[i]);
    i = j;
  }
  mesh.ring_first.assign(mesh.positions.size() + 1, 0);
  for (const auto& [a, b] : distinct) {
    ++mesh.ring_first[a + 1];
    ++mesh.ring_first[b + 1];
  }
  for (std::size_t p = 0; p < mesh.positions.size(); ++p)
    mesh.ring_first[p + 1] += mesh.ring_first[p];
  mesh.ring.resize(2 * distinct.size());
  std::vector<std::uint32_t> next(mesh.ring_first.begin(), mesh.ring_first.end() - 1);
  for (const auto& [a, b] : distinct) {
    mesh.ring[next[a]++] = b;
    mesh.ring[next[b]++] = a;
  }
}

/// Where bones end, once it is known which vertices each holds.
void find_ends(BoundMesh& mesh) {
  std::vector<Vec3> held(mesh.bones.size(), Vec3::Zero());
  std::vector<double> weight(mesh.bones.size(), 0.0);
  for (std::size_t p = 0; p < mesh.positions.size(); ++p) {
    const auto joints = mesh.joints_of(p);
    const auto weights = mesh.weights_of(p);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (weights[k] < 0.3) continue;
      held[joints[k]] += weights[k] * mesh.positions[p];
      weight[joints[k]] += weights[k];
    }
  }
  for (BoundJoint& bone : mesh.bones) {
    if (bone.usable && bone.parent >= 0)
      mesh.bones[static_cast<std::size_t>(bone.parent)].ends.push_back(bone.origin);
  }
  for (std::size_t j = 0; j < mesh.bones.size(); ++j) {
    BoundJoint& bone = mesh.bones[j];
    if (!bone.usable) continue;
    Vec3 toward = Vec3::Zero();
    if (!bone.ends.empty()) {
      for (const Vec3& end : bone.ends) toward += end - bone.origin;
    } else if (weight[j] > 0.0) {
      // The vertices' middle is halfway along.
      toward = held[j] / weight[j] - bone.origin;
      bone.ends.push_back(bone.origin + 2.0 * toward);
    }
    if (toward.norm() > 1e-9 * mesh.size)
      bone.along = toward.normalized();
    else
      bone.along = bone.axes.col(1);
  }
}

std::vector<BoundJoint> bound_joints(const Asset& asset, std::size_t binding, const Mat4& bind) {
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  std::vector<std::int32_t> slot_of(asset.nodes.size(), -1);
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    if (skin.joints[j] >= 0 && slot_of[static_cast<std::size_t>(skin.joints[j])] < 0)
      slot_of[static_cast<std::size_t>(skin.joints[j])] = static_cast<std::int32_t>(j);
  }
  std::vector<BoundJoint> bones(skin.joints.size());
  for (std::size_t j = 0; j < bones.size(); ++j) {
    BoundJoint& bone = bones[j];
    bone.node = skin.joints[j];
    if (bone.node < 0) continue;
    for (std::int32_t n = asset.nodes[static_cast<std::size_t>(bone.node)].parent; n >= 0;
         n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      if (slot_of[static_cast<std::size_t>(n)] < 0) continue;
      bone.parent = slot_of[static_cast<std::size_t>(n)];
      break;
    }
    const std::optional<Mat4> stored = stored_joint_from_mesh(skin, j);
    const std::optional<Mat4> mesh_from_joint = stored ? affine_inverse(*stored) : std::nullopt;
    if (!mesh_from_joint) continue;
    bone.world = bind * *mesh_from_joint;
    const TransformParts parts = decompose(bone.world);
    if (!parts.valid) continue;
    bone.usable = true;
    bone.origin = translation(bone.world);
    bone.axes = parts.rotation.toRotationMatrix();
  }
  for (std::size_t j = 0; j < bones.size(); ++j) {
    for (auto s = static_cast<std::int32_t>(j); s >= 0;
         s = bones[static_cast<std::size_t>(s)].parent)
      bones[j].ancestors.push_back(s);
  }
  return bones;
}

}  // namespace

std::vector<Triangle> triangles_of(const MeshPart& part) {
  std::vector<Triangle> triangles;
  const auto count =
      static_cast<std::uint32_t>(std::min<std::size_t>(part.vertex_count, 0xfffffffeU));
  const auto emit = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a < count && b < count && c < count && a != b && b != c && c != a)
      triangles.push_back({a, b, c});
  };
  if (part.mode == -1) {
    fan_polygons(part, emit);
    return triangles;
  }
  if (part.mode < 4 || part.mode > 6) return triangles;
  const bool indexed = part.indices.declared();
  if (indexed && part.indices.data == nullptr) return triangles;
  const std::size_t total = indexed ? part.indices.count : part.vertex_count;
  std::vector<std::uint32_t> indices(total);
  if (indexed) {
    read_indices(part.indices, 0, total, indices.data());
  } else {
    for (std::size_t i = 0; i < total; ++i) indices[i] = static_cast<std::uint32_t>(i);
  }
  if (part.mode == 4) {
    triangles.reserve(total / 3);
    for (std::size_t i = 0; i + 2 < total; i += 3) emit(indices[i], indices[i + 1], indices[i + 2]);
  } else {
    for (std::size_t i = 0; i + 2 < total; ++i) {
      if (part.mode == 6) {
        emit(indices[0], indices[i + 1], indices[i + 2]);
      } else if (i % 2 == 0) {
        emit(indices[i], indices[i + 1], indices[i + 2]);
      } else {
        emit(indices[i + 1], indices[i], indices[i + 2]);
      }
    }
  }
  return triangles;
}

std::pair<std::uint32_t, std::uint32_t> BoundMesh::part_and_vertex(std::uint32_t number) const {
  const auto it = std::upper_bound(part_first.begin(), part_first.end(), number) - 1;
  return {static_cast<std::uint32_t>(it - part_first.begin()), number - *it};
}

BoundMesh bound_mesh(const Asset& asset, std::size_t binding_index, const Mat4& bind, double size) {
  const Binding& binding = asset.bindings[binding_index];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
  BoundMesh out;
  out.size = size;
  out.bones = bound_joints(asset, binding_index, bind);
  std::size_t total = 0;
  for (const MeshPart& part : mesh.parts) {
    out.part_first.push_back(static_cast<std::uint32_t>(total));
    total += part.vertex_count;
  }
  out.part_first.push_back(static_cast<std::uint32_t>(total));
  out.point_of_vertex.assign(total, BoundMesh::kNoPoint);
  Builder builder(out, total);
  std::vector<double> positions;
  std::vector<std::pair<std::uint32_t, double>> influences;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (binding.influences[p] < 0 || part.positions.data == nullptr ||
        part.positions.components != 3) {
      continue;
    }
    const InfluenceTable& table = asset.influences[static_cast<std::size_t>(binding.influences[p])];
    if (table.empty() || part.positions.count != table.vertex_count ||
        part.vertex_count != table.vertex_count) {
      continue;
    }
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      positions.resize(3 * block.count);
      read_values(part.positions, block.first_vertex, block.count, positions.data());
      for (std::size_t i = 0; i < block.count; ++i) {
        const Vec3 stored(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        const Vec3 world = transform_point(bind, stored);
        if (!world.allFinite() ||
            !merged_influences(block.joints_of(i), block.weights_of(i), out.bones, influences)) {
          continue;
        }
        const auto vertex = static_cast<std::uint32_t>(out.part_first[p] + block.first_vertex + i);
        out.point_of_vertex[vertex] = builder.point(stored, world, vertex, influences);
      }
    }
    const auto point = [&](std::uint32_t v) { return out.point_of_vertex[out.part_first[p] + v]; };
    for (const Triangle& t : triangles_of(part)) {
      const Triangle mine = {point(t[0]), point(t[1]), point(t[2])};
      if (mine[0] == BoundMesh::kNoPoint || mine[1] == BoundMesh::kNoPoint ||
          mine[2] == BoundMesh::kNoPoint || mine[0] == mine[1] || mine[1] == mine[2] ||
          mine[2] == mine[0]) {
        continue;
      }
      out.triangles.push_back(mine);
    }
  }
  out.left_out = static_cast<std::uint64_t>(
      std::count(out.point_of_vertex.begin(), out.point_of_vertex.end(), BoundMesh::kNoPoint));
  join_neighbours(out);
  find_ends(out);
  return out;
}

double distance_from_bone(const BoundJoint& bone, const Vec3& place) {
  double best = (place - bone.origin).norm();
  for (const Vec3& end : bone.ends) {
    const Vec3 along = end - bone.origin;
    const double length = along.squaredNorm();
    if (!(length > 0.0)) continue;
    const double t = std::clamp((place - bone.origin).dot(along) / length, 0.0, 1.0);
    best = std::min(best, (place - bone.origin - t * along).norm());
  }
  return best;
}

Vec3 moved_point(const BoundMesh& mesh, std::size_t point, const std::vector<Mat4>& motions) {
  const auto joints = mesh.joints_of(point);
  const auto weights = mesh.weights_of(point);
  Vec3 sum = Vec3::Zero();  // one point by few matrices: moving it by each is the shorter way
  for (std::size_t k = 0; k < joints.size(); ++k)
    sum += weights[k] * transform_point(motions[joints[k]], mesh.positions[point]);
  return sum;
}

}  // namespace skinlint
