#include "support/importer_view.h"

#include <cmath>

#include "skinning/hierarchy.h"
#include "support/asset_edit.h"

namespace skinlint::test {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class ViewBuild {
 public:
  explicit ViewBuild(const Asset& asset) : asset_(asset) {
    file_ = asset.canonical_from_file.inverse();
    world_ = world_from_nodes(asset);
    view_.importer = "Assimp 5.2.4";
  }

  ImporterView build() {
    const bool one_root = is_gltf(asset_.format) && roots() == 1;
    node_of_.assign(asset_.nodes.size(), -1);
    if (!one_root) add_node("RootNode", -1, Mat4::Identity());
    for (std::size_t n = 0; n < asset_.nodes.size(); ++n) {
      const Node& node = asset_.nodes[n];
      std::int32_t parent = node.parent < 0 ? (one_root ? -1 : 0) : node_of_[at(node.parent)];
      const Mat4 world = file_ * world_[n] * asset_.canonical_from_file;
      if (is_fbx(asset_.format))
        parent = add_node(node.name + "_$AssimpFbx$_Translation", parent, world);
      node_of_[n] = add_node(node.name, parent, world);
    }
    for (const Binding& binding : asset_.bindings) add_mesh(binding);
    return std::move(view_);
  }

 private:
  std::size_t roots() const {
    std::size_t n = 0;
    for (const Node& node : asset_.nodes) n += node.parent < 0 ? 1U : 0U;
    return n;
  }

  std::int32_t add_node(const std::string& name, std::int32_t parent, const Mat4& world) {
    const auto index = static_cast<std::int32_t>(view_.nodes.size());
    ImporterView::Node& node = view_.nodes.emplace_back();
    node.name = name;
    node.parent = parent;
    node.world_from_node = world;
    if (parent >= 0) view_.nodes[at(parent)].children.push_back(index);
    return index;
  }

  /// The importer's vertices of a part: which of ours each one is.
  std::vector<std::size_t> corners(const MeshPart& part, ImporterView::Mesh& out) const {
    std::vector<std::size_t> vertices;
    if (part.mode != -1) {
      for (std::size_t v = 0; v < part.vertex_count; ++v) vertices.push_back(v);
      return vertices;
    }
    std::vector<double> indices(part.indices.count);
    read_values(part.indices, 0, part.indices.count, indices.data());
    std::uint32_t size = 0;
    for (const double index : indices) {
      const auto i = static_cast<std::int64_t>(index);
      out.face_corners.push_back(static_cast<std::uint32_t>(vertices.size()));
      vertices.push_back(static_cast<std::size_t>(i < 0 ? ~i : i));
      ++size;
      if (i >= 0) continue;
      out.face_sizes.push_back(size);
      size = 0;
    }
    return vertices;
  }

  void add_mesh(const Binding& binding) {
    const Mesh& mesh = asset_.meshes[at(binding.mesh)];
    const Skin& skin = asset_.skins[at(binding.skin)];
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      view_.nodes[at(node_of_[at(binding.node)])].meshes.push_back(
          static_cast<std::int32_t>(view_.meshes.size()));
      ImporterView::Mesh& out = view_.meshes.emplace_back();
      out.name = mesh.name;
      const std::vector<std::size_t> vertices = corners(mesh.parts[p], out);
      const std::vector<Vec3> positions = positions_of(mesh.parts[p]);
      for (const std::size_t v : vertices) {
        const Vec3 q = transform_point(file_, positions[v]);
        for (Eigen::Index k = 0; k < 3; ++k) out.positions.push_back(static_cast<float>(q[k]));
      }
      for (std::size_t s = 0; s < skin.joints.size(); ++s) {
        ImporterView::Bone& bone = out.bones.emplace_back();
        bone.node = node_of_[at(skin.joints[s])];
        bone.name = asset_.nodes[at(skin.joints[s])].name;
        bone.bone_from_mesh =
            file_ * skin.joint_from_mesh[s].value_or(Mat4::Identity()) * asset_.canonical_from_file;
      }
      for (const MorphTarget& target : mesh.morphs) {
        for (std::size_t k = 0; k < target.shapes.size(); ++k) out.shapes.push_back(target.name);
      }
      if (binding.influences[p] < 0) continue;
      const auto influences = influences_of(asset_.influences[at(binding.influences[p])]);
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        for (const RigInfluence& influence : influences[vertices[v]]) {
          if (influence.weight == 0.0 || influence.joint >= out.bones.size()) continue;
          out.bones[influence.joint].weights.push_back(
              {static_cast<std::uint32_t>(v), static_cast<float>(influence.weight)});
        }
      }
    }
  }

  const Asset& asset_;
  Mat4 file_;
  std::vector<Mat4> world_;
  std::vector<std::int32_t> node_of_;
  ImporterView view_;
};

}  // namespace

ImporterView view_of(const Asset& asset) { return ViewBuild(asset).build(); }

}  // namespace skinlint::test
