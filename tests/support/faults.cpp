#include "support/faults.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skinning/hierarchy.h"

namespace skinlint::test {

std::uint64_t Random::next() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::between(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

Vec3 Random::direction() {
  for (;;) {
    const double x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
    const Vec3 v(x, y, z);
    if (v.norm() > 0.1 && v.norm() <= 1.0) return v.normalized();
  }
}

FaultSite::FaultSite(const Asset& asset, std::size_t binding)
    : asset_(asset), binding_(binding), facts_(asset) {
  const std::size_t count = skin().joints.size();
  largest_weight_.assign(count, 0.0);
  for (const std::int32_t table : bound().influences) {
    if (table < 0) continue;
    InfluenceReader reader(asset.influences[static_cast<std::size_t>(table)]);
    InfluenceBlock block;
    while (reader.next(block)) {
      for (std::size_t i = 0; i < block.count; ++i) {
        double sum = 0.0;
        for (const double w : block.weights_of(i)) sum += w;
        if (!(sum > 0.0)) continue;
        for (std::size_t k = 0; k < block.joints_of(i).size(); ++k) {
          const std::uint32_t j = block.joints_of(i)[k];
          if (j < count)
            largest_weight_[j] = std::max(largest_weight_[j], block.weights_of(i)[k] / sum);
        }
      }
    }
  }
  const BindAnalysis& bind = facts_.bind(binding);
  for (std::size_t slot = 0; slot < count; ++slot) {
    if (largest_weight_[slot] > 0.0 && bind.joints[slot].use == JointBind::Use::usable)
      weighted_.push_back(slot);
  }
  parents_.assign(count, -1);
  for (std::size_t slot = 0; slot < count; ++slot) {
    if (skin().joints[slot] < 0) continue;
    std::int32_t n = asset.nodes[static_cast<std::size_t>(skin().joints[slot])].parent;
    for (; n >= 0 && parents_[slot] < 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      for (std::size_t other = 0; other < count; ++other) {
        if (skin().joints[other] == n) parents_[slot] = static_cast<std::int32_t>(other);
      }
    }
  }
}

const Skin& FaultSite::skin() const { return asset_.skins[static_cast<std::size_t>(bound().skin)]; }

const Mat4& FaultSite::world(std::int32_t node) const {
  return facts_.world_from_node()[static_cast<std::size_t>(node)];
}

bool FaultSite::has_weighted_child(std::size_t slot) const {
  return std::any_of(weighted_.begin(), weighted_.end(), [&](std::size_t child) {
    return parents_[child] == static_cast<std::int32_t>(slot);
  });
}

std::vector<bool> FaultSite::below(std::size_t slot) const {
  const std::vector<bool> nodes = subtree_of(asset_, skin().joints[slot]);
  std::vector<bool> out;
  for (const std::int32_t node : skin().joints)
    out.push_back(node >= 0 && nodes[static_cast<std::size_t>(node)]);
  return out;
}

bool FaultSite::alone() const {
  for (std::size_t b = 0; b < asset_.bindings.size(); ++b) {
    const Binding& other = asset_.bindings[b];
    if (b != binding_ && (other.mesh == bound().mesh || other.skin == bound().skin)) return false;
  }
  return true;
}

std::size_t FaultSite::placed_joints() const {
  return static_cast<std::size_t>(std::count_if(
      weighted_.begin(), weighted_.end(),
      [&](std::size_t slot) { return !influences().joints[slot].heavy_box.isEmpty(); }));
}

std::vector<std::size_t> FaultSite::tops() const {
  std::vector<std::size_t> out;
  for (std::size_t slot = 0; slot < parents_.size(); ++slot) {
    if (parents_[slot] < 0 && skin().joints[slot] >= 0) out.push_back(slot);
  }
  return out;
}

bool fits_format(const FaultKind& kind, Format format) {
  return kind.forms == FaultKind::Forms::both ||
         (kind.forms == FaultKind::Forms::gltf) == is_gltf(format);
}

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds = [] {
    std::vector<FaultKind> all;
    for (auto* part : {fault_detail::stored_form_faults, fault_detail::conversion_faults,
                       fault_detail::pose_faults, fault_detail::matrix_faults,
                       fault_detail::record_faults, fault_detail::weight_faults}) {
      for (FaultKind& kind : part()) all.push_back(std::move(kind));
    }
    return all;
  }();
  return kinds;
}

namespace {

double farthest(const Mat4& a, const Mat4& b, const Box& box) {
  double far = 0.0;
  for (int c = 0; c < 8; ++c) {
    const Vec3 p = box.corner(static_cast<Box::CornerType>(c));
    far = std::max(far, (transform_point(a, p) - transform_point(b, p)).norm());
  }
  return far;
}

/// min over joints of the largest distance of the others to its space.
double spread(const FaultSite& site, const std::vector<Mat4>& spaces) {
  constexpr std::size_t most = 48;  // joints tried as the reference
  const std::vector<std::size_t>& slots = site.weighted();
  double best = std::numeric_limits<double>::infinity();
  const std::size_t step = std::max<std::size_t>(1, slots.size() / most);
  for (std::size_t i = 0; i < slots.size(); i += step) {
    double worst = 0.0;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const JointInfluence& influence = site.influences().joints[slots[k]];
      Box box = influence.heavy_box;
      box.extend(influence.centroid());
      const double d = farthest(spaces[k], spaces[i], box);
      if (!std::isfinite(d)) return d;
      worst = std::max(worst, d * site.largest_weight(slots[k]));
    }
    best = std::min(best, worst);
  }
  return best / site.size();
}

}  // namespace

double disagreement(const FaultSite& site, const Asset& changed) {
  const std::vector<Mat4> world = world_from_nodes(changed);
  const Binding& binding = changed.bindings[site.binding()];
  const Skin& skin = changed.skins[static_cast<std::size_t>(binding.skin)];
  std::vector<Mat4> rest, records;
  for (const std::size_t slot : site.weighted()) {
    const Mat4& place = world[static_cast<std::size_t>(skin.joints[slot])];
    if (skin.clusters.empty()) {
      rest.push_back(place * *skin.joint_from_mesh[slot]);
      continue;
    }
    const Mat4& link = *skin.clusters[slot].transform_link;
    rest.push_back(place * affine_inverse(link).value_or(Mat4::Identity()) * site.consensus());
    records.push_back(link * *skin.joint_from_mesh[slot]);
  }
  const double apart = spread(site, rest);
  return records.empty() ? apart : std::max(apart, spread(site, records));
}

double placement_score(const FaultSite& site, const Mat4& change) {
  const auto moved = [&](const Box& box) {
    Box out;
    for (int c = 0; c < 8; ++c)
      out.extend(transform_point(
          site.consensus(), transform_point(change, box.corner(static_cast<Box::CornerType>(c)))));
    return out;
  };
  std::vector<double> distances;
  const double size = moved(site.influences().box).diagonal().norm();
  for (const std::size_t slot : site.weighted()) {
    const Box& heavy = site.influences().joints[slot].heavy_box;
    if (heavy.isEmpty()) continue;
    const Mat4 bind = *affine_inverse(*site.skin().joint_from_mesh[slot]);
    distances.push_back(
        moved(heavy).exteriorDistance(transform_point(site.consensus(), translation(bind))) / size);
  }
  if (distances.empty()) return 0.0;
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  return n % 2 == 1 ? distances[n / 2] : 0.5 * (distances[n / 2 - 1] + distances[n / 2]);
}

namespace fault_detail {

Mat4 translated(const Vec3& by) {
  Mat4 m = Mat4::Identity();
  m.topRightCorner<3, 1>() = by;
  return m;
}

Mat4 linear_map(const Mat3& l) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = l;
  return m;
}

Mat3 turned(double degrees, const Vec3& axis) {
  return Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, axis.normalized())
      .toRotationMatrix();
}

Mat4 in_mesh_space(const FaultSite& site, const Mat4& change) {
  return affine_inverse(site.consensus()).value_or(Mat4::Identity()) * change * site.consensus();
}

bool move_vertices(const FaultSite& site, Asset& asset, const Mat4& m) {
  const auto mesh = static_cast<std::size_t>(site.bound().mesh);
  for (std::size_t p = 0; p < asset.meshes[mesh].parts.size(); ++p) {
    std::vector<Vec3> positions = positions_of(asset.meshes[mesh].parts[p]);
    if (positions.size() != asset.meshes[mesh].parts[p].vertex_count) return false;
    for (Vec3& v : positions) v = transform_point(m, v);
    set_positions(asset, mesh, p, positions);
  }
  return true;
}

}  // namespace fault_detail
}  // namespace skinlint::test
