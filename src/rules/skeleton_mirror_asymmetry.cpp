#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "rules/joint_list.h"
#include "rules/joint_sides.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr double degrees = 180.0 / 3.14159265358979323846;

struct Plane {
  Vec3 normal = Vec3::UnitX();
  double offset = 0.0;
  Vec3 image(const Vec3& p) const { return p - 2.0 * (normal.dot(p) - offset) * normal; }
};

struct PlacedPair {
  JointPair slots;
  Vec3 left, right;  // origins at bind
  Quat left_axes, right_axes;
  bool mirrored = false;  // the origins are each other's image
};

/// Pairs with proper axes at bind. A joint mirrored in itself is bind-matrix-mirrored's.
std::vector<PlacedPair> placed_pairs(const Asset& asset, std::size_t skin,
                                     const std::vector<std::optional<Mat4>>& world) {
  std::vector<PlacedPair> placed;
  for (const JointPair& pair : sided_pairs(asset, asset.skins[skin])) {
    const std::optional<Mat4>& left = world[static_cast<std::size_t>(pair.left)];
    const std::optional<Mat4>& right = world[static_cast<std::size_t>(pair.right)];
    if (!left || !right) continue;
    const TransformParts l = decompose(*left), r = decompose(*right);
    if (!l.valid || !r.valid || l.mirrored || r.mirrored) continue;
    placed.push_back({pair, l.translation, r.translation, l.rotation, r.rotation, false});
  }
  return placed;
}

/// The plane about which most pairs stand mirrored; it is tried on the pairs that are farthest
/// apart. Empty when fewer than `least` agree on one.
std::optional<Plane> mirror_plane(std::vector<PlacedPair>& pairs, double tolerance,
                                  std::size_t least) {
  constexpr std::size_t trials = 16;
  std::vector<std::size_t> widest(pairs.size());
  for (std::size_t i = 0; i < widest.size(); ++i) widest[i] = i;
  std::stable_sort(widest.begin(), widest.end(), [&pairs](std::size_t a, std::size_t b) {
    return (pairs[a].left - pairs[a].right).squaredNorm() >
           (pairs[b].left - pairs[b].right).squaredNorm();
  });
  const auto fits = [tolerance](const Plane& plane, const PlacedPair& pair) {
    return (plane.image(pair.left) - pair.right).norm() <= tolerance;
  };
  std::optional<Plane> best;
  std::size_t most = 0;
  for (std::size_t t = 0; t < std::min(trials, widest.size()); ++t) {
    const PlacedPair& pair = pairs[widest[t]];
    const Vec3 across = pair.left - pair.right;
    if (!(across.norm() > tolerance)) break;  // the others are nearer still
    Plane plane;
    plane.normal = across.normalized();
    plane.offset = plane.normal.dot(0.5 * (pair.left + pair.right));
    const auto agree = static_cast<std::size_t>(std::count_if(
        pairs.begin(), pairs.end(), [&](const PlacedPair& other) { return fits(plane, other); }));
    if (agree > most) {
      most = agree;
      best = plane;
    }
  }
  if (!best || most < least) return std::nullopt;
  for (PlacedPair& pair : pairs) pair.mirrored = fits(*best, pair);
  return best;
}

/// By how many degrees the right joint's axes miss the nearest way of mirroring the left one's: one
/// axis flipped (orientation), all three (behaviour), or none at all (both aligned alike).
double mirror_angle(const Plane& plane, const Quat& left, const Quat& right) {
  const Mat3 reflection = Mat3::Identity() - 2.0 * plane.normal * plane.normal.transpose();
  const Mat3 axes = left.toRotationMatrix();
  double smallest = left.angularDistance(right);
  for (const Vec3& flips : {Vec3(-1, 1, 1), Vec3(1, -1, 1), Vec3(1, 1, -1), Vec3(-1, -1, -1)}) {
    const Mat3 expected = reflection * axes * flips.asDiagonal();
    smallest = std::min(smallest, Quat(expected).angularDistance(right));
  }
  return degrees * smallest;
}

/// Slots of pairs whose children stand in no mirrored place: the limb was bound in a pose that only
/// one side has.
std::set<std::int32_t> posed_parents(const Asset& asset, const Skin& skin,
                                     const std::vector<PlacedPair>& pairs) {
  std::map<std::int32_t, std::int32_t> slot_of_node;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    slot_of_node.emplace(skin.joints[slot], static_cast<std::int32_t>(slot));
  }
  std::set<std::int32_t> posed;
  for (const PlacedPair& pair : pairs) {
    if (pair.mirrored) continue;
    for (const std::int32_t slot : {pair.slots.left, pair.slots.right}) {
      const std::int32_t node = skin.joints[static_cast<std::size_t>(slot)];
      const auto parent = slot_of_node.find(asset.nodes[static_cast<std::size_t>(node)].parent);
      if (parent != slot_of_node.end()) posed.insert(parent->second);
    }
  }
  return posed;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("angle");
  const auto least = static_cast<std::size_t>(input.param("pairs"));
  std::set<std::pair<std::int32_t, std::int32_t>> told;  // nodes; skins share skeletons
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    const std::vector<std::optional<Mat4>> world = joints_at_bind(input, s);
    Box box;
    for (const std::optional<Mat4>& joint : world) {
      if (joint && joint->allFinite()) box.extend(translation(*joint));
    }
    std::vector<PlacedPair> pairs = placed_pairs(asset, s, world);
    if (box.isEmpty() || pairs.size() < least) continue;
    const std::optional<Plane> plane =
        mirror_plane(pairs, input.param("place") * box.diagonal().norm(), least);
    if (!plane) continue;
    const std::set<std::int32_t> posed = posed_parents(asset, skin, pairs);
    std::vector<JointAmount> uneven;
    std::map<std::int32_t, std::int32_t> counterpart;
    std::uint64_t judged = 0;
    for (const PlacedPair& pair : pairs) {
      if (!pair.mirrored || posed.count(pair.slots.left) != 0 ||
          posed.count(pair.slots.right) != 0 || sink.skip(joint_ref(s, pair.slots.left)) ||
          sink.skip(joint_ref(s, pair.slots.right))) {
        continue;
      }
      ++judged;
      const double angle = mirror_angle(*plane, pair.left_axes, pair.right_axes);
      if (!(angle > limit)) continue;
      if (!told.insert({skin.joints[static_cast<std::size_t>(pair.slots.left)],
                        skin.joints[static_cast<std::size_t>(pair.slots.right)]})
               .second) {
        continue;
      }
      uneven.push_back({pair.slots.left, angle});
      counterpart[pair.slots.left] = pair.slots.right;
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (uneven.empty() || sink.skip(element)) continue;
    sort_worst_first(uneven);
    Finding finding = finding_about(input, element, Severity::note);
    put_joints(finding, input, s, uneven);
    finding.sample_unit = "deg";
    const std::int32_t left = uneven.front().slot, right = counterpart[left];
    finding.measured = {real("worst_angle", uneven.front().amount, "deg"),
                        words("left", joint_name(asset, s, left)),
                        words("right", joint_name(asset, s, right)),
                        whole("pairs", judged, "pairs")};
    finding.message = fmt::format(
        "bind axes of {} of {} left/right pairs are no mirror images: {} and {} miss by {:.1f}°",
        uneven.size(), judged, joint_name(asset, s, left), joint_name(asset, s, right),
        uneven.front().amount);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"angle", 5.0, 0.01, 90.0, "deg", "by how much a pair's axes may miss being mirror images",
     "rigs mirrored by a tool stay below 0.1, fitted by hand below 4; copied rolls reach 85"},
    {"place", 0.01, 1e-4, 0.2, "of skeleton",
     "how far from its counterpart's mirror image a joint may stand for its axes to be judged",
     "a limb bound in a pose of its own is farther off"},
    {"pairs", 3.0, 2.0, 1000.0, "pairs", "pairs that must agree on the plane of symmetry",
     "any two points are mirror images about some plane"}};
constexpr std::string_view not_a_fault_when[] = {
    "axes are mirrored by orientation, by behaviour, or aligned alike on both sides",
    "arms and legs follow different ones of these conventions",
    "a joint has no counterpart by name, as one-sided gear",
    "the sides do not stand mirrored: the rig was bound in a pose, or is asymmetric on purpose"};

}  // namespace

const Rule skeleton_mirror_asymmetry = {
    {.id = "skeleton-mirror-asymmetry",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Bind axes of left and right joints are not mirror images of each other",
     .why = "Mirroring a pose or clip copies rotations from one side to the other. That works only "
            "when both joints' axes are mirrored in one and the same way.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "A mirrored pose or clip twists one arm or leg.",
                .action = "Mirror the joints of one side to the other in the rest pose, then bind "
                          "again and copy the weights.",
                .maya =
                    "Skeleton > Mirror Joints with Behavior, or Orient Joint on both sides with "
                    "the same options.",
                .max = "Bone Tools > Mirror for the chain; Biped: Copy/Paste Posture Opposite in "
                       "Figure Mode.",
                .blender =
                    "Edit mode: delete one side, select the other, Armature > Symmetrize; or "
                    "recalculate both sides' rolls alike (Shift+N)."},
     .source = "joint origins and axes at bind; Maya's two ways of mirroring joints",
     .params = params},
    check};

}  // namespace skinlint::rules
