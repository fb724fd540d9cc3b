// Files that must read clean, and the pairs.

#include <cmath>
#include <utility>

#include "support/gltf_writer.h"
#include "support/rig.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

constexpr double pi = 3.14159265358979323846;

TestdataFile file(std::string path, std::vector<std::byte> bytes) {
  TestdataFile out;
  out.path = std::move(path);
  out.bytes = std::move(bytes);
  return out;
}

Rig small_chain() { return chain_rig(6, 13, 6); }

Rig two_skins() {
  Rig rig = small_chain();
  RigSkin second = rig.skins[0];
  second.name = "shirt";
  RigMesh mesh = rig.meshes[0];
  mesh.name = "shirt";
  for (Vec3& p : mesh.parts[0].positions) p.x() *= 1.1, p.z() *= 1.1;
  rig.meshes.push_back(std::move(mesh));
  rig.skins.push_back(std::move(second));
  RigNode node;
  node.name = "shirt";
  rig.nodes.push_back(node);
  rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 1, 1});
  return rig;
}

/// Mesh and bind in the space of an armature that stands elsewhere in the scene.
Rig armature_offset() {
  Rig rig = small_chain();
  const std::vector<Mat4> armature_from_joint = rig.world_from_node();
  RigNode armature;
  armature.name = "Armature";
  armature.translation = Vec3(3, 0, -2);
  armature.rotation = Vec4(0, std::sin(pi / 12), 0, std::cos(pi / 12));
  const int index = static_cast<int>(rig.nodes.size());
  for (RigNode& node : rig.nodes)
    if (node.parent < 0) node.parent = index;
  rig.nodes.push_back(armature);
  for (std::size_t j = 0; j < rig.skins[0].joints.size(); ++j)
    (*rig.skins[0].joint_from_mesh)[j] =
        armature_from_joint[static_cast<std::size_t>(rig.skins[0].joints[j])].inverse();
  return rig;
}

/// The one case in which a file may leave the matrices out.
Rig joints_at_identity() {
  Rig rig = chain_rig(3, 5, 6);
  for (RigNode& node : rig.nodes) node.translation = Vec3::Zero();
  rig.skins[0].joint_from_mesh.reset();
  return rig;
}

/// A file of three centimetre-sized units under one factor above joints and mesh.
Rig centimetres() {
  Rig rig = small_chain();
  RigNode top;
  top.name = "centimetres";
  top.scale = Vec3::Constant(0.01);
  const int index = static_cast<int>(rig.nodes.size());
  for (RigNode& node : rig.nodes) {
    node.translation *= 100.0;
    if (node.parent < 0) node.parent = index;
  }
  rig.nodes.push_back(top);
  rig.bind_at_rest();
  return rig;
}

Rig morphs_and_clip() {
  Rig rig = small_chain();
  RigPart& part = rig.meshes[0].parts[0];
  RigMorph morph;
  morph.name = "wide";
  for (const Vec3& normal : part.normals) morph.offsets.push_back(0.1 * normal);
  part.morphs.push_back(std::move(morph));
  const double s = std::sin(0.2), c = std::cos(0.2);
  rig.clips.push_back({"bend",
                       {{2,
                         ChannelPath::rotation,
                         Interpolation::linear,
                         {0, 0.5, 1},
                         {0, 0, 0, 1, 0, 0, s, c, 0, 0, 0, 1}}}});
  return rig;
}

/// Vertices with up to seven influences that differ in size: two attribute sets.
Rig many_influences() {
  Rig rig = small_chain();
  for (auto& influences : rig.meshes[0].parts[0].influences) {
    std::vector<RigInfluence> all;
    double rest = 0.0;
    for (std::uint32_t joint = 0; joint < 6; ++joint) {
      bool present = false;
      for (const RigInfluence& i : influences) present |= i.joint == joint;
      if (present) continue;
      all.push_back({joint, 0.0015});  // below what any engine keeps
      rest += 0.0015;
    }
    for (RigInfluence& i : influences) i.weight *= 1.0 - rest;
    influences.insert(influences.end(), all.begin(), all.end());
  }
  return rig;
}

}  // namespace

std::vector<TestdataFile> valid_testdata() {
  std::vector<TestdataFile> files;
  const auto glb = [&](const std::string& name, const Rig& rig,
                       const GltfWriteOptions& options = {}) {
    files.push_back(file("valid/" + name + ".glb", write_glb(rig, options)));
  };
  GltfWriteOptions options;
  glb("chain", small_chain());
  glb("humanoid", humanoid_rig());
  glb("two_skins", two_skins());
  glb("armature_offset", armature_offset());
  glb("no_matrices_at_identity", joints_at_identity());
  glb("centimetres_under_one_factor", centimetres());
  glb("morphs_and_clip", morphs_and_clip());
  glb("two_attribute_sets", many_influences());
  options.weight_type = ComponentType::u8;
  options.joint_type = ComponentType::u8;
  glb("byte_weights", small_chain(), options);
  options.weight_type = ComponentType::u16;
  options.position_type = ComponentType::u16;
  options.interleaved = true;
  glb("quantised", small_chain(), options);
  options = {};
  options.sparse = GltfWriteOptions::Sparse::with_base;
  glb("sparse", small_chain(), options);
  options = {};
  options.indexed = false;
  glb("without_indices", chain_rig(4, 5, 4), options);
  Rig skeleton = small_chain();
  skeleton.skins[0].skeleton = 0;
  glb("skeleton_named", skeleton);
  files.push_back(
      file("valid/data_uri.gltf", write_gltf(chain_rig(4, 5, 4), {}, BufferPlace::data_uri).gltf));
  return files;
}

std::vector<TestdataFile> pair_testdata() {
  std::vector<TestdataFile> files;
  const auto pair = [&](const std::string& name, const Rig& rig,
                        const std::vector<ExpectedFinding>& expected) {
    const std::string folder = "pairs/" + name + "/";
    GltfWriteOptions options;
    files.push_back(file(folder + "plain.glb", write_glb(rig)));
    GltfFiles gltf = write_gltf(rig, {}, BufferPlace::file, "plain.bin");
    files.push_back(file(folder + "plain.gltf", std::move(gltf.gltf)));
    options.sparse = GltfWriteOptions::Sparse::without_base;
    files.push_back(file(folder + "sparse.glb", write_glb(rig, options)));
    options = {};
    options.interleaved = true;
    options.indexed = false;
    files.push_back(file(folder + "interleaved.glb", write_glb(rig, options)));
    for (auto it = files.end() - 4; it != files.end(); ++it) it->expected = expected;
    files.push_back(file(folder + "plain.bin", std::move(gltf.bin)));
    files.back().companion = true;
  };
  pair("clean", chain_rig(6, 7, 6), {});
  Rig posed = chain_rig(6, 7, 6);
  posed.nodes[3].rotation = Vec4(0, 0, std::sin(0.3), std::cos(0.3));
  pair("posed", posed, {{"bind-rest-differs", "warning", {}}});
  return files;
}

}  // namespace skinlint::test
