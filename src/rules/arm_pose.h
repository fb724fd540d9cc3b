#pragma once
// Where the arms of a two-legged skeleton point when the mesh is bound: found by name, or else by
// shape.

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

/// Slots of one arm, from the shoulder's ball to the wrist.
struct ArmChain {
  std::int32_t upper = -1, fore = -1, hand = -1;  // hand -1: the skin has none that can be told
};

struct Arms {
  std::optional<ArmChain> left, right;
  bool by_name = false;
};

/// By name: joints that say a side and upper arm, forearm, hand in one of the usual ways. By shape,
/// when no name says so: of the pairs of chains of three or more joints that leave one joint at the
/// same height to opposite sides, the widest one above the pair that reaches the ground. Neither is
/// found on creatures, whose hands stand on the ground: both are empty then. `world` as
/// joints_at_bind() gives it, +Y up.
Arms find_arms(const Asset& asset, const Skin& skin, const std::vector<std::optional<Mat4>>& world);

/// The body's own directions, whatever way the character was turned when it was bound.
struct BodyFrame {
  Vec3 up = Vec3::UnitY();     // from the skeleton's top joint to between the shoulders
  Vec3 across = Vec3::Zero();  // from the right shoulder to the left; zero with one arm only
};
BodyFrame body_frame(const Skin& skin, const Arms& arms,
                     const std::vector<std::optional<Mat4>>& world);

struct ArmPose {
  double below_deg = 0.0;    // of the body's horizontal; negative: raised
  double forward_deg = 0.0;  // out of the plane of both shoulders and the spine, 0…90
  double elbow_deg = 0.0;    // between upper arm and forearm; 0 without a hand
};

/// Empty when the joints coincide or are not known. With one arm only there is no forward angle.
std::optional<ArmPose> arm_pose(const ArmChain& arm, const std::vector<std::optional<Mat4>>& world,
                                const BodyFrame& body);

}  // namespace skinlint::rules
