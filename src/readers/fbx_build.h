#pragma once
// What the steps of the FBX reader share while they build one Asset. Internal to the reader.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/asset.h"
#include "readers/fbx_objects.h"
#include "readers/fbx_records.h"

namespace skinlint::fbx {

/// Memory decoded from arrays, kept alive for the streams that view it.
class Decoded : public Storage {
 public:
  explicit Decoded(std::shared_ptr<std::byte[]> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<std::byte[]> data_;
};

struct Build {
  const Records& records;
  const ObjectGraph& graph;
  const ReadOptions& options;
  Asset& asset;
  bool converts = false;  // canonical space that differs from the file's
  Mat4 canonical_from_file = Mat4::Identity();
  Mat4 file_from_canonical = Mat4::Identity();

  std::vector<std::int32_t> node_of = {};   // per object; -1: no node
  std::vector<std::int32_t> mesh_of = {};   // per object: geometry, or model with its own vertices
  std::vector<std::int32_t> skin_of = {};   // per object
  std::vector<std::int32_t> joint_of = {};  // per object: slot of a cluster in its skin
  std::vector<std::vector<std::int32_t>> nodes_of_mesh = {};  // per mesh
  std::uint64_t position_bytes = 0;  // of meshes whose control points are really there

  const Object& object(std::int32_t i) const {
    return graph.objects()[static_cast<std::size_t>(i)];
  }
  ObjectClass type(std::int32_t i) const { return i < 0 ? ObjectClass::other : object(i).type; }
  std::string name(std::int32_t i) const { return display_name(object(i).name, records.binary()); }
  Mat4 converted(const Mat4& m) const {
    return converts ? Mat4(canonical_from_file * m * file_from_canonical) : m;
  }
  void repair(Repair::Kind kind, bool affects_skinning, ElementRef element, std::uint64_t count,
              std::string detail, std::string locator = {}) {
    asset.repairs.push_back(
        {kind, affects_skinning, element, count, std::move(detail), std::move(locator)});
  }
  Stream keep(const NumberArray& numbers, std::uint8_t components);
};

/// Reads a record's numbers as vectors of three; a rest that fills no vector is damage. `is_point`:
/// converted as points, else as directions with length (offsets). Declared without data when the
/// array cannot be read.
Stream read_vectors(Build& build, const Record& record, bool is_point);

/// A skin deformer hangs on the geometry (or model) `object`. Files older than 6.0 keep links
/// inside the model: true for all of them.
bool is_skinned(const Build& build, std::int32_t object);
/// Normals of a geometry, one per vertex or as listed (MeshPart::listed_normals).
void read_normals(Build& build, const Record& geometry, MeshPart& part);
/// What MorphTarget::Shape::normals says about the shape `record`.
MorphTarget::Shape::Normals shape_normals(Build& build, const Record& record);

void build_nodes(Build& build);
/// For every node in order: parent_from_node in the file's space for a given transform, and the
/// world where no parent_from_node can give it (see Node::world_from_node).
void compose_nodes(
    const Asset& asset, const std::function<const FbxTransform&(std::size_t)>& transform_of,
    const std::function<void(std::size_t, const Mat4&, const std::optional<Mat4>&)>& deliver);
void build_meshes(Build& build);
void build_morphs(Build& build);
void build_skins(Build& build);
void build_bind_poses(Build& build);
void build_clips(Build& build);
/// Cameras at their models; what a projection needs, where the file says it.
void build_cameras(Build& build);

}  // namespace skinlint::fbx
