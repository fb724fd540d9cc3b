#pragma once
// Which matrix lied, and why: hypotheses that predict what the file stores from other data in the
// file. A hypothesis fits when the stored matrices differ from the predicted ones by no more than
// max(tau, 1 % of what they differ by as they stand). Repairs that could fit anything prove nothing
// and are not tried. docs/model.md, "Causes".

#include <optional>
#include <string>
#include <vector>

#include "skinning/bind_analysis.h"

namespace skinlint {

enum class CauseId : std::uint8_t {  // in the order that breaks ties
  matrix_transposed,
  matrix_not_inverted,
  matrix_from_local,
  joint_order,
  mesh_transform_missing,
  mesh_transform_twice,
  mesh_transform_inverse,
  axis_skeleton_only,
  axis_mesh_only,
  unit_skeleton_only,
  unit_mesh_only,
  scale_inherited,
  mesh_moved,
  mirrored_joint,
  dequantisation,
  saved_at_clip_key,
  one_joint_stale,
  posed_after_bind,
};
/// "matrix-transposed" … "posed-after-bind", as in reports.
std::string_view cause_name(CauseId id);

/// One hypothesis that fits.
struct CauseFit {
  CauseId id = CauseId::posed_after_bind;
  double residual = 0.0;        // of size, after; floored at tau
  int parameters = 0;           // free numbers that were fitted
  bool named_evidence = false;  // something in the file names it: mesh node, clip key, unit setting
  std::vector<std::int32_t> slots;  // affected joints, worst first
  std::string detail;  // "90° about X", "scale 100", the clip's name, …; may be empty
};

struct Diagnosis {
  double residual_before = 0.0;  // of size
  std::vector<CauseFit> fits;    // best first; empty: unexplained
  bool ambiguous = false;  // the best two cannot be told apart by evidence, parameters or kind
};

/// What a symptom is about: each asks a different question of the file and gets its own answer.
struct BindingDiagnosis {
  std::optional<Diagnosis> drift;  // rest against bind (bind-rest-differs and the matrix rules)
  std::optional<Diagnosis>
      records;  // FBX: cluster records against one another (bind-cluster-mesh-spread)
  std::optional<Diagnosis> placement;  // vertices against skeleton (bind-skeleton-misplaced)
  std::optional<Diagnosis> offset;     // the common offset (bind-common-offset, bind-mesh-moved)
};

struct DiagnosisInput {
  const Asset* asset = nullptr;
  std::size_t binding = 0;
  const std::vector<Mat4>* world_from_node = nullptr;
  const std::vector<std::int32_t>* depth = nullptr;
  const InfluenceAnalysis* influences = nullptr;
  const BindAnalysis* bind = nullptr;
};

/// Pure. O(J^2) for joint order, O(J) per other hypothesis. Parts without a symptom stay empty.
BindingDiagnosis diagnose(const DiagnosisInput& input);

}  // namespace skinlint
