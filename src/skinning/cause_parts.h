#pragma once
// The hypotheses, private to this room: each kind in a file of its own.

#include <functional>

#include "skinning/bind_parts.h"
#include "skinning/diagnosis.h"

namespace skinlint::cause_detail {

/// One joint as the hypotheses see it. A "system" is a pair (place, stored) whose product should be
/// one mesh space: glTF: rest world and inverse bind matrix. FBX drift: rest world and
/// TransformLink^-1 * world_from_mesh; FBX records: TransformLink and Transform * geometric
/// transform.
struct CauseJoint {
  std::int32_t slot = -1;
  std::int32_t node = -1;
  std::int32_t parent = -1;        // index into System::joints of the nearest joint above, -1: top
  double weight = 0.0;             // 0: takes part in chains only
  Mat4 place = Mat4::Identity();   // G_j
  Mat4 stored = Mat4::Identity();  // as the file has it, perhaps not affine
  std::vector<Vec3>
      points;  // mesh space, where differences are measured: centroid and corners of its heavy box
  bool invertible = false;  // `stored` is affine and has an inverse
};

struct System {
  const DiagnosisInput* input = nullptr;
  std::vector<CauseJoint> joints;  // parents precede children
  std::vector<Mat4> spaces;        // declared mesh spaces, the consensus first
  double size = 0.0;               // L
  double tau = 1e-4;
  double weight_off = 0.0;  // of the joints off by more than tau as the file stands
  double before = 0.0;      // residual as the file stands
  bool rest_side = true;  // `place` is the rest pose of the nodes (clips and poses can explain it)
};

/// The mesh spaces that the file declares for the binding.
std::vector<bind_detail::DeclaredSpace> declared_spaces(const DiagnosisInput& input);

/// Root mean square distance that two matrices put between the images of the joint's points, bottom
/// rows included.
double distance(const CauseJoint& joint, const Mat4& a, const Mat4& b);

/// The same, with what is within tau counted as none: rounding of many joints must not add up.
double distance_beyond_tau(const System& system, const CauseJoint& joint, const Mat4& a,
                           const Mat4& b);

/// Residual of a prediction of `stored`: distance of place * stored from place * predicted over all
/// weighted joints, weighted, over L and the weight of the joints that are off: that a hundred
/// joints are right must not make the one that is wrong look small. Gives up (infinity) once the
/// heaviest joints alone exceed `enough` (of size).
double residual(const System& system,
                const std::function<std::optional<Mat4>(std::size_t)>& predicted, double enough);

/// max(tau, 1 % of the residual before).
double fit_limit(const System& system);

/// Weighted joints whose place * stored is off `space`, worst first.
std::vector<std::int32_t> slots_off(const System& system, const Mat4& space);

/// matrix-transposed, -not-inverted, -from-local, joint-order.
void try_stored_forms(const System& system, std::vector<CauseFit>& fits);
/// axis- and unit-converted, as left factor or conjugation.
void try_conversions(const System& system, std::vector<CauseFit>& fits);
/// scale-inherited, mirrored-joint, saved-at-clip-key, one-joint-stale, posed-after-bind.
void try_poses(const System& system, std::vector<CauseFit>& fits);

/// The vertices against the skeleton: mesh-transform-*, axis/unit-converted-mesh-only by placement.
std::optional<Diagnosis> diagnose_placement(const DiagnosisInput& input);
/// The common offset: dequantisation, mesh-moved, conversions of one side.
std::optional<Diagnosis> diagnose_offset(const DiagnosisInput& input);

/// Orders fits, decides ambiguity.
Diagnosis concluded(double before, std::vector<CauseFit> fits);

}  // namespace skinlint::cause_detail
