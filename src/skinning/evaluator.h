#pragma once
// The one evaluator: v' = sum_k c_k f_k(v) with f_k a skin matrix (joint) or an offset (morph
// target). Morph first, then skin, as both formats say. Every rule, trace, pose and test that moves
// a vertex uses it.

#include <span>
#include <vector>

#include "model/asset.h"

namespace skinlint {

/// S_j per slot of a skin: G_j * joint_from_mesh[j]. Slots without a usable matrix are marked.
struct SkinMatrices {
  std::vector<Mat4> world_from_mesh;  // per slot
  std::vector<bool> usable;           // finite and present
};

/// What becomes of vertices with sum of weights <= eps (or no usable influence).
struct ZeroWeightPolicy {
  enum class Kind : std::uint8_t { reject, fallback } kind = Kind::reject;
  std::int32_t fallback_slot = -1;
  double eps = 1e-6;
};

struct SkinnedVertex {
  enum class State : std::uint8_t {
    moved,
    rejected,
    fell_back,
    not_finite
  } state = State::rejected;
  Vec3 position = Vec3::Zero();
  double weight_sum = 0.0;
};

/// Blends one vertex: sum of w_j/W * S_j * v. Influences out of range, on unusable slots, or with a
/// weight that is not finite or negative make the vertex `not_finite`; W <= eps follows the policy.
/// Source: glTF 2.0 section 3.7.3.3, FBX link mode Normalize.
SkinnedVertex skin_vertex(const Vec3& position, std::span<const std::uint32_t> joints,
                          std::span<const double> weights, const SkinMatrices& matrices,
                          const ZeroWeightPolicy& policy = {});

/// The blended linear part L = sum w_j/W * (S_j)_3, same rules. Zero matrix when not
/// `moved`/`fell_back`.
Mat3 blended_linear(std::span<const std::uint32_t> joints, std::span<const double> weights,
                    const SkinMatrices& matrices, const ZeroWeightPolicy& policy = {});

/// n' = normalize(L^-T n). Empty when L is singular (relative determinant < 1e-9) or n is zero or
/// not finite.
std::optional<Vec3> skin_normal(const Vec3& normal, const Mat3& linear);

/// Adds sum_k a_k * offset_k to `positions` (vertices [first, first + n) of one part). In-betweens
/// (FBX) are piecewise linear over full weights. Targets whose streams are unreadable or short are
/// skipped (the reader reported them).
void add_morphs(const Mesh& mesh, std::size_t part, std::span<const double> activations,
                std::size_t first, std::span<Vec3> positions);

}  // namespace skinlint
