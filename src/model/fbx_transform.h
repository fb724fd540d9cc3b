#pragma once
// FBX's way of storing a node's transform, and the matrix it means. Kept beside
// Node::parent_from_node because rules speak about pivots, pre-rotation and inheritance, and
// because clips key its parts.

#include <array>
#include <cstdint>

#include "model/math.h"

namespace skinlint {

/// How a node takes on its parent's scale. The numbers are FBX's.
enum class InheritType : std::uint8_t { RrSs = 0, RSrs = 1, Rrs = 2 };

/// As stored: the file's space and unit, angles in degrees, whatever the Asset's space is.
struct FbxTransform {
  Vec3 translation = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
  Vec3 scaling = Vec3::Ones();
  Vec3 pre_rotation = Vec3::Zero();
  Vec3 post_rotation = Vec3::Zero();
  Vec3 rotation_offset = Vec3::Zero();
  Vec3 rotation_pivot = Vec3::Zero();
  Vec3 scaling_offset = Vec3::Zero();
  Vec3 scaling_pivot = Vec3::Zero();
  Vec3 geometric_translation = Vec3::Zero();
  Vec3 geometric_rotation = Vec3::Zero();
  Vec3 geometric_scaling = Vec3::Ones();
  /// 0 XYZ, 1 XZY, 2 YZX, 3 YXZ, 4 ZXY, 5 ZYX, 6 SphericXYZ (read as XYZ). X first means that the
  /// turn about X is applied to a point first.
  std::int32_t rotation_order = 0;
  InheritType inherit_type = InheritType::RSrs;
  bool rotation_active = true;
  bool rotation_space_for_limit_only = false;

  /// Order, pre- and post-rotation take part. Otherwise (not active, or for limits only) the order
  /// counts as XYZ and there is neither pre- nor post-rotation. Source: FBX SDK documentation of
  /// the rotation's main switch, and measured on files that vary all of them.
  bool uses_rotation_space() const { return rotation_active && !rotation_space_for_limit_only; }
};

/// Rotation matrix of Euler angles in degrees, in FBX's order number (6 and unknown: XYZ).
Mat3 fbx_euler(const Vec3& degrees, std::int32_t order);
/// Rpre * R * Rpost^-1: the rotation part of the local matrix.
Mat3 fbx_local_rotation(const FbxTransform& t);
/// parent_from_node in the file's space for InheritType RSrs:
/// T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1. Source: FBX SDK
/// documentation, "Computing transformation matrices".
Mat4 fbx_local_matrix(const FbxTransform& t);
/// node_from_geometry in the file's space; identity unless the node has a geometric transform.
Mat4 fbx_geometric_matrix(const FbxTransform& t);

/// World of a node as FBX composes it: what a child needs to know of its parent.
struct FbxWorld {
  Mat4 world_from_node = Mat4::Identity();
  Mat3 rotation = Mat3::Identity();  // product of the local rotations
  Vec3 local_scale = Vec3::Ones();   // the node's own Scaling
};
/// World of a node from its parent's (identity for a root) by the node's InheritType; translation
/// always goes through the parent's whole matrix. Zero scale of a parent under Rrs is not divided
/// by.
FbxWorld fbx_world(const FbxWorld& parent, const FbxTransform& t);

}  // namespace skinlint
