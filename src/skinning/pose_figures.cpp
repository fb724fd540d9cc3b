#include "skinning/pose_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "skinning/joint_turns.h"

namespace skinlint {
namespace {

const double kRadians = std::acos(-1.0) / 180.0;
// Of what all tetrahedra hold without signs: less is no volume, only surface.
constexpr double kLeastVolume = 0.2;
constexpr std::size_t kWorstKept = 5;

/// Signed volume of cones from the origin, and the same without signs.
struct Cones {
  double volume = 0.0, absolute = 0.0;
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = a.dot(b.cross(c)) / 6.0;
    if (!std::isfinite(v)) return;
    volume += v;
    absolute += std::abs(v);
  }
};

Cones closed_volume(const BoundMesh& mesh, const Zone& zone, const std::vector<Vec3>& at) {
  Cones cones;
  // About a point of the surface, so that nothing is lost to large coordinates.
  const Vec3 apex = zone.points.empty() ? Vec3(Vec3::Zero()) : at[zone.points.front()];
  for (const std::uint32_t t : zone.triangles) {
    const auto& [a, b, c] = mesh.triangles[t];
    cones.add(at[a] - apex, at[b] - apex, at[c] - apex);
  }
  for (const auto& rim : zone.rims) {
    Vec3 middle = Vec3::Zero();
    for (const auto& [a, b] : rim) middle += at[a];
    middle /= static_cast<double>(rim.size());
    for (const auto& [a, b] : rim) cones.add(at[b] - apex, at[a] - apex, middle - apex);
  }
  return cones;
}

std::optional<double> volume_ratio(const BoundMesh& mesh, const Zone& zone,
                                   const std::vector<Vec3>& posed) {
  const Cones before = closed_volume(mesh, zone, mesh.positions);
  if (!(std::abs(before.volume) > kLeastVolume * before.absolute)) return std::nullopt;
  return closed_volume(mesh, zone, posed).volume / before.volume;
}

/// Directed edges that no triangle of the zone has the other way round, by connected piece.
void find_rims(const BoundMesh& mesh, Zone& zone) {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Edge> edges;
  edges.reserve(3 * zone.triangles.size());
  for (const std::uint32_t t : zone.triangles) {
    for (std::size_t i = 0; i < 3; ++i)
      edges.emplace_back(mesh.triangles[t][i], mesh.triangles[t][(i + 1) % 3]);
  }
  std::sort(edges.begin(), edges.end());
  std::vector<Edge> open;
  for (const Edge& e : edges) {
    if (!std::binary_search(edges.begin(), edges.end(), Edge{e.second, e.first})) open.push_back(e);
  }
  std::unordered_map<std::uint32_t, std::uint32_t> above;  // forest over the rims' points
  const auto root = [&above](std::uint32_t p) {
    while (above.at(p) != p) p = above[p] = above.at(above.at(p));
    return p;
  };
  for (const auto& [a, b] : open) {
    above.try_emplace(a, a);
    above.try_emplace(b, b);
    const std::uint32_t x = root(a), y = root(b);
    above[std::max(x, y)] = std::min(x, y);
  }
  std::unordered_map<std::uint32_t, std::size_t> rim_of;
  for (const Edge& e : open) {
    const auto [it, added] = rim_of.try_emplace(root(e.first), zone.rims.size());
    if (added) zone.rims.emplace_back();
    zone.rims[it->second].push_back(e);
  }
}

bool is_inverted(const BoundMesh& mesh, const PointMover& mover, const std::vector<Vec3>& posed,
                 const std::array<std::uint32_t, 3>& t) {
  const Vec3 before = (mesh.positions[t[1]] - mesh.positions[t[0]])
                          .cross(mesh.positions[t[2]] - mesh.positions[t[0]]);
  const Vec3 after = (posed[t[1]] - posed[t[0]]).cross(posed[t[2]] - posed[t[0]]);
  Vec4 sum = mover.rotation(t[0]).normalized();
  for (std::size_t i = 1; i < 3; ++i) {
    const Vec4 q = mover.rotation(t[i]).normalized();
    sum += q.dot(sum) < 0.0 ? Vec4(-q) : q;
  }
  if (!(sum.norm() > 0.0) || !before.allFinite()) return false;
  const Quat rotation(Vec4(sum.normalized()));
  // A triangle pressed flat has no side to be on.
  return (rotation * before).dot(after) < -1e-6 * before.squaredNorm();
}

}  // namespace

Zone zone_of_turn(const BoundMesh& mesh, const std::vector<float>& below) {
  Zone zone;
  std::vector<bool> seen(mesh.positions.size(), false);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const float most = std::max({below[a], below[b], below[c]});
    const float least = std::min({below[a], below[b], below[c]});
    if (most <= 1e-4F || least >= 1.0F - 1e-4F) continue;
    zone.triangles.push_back(t);
    for (const std::uint32_t p : {a, b, c}) {
      if (seen[p]) continue;
      seen[p] = true;
      zone.points.push_back(p);
    }
  }
  find_rims(mesh, zone);
  return zone;
}

Zone whole_mesh(const BoundMesh& mesh) {
  Zone zone;
  zone.triangles.resize(mesh.triangles.size());
  for (std::uint32_t t = 0; t < zone.triangles.size(); ++t) zone.triangles[t] = t;
  zone.points.resize(mesh.positions.size());
  for (std::uint32_t p = 0; p < zone.points.size(); ++p) zone.points[p] = p;
  find_rims(mesh, zone);
  return zone;
}

PoseFigures measure_pose(const BoundMesh& mesh, const Zone& zone, const PointMover& mover) {
  PoseFigures out;
  out.triangles = zone.triangles.size();
  std::vector<Vec3> posed(mesh.positions.size(), Vec3::Constant(std::nan("")));
  for (const std::uint32_t p : zone.points) {
    posed[p] = mover.position(p);
    if (!posed[p].allFinite()) ++out.not_finite;
  }
  out.volume_ratio = volume_ratio(mesh, zone, posed);
  const double shortest = 1e-6 * mesh.size;
  std::vector<float> stretch(mesh.positions.size(), 0.0F);  // the most, per point
  std::uint32_t from = 0, to = 0;
  for (const std::uint32_t t : zone.triangles) {
    const auto& triangle = mesh.triangles[t];
    if (is_inverted(mesh, mover, posed, triangle)) ++out.inverted_triangles;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = triangle[i], b = triangle[(i + 1) % 3];
      const double length = (mesh.positions[a] - mesh.positions[b]).norm();
      if (!(length > shortest)) continue;
      const double ratio = (posed[a] - posed[b]).norm() / length;
      if (!std::isfinite(ratio)) continue;
      stretch[a] = std::max(stretch[a], static_cast<float>(ratio));
      stretch[b] = std::max(stretch[b], static_cast<float>(ratio));
      out.min_stretch = std::min(out.min_stretch, ratio);
      if (ratio <= out.max_stretch) continue;
      out.max_stretch = ratio;
      from = a;
      to = b;
    }
  }
  std::vector<double> around;
  for (const std::uint32_t p : {from, to}) {
    if (from == to) break;
    for (const std::uint32_t q : mesh.ring_of(p)) {
      const double length = (mesh.positions[p] - mesh.positions[q]).norm();
      if (q == from || q == to || !(length > shortest)) continue;
      const Vec3 at = posed[q].allFinite() ? posed[q] : mover.position(q);
      if (const double ratio = (posed[p] - at).norm() / length; std::isfinite(ratio))
        around.push_back(ratio);
    }
  }
  if (!around.empty()) {
    const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
    std::nth_element(around.begin(), middle, around.end());
    out.ring_stretch = *middle;
  }
  std::vector<std::uint32_t> order(zone.points);
  const std::size_t kept = std::min(kWorstKept, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return stretch[a] != stretch[b] ? stretch[a] > stretch[b] : a < b;
                    });
  for (std::size_t i = 0; i < kept; ++i) {
    if (stretch[order[i]] > 1.0F)
      out.worst.push_back({order[i], static_cast<double>(stretch[order[i]])});
  }
  return out;
}

JointLimits measure_joint(const BoundMesh& mesh, std::int32_t slot, const Zone& zone,
                          const std::vector<float>& below) {
  JointLimits out;
  out.slot = slot;
  out.triangles = zone.triangles.size();
  const BoundJoint& bone = mesh.bones[static_cast<std::size_t>(slot)];
  // A half turn takes a point at distance r from the axis to |1 - 2 w| r.
  for (const std::uint32_t p : zone.points) {
    const Vec3 arm = mesh.positions[p] - bone.origin;
    if (!((arm - arm.dot(bone.along) * bone.along).norm() > 1e-6 * mesh.size)) continue;
    const double ratio = std::abs(1.0 - 2.0 * static_cast<double>(below[p]));
    out.candy_wrapper = std::min(out.candy_wrapper.value_or(1.0), ratio);
  }
  std::vector<Vec3> posed(mesh.positions.size(), Vec3::Zero());
  const auto volume = [&](const Vec3& axis, double angle_deg, bool quaternions) {
    const PointMover mover(mesh, turn_motions(mesh, slot, axis, angle_deg * kRadians), quaternions);
    for (const std::uint32_t p : zone.points) posed[p] = mover.position(p);
    return volume_ratio(mesh, zone, posed);
  };
  // The two axes across the bone, and both ways round each: what a bend loses depends on the side.
  const Vec3 across = bone.along.unitOrthogonal();
  const std::array<Vec3, 4> bends = {across, Vec3(-across), bone.along.cross(across),
                                     Vec3(-bone.along.cross(across))};
  for (const double angle : {45.0, 90.0, 135.0, 180.0}) {
    JointLimits::AtAngle at;
    at.angle_deg = angle;
    at.twist = volume(bone.along, angle, false);
    at.twist_quaternion = volume(bone.along, angle, true);
    for (const Vec3& axis : bends) {
      const auto linear = volume(axis, angle, false);
      if (!linear || (at.bend && *at.bend <= *linear)) continue;
      at.bend = linear;
      at.bend_quaternion = volume(axis, angle, true);
    }
    out.volume.push_back(at);
  }
  return out;
}

}  // namespace skinlint
