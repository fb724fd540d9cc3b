// The rest pose against the bind pose, as the rules about it see it.

#include "rules/rest_drift.h"

#include <cmath>

#include "rules/bind_records.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// Fills joints, roots and poisoned.
void gather(const RuleInput& input, Sink& sink, std::size_t skin, const BindAnalysis& bind,
            const std::vector<std::int32_t>& flattened, RestDrift& drift) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t>& nodes = asset.skins[skin].joints;
  std::vector<bool> carries(asset.nodes.size(),
                            false);  // a drifting joint with weight is at or below
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const auto index = static_cast<std::int32_t>(slot);
    const JointBind& joint = bind.joints[slot];
    if (joint.weighted && joint.use != JointBind::Use::usable) drift.poisoned = true;
    if (!joint.weighted || !joint.drifts || joint.use != JointBind::Use::usable) continue;
    // A flattened joint has no pose to speak of: transform-zero-scale's.
    const bool flat = flattened[static_cast<std::size_t>(nodes[slot])] >= 0;
    if (flat || sink.skip(joint_ref(skin, index))) {
      drift.poisoned = true;
      continue;
    }
    drift.joints.push_back({index, joint.relative.displacement});
    carries[static_cast<std::size_t>(nodes[slot])] = true;
  }
  for (std::size_t n = asset.nodes.size(); n-- > 0;) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (carries[n] && parent >= 0) carries[static_cast<std::size_t>(parent)] = true;
  }
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const JointBind& joint = bind.joints[slot];
    if (!joint.subtree_root || nodes[slot] < 0) continue;
    if (!carries[static_cast<std::size_t>(nodes[slot])]) continue;
    drift.roots.push_back({static_cast<std::int32_t>(slot), joint.own.displacement});
  }
  sort_worst_first(drift.joints);
  sort_worst_first(drift.roots);
}

/// What the diagnosis makes of it. A clip or a pose excuses a rest pose only when it is the
/// explanation: matrices stored wrongly stay wrong whatever clip keys the joints.
void explain(const RuleInput& input, std::size_t binding, const BindAnalysis& bind,
             RestDrift& drift) {
  const std::optional<Diagnosis>& diagnosis = input.facts.diagnosis(binding).drift;
  if (diagnosis && !diagnosis->fits.empty()) {
    const CauseId id = diagnosis->fits.front().id;
    drift.posed = id == CauseId::posed_after_bind;
    drift.excusable = drift.posed || id == CauseId::saved_at_clip_key;
  }
  for (const JointAmount& root : drift.roots) {
    const RelativeTransform& own = bind.joints[static_cast<std::size_t>(root.slot)].own;
    if (std::abs(own.log_scale) >= 1e-3 || own.non_uniformity >= 1e-2 || own.mirrored) {
      drift.rigid = false;
    }
  }
}

}  // namespace

std::optional<RestDrift> rest_drift(const RuleInput& input, Sink& sink, const BindingGroup& group,
                                    const std::vector<std::int32_t>& flattened) {
  const Asset& asset = input.asset;
  const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
  if (has_no_matrices(asset, skin)) return std::nullopt;  // bind-matrix-missing's
  const BindAnalysis& bind = input.facts.bind(group.first);
  if (bind.state != BindState::drift && bind.state != BindState::exploded) return std::nullopt;
  if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0}) ||
      sink.skip({ElementKind::skin, static_cast<std::int32_t>(skin), 0})) {
    return std::nullopt;
  }
  RestDrift drift;
  gather(input, sink, skin, bind, flattened, drift);
  if (drift.joints.empty()) return std::nullopt;
  drift.moved = drift.poisoned ? drift.joints.front().amount : bind.max_displacement;
  std::vector<JointSegment> segments;
  std::vector<ChangedParts> changed;
  for (const JointAmount& root : drift.roots) {
    const auto slot = static_cast<std::size_t>(root.slot);
    segments.push_back(joint_segment(asset, asset.skins[skin].joints[slot]));
    changed.push_back(changed_parts(bind.joints[slot].own));
  }
  drift.key = find_rest_key(asset, segments, changed);
  explain(input, group.first, bind, drift);
  drift.as_a_whole = moved_as_a_whole(input, group.first);
  return drift;
}

bool has_exploded(const RestDrift& drift, const BindAnalysis& bind, double box, double stretch) {
  if (drift.is_clip_key() || drift.as_a_whole || drift.poisoned) return false;
  return bind.posed_box_ratio > box || bind.edge_stretch > stretch;
}

}  // namespace skinlint::rules
