#pragma once
// Weight statistics in one pass over the vertices of a (mesh, influences, joint count).

#include <cstdint>
#include <limits>
#include <vector>

#include "model/asset.h"

namespace skinlint {

/// Why a vertex deserves a closer look by a rule. Bits; the pass marks generously (tighter than any
/// rule's limit) and each weights-* rule applies its own limit to the suspects alone.
enum SuspectFlag : std::uint16_t {
  suspect_non_finite = 1,     // some weight NaN or Inf
  suspect_negative = 2,       // some weight < 0
  suspect_above_one = 4,      // some weight > 1 + 1e-6
  suspect_sum = 8,            // |sum - 1| > 1e-6 over finite weights (integers: any difference)
  suspect_out_of_range = 16,  // joint >= joint count
  suspect_duplicate = 32,     // one joint twice, both weights > 0
  suspect_zero = 64,          // no influence: sum of weights <= 1e-6 in magnitude
  suspect_position = 128,     // position not finite
};

struct Suspect {
  std::uint32_t part = 0;
  std::uint32_t vertex = 0;
  std::uint16_t flags = 0;
};

struct JointInfluence {
  std::uint64_t weight_count = 0;  // weights > 0 (glTF) or stored entries (FBX)
  double weight_sum = 0.0;         // finite weights, negative ones included
  double positive_weight = 0.0;    // sum of finite weights > 0 on finite positions
  Vec3 weighted_position =
      Vec3::Zero();  // sum w*v over the same; centroid = weighted_position / positive_weight
  Box heavy_box;     // box of the vertices it weights > 0.3 (empty box: none)
  std::uint64_t heavy_count = 0;
  Vec3 centroid() const { return weighted_position / positive_weight; }
  bool weighted() const { return positive_weight > 0.0; }
};

struct InfluenceAnalysis {
  std::uint64_t vertices = 0;  // summed over the parts that have influences
  std::uint64_t unweighted_vertices = 0;
  std::uint64_t negative = 0, non_finite = 0, out_of_range = 0;  // weights, not vertices
  std::uint64_t duplicate_vertices = 0;
  std::uint64_t zero_weight_with_joint =
      0;  // slots with w = 0 and joint != 0 (attribute sets only)
  std::uint32_t max_influences = 0;
  double sum_min =
      std::numeric_limits<double>::quiet_NaN();  // over vertices with an influence and a finite sum
  double sum_max = std::numeric_limits<double>::quiet_NaN();
  std::vector<JointInfluence> joints;  // per slot
  Box box;                        // finite positions of vertices that have an influence, mesh space
  std::vector<Suspect> suspects;  // in vertex order
};

/// One pass. `influences` per part as Binding::influences. Out-of-range joints count and are
/// otherwise ignored. Time O(vertices * slots), memory O(joints + suspects).
InfluenceAnalysis analyse_influences(const Asset& asset, const Mesh& mesh,
                                     const std::vector<std::int32_t>& influences,
                                     std::size_t joint_count);

/// Which vertices of a part some polygon uses. Built on demand (zero-weight vertices only).
std::vector<bool> used_vertices(const MeshPart& part);

}  // namespace skinlint
