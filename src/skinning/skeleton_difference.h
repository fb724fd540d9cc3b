#pragma once
// Two skeletons that should be one: joints are paired by name, and what differs is named once, at
// the joint whose own transform changed, not at everything below it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/math.h"

namespace skinlint {

/// A skeleton apart from its file: canonical space (metres, +Y up), joints in the file's order,
/// parents before children.
struct Skeleton {
  struct Joint {
    std::string name;
    std::int32_t node = -1;        // of the asset it came from
    std::int32_t parent = -1;      // joint above it here; -1: a top
    bool deforms = false;          // a skin lists it
    std::optional<Mat4> bind;      // world_from_joint as bound; empty: no skin says so
    Mat4 rest = Mat4::Identity();  // world_from_joint at rest
  };
  std::vector<Joint> joints;
  /// Diagonal of the box of all joints at bind (at rest where nothing says), metres.
  double size() const;
};

struct SkeletonLimits {
  double displacement = 1e-3;  // over the reference's size
  double angle_deg = 0.1;
  double scale = 1e-3;
};

struct SkeletonDifference {
  struct Changed {
    std::int32_t joint = -1;    // of the judged skeleton
    double displacement = 0.0;  // metres, of the joint against its parent
    double angle_deg = 0.0;
    double scale = 1.0;
  };
  std::vector<std::int32_t> missing;  // of the reference: deforming joints without a namesake
  std::vector<std::int32_t> extra;    // deforming joints that the reference lacks
  std::vector<std::pair<std::int32_t, std::int32_t>> recased;     // judged, reference
  std::vector<std::pair<std::int32_t, std::int32_t>> reparented;  // judged, reference
  std::vector<Changed> bind, rest;  // own transforms that differ, worst displacement first
  /// What takes the whole reference to the judged skeleton at bind, where most joints agree on it;
  /// the identity when they do not. Where the character stands is no difference.
  struct Common {
    Mat3 rotation = Mat3::Identity();  // proper, or with a mirror
    Vec3 translation = Vec3::Zero();
    double scale = 1.0;       // of the distances between joints
    double axis_scale = 1.0;  // of the joints' own axes: a scale left on a root shows here too
    Mat4 apply(const Mat4& world_from_joint) const;
  } common;
  bool common_differs = false;  // scale, turn or mirror
  std::size_t paired = 0;

  bool any() const {
    return !missing.empty() || !extra.empty() || !recased.empty() || !reparented.empty() ||
           !bind.empty() || !rest.empty() || common_differs;
  }
};

/// Pairs joints by name: exactly first, then without regard to ASCII case; of several namesakes the
/// first that is free. Non-finite and singular transforms are not compared (other rules report
/// them). O(J log J + J * 64).
SkeletonDifference compare_skeletons(const Skeleton& reference, const Skeleton& judged,
                                     const SkeletonLimits& limits);

}  // namespace skinlint
