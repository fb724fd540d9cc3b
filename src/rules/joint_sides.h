#pragma once
// Left and right: which joints of a skin are each other's counterpart by their names, and where
// joints stood when the mesh was bound.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

enum class Side : std::uint8_t { left, right };

/// One way to read a side out of a name: the side, and the rest with a mark where the side stood,
/// in lower case. Counterparts have equal keys and opposite sides.
struct SidedName {
  Side side = Side::left;
  std::string key;
};

/// Every word of the name that says left or right: "Left", "L" at an end or beside a separator
/// (".L", "_l", "L_", "LThigh"), and the characters for left and right of Japanese and Chinese.
/// What stands before a colon is a namespace and left out; Maya's FBXASC escapes are undone.
/// Empty for a name of more than 256 bytes.
std::vector<SidedName> sided_names(std::string_view name);

struct JointPair {
  std::int32_t left = -1, right = -1;  // slots
};

/// Counterparts among the joints of a skin, in the order of the left ones. Names borne by several
/// joints make no pair.
std::vector<JointPair> sided_pairs(const Asset& asset, const Skin& skin);

/// Per slot: world_from_joint when the mesh was bound, by the first mesh of the skin whose bind is
/// known. Empty where there is no usable matrix; all empty for a skin without matrices or mesh.
std::vector<std::optional<Mat4>> joints_at_bind(const RuleInput& input, std::size_t skin);

}  // namespace skinlint::rules
