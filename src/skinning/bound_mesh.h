#pragma once
// BoundMesh: a binding at bind as geometry, ready to be posed many times. Vertices that a file
// splits for its own reasons (texture seams, hard normals) but that stand and move alike are one
// point here; triangles and neighbours join points.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/asset.h"
#include "skinning/evaluator.h"

namespace skinlint {

/// Triangles of a part as vertex indices, polygons as fans, strips unrolled; those that name a
/// vertex twice or one that is not there are left out. Empty for points and lines.
std::vector<std::array<std::uint32_t, 3>> triangles_of(const MeshPart& part);

/// A joint of the skin as bound: where it stands and what hangs on it.
struct BoundJoint {
  std::int32_t node = -1;
  std::int32_t parent = -1;             // slot of the nearest joint above it in this skin
  std::vector<std::int32_t> ancestors;  // slots from itself up to the top
  Mat4 world = Mat4::Identity();        // world_from_joint at bind, S * B_j
  Mat3 axes = Mat3::Identity();         // its own axes in the world, unit and orthogonal
  Vec3 origin = Vec3::Zero();
  std::vector<Vec3> ends;      // where its child joints stand; a leaf: beyond the vertices it holds
  Vec3 along = Vec3::UnitY();  // from it to its ends, unit: the axis of a twist
  bool usable = false;         // has a node and a finite, invertible matrix
};

struct BoundMesh {
  // Points.
  std::vector<Vec3> positions;        // world at bind, metres
  std::vector<std::uint32_t> first;   // influences of point p: [first[p], first[p + 1])
  std::vector<std::uint32_t> joints;  // slots; no repeats within a point
  std::vector<double> weights;        // positive, sum 1
  std::vector<std::uint32_t> vertex;  // one of the vertices that a point stands for
  std::vector<std::uint32_t> place;   // points at the same place share a number
  std::vector<std::array<std::uint32_t, 3>> triangles;  // points, distinct
  std::vector<std::uint32_t> ring_first, ring;          // neighbours of point p
  std::vector<bool> border;                             // on an edge that one triangle alone has
  // Vertices, numbered through all parts.
  std::vector<std::uint32_t> part_first;       // first vertex of each part, and the end
  std::vector<std::uint32_t> point_of_vertex;  // kNoPoint: cannot be evaluated
  std::vector<BoundJoint> bones;               // per slot
  double size = 0.0;                           // L
  std::uint64_t left_out = 0;                  // vertices that cannot be evaluated
  std::uint64_t merged = 0;                    // points that stand for several vertices

  static constexpr std::uint32_t kNoPoint = 0xffffffffU;
  std::span<const std::uint32_t> joints_of(std::size_t p) const {
    return {joints.data() + first[p], first[p + 1] - first[p]};
  }
  std::span<const double> weights_of(std::size_t p) const {
    return {weights.data() + first[p], first[p + 1] - first[p]};
  }
  std::span<const std::uint32_t> ring_of(std::size_t p) const {
    return {ring.data() + ring_first[p], ring_first[p + 1] - ring_first[p]};
  }
  /// Part and vertex within it of a vertex number.
  std::pair<std::uint32_t, std::uint32_t> part_and_vertex(std::uint32_t number) const;
};

/// `bind` is S of the binding, `size` its L. Vertices without a finite position or a positive sum
/// of finite, non-negative weights on usable joints are left out. O(vertices + triangles).
BoundMesh bound_mesh(const Asset& asset, std::size_t binding, const Mat4& bind, double size);

/// Distance of a place from a joint: from the segments to its ends.
double distance_from_bone(const BoundJoint& bone, const Vec3& place);

/// Points moved by world-side motions per slot (S_j * S^-1), by the same sum as every evaluation.
Vec3 moved_point(const BoundMesh& mesh, std::size_t point, const std::vector<Mat4>& motions);

}  // namespace skinlint
