#include "rules/arm_pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "rules/joint_sides.h"
#include "rules/limb_shape.h"

namespace skinlint::rules {
namespace {

constexpr double degrees = 180.0 / 3.14159265358979323846;

enum class Part : std::uint8_t { upper, fore, hand };

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&text](const char* word) { return text.find(word) != std::string::npos; });
}

/// The part of an arm that a name without its side says.
std::optional<Part> part_of(const std::string& key) {
  std::string text;
  for (const char c : key) {
    if (c >= 'a' && c <= 'z') text += c;
  }
  if (has_any(text, {"twist", "roll", "helper", "ctrl", "control", "target", "pole", "thumb",
                     "index", "middle", "ring", "pinky", "little", "finger", "palm", "armor",
                     "armature", "prop"})) {
    return std::nullopt;
  }
  if (has_any(text, {"forearm", "lowerarm", "lowarm", "elbow"})) return Part::fore;
  if (has_any(text, {"hand", "wrist"})) return Part::hand;
  const bool ends_in_arm = text.size() >= 3 && text.compare(text.size() - 3, 3, "arm") == 0;
  if (has_any(text, {"upperarm", "uparm", "bicep"}) || ends_in_arm) return Part::upper;
  return std::nullopt;
}

Arms arms_by_name(const Asset& asset, const Skin& skin, const Places& places) {
  // The topmost joint of each side and part: twist joints and copies hang below it.
  std::array<std::array<std::int32_t, 3>, 2> slots = {{{-1, -1, -1}, {-1, -1, -1}}};
  std::array<std::array<std::int32_t, 3>, 2> nodes = slots;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t node = skin.joints[slot];
    if (node < 0 || !places[slot]) continue;
    for (const SidedName& name : sided_names(asset.nodes[static_cast<std::size_t>(node)].name)) {
      const std::optional<Part> part = part_of(name.key);
      if (!part) continue;
      const auto side = static_cast<std::size_t>(name.side);
      const auto p = static_cast<std::size_t>(*part);
      if (slots[side][p] >= 0 && nodes[side][p] <= node) continue;  // parents come first
      slots[side][p] = static_cast<std::int32_t>(slot);
      nodes[side][p] = node;
    }
  }
  Arms arms;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto& [upper, fore, hand] = slots[side];
    if (upper < 0 || fore < 0) continue;
    (side == 0 ? arms.left : arms.right) = ArmChain{upper, fore, hand};
    arms.by_name = true;
  }
  return arms;
}

}  // namespace

Arms find_arms(const Asset& asset, const Skin& skin,
               const std::vector<std::optional<Mat4>>& world) {
  Places places(world.size());
  for (std::size_t slot = 0; slot < world.size(); ++slot) {
    if (world[slot] && world[slot]->allFinite()) places[slot] = translation(*world[slot]);
  }
  const Heights heights(places);
  if (!(heights.height > 0.0)) return {};
  Arms arms = arms_by_name(asset, skin, places);
  if (!arms.by_name) return arms_by_shape(asset, skin, places, heights);
  const auto stands = [&](const std::optional<ArmChain>& arm) {
    return !arm || heights.grounded(
                       *places[static_cast<std::size_t>(arm->hand >= 0 ? arm->hand : arm->fore)]);
  };
  return stands(arms.left) && stands(arms.right) ? Arms{} : arms;
}

BodyFrame body_frame(const Skin& skin, const Arms& arms,
                     const std::vector<std::optional<Mat4>>& world) {
  BodyFrame body;
  std::int32_t top = -1;  // parents precede children: the lowest node is a topmost one
  Box box;
  for (std::size_t slot = 0; slot < world.size(); ++slot) {
    if (!world[slot] || !world[slot]->allFinite()) continue;
    box.extend(translation(*world[slot]));
    if (top < 0 || skin.joints[slot] < skin.joints[static_cast<std::size_t>(top)]) {
      top = static_cast<std::int32_t>(slot);
    }
  }
  if (top < 0) return body;
  const auto place = [&world](std::int32_t slot) {
    return Vec3(translation(*world[static_cast<std::size_t>(slot)]));
  };
  Vec3 between = Vec3::Zero();
  double shoulders = 0.0;
  for (const std::optional<ArmChain>& arm : {arms.left, arms.right}) {
    if (!arm) continue;
    between += place(arm->upper);
    shoulders += 1.0;
  }
  if (arms.left && arms.right) body.across = place(arms.left->upper) - place(arms.right->upper);
  if (!(shoulders > 0.0)) return body;
  Vec3 spine = between / shoulders - place(top);
  if (body.across.norm() > 0.0) {
    const Vec3 side = body.across.normalized();
    spine -= side.dot(spine) * side;
  }
  constexpr double least = 0.15;  // of the skeleton: nearer, the direction says little
  if (spine.norm() > least * box.diagonal().norm()) body.up = spine.normalized();
  return body;
}

std::optional<ArmPose> arm_pose(const ArmChain& arm, const std::vector<std::optional<Mat4>>& world,
                                const BodyFrame& body) {
  const auto place = [&world](std::int32_t slot) -> std::optional<Vec3> {
    if (slot < 0 || !world[static_cast<std::size_t>(slot)]) return std::nullopt;
    return translation(*world[static_cast<std::size_t>(slot)]);
  };
  const std::optional<Vec3> upper = place(arm.upper), fore = place(arm.fore),
                            hand = place(arm.hand);
  if (!upper || !fore) return std::nullopt;
  const Vec3 along = (hand ? *hand : *fore) - *upper;
  const double length = along.norm();
  if (!std::isfinite(length) || !(length > 0.0)) return std::nullopt;
  const auto degrees_of_sine = [](double sine) {
    return degrees * std::asin(std::clamp(sine, -1.0, 1.0));
  };
  ArmPose pose;
  pose.below_deg = degrees_of_sine(-along.dot(body.up) / length);
  const Vec3 front = body.across.cross(body.up);
  if (front.norm() > 0.0) {
    pose.forward_deg = degrees_of_sine(std::abs(front.normalized().dot(along)) / length);
  }
  if (hand) {
    const Vec3 first = *fore - *upper, second = *hand - *fore;
    const double lengths = first.norm() * second.norm();
    if (lengths > 0.0) {
      pose.elbow_deg = degrees * std::acos(std::clamp(first.dot(second) / lengths, -1.0, 1.0));
    }
  }
  return pose;
}

}  // namespace skinlint::rules
