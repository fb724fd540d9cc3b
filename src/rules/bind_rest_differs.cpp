#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/rest_drift.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// A clip keys each changed joint, or something above it: playing it overwrites the rest pose.
bool clips_overwrite(const RuleInput& input, std::size_t skin, const RestDrift& drift) {
  const Asset& asset = input.asset;
  if (asset.clips.empty()) return false;
  std::vector<bool> keyed(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    keyed[n] = input.facts.animated(static_cast<std::int32_t>(n)) ||
               (parent >= 0 && keyed[static_cast<std::size_t>(parent)]);
  }
  return std::all_of(drift.roots.begin(), drift.roots.end(), [&](const JointAmount& root) {
    const std::int32_t node = asset.skins[skin].joints[static_cast<std::size_t>(root.slot)];
    return node >= 0 && keyed[static_cast<std::size_t>(node)];
  });
}

std::string own_change(const RelativeTransform& own) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (own.angle_deg >= 0.05) add(fmt::format("turned {:.1f}°", own.angle_deg));
  if (std::abs(own.log_scale) >= 1e-3) add(fmt::format("scaled x{:.3g}", std::exp(own.log_scale)));
  if (own.mirrored) add("mirrored");
  if (text.empty() || own.angle_deg < 0.05) add(fmt::format("moved {:.3g} m", own.displacement));
  return text;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    const std::optional<RestDrift> found = rest_drift(input, sink, group, flattened);
    if (!found) continue;
    const RestDrift& drift = *found;
    const BindAnalysis& bind = input.facts.bind(group.first);
    Severity severity = Severity::note;
    if (has_exploded(drift, bind, input.param("exploded_box"), input.param("exploded_stretch"))) {
      severity = Severity::error;
    } else if (!drift.is_clip_key() && !drift.as_a_whole &&
               drift.moved > input.param("displacement") * bind.size &&
               !(drift.posed && drift.rigid && clips_overwrite(input, skin, drift))) {
      severity = Severity::warning;
    }

    Finding finding = finding_about(input, group, severity);
    const std::vector<JointAmount>& named = drift.roots.empty() ? drift.joints : drift.roots;
    put_joints(finding, input, skin, named);
    finding.count = drift.joints.size();
    const RelativeTransform& own = bind.joints[static_cast<std::size_t>(named.front().slot)].own;
    // A turned joint stays in its place: how far it moved says nothing then.
    finding.sample_unit = own.angle_deg < 0.05 ? "m" : "none";
    finding.measured.insert(
        finding.measured.end(),
        {real("max_displacement", drift.moved, "m"),
         real("max_displacement_percent", 100.0 * drift.moved / bind.size, "%"),
         whole("drifting_joints", drift.joints.size(), "joints"),
         whole("changed_joints", drift.roots.size(), "joints"),
         real("worst_angle", own.angle_deg, "deg"),
         real("worst_translation", own.displacement, "m"),
         real("worst_scale", std::exp(own.log_scale)),
         real("posed_box_ratio", bind.posed_box_ratio), real("edge_stretch", bind.edge_stretch)});
    std::string because;
    if (const std::optional<RestKey>& key = drift.key) {
      const Clip& clip = asset.clips[static_cast<std::size_t>(key->clip)];
      finding.measured.push_back(words("clip", clip.name));
      finding.measured.push_back(real("key_time", key->time, "s"));
      because =
          key->first_key
              ? fmt::format("; the rest pose is the first key of clip \"{}\"", clip.name)
              : fmt::format("; the rest pose is clip \"{}\" at {:.3g} s", clip.name, key->time);
    } else if (drift.as_a_whole) {
      because = "; the mesh moved with them, so nothing is deformed";
    }
    std::string others;
    if (drift.roots.size() > 1)
      others = fmt::format(" and {} more changed", drift.roots.size() - 1);
    if (drift.joints.size() > named.size()) others += ", the others follow";
    finding.message =
        fmt::format("{}: {} was {}{}; vertices move up to {:.3g} m ({} of the size){}",
                    counted(drift.joints.size(), "joint is not where it was bound",
                            "joints are not where they were bound"),
                    joint_name(asset, skin, named.front().slot), own_change(own), others,
                    drift.moved, percent(100.0 * drift.moved / bind.size), because);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"displacement", 0.01, 1e-4, 10.0, "of size",
     "vertex displacement above which a changed rest pose is a warning",
     "237 glTF files: none between 1e-4 and 1e-2, 51 bindings of both formats above"},
    {"exploded_box", default_exploded_box, 1.0, 1e6, "of size",
     "posed bounding box over bind size above which the mesh has exploded",
     "no posed asset measured comes near; wrong matrices pass it"},
    {"exploded_stretch", default_exploded_stretch, 1.0, 1e6, "",
     "stretch of edges (99.9 percentile) above which the mesh has exploded",
     "no posed asset measured comes near; wrong matrices pass it"}};
constexpr std::string_view not_a_fault_when[] = {
    "the rest pose is a key of a clip: the scene was saved at that frame (a note)",
    "FBX: mesh and skeleton were moved together as one (a note)",
    "joints were turned or moved without scaling and a clip drives them anyway (a note)",
    "the pose squashes or stretches joints but nothing explodes: never an error"};

}  // namespace

const Rule bind_rest_differs = {
    {.id = "bind-rest-differs",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "The skeleton does not stand in the pose in which the mesh was bound",
     .why = "Without an animation the mesh shows deformed; engines that take the rest pose as the "
            "bind pose retarget, mirror and ragdoll from the wrong one.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "The character appears bent, stretched or torn before any animation plays.",
                .action = "Put the skeleton back into its bind pose before export; if the pose is "
                          "right and the bind is not, bind again in this pose.",
                .maya = "Select the root: Skin > Go to Bind Pose. To keep the pose: Skin > Unbind "
                        "Skin (keep history), Skin > Bind Skin.",
                .max = "Go to frame 0 in Figure mode (Biped) or the bind frame; Skin > Advanced "
                       "Parameters > Always Deform off, on stores the present pose.",
                .blender = "Armature data > Rest Position before export; to keep the pose: Pose > "
                           "Apply > Apply Pose as Rest Pose."},
     .source = "glTF 2.0 section 3.7.3; 154 FBX and 237 glTF files measured (63 and 39 saved at a "
               "clip's first frame)",
     .params = params,
     .symptom = Symptom::drift},
    check};

}  // namespace skinlint::rules
