// glTF skins, and the bindings of meshes to them.

#include <algorithm>

#include "readers/gltf_reader.h"

namespace skinlint {
namespace {

using Index = std::int32_t;

void read_joints(GltfRead& read, Skin& skin, JsonArray joints, const JsonScope& scope,
                 const Place& place) {
  constexpr std::uint64_t each = sizeof(Index) + sizeof(std::int64_t) + sizeof(std::optional<Mat4>);
  for (const JsonValue item : joints) {
    if (!read.structure.spend(each)) {
      scope.repair(Repair::Kind::limit, place,
                   "too many joints for the file's size; the rest is skipped");
      break;
    }
    const std::int64_t id = scope.index(item, place).value_or(-1);
    const Index node = read.node_for(id);
    skin.joints.push_back(node);
    skin.joint_ids.push_back(id);
    if (node >= 0) {
      read.asset.nodes[static_cast<std::size_t>(node)].is_joint = true;
    } else if (integer_of(item)) {
      scope.repair(Repair::Kind::dangling_reference, place,
                   "a joint, such as node " + std::to_string(id) + ", does not exist");
    }
  }
  skin.joint_from_mesh.resize(skin.joints.size());
}

void read_matrices(GltfRead& read, Skin& skin, JsonValue accessor, ElementRef element,
                   const Place& place) {
  Expected expected;
  expected.components = 16;
  expected.count = skin.joints.size();
  const Stream matrices = read.data.stream(accessor, expected, Need::skinning, element, place);
  const bool exists = read.data.declaration(matrices.source, Need::skinning) != nullptr;
  skin.matrix_count = exists ? matrices.count : 0;
  skin.matrices_readable = matrices.readable();
  if (matrices.data == nullptr) return;
  Mat4 m;
  for (std::size_t slot = 0; slot < std::min(matrices.count, skin.joints.size()); ++slot) {
    read_values(matrices, slot, 1, m.data());  // columns first, as Eigen keeps them
    skin.joint_from_mesh[slot] = m;
  }
}

void read_skin(GltfRead& read, JsonValue item, std::size_t index, const Place& place) {
  Skin& skin = read.asset.skins[index];
  skin.id = static_cast<std::int64_t>(index);
  const ElementRef element{ElementKind::skin, static_cast<Index>(index), 0};
  const JsonScope scope(read.log, element);
  const auto object = scope.object(item, place);
  if (!object) return;
  const auto f =
      scope.pick<4>(*object, {"name", "joints", "inverseBindMatrices", "skeleton"}, place);
  const Place name_place(place, "name");
  const Place joints_place(place, "joints");
  const Place matrices_place(place, "inverseBindMatrices");
  const Place skeleton_place(place, "skeleton");
  skin.name = scope.string(f[0], name_place).value_or("");
  if (const auto joints = scope.array(f[1], joints_place))
    read_joints(read, skin, *joints, scope, joints_place);
  if (f[2]) read_matrices(read, skin, *f[2], element, matrices_place);
  if (const auto skeleton = scope.index(f[3], skeleton_place, false)) {
    skin.declared_skeleton = *skeleton;
    skin.skeleton = read.node_for(*skeleton);
    if (skin.skeleton < 0 && integer_of(*f[3])) {
      scope.repair(Repair::Kind::dangling_reference, skeleton_place,
                   "the skeleton root, node " + std::to_string(*skeleton) + ", does not exist",
                   false);
    }
  }
}

}  // namespace

void read_skins(GltfRead& read) {
  const std::size_t count = entries_of(read.document.skins);
  const Place top;
  const Place place(top, "skins");
  const JsonScope scope(read.log, {});
  const auto array = scope.array(read.document.skins, place);
  if (!array) return;
  if (!read.structure.spend(count * sizeof(Skin))) {
    scope.repair(Repair::Kind::limit, place, "too many skins for the file's size; all are skipped");
    for (Node& node : read.asset.nodes) node.skin = -1;
    return;
  }
  read.asset.skins.resize(count);
  std::size_t i = 0;
  for (const JsonValue item : *array) {
    const Place skin_place(place, i);
    read_skin(read, item, i, skin_place);
    ++i;
    if (read.data.fatal()) return;
  }
}

void make_bindings(GltfRead& read) {
  Asset& asset = read.asset;
  auto own_weights = read.node_weights.begin();
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    const auto index = static_cast<Index>(n);
    while (own_weights != read.node_weights.end() && own_weights->first < index) ++own_weights;
    if (node.mesh < 0 || node.skin < 0) continue;
    const auto mesh_index = static_cast<std::size_t>(node.mesh);
    const Mesh& mesh = asset.meshes[mesh_index];
    const std::uint64_t memory =
        sizeof(Binding) + mesh.parts.size() * sizeof(Index) + mesh.morphs.size() * sizeof(double);
    if (!read.structure.spend(memory)) {
      read.log.add(Repair::Kind::limit, {}, true,
                   "too many skinned nodes for the file's size; the rest is not bound", "/nodes");
      return;
    }
    Binding& binding = asset.bindings.emplace_back();
    binding.node = index;
    binding.mesh = node.mesh;
    binding.skin = node.skin;
    binding.influences = read.mesh_influences[mesh_index];
    binding.morph_weights.reserve(mesh.morphs.size());
    for (const MorphTarget& morph : mesh.morphs)
      binding.morph_weights.push_back(morph.default_weight);
    if (own_weights == read.node_weights.end() || own_weights->first != index) continue;
    const std::vector<double>& weights = own_weights->second;
    for (std::size_t i = 0; i < std::min(weights.size(), mesh.morphs.size()); ++i)
      binding.morph_weights[i] = weights[i];
    if (weights.size() != mesh.morphs.size()) {
      read.log.add(Repair::Kind::count_mismatch,
                   {ElementKind::node, static_cast<Index>(node.id), 0}, false,
                   std::to_string(weights.size()) + " weights for " +
                       std::to_string(mesh.morphs.size()) + " morph targets",
                   "/nodes/" + std::to_string(node.id) + "/weights");
    }
  }
}

}  // namespace skinlint
