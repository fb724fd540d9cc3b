#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "skinning/clip_pose.h"

namespace skinlint::rules {
namespace {

/// A joint with weight, and where its vertices were bound.
struct BoundJoint {
  std::size_t node = 0;
  Mat4 joint_from_mesh = Mat4::Identity();
  Mat4 world_from_mesh = Mat4::Identity();  // at bind
  Box reach;                                // mesh space
};

struct PosedSkin {
  std::vector<BoundJoint> joints;  // the heaviest first
  std::vector<bool> moves;         // per node: a joint of `joints` stands at or below it
  double size = 0.0, tolerance = 0.0;
  std::uint64_t clips = 0;
  double nearest = std::numeric_limits<double>::infinity();
  std::int32_t nearest_clip = -1;
};

std::optional<PosedSkin> posed_skin(const RuleInput& input, std::size_t skin) {
  const Asset& asset = input.asset;
  const std::vector<std::size_t>& bindings = input.facts.bindings_of_skin(skin);
  if (bindings.empty()) return std::nullopt;
  const BindAnalysis& bind = input.facts.bind(bindings.front());
  const InfluenceAnalysis& influences = input.facts.influences(bindings.front());
  if (bind.state == BindState::unknown || has_no_matrices(asset, skin)) return std::nullopt;
  PosedSkin out;
  out.size = bind.size;
  out.tolerance = std::max(input.param("displacement"), bind.tau) * bind.size;
  out.moves.assign(asset.nodes.size(), false);
  std::size_t heaviest = 0;
  double weight = 0.0;
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const JointBind& joint = bind.joints[slot];
    if (!joint.weighted || joint.use != JointBind::Use::usable) continue;
    const std::optional<Mat4> undrift = affine_inverse(joint.drift);
    if (!undrift) continue;
    const JointInfluence& influence = influences.joints[slot];
    BoundJoint bound;
    bound.node = static_cast<std::size_t>(asset.skins[skin].joints[slot]);
    bound.joint_from_mesh = *asset.skins[skin].joint_from_mesh[slot];
    bound.world_from_mesh = *undrift * joint.world_from_mesh;
    bound.reach = influence.heavy_box;
    bound.reach.extend(influence.centroid());
    out.moves[bound.node] = true;
    if (influence.positive_weight > weight) {
      weight = influence.positive_weight;
      heaviest = out.joints.size();
    }
    out.joints.push_back(bound);
  }
  if (out.joints.size() < 2) return std::nullopt;  // one joint alone has no pose
  std::swap(out.joints.front(), out.joints[heaviest]);
  for (std::size_t n = asset.nodes.size(); n-- > 0;) {
    const std::int32_t parent = asset.nodes[n].parent;
    if (out.moves[n] && parent >= 0) out.moves[static_cast<std::size_t>(parent)] = true;
  }
  return out;
}

/// How far the pose is from the bind pose, the skeleton's motion as a whole left out.
double distance_from_bind(const PosedSkin& skin, const std::vector<Mat4>& world) {
  const BoundJoint& reference = skin.joints.front();
  const std::optional<Mat4> unbind = affine_inverse(reference.world_from_mesh);
  if (!unbind) return std::numeric_limits<double>::infinity();
  const Mat4 motion = world[reference.node] * reference.joint_from_mesh * *unbind;
  double farthest = 0.0;
  for (const BoundJoint& joint : skin.joints) {
    const double distance = largest_distance(world[joint.node] * joint.joint_from_mesh,
                                             motion * joint.world_from_mesh, joint.reach);
    if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
    farthest = std::max(farthest, distance);
  }
  return farthest;
}

bool moves(const Clip& clip, const PosedSkin& skin) {
  return std::any_of(clip.channels.begin(), clip.channels.end(), [&skin](const Channel& channel) {
    return channel.node >= 0 && channel.path <= ChannelPath::scale &&
           skin.moves[static_cast<std::size_t>(channel.node)];
  });
}

void report(const RuleInput& input, Sink& sink, std::size_t index, const PosedSkin& skin) {
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(index), 0};
  if (sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::note);
  const std::string& name = input.asset.clips[static_cast<std::size_t>(skin.nearest_clip)].name;
  finding.measured = {whole("clips", skin.clips), words("nearest_clip", name),
                      real("nearest_displacement", skin.nearest, "m"),
                      real("nearest_displacement_percent", 100.0 * skin.nearest / skin.size, "%")};
  finding.message = fmt::format(
      "none of {} starts in the bind pose; nearest is \"{}\", up to {:.3g} m off ({} of the size)",
      counted(skin.clips, "clip", "clips"), name, skin.nearest,
      percent(100.0 * skin.nearest / skin.size));
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.clips.empty()) return;
  std::vector<std::pair<std::size_t, PosedSkin>> skins;
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (std::optional<PosedSkin> skin = posed_skin(input, s)) skins.emplace_back(s, *skin);
  }
  // A small file can declare many clips over many nodes: the work is bounded by what its size can
  // justify, and what is left is not judged.
  std::uint64_t left = (std::uint64_t{1} << 22) + asset.file_bytes;
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    std::vector<Mat4> world;
    for (auto& [index, skin] : skins) {
      if (skin.nearest <= skin.tolerance || !moves(asset.clips[c], skin)) continue;
      ++skin.clips;
      const std::uint64_t work = skin.joints.size() + (world.empty() ? asset.nodes.size() : 0);
      if (work > left) return;
      left -= work;
      if (world.empty()) world = world_at_first_keys(asset, asset.clips[c]);
      const double distance = distance_from_bind(skin, world);
      if (distance < skin.nearest) {
        skin.nearest = distance;
        skin.nearest_clip = static_cast<std::int32_t>(c);
      }
    }
  }
  for (const auto& [index, skin] : skins) {
    if (skin.nearest_clip >= 0 && skin.nearest > skin.tolerance) report(input, sink, index, skin);
  }
}

constexpr ParamInfo params[] = {
    {"displacement", 1e-3, 1e-6, 1.0, "of size",
     "how far vertices may be from where they were bound at a clip's first key",
     "keys are rounded and compressed: ten times the tolerance of the bind questions"}};
constexpr std::string_view not_a_fault_when[] = {
    "clips start in a pose, as walks and idles do: a note, for those who need a reference frame",
    "one clip of several starts in the bind pose",
    "the skeleton as a whole stands elsewhere at the first key: its pose counts",
    "no clip moves the skin's joints"};

}  // namespace

const Rule clip_bind_reset = {
    {.id = "clip-bind-reset",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "No clip starts in the bind pose",
     .why = "Tools that take the bind pose from a frame (additive clips, retargeting, cloth) need "
            "one that holds it; without it a wrong reference bends every clip.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom =
                    "Additive or retargeted clips lean, and simulated cloth starts inside the "
                    "body, though each clip plays well by itself.",
                .action = "Add a one-frame clip in the bind pose, if the target engine wants one.",
                .maya =
                    "Skin > Go to Bind Pose at frame -1, key all joints, export it as a clip of "
                    "its own.",
                .max = "Key the bind pose at frame 0 (Biped: Figure mode) and start clips later.",
                .blender = "Pose > Clear Transform > All in a new action of one frame, named "
                           "\"bind\" or \"T-pose\"."},
     .source = "joints at every clip's first keys against the bind, docs/model.md",
     .params = params},
    check};

}  // namespace skinlint::rules
