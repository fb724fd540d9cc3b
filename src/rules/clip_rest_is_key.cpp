#include <fmt/format.h>

#include "rules/rest_drift.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// glTF skins may leave out their inverse bind matrices: then nothing says where the mesh was
/// bound, and the rest pose is all there is. Empty unless a clip's first key overwrote that.
std::optional<RestDrift> drift_without_record(const RuleInput& input, Sink& sink,
                                              const BindingGroup& group) {
  const Asset& asset = input.asset;
  const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
  const BindAnalysis& bind = input.facts.bind(group.first);
  if (bind.state != BindState::drift && bind.state != BindState::exploded) return std::nullopt;
  if (sink.skip({ElementKind::binding, static_cast<std::int32_t>(group.first), 0}))
    return std::nullopt;
  RestDrift drift;
  std::vector<JointSegment> segments;
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const std::int32_t node = asset.skins[skin].joints[slot];
    if (!bind.joints[slot].weighted || node < 0) continue;
    drift.joints.push_back({static_cast<std::int32_t>(slot), 0.0});
    segments.push_back(joint_segment(asset, node));
  }
  drift.roots = drift.joints;
  drift.moved = bind.max_displacement;
  drift.key = find_rest_key(asset, segments);
  return drift;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.clips.empty()) return;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    const bool recorded = !has_no_matrices(asset, skin);
    const std::optional<RestDrift> drift = recorded ? rest_drift(input, sink, group, flattened)
                                                    : drift_without_record(input, sink, group);
    if (!drift || !drift->is_clip_key() || !drift->key->first_key) continue;
    Finding finding =
        finding_about(input, group, level(input, recorded ? "level" : "level_without_record"));
    const Clip& clip = asset.clips[static_cast<std::size_t>(drift->key->clip)];
    put_joints(finding, input, skin, drift->roots);
    finding.sample_unit = "none";
    finding.measured.insert(finding.measured.end(),
                            {words("clip", clip.name), real("key_time", drift->key->time, "s"),
                             whole("keyed_joints", drift->key->keyed_segments, "joints"),
                             real("max_displacement", drift->moved, "m"),
                             words("bind_recorded", recorded ? "yes" : "no")});
    finding.message = fmt::format(
        "{} at rest as at the first key of clip \"{}\"{}",
        counted(drift->roots.size(), "joint stands", "joints stand"), clip.name,
        recorded ? ", not as bound: the frame was written over the rest pose"
                 : ", and the file has no bind matrices: where the mesh was bound is lost");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"level", 1.0, 0.0, 3.0, "level",
     "severity when the bind pose is recorded elsewhere: 0 off, 1 note, 2 warning, 3 error",
     "63 of 154 FBX and 39 of 237 glTF files are saved so; a warning for engines that take the "
     "rest pose as the bind pose"},
    {"level_without_record", 2.0, 0.0, 3.0, "level",
     "severity when a glTF skin has no inverse bind matrices, so that the pose is lost",
     "nothing else in the file tells the bind pose"}};
constexpr std::string_view not_a_fault_when[] = {
    "the scene was saved at its current frame and the bind is recorded: common, and a note",
    "the rest pose equals a later key only: bind-rest-differs names it",
    "the clip starts in the bind pose: nothing was overwritten",
    "another cause explains the difference, such as matrices stored wrongly"};

}  // namespace

const Rule clip_rest_is_key = {
    {.id = "clip-rest-is-key",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "The rest pose is the first key of a clip, not the bind pose",
     .why = "The exporter wrote the frame it stood at over the rest pose. Tools that read the rest "
            "pose as bind pose, for retargeting or ragdolls, start from a frame of an animation.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Without a clip the character stands in the middle of a motion; "
                           "retargeted clips are twisted by the difference.",
                .action = "Go to the bind pose, or to a frame that holds it, before export; or "
                          "export the character without clips and the clips apart.",
                .maya = "Skin > Go to Bind Pose with the clip muted in the Time Editor, or set the "
                        "current time to the bind frame, then export.",
                .max = "Move the time slider to the bind frame (Biped: Figure mode) before export.",
                .blender = "Armature data > Rest Position, or unlink the action, before export; "
                           "glTF export > Animation > Use Rest Position Armature."},
     .source = "joints compared with every clip's first key; 154 FBX and 237 glTF files",
     .params = params,
     .symptom = Symptom::drift},
    check};

}  // namespace skinlint::rules
