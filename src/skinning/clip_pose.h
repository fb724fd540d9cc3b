#pragma once
// Poses out of clips: at their first keys, and at any time.

#include <optional>
#include <vector>

#include "model/asset.h"

namespace skinlint {

/// World of every node with the clip's channels at their first keys and all else at rest. glTF:
/// rotations are normalised; channels of nodes that have a matrix, unreadable and non-finite ones
/// are passed over. FBX: by Clip::first_key; a node whose world no local matrix can give
/// (Node::world_from_node) keeps its local matrix. O(nodes + channels).
std::vector<Mat4> world_at_first_keys(const Asset& asset, const Clip& clip);

/// First and last key time over the clip's channels, seconds, as the file counts them (a clip need
/// not begin at 0). Empty when no channel has a readable, finite time.
struct ClipSpan {
  double first = 0.0, last = 0.0;
};
std::optional<ClipSpan> clip_span(const Clip& clip);

/// World of every node at a time of the clip, in the asset's space; before a channel's first key
/// and after its last it holds their values, and what no channel keys is at rest. Channels that are
/// unreadable or give a non-finite value are passed over. O(nodes + channels * log keys).
///
/// glTF: step, linear (rotations spherically, the short way) and cubic spline; rotations are
/// normalised; nodes that have a matrix keep it. Source: glTF 2.0, 3.11 and appendix C.
///
/// FBX: Clip curves through each node's whole transform (pivots, pre- and post-rotation, rotation
/// order, scale inheritance): constant, linear, and cubic with stored, automatic or TCB tangents
/// and weights. Angles are interpolated as angles. The first animation layer counts; what is left
/// out is in Clip::left_out. Without curves (ReadOptions::clip_curves) keys are joined by straight
/// lines.
std::vector<Mat4> world_at_time(const Asset& asset, const Clip& clip, double seconds);

/// One activation per morph target of the binding's mesh at a time of the clip: the binding's own
/// where the clip does not key it. glTF: the channel of weights on the binding's node. FBX: curves
/// in percent, found by the target's name on any node that shows the mesh. Same rules between keys.
std::vector<double> morph_activations_at_time(const Asset& asset, const Binding& binding,
                                              const Clip& clip, double seconds);

}  // namespace skinlint
