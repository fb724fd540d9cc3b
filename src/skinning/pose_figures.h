#pragma once
// What a pose does to a mesh: edges that stretch, volume that goes, triangles that turn over.

#include <cstdint>
#include <optional>
#include <vector>

#include "skinning/point_mover.h"

namespace skinlint {

/// Part of a mesh that a pose deforms: the triangles whose corners do not all move alike.
struct Zone {
  std::vector<std::uint32_t> triangles;  // into BoundMesh::triangles
  std::vector<std::uint32_t> points;     // their corners, each once
  /// Where the zone ends: rims of directed edges, one per connected piece. Fans over them close it.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> rims;
};
/// Triangles whose corners differ in the weight below a joint, or share it with others.
/// `below` as weights_below().
Zone zone_of_turn(const BoundMesh& mesh, const std::vector<float>& below);
Zone whole_mesh(const BoundMesh& mesh);

struct PoseFigures {
  double max_stretch = 1.0;   // of an edge, posed over bind
  double ring_stretch = 1.0;  // median over the edges around the worst one
  double min_stretch = 1.0;
  /// Posed volume over bind volume of the zone, its rims closed by fans about their middles. Empty
  /// where the surface encloses nothing (a cloth, a patch).
  std::optional<double> volume_ratio;
  std::uint64_t inverted_triangles = 0;  // face against what the blended rotation makes of them
  std::uint64_t triangles = 0;           // looked at
  struct Worst {
    std::uint32_t point = 0;
    double stretch = 1.0;
  };
  std::vector<Worst> worst;      // by stretch, at most 5
  std::uint64_t not_finite = 0;  // points that the pose takes nowhere
};

PoseFigures measure_pose(const BoundMesh& mesh, const Zone& zone, const PointMover& mover);

/// How far linear blending carries one joint, in numbers that do not depend on a pose set.
struct JointLimits {
  std::int32_t slot = -1;
  std::uint64_t triangles = 0;  // of its zone
  /// Least distance from the twist axis after half a turn over the distance before, among points of
  /// the zone; 0: the mesh closes up like a candy wrapper. Empty: no point off the axis.
  std::optional<double> candy_wrapper;
  struct AtAngle {
    double angle_deg = 0.0;
    std::optional<double> twist, bend;                        // volume ratio; bend: worst axis
    std::optional<double> twist_quaternion, bend_quaternion;  // the same with dual quaternions
  };
  std::vector<AtAngle> volume;  // 45, 90, 135, 180 degrees
};
JointLimits measure_joint(const BoundMesh& mesh, std::int32_t slot, const Zone& zone,
                          const std::vector<float>& below);

}  // namespace skinlint
