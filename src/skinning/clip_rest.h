#pragma once
// Was the rest pose overwritten by a frame of a clip? Exporters that save the scene at its current
// frame write that frame's local transforms over the rest pose.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/asset.h"
#include "skinning/bind_analysis.h"

namespace skinlint {

/// Nodes that together place one joint below the joint above it: the joint itself and the
/// non-joints between.
using JointSegment = std::vector<std::int32_t>;

/// The segment of a node: itself, then its ancestors as long as they are no joints.
JointSegment joint_segment(const Asset& asset, std::int32_t node);

/// What of a joint's own transform changed. A clip that does not key it cannot have written it.
struct ChangedParts {
  bool rotation = false, scale = false;
};
/// Of a joint's own change. None for a sheared one: a turn and an uneven scale cannot be told
/// apart.
ChangedParts changed_parts(const RelativeTransform& own);

struct RestKey {
  std::int32_t clip = -1;
  double time = 0.0;      // seconds
  bool first_key = true;  // every keyed channel at its own first key; else at `time`
  std::size_t keyed_segments = 0;
};

/// The first clip whose keys are the rest pose at every keyed node of `segments` (worst first), at
/// its first keys or, failing that, at one later key time. A clip counts only when it keys at least
/// half of the segments: a node without a channel rests in every clip, and with `changed` (one per
/// segment; empty: not asked) neither does a clip key a segment whose changed part it leaves alone.
/// Compared in the node's own
/// translation (1e-3 of its length), rotation (0.2 deg) and scale (1e-3), loose enough for
/// quantised keys. Morph and pointer channels, unreadable and non-finite streams are passed over.
/// FBX, whose channels are Euler angles between pivots, is compared by Clip::first_key alone: later
/// keys are not tried. Empty when nothing matches or `segments` is empty.
std::optional<RestKey> find_rest_key(const Asset& asset, const std::vector<JointSegment>& segments,
                                     const std::vector<ChangedParts>& changed = {});

}  // namespace skinlint
