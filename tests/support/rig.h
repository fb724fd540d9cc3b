#pragma once
// Rig: one neutral, mutable description of a skinned asset, from which tests make an Asset in
// memory, a glTF or GLB, or an FBX. A test builds a clean rig, breaks one thing, and encodes it;
// the same rig in two encodings must read the same.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/asset.h"

namespace skinlint::test {

struct RigNode {
  std::string name;
  int parent = -1;  // may come after this node: encoders sort
  Vec3 translation = Vec3::Zero();
  Vec4 rotation = Vec4(0, 0, 0, 1);  // x y z w, written as given
  Vec3 scale = Vec3::Ones();
  std::optional<Mat4> matrix;  // written instead of TRS

  /// The matrix, or T * R * S with the rotation normalised where its length is finite and not zero.
  Mat4 parent_from_node() const;
};

struct RigInfluence {
  std::uint32_t joint = 0;  // slot
  double weight = 0.0;
};

struct RigMorph {
  std::string name;
  double default_weight = 0.0;
  std::vector<Vec3> offsets;  // one per vertex of the part it belongs to
};

struct RigPart {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;   // empty: none
  std::vector<Vec4> tangents;  // empty: none
  std::vector<std::uint32_t> triangles;
  std::vector<std::vector<RigInfluence>>
      influences;  // per vertex, any number; empty vector: unskinned part
  std::vector<RigMorph> morphs;
};

struct RigMesh {
  std::string name;
  std::vector<RigPart> parts;
};

struct RigSkin {
  std::string name;
  std::vector<int> joints;                           // nodes
  std::optional<std::vector<Mat4>> joint_from_mesh;  // nullopt: none stored
  std::optional<int> skeleton;                       // node
};

struct RigInstance {
  int node = 0;
  int mesh = 0;
  int skin = -1;
};

struct RigChannel {
  int node = 0;
  ChannelPath path = ChannelPath::translation;
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;
  std::vector<double> values;  // 3, 4 (rotation) or n (weights) per key
};
struct RigClip {
  std::string name;
  std::vector<RigChannel> channels;
};

/// Keys one second apart, or `step`; the width of a key follows from the path.
RigChannel rig_channel(int node, ChannelPath path, std::vector<double> values, double step = 1.0);

struct Rig {
  std::string generator = "skinlint tests";
  std::vector<RigNode> nodes;
  std::vector<RigMesh> meshes;
  std::vector<RigSkin> skins;
  std::vector<RigInstance> instances;
  std::vector<RigClip> clips;
  std::vector<std::vector<int>> scenes;  // roots; empty: one scene with every root

  std::vector<Mat4> world_from_node() const;
  int node(const std::string& name) const;  // -1 when absent
  /// Stores the inverse of each joint's world as its inverse bind matrix (mesh space = world).
  void bind_at_rest();
};

/// Straight chain of `joints` joints up +Y, one unit-radius tube, four influences a vertex at most;
/// clean, bind = rest.
Rig chain_rig(int joints = 6, int rings = 24, int ring = 8);
/// Humanoid of 20-odd joints named hips, spine, chest, upper_arm.L ... 1.75 m tall; clean, at least
/// 8 joints with heavy vertices.
Rig humanoid_rig();
/// Random forest, turns, scales, weights; clean, bind = rest. Same seed, same rig.
Rig random_rig(std::uint32_t seed);

struct EncodeOptions {
  ComponentType weight_type = ComponentType::f32;  // f32, u8, u16 (normalised)
  ComponentType joint_type = ComponentType::u16;   // u8, u16
  int sets = 0;  // JOINTS_n/WEIGHTS_n sets; 0: as many as the widest vertex needs
  bool indexed = true;
};

/// In memory, as a reader would deliver it. Negative, NaN, duplicate and zero weights are kept.
Asset to_asset(const Rig& rig, const EncodeOptions& options = {});

}  // namespace skinlint::test
