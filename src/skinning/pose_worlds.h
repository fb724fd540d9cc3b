#pragma once
// World matrices of whole poses: as bound, and with joints turned.

#include <string>
#include <vector>

#include "model/asset.h"

namespace skinlint {

/// One pose of a whole asset.
struct AssetPose {
  std::string name;
  std::vector<Mat4> world_from_node;        // per node
  std::vector<std::vector<double>> morphs;  // per binding: activations of its mesh's targets
  bool compare = true;                      // with other ways to evaluate it
};

/// Every joint where it was bound, S * B_j by the first binding that has it; nodes between and
/// below follow the node above them. `rest` world per node, `bind` S per binding; bindings whose S
/// is not finite are passed over.
std::vector<Mat4> bind_worlds(const Asset& asset, const std::vector<Mat4>& rest,
                              const std::vector<Mat4>& bind);

/// Applies a world-side motion to a node and everything below it.
void move_below(const Asset& asset, std::int32_t node, const Mat4& motion,
                std::vector<Mat4>& world_from_node);

/// The motion that turns about axes through a node's origin: first about its own X, then Y, then Z
/// (unit axes, as it stands in `world`), by radians; then shifts by `offset`, metres along the same
/// axes. Rigid whatever scale the node carries. Identity where `world` has no rotation.
Mat4 own_motion(const Mat4& world, const Vec3& radians, const Vec3& offset);

}  // namespace skinlint
