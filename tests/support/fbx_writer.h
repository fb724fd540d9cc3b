#pragma once
// FBX files made from a rig: the twins of write_glb. The rig is canonical (metres, +Y up, +Z
// front); the file may declare any axes and unit, and is written in them.

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/fbx_transform.h"
#include "support/fbx_tree.h"
#include "support/rig.h"

namespace skinlint::test {

struct FbxWriteOptions : FbxEncoding {
  /// Which axis of the file (0, 1, 2) points right, up and to the front, and its sign.
  std::array<int, 3> axes = {0, 1, 2};
  std::array<int, 3> signs = {1, 1, 1};
  double unit_meters = 0.01;
  bool global_settings = true;

  /// Geometric transform of every node that shows a mesh, in the file's unit and degrees. The nodes
  /// are moved so that the mesh stays where the rig has it; they must be leaves.
  std::optional<FbxTransform> geometric;  // only the geometric_* members count

  /// Stores every local transform with pre- and post-rotation, pivots, offsets and mixed rotation
  /// orders that give the same matrix. Not with clips.
  bool dress_transforms = false;

  bool bind_poses = true;
  LinkMode link_mode = LinkMode::normalize;
  SkinningMethod method = SkinningMethod::linear;

  /// Called with the finished tree before it is encoded.
  std::function<void(FbxTree&)> edit;
};

/// v_canonical = canonical_from_file * v_file of the declared axes and unit.
Mat4 canonical_from_file(const FbxWriteOptions& options);

/// Object ids the writer gives, so that tests can find objects again.
constexpr std::int64_t fbx_model_id(int node) { return 1'000'000 + node; }
constexpr std::int64_t fbx_geometry_id(int mesh) { return 2'000'000 + mesh; }

/// TransformLink is the inverse of the rig's inverse bind matrix: the mesh is bound in world space
/// whatever its node does. Parts of a mesh become one geometry, vertices in order. Throws
/// std::logic_error for what FBX cannot hold (a sheared node matrix, clips with dressed
/// transforms).
FbxTree fbx_tree(const Rig& rig, const FbxWriteOptions& options = {});
std::vector<std::byte> write_fbx(const Rig& rig, const FbxWriteOptions& options = {});

/// Angles in degrees with fbx_euler(angles, order) == rotation.
Vec3 euler_of(const Mat3& rotation, std::int32_t order);

}  // namespace skinlint::test
