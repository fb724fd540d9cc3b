#pragma once
// What `pose` found, as text for artists or as JSON (schema skinlint-pose/1,
// docs/pose.schema.json).

#include <iosfwd>
#include <string>
#include <vector>

#include "rules/facts.h"
#include "skinning/pose_analysis.h"
#include "skinning/pose_solve.h"

namespace skinlint {

struct PoseReport {
  std::string path;  // as given
  std::vector<PoseAnalysis> bindings;
  std::vector<AssetPose> poses;    // whole poses that were looked at
  std::vector<std::string> notes;  // what was left out, one sentence each
  /// JSON: posed vertices of `poses`, by `method` (empty: as each skin says).
  bool positions = false;
  std::optional<SkinningMethod> method;

  bool has_faults() const;  // matrix or weight
};

void write_pose_json(std::ostream& out, const Facts& facts, const PoseReport& report);
void write_pose_text(std::ostream& out, const Facts& facts, const PoseReport& report);

/// What helps against the limits of linear blending at one joint; empty where nothing is lost.
std::string blending_hint(const JointLimits& limits);

/// `pose --solve`. Both name vertices by binding, part and number.
struct SolveReport {
  std::string path, target;
  std::vector<SolveBinding> bindings;
  Solution solution;
  double tolerance = 0.0;  // metres: a largest residual up to this is reached
  bool reached() const { return solution.largest <= tolerance; }
};
void write_solve_json(std::ostream& out, const Facts& facts, const SolveReport& report);
void write_solve_text(std::ostream& out, const Facts& facts, const SolveReport& report);

}  // namespace skinlint
