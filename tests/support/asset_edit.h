#pragma once
// Changes to an asset that a reader delivered: streams are replaced by owned copies, and the
// records that belong together (a node's matrix and its parts, a cluster's matrices and the bind
// pose) are kept in step, as a file would have them.

#include <vector>

#include "model/result.h"
#include "support/rig.h"

namespace skinlint::test {

/// A stream of `components` numbers per element in memory that the asset keeps. Integer types:
/// rounded; `normalized` multiplies by the type's maximum first.
Stream own_stream(Asset& asset, const std::vector<double>& values, ComponentType type,
                  std::uint8_t components, bool normalized = false);

std::vector<Vec3> positions_of(const MeshPart& part);
/// Replaces the positions: f64 for FBX, else f32.
void set_positions(Asset& asset, std::size_t mesh, std::size_t part, const std::vector<Vec3>& to);

/// Per vertex, in stored order; of attribute sets the slots that hold a joint or a weight.
std::vector<std::vector<RigInfluence>> influences_of(const InfluenceTable& table);
/// Replaces one vertex's influences. Attribute sets keep their component types; false when the
/// vertex needs more slots than the sets have.
bool set_influences(Asset& asset, std::size_t table, std::size_t vertex,
                    const std::vector<RigInfluence>& to);

/// Gives a node another local matrix: TRS where the file has TRS and the matrix is one, else a
/// matrix; FBX: translation, rotation and scaling without pivots, the inherit type kept.
void set_local(Asset& asset, std::size_t node, const Mat4& parent_from_node);

/// Where a joint stood when it was bound, seen from the world. glTF: S times the bind matrix; FBX:
/// TransformLink.
Mat4 bind_world(const Asset& asset, std::size_t binding, std::size_t slot, const Mat4& consensus);
/// Binds the joint at `world` without moving the mesh. FBX: TransformLink, Transform, and the
/// joint's entries in bind poses unless another skin uses them.
void set_bind_world(Asset& asset, std::size_t binding, std::size_t slot, const Mat4& consensus,
                    const Mat4& world);
/// Replaces the inverse bind matrix alone. FBX: the cluster's Transform record.
void set_joint_from_mesh(Asset& asset, std::size_t binding, std::size_t slot, const Mat4& m);

/// Nodes at and below `node`.
std::vector<bool> subtree_of(const Asset& asset, std::int32_t node);

/// The asset as a rig: what the writers need to make a file of it. Nodes keep their order.
Rig rig_of(const Asset& asset);
/// The asset through a writer and back through the reader of its format. FBX clusters and bind
/// poses are written as the asset has them. For assets made from rigs: one binding per mesh.
Result<Asset> written_and_read(const Asset& asset);

}  // namespace skinlint::test
