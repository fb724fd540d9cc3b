#pragma once
// What engines lose: the node hierarchy as single precision evaluates it, against double.

#include <cstddef>
#include <vector>

#include "rules/rule.h"

namespace skinlint::rules {

using Mat4f = Eigen::Matrix4f;

/// world_from_node per node, each local matrix rounded to float and multiplied in float, from the
/// root down. Where the file gives a world that no local matrix makes, that one, rounded.
std::vector<Mat4f> float_worlds(const Asset& asset);

/// How far float evaluation places what a joint moves from where double does.
struct FloatError {
  double distance = 0.0;   // metres, the worst over the joints asked about
  std::int32_t slot = -1;  // of that joint; -1: no joint could be compared
};

/// Worst over the joints with weight of a binding, at the corners of the box of the vertices each
/// moves most. Joints without a finite world are left out.
FloatError float_error(const RuleInput& input, std::size_t binding,
                       const std::vector<Mat4f>& worlds);

}  // namespace skinlint::rules
