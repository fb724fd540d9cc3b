#include "skinning/weight_faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "skinning/joint_turns.h"
#include "skinning/weight_jumps.h"

namespace skinlint {
namespace {

constexpr std::size_t kPointsKept = 16;
constexpr double kLeastStep = 0.02;  // of weight over an edge: less is no transition
using Kind = WeightFault::Kind;

double median(std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Forest {
 public:
  explicit Forest(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t root(std::uint32_t p) {
    while (above_[p] != p) p = above_[p] = above_[above_[p]];
    return p;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a != b) above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> above_;
};

class Search {
 public:
  Search(const BoundMesh& mesh, const WeightFaultLimits& limits)
      : mesh_(mesh), limits_(limits), jumps_(mesh), blamed_(mesh.positions.size(), false) {}

  std::vector<WeightFault> run() {
    if (!(mesh_.size > 0.0)) return {};
    measure_edges();
    find_islands();
    find_strays();
    find_open_seams();
    find_hard_edges();
    find_beyond_reach();
    for (WeightFault& fault : faults_) measure_stretch(fault);
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const WeightFault& a, const WeightFault& b) { return a.tear > b.tear; });
    return std::move(faults_);
  }

 private:
  void measure_edges() {
    jump_.resize(mesh_.ring.size());
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k)
        jump_[k] = static_cast<float>(jumps_.along(p, mesh_.ring[k]).apart);
    }
  }

  /// Mean distance of `place` from the bones that point `weights` follows.
  double distance(std::uint32_t weights, const Vec3& place) const {
    const auto joints = mesh_.joints_of(weights);
    const auto shares = mesh_.weights_of(weights);
    double sum = 0.0;
    for (std::size_t k = 0; k < joints.size(); ++k)
      sum += shares[k] * distance_from_bone(mesh_.bones[joints[k]], place);
    return sum;
  }

  /// Of a point's joints the one that is most out of place there.
  std::int32_t farthest_joint(std::uint32_t p) const {
    const auto joints = mesh_.joints_of(p);
    const auto shares = mesh_.weights_of(p);
    double worst = -1.0;
    std::int32_t joint = -1;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const double d = shares[k] * distance_from_bone(mesh_.bones[joints[k]], mesh_.positions[p]);
      if (d > worst) {
        worst = d;
        joint = static_cast<std::int32_t>(joints[k]);
      }
    }
    return joint;
  }

  void find_islands() {
    const auto points = static_cast<std::uint32_t>(mesh_.positions.size());
    Forest agreeing(points), connected(points);
    const auto cut = static_cast<float>(limits_.cut * mesh_.size);
    for (std::uint32_t p = 0; p < points; ++p) {
      for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k) {
        connected.join(p, mesh_.ring[k]);
        if (jump_[k] <= cut) agreeing.join(p, mesh_.ring[k]);
      }
    }
    struct Patch {
      std::vector<std::uint32_t> points;
      double own = 0.0, around = 0.0, apart = 0.0;
      std::uint64_t edges = 0;
    };
    std::vector<std::uint32_t> connected_size(points, 0), patch_size(points, 0);
    for (std::uint32_t p = 0; p < points; ++p) {
      ++connected_size[connected.root(p)];
      ++patch_size[agreeing.root(p)];
    }
    std::unordered_map<std::uint32_t, Patch> patches;
    for (std::uint32_t p = 0; p < points; ++p) {
      const std::uint32_t root = agreeing.root(p);
      const double whole = connected_size[connected.root(p)];
      if (patch_size[root] > limits_.island_share * whole) continue;
      Patch& patch = patches[root];
      patch.points.push_back(p);
      for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k) {
        const std::uint32_t q = mesh_.ring[k];
        if (agreeing.root(q) == root) continue;
        ++patch.edges;
        patch.own += distance(p, mesh_.positions[p]);
        patch.around += distance(q, mesh_.positions[p]);
        patch.apart += static_cast<double>(jump_[k]);
      }
    }
    std::vector<std::uint32_t> order;
    for (const auto& [root, patch] : patches) order.push_back(root);
    std::sort(order.begin(), order.end());
    for (const std::uint32_t root : order) {
      Patch& patch = patches[root];
      if (patch.edges == 0) continue;
      const auto edges = static_cast<double>(patch.edges);
      patch.own /= edges;
      patch.around /= edges;
      if (patch.own - patch.around < limits_.far * mesh_.size ||
          patch.own < limits_.far_ratio * patch.around) {
        continue;
      }
      WeightFault fault;
      fault.kind = patch.points.size() == 1 ? Kind::stray_vertex : Kind::far_island;
      fault.count = patch.points.size();
      fault.distance = patch.own;
      fault.usual_distance = patch.around;
      std::vector<std::pair<double, std::uint32_t>> worst;
      for (const std::uint32_t p : patch.points) {
        double apart = 0.0;
        for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k)
          if (agreeing.root(mesh_.ring[k]) != root)
            apart = std::max(apart, static_cast<double>(jump_[k]));
        worst.emplace_back(-apart, p);
        blamed_[p] = true;
      }
      finish(fault, worst);
    }
  }

  void finish(WeightFault& fault, std::vector<std::pair<double, std::uint32_t>>& worst) {
    std::sort(worst.begin(), worst.end());
    fault.tear = -worst.front().first;
    for (const auto& [apart, p] : worst) {
      if (fault.points.size() == kPointsKept) break;
      fault.points.push_back(p);
    }
    if (fault.joint < 0) fault.joint = farthest_joint(fault.points.front());
    faults_.push_back(std::move(fault));
  }

  void find_strays() {
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      if (blamed_[p]) continue;
      const std::uint32_t begin = mesh_.ring_first[p], end = mesh_.ring_first[p + 1];
      if (end - begin < 3) continue;
      const double least =
          static_cast<double>(*std::min_element(jump_.begin() + begin, jump_.begin() + end));
      if (least < limits_.stray * mesh_.size) continue;
      double length = 0.0;
      for (std::uint32_t k = begin; k < end; ++k)
        length += (mesh_.positions[mesh_.ring[k]] - mesh_.positions[p]).norm();
      length /= static_cast<double>(end - begin);
      if (least < limits_.stray_stretch * length) continue;
      // What the neighbours differ by among themselves, from the one in their middle.
      double spread = 1e300;
      for (std::uint32_t a = begin; a < end; ++a) {
        std::vector<double> apart;
        for (std::uint32_t b = begin; b < end; ++b)
          if (a != b)
            apart.push_back(jumps_.at(mesh_.ring[a], mesh_.ring[b], mesh_.positions[p]).apart);
        spread = std::min(spread, median(apart));
      }
      if (least < limits_.stray_over_ring * spread) continue;
      WeightFault fault;
      fault.kind = Kind::stray_vertex;
      fault.count = 1;
      fault.distance = distance(p, mesh_.positions[p]);
      fault.usual_distance = distance(mesh_.ring[begin], mesh_.positions[p]);
      std::vector<std::pair<double, std::uint32_t>> worst = {{-least, p}};
      blamed_[p] = true;
      finish(fault, worst);
    }
  }

  void find_open_seams() {
    // Points are made in vertex order, places too: those of one place are found by sorting.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_place;
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p)
      if (mesh_.border[p]) by_place.emplace_back(mesh_.place[p], p);
    std::sort(by_place.begin(), by_place.end());
    std::uint64_t open = 0;
    double least = 0.0;
    std::vector<std::pair<double, std::uint32_t>> worst;
    for (std::size_t i = 0; i < by_place.size();) {
      std::size_t j = i + 1;
      while (j < by_place.size() && by_place[j].first == by_place[i].first) ++j;
      for (std::size_t k = i + 1; k < j; ++k) {
        ++open;
        const std::uint32_t a = by_place[i].second, b = by_place[k].second;
        const double apart = jumps_.at(a, b, mesh_.positions[a]).apart;
        if (apart >= limits_.seam * mesh_.size && !blamed_[a] && !blamed_[b]) {
          if (worst.empty() || -apart < least) seam_partner_ = a;
          least = std::min(least, -apart);
          worst.emplace_back(-apart, b);
        }
      }
      i = j;
    }
    if (worst.empty()) return;
    if (static_cast<double>(worst.size()) >
        limits_.seam_share * static_cast<double>(open + mesh_.merged)) {
      return;
    }
    WeightFault fault;
    fault.kind = Kind::open_seam;
    fault.count = worst.size();
    finish(fault, worst);
  }

  /// How abruptly the weight below a joint changes: the mean step over the edges where it changes,
  /// each counted by its step. 1: all at once; 1/n: evenly over n edges.
  struct Transition {
    double hardness = 0.0;
    std::uint64_t edges = 0;
  };
  std::vector<Transition> transitions() {
    std::vector<double> sum(mesh_.bones.size(), 0.0), square(mesh_.bones.size(), 0.0);
    std::vector<Transition> out(mesh_.bones.size());
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k) {
        const std::uint32_t q = mesh_.ring[k];
        if (q < p || jump_[k] == 0.0F) continue;
        jumps_.each(p, q, [&](std::uint32_t slot, double step) {
          if (std::abs(step) < kLeastStep) return;
          sum[slot] += std::abs(step);
          square[slot] += step * step;
          ++out[slot].edges;
        });
      }
    }
    for (std::size_t j = 0; j < out.size(); ++j) {
      if (sum[j] > 0.0) out[j].hardness = square[j] / sum[j];
    }
    return out;
  }

  /// The joint at the mirrored place, or -1. Mirrored in X about the middle of the topmost joints:
  /// characters face +Z.
  std::int32_t mirrored_joint(std::size_t slot) const {
    double middle = 0.0, tops = 0.0;
    for (const BoundJoint& bone : mesh_.bones) {
      if (!bone.usable || bone.parent >= 0) continue;
      middle += bone.origin.x();
      tops += 1.0;
    }
    if (tops == 0.0) return -1;
    Vec3 mirrored = mesh_.bones[slot].origin;
    mirrored.x() = 2.0 * middle / tops - mirrored.x();
    if ((mirrored - mesh_.bones[slot].origin).norm() < 0.02 * mesh_.size) return -1;
    for (std::size_t j = 0; j < mesh_.bones.size(); ++j) {
      if (mesh_.bones[j].usable && (mesh_.bones[j].origin - mirrored).norm() < 0.01 * mesh_.size)
        return static_cast<std::int32_t>(j);
    }
    return -1;
  }

  void find_hard_edges() {
    const std::vector<Transition> all = transitions();
    std::vector<double> soft;
    for (const Transition& t : all)
      if (t.edges >= limits_.hard_edges) soft.push_back(t.hardness);
    const std::size_t judged = soft.size();
    const auto smooth = static_cast<std::size_t>(
        std::count_if(soft.begin(), soft.end(), [&](double h) { return h < limits_.soft; }));
    const double usual = median(soft);
    const bool smooth_mesh =
        judged >= limits_.hard_judged && usual <= limits_.soft_median &&
        static_cast<double>(smooth) >= limits_.soft_share * static_cast<double>(judged);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j].edges < limits_.hard_edges || all[j].hardness < limits_.hard) continue;
      const std::int32_t twin = mirrored_joint(j);
      const bool twin_soft = twin >= 0 &&
                             all[static_cast<std::size_t>(twin)].edges >= limits_.hard_edges &&
                             all[static_cast<std::size_t>(twin)].hardness < limits_.soft;
      if (!smooth_mesh && !twin_soft) continue;
      report_hard(static_cast<std::int32_t>(j));
    }
  }

  void report_hard(std::int32_t slot) {
    const std::vector<float> below = weights_below(mesh_, slot);
    const Vec3& origin = mesh_.bones[static_cast<std::size_t>(slot)].origin;
    std::vector<std::pair<double, std::uint32_t>> worst;
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      double apart = 0.0;
      for (const std::uint32_t q : mesh_.ring_of(p)) {
        const double step = static_cast<double>(below[p]) - static_cast<double>(below[q]);
        if (step < limits_.hard_step) continue;
        apart =
            std::max(apart, step * std::sqrt(2.0) *
                                (0.5 * (mesh_.positions[p] + mesh_.positions[q]) - origin).norm());
      }
      if (apart > 0.0 && !blamed_[p]) worst.emplace_back(-apart, p);
    }
    if (worst.empty()) return;
    if (-std::min_element(worst.begin(), worst.end())->first < limits_.hard_tear * mesh_.size)
      return;
    WeightFault fault;
    fault.kind = Kind::hard_edge;
    fault.joint = fault.turned = slot;
    fault.count = worst.size();
    finish(fault, worst);
  }

  /// A joint's reach is where nearly all of its weight lies; far beyond it, where other joints are
  /// much nearer, a leak is painted or left by an automatic binding.
  void find_beyond_reach() {
    std::vector<std::vector<std::pair<float, float>>> held(mesh_.bones.size());
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      for (std::uint32_t k = mesh_.first[p]; k < mesh_.first[p + 1]; ++k) {
        const double d = distance_from_bone(mesh_.bones[mesh_.joints[k]], mesh_.positions[p]);
        held[mesh_.joints[k]].emplace_back(static_cast<float>(d),
                                           static_cast<float>(mesh_.weights[k]));
      }
    }
    std::vector<double> reach(mesh_.bones.size(), 0.0);
    for (std::size_t j = 0; j < held.size(); ++j) {
      std::sort(held[j].begin(), held[j].end());
      double total = 0.0, below = 0.0;
      for (const auto& [d, w] : held[j]) total += static_cast<double>(w);
      for (const auto& [d, w] : held[j]) {
        below += static_cast<double>(w);
        if (below < 0.9 * total) continue;
        reach[j] = static_cast<double>(d);
        break;
      }
    }
    std::vector<std::vector<std::pair<double, std::uint32_t>>> worst(mesh_.bones.size());
    for (std::uint32_t p = 0; p < mesh_.positions.size(); ++p) {
      if (blamed_[p]) continue;
      const auto joints = mesh_.joints_of(p);
      const auto weights = mesh_.weights_of(p);
      for (std::size_t k = 0; k < joints.size(); ++k) {
        const std::uint32_t j = joints[k];
        if (weights[k] < limits_.leak || weights[k] > 0.5) continue;
        const double d = distance_from_bone(mesh_.bones[j], mesh_.positions[p]);
        if (d < limits_.reach_ratio * reach[j] + limits_.reach * mesh_.size) continue;
        double others = 0.0;
        for (std::size_t m = 0; m < joints.size(); ++m)
          if (m != k)
            others += weights[m] / (1.0 - weights[k]) *
                      distance_from_bone(mesh_.bones[joints[m]], mesh_.positions[p]);
        if (d < limits_.far_ratio * others) continue;
        const double apart =
            weights[k] * std::sqrt(2.0) * (mesh_.positions[p] - mesh_.bones[j].origin).norm();
        if (apart >= limits_.leak_tear * mesh_.size) worst[j].emplace_back(-apart, p);
      }
    }
    for (std::size_t j = 0; j < worst.size(); ++j) {
      if (worst[j].empty()) continue;
      WeightFault fault;
      fault.kind = Kind::beyond_reach;
      fault.joint = fault.turned = static_cast<std::int32_t>(j);
      fault.count = worst[j].size();
      std::sort(worst[j].begin(), worst[j].end());
      const Vec3& at = mesh_.positions[worst[j].front().second];
      fault.distance = distance_from_bone(mesh_.bones[j], at);
      fault.usual_distance = reach[j];
      finish(fault, worst[j]);
    }
  }

  void measure_stretch(WeightFault& fault) {
    const std::uint32_t p = fault.points.front();
    double most = 0.0;
    std::uint32_t other = p;
    for (std::uint32_t k = mesh_.ring_first[p]; k < mesh_.ring_first[p + 1]; ++k) {
      if (static_cast<double>(jump_[k]) >= most) {
        most = static_cast<double>(jump_[k]);
        other = mesh_.ring[k];
      }
    }
    if (fault.kind == Kind::open_seam) other = seam_partner_;
    if (other == p) return;
    const Vec3 middle = 0.5 * (mesh_.positions[p] + mesh_.positions[other]);
    if (fault.turned < 0) fault.turned = jumps_.along(p, other).joint;
    if (fault.turned < 0) return;
    jumps_.each(p, other, [&](std::uint32_t slot, double step) {
      const double apart =
          std::abs(step) * std::sqrt(2.0) * (middle - mesh_.bones[slot].origin).norm();
      if (apart >= 0.5 * fault.tear) fault.shown_by.push_back(static_cast<std::int32_t>(slot));
    });
    std::sort(fault.shown_by.begin(), fault.shown_by.end());
    const BoundJoint& bone = mesh_.bones[static_cast<std::size_t>(fault.turned)];
    const std::vector<Mat4> motions = turn_motions(
        mesh_, fault.turned, farthest_axis(bone, mesh_.positions[p]), std::acos(-1.0) / 2.0);
    const auto stretch = [&](std::uint32_t a, std::uint32_t b) {
      const double length = (mesh_.positions[a] - mesh_.positions[b]).norm();
      return length > 0.0
                 ? (moved_point(mesh_, a, motions) - moved_point(mesh_, b, motions)).norm() / length
                 : 1.0;
    };
    std::vector<double> ring;
    for (const std::uint32_t a : mesh_.ring_of(p)) {
      fault.stretch = std::max(fault.stretch, stretch(p, a));
      for (const std::uint32_t b : mesh_.ring_of(a))
        if (b != p) ring.push_back(stretch(a, b));
    }
    if (!ring.empty()) fault.ring_stretch = median(ring);
  }

  const BoundMesh& mesh_;
  const WeightFaultLimits& limits_;
  WeightJumps jumps_;
  std::vector<float> jump_;  // per entry of BoundMesh::ring, metres
  std::vector<bool> blamed_;
  std::vector<WeightFault> faults_;

  std::uint32_t seam_partner_ = 0;  // of the widest opening: the other side
};

}  // namespace

std::string_view weight_fault_name(WeightFault::Kind kind) {
  switch (kind) {
    case Kind::stray_vertex:
      return "stray-vertex";
    case Kind::far_island:
      return "far-island";
    case Kind::open_seam:
      return "open-seam";
    case Kind::hard_edge:
      return "hard-edge";
    case Kind::beyond_reach:
      return "beyond-reach";
  }
  return "";
}

std::vector<WeightFault> find_weight_faults(const BoundMesh& mesh,
                                            const WeightFaultLimits& limits) {
  return Search(mesh, limits).run();
}

}  // namespace skinlint
