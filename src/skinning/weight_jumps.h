#pragma once
// How far two sets of weights drive one place apart when a single joint turns. Private to this
// room.

#include <cstdint>
#include <vector>

#include "skinning/bound_mesh.h"

namespace skinlint {

/// Turning one joint by 90 degrees moves a point by sqrt(2) * r * ws, with r its distance from the
/// joint and ws the weight of everything that hangs on the joint. Two sets of weights differ at a
/// place by the largest of these over all joints.
class WeightJumps {
 public:
  explicit WeightJumps(const BoundMesh& mesh) : mesh_(mesh), change_(mesh.bones.size(), 0.0) {}

  struct Jump {
    double apart = 0.0;       // metres
    double step = 0.0;        // of the weight below `joint`, signed: first minus second
    std::int32_t joint = -1;  // slot that turns; -1: the weights agree
  };
  /// Weights of points a and b at `place`.
  Jump at(std::uint32_t a, std::uint32_t b, const Vec3& place);
  /// Between neighbours, at the middle of their edge.
  Jump along(std::uint32_t a, std::uint32_t b) {
    return at(a, b, 0.5 * (mesh_.positions[a] + mesh_.positions[b]));
  }
  /// Calls found(slot, step) for every joint whose weight below differs by more than 1e-6.
  template <class Found>
  void each(std::uint32_t a, std::uint32_t b, Found found) {
    touched_.clear();
    add(a, 1.0);
    add(b, -1.0);
    for (const std::uint32_t s : touched_) {
      const double step = change_[s];
      change_[s] = 0.0;
      if (step > 1e-6 || step < -1e-6) found(s, step);
    }
  }

 private:
  void add(std::uint32_t point, double factor);
  const BoundMesh& mesh_;
  std::vector<double> change_;  // per slot, zero between calls
  std::vector<std::uint32_t> touched_;
};

}  // namespace skinlint
