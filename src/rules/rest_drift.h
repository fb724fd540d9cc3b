#pragma once
// The rest pose against the bind pose of one binding: what bind-rest-differs judges, shared with
// the rules that add to it.

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "skinning/clip_rest.h"

namespace skinlint::rules {

/// Posed bounding box over bind size, and stretch of edges, above which a mesh has exploded.
inline constexpr double default_exploded_box = 5.0;
inline constexpr double default_exploded_stretch = 10.0;

struct RestDrift {
  std::vector<JointAmount> joints;  // weighted and drifting; metres
  std::vector<JointAmount> roots;   // their own local transform changed; metres by that change
  bool poisoned = false;            // an earlier error hides joints: measures of vertices mislead
  double moved = 0.0;               // largest displacement of a vertex, metres
  std::optional<RestKey> key;       // the clip key that the changed joints rest in
  bool posed = false;               // few local transforms changed, the rest follows
  bool excusable = true;            // no cause fits but a pose or a clip's key
  bool rigid = true;                // turned and moved only
  bool as_a_whole = false;          // FBX: the mesh moved with the skeleton

  /// The rest pose is a key of a clip, and nothing explains it better.
  bool is_clip_key() const { return key.has_value() && excusable; }
};

/// Empty when the binding rests as it was bound, has no bind matrices, cannot be analysed, or is
/// poisoned (which the sink counts). `flattened` as flattened_by() gives it.
std::optional<RestDrift> rest_drift(const RuleInput& input, Sink& sink, const BindingGroup& group,
                                    const std::vector<std::int32_t>& flattened);

/// Beyond a limit, and no clip key, no move as a whole and no hidden joint accounts for it.
bool has_exploded(const RestDrift& drift, const BindAnalysis& bind, double box, double stretch);

}  // namespace skinlint::rules
