// One clean chain, broken in one place for each rule.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "support/gltf_writer.h"
#include "support/rig.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr double pi = 3.14159265358979323846;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Rig small_chain() { return chain_rig(6, 13, 6); }

class BrokenFiles {
 public:
  /// The file tests `rule`; `others` are findings that the same fault must bring with it.
  TestdataFile& add(const std::string& rule, const std::string& name, const std::string& severity,
                    const Rig& rig, const GltfWriteOptions& options = {},
                    const std::vector<ExpectedFinding>& others = {}) {
    TestdataFile file;
    file.path = "broken/" + rule + "/" + name + ".glb";
    file.bytes = write_glb(rig, options);
    file.expected.push_back({rule, severity, {}});
    file.expected.insert(file.expected.end(), others.begin(), others.end());
    files_.push_back(std::move(file));
    return files_.back();
  }
  std::vector<TestdataFile> take() { return std::move(files_); }

 private:
  std::vector<TestdataFile> files_;
};

GltfWriteOptions edited(std::function<void(Json&)> edit) {
  GltfWriteOptions options;
  options.edit_json = std::move(edit);
  return options;
}

Rig with(Rig rig, const std::function<void(Rig&)>& change) {
  change(rig);
  return rig;
}

Rig with_influences(std::size_t vertex, std::vector<RigInfluence> influences) {
  Rig rig = small_chain();
  rig.meshes[0].parts[0].influences[vertex] = std::move(influences);
  return rig;
}

Vec4 turn_about_x(double angle) { return Vec4(std::sin(angle / 2), 0, 0, std::cos(angle / 2)); }
Vec4 turn_about_z(double angle) { return Vec4(0, 0, std::sin(angle / 2), std::cos(angle / 2)); }

Mat4 uniform_scale(double factor) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() *= factor;
  return m;
}

/// Vertices stored in another space, matrices that take them back: every joint still agrees.
void move_mesh_space(Rig& rig, const Mat4& old_from_new) {
  const Mat4 new_from_old = old_from_new.inverse();
  for (RigMesh& mesh : rig.meshes)
    for (RigPart& part : mesh.parts) {
      for (Vec3& p : part.positions) p = transform_point(new_from_old, p);
      for (Vec3& n : part.normals) n = (linear(new_from_old) * n).normalized();
    }
  for (RigSkin& skin : rig.skins)
    for (Mat4& m : *skin.joint_from_mesh) m = m * old_from_new;
}

void add_read_rules(BrokenFiles& files) {
  files.add("file-unsupported", "required_extension", "error", small_chain(), edited([](Json& j) {
              j["extensionsUsed"] = {"ACME_bones"};
              j["extensionsRequired"] = {"ACME_bones"};
            }));
  files.add("file-damaged", "clip_beyond_buffer", "warning",
            with(small_chain(),
                 [](Rig& rig) {
                   rig.clips = {{"bend",
                                 {{2,
                                   ChannelPath::rotation,
                                   Interpolation::linear,
                                   {0, 1},
                                   {0, 0, 0, 1, 0, 0, 0.1, std::sqrt(0.99)}}}}};
                 }),
            edited([](Json& j) { j["bufferViews"].back()["byteOffset"] = 1000000; }));
  files.add("weights-array-mismatch", "float_joints", "error", small_chain(), edited([](Json& j) {
              const std::size_t joints = j["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"];
              const std::size_t weights =
                  j["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"];
              j["accessors"][joints] = j["accessors"][weights];
            }));
  files.add(
      "weights-array-mismatch", "joints_without_weights", "error", small_chain(),
      edited([](Json& j) { j["meshes"][0]["primitives"][0]["attributes"].erase("WEIGHTS_0"); }));
  files
      .add("weights-joint-out-of-range", "slot_200_of_6", "error",
           with_influences(7, {{200, 0.5}, {1, 0.5}}))
      .expected[0]
      .count = 1;
  files.add("transform-non-finite", "quaternion_length", "error",
            with(small_chain(), [](Rig& rig) { rig.nodes[2].rotation = Vec4(0, 0, 0, 1.1); }));
  files.add("transform-non-finite", "position_nan", "error",
            with(small_chain(), [](Rig& rig) { rig.meshes[0].parts[0].positions[9].y() = nan; }));
}

void add_structure_rules(BrokenFiles& files) {
  files.add("skeleton-joint-repeated", "twice", "error", with(small_chain(), [](Rig& rig) {
              rig.skins[0].joints.push_back(2);
              rig.bind_at_rest();
            }));
  files.add("skeleton-roots", "no_common_root", "error", with(small_chain(), [](Rig& rig) {
              RigNode stray;
              stray.name = "stray";
              rig.skins[0].joints.push_back(static_cast<int>(rig.nodes.size()));
              rig.nodes.push_back(stray);
              rig.bind_at_rest();
            }));
  files.add("skin-attributes-missing", "skin_without_weights", "error",
            with(small_chain(), [](Rig& rig) { rig.meshes[0].parts[0].influences.clear(); }));
  files.add("bind-matrix-missing", "one_too_few", "error",
            with(small_chain(), [](Rig& rig) { rig.skins[0].joint_from_mesh->pop_back(); }));
  files.add("bind-matrix-missing", "none", "warning",
            with(small_chain(), [](Rig& rig) { rig.skins[0].joint_from_mesh.reset(); }));
  files.add("bind-matrix-not-affine", "bottom_row", "error",
            with(small_chain(), [](Rig& rig) { (*rig.skins[0].joint_from_mesh)[3](3, 1) = 1e-3; }));
  files.add("bind-matrix-not-affine", "all_transposed", "error", with(small_chain(), [](Rig& rig) {
              for (Mat4& m : *rig.skins[0].joint_from_mesh) m.transposeInPlace();
            }));
  files.add("bind-matrix-singular", "zero_column", "error", with(small_chain(), [](Rig& rig) {
              (*rig.skins[0].joint_from_mesh)[3].col(0).setZero();
            }));
  files.add("transform-zero-scale", "leaf", "error",
            with(small_chain(), [](Rig& rig) { rig.nodes[5].scale = Vec3::Zero(); }));
  files.add("weights-non-finite", "nan", "error", with_influences(7, {{0, nan}, {1, 0.5}}))
      .expected[0]
      .count = 1;
  files
      .add("weights-negative", "minus_two_percent", "error",
           with_influences(7, {{0, 0.6}, {1, 0.42}, {2, -0.02}}))
      .expected[0]
      .count = 1;
}

void add_weight_rules(BrokenFiles& files) {
  files.add("weights-above-one", "one_and_a_half", "error", with_influences(7, {{0, 1.5}}))
      .expected[0]
      .count = 1;
  files.add("weights-duplicate-joint", "twice", "error", with_influences(7, {{1, 0.5}, {1, 0.5}}))
      .expected[0]
      .count = 1;
  files.add("weights-zero-sum", "one_vertex", "error", with_influences(7, {})).expected[0].count =
      1;
  files
      .add("weights-zero-sum", "all", "error",
           with(small_chain(),
                [](Rig& rig) {
                  for (auto& influences : rig.meshes[0].parts[0].influences) influences.clear();
                }))
      .expected[0]
      .count = 78;
  files.add("weights-sum", "five_permille", "warning", with_influences(7, {{0, 0.5}, {1, 0.495}}))
      .expected[0]
      .count = 1;
  files
      .add("weights-sum", "every_vertex", "error",
           with(small_chain(),
                [](Rig& rig) {
                  for (auto& influences : rig.meshes[0].parts[0].influences)
                    for (RigInfluence& i : influences) i.weight *= 0.9;
                }))
      .expected[0]
      .count = 78;
  GltfWriteOptions bytes;
  bytes.weight_type = ComponentType::u8;
  files
      .add("weights-quantised-sum", "two_steps", "warning",
           with_influences(7, {{0, 128.0 / 255}, {1, 125.0 / 255}}), bytes)
      .expected[0]
      .count = 1;
  files
      .add("weights-quantised-sum", "forty_steps", "error",
           with_influences(7, {{0, 115.0 / 255}, {1, 100.0 / 255}}), bytes)
      .expected[0]
      .count = 1;
  TestdataFile& zero = files.add("weights-zero-with-joint", "slot", "note",
                                 with_influences(7, {{0, 1.0}, {3, 0.0}}));
  zero.select = {"weights-zero-with-joint"};
  files
      .add("weights-influence-limit", "six", "warning",
           with_influences(7, {{0, 0.25}, {1, 0.25}, {2, 0.2}, {3, 0.2}, {4, 0.05}, {5, 0.05}}))
      .expected[0]
      .count = 1;
  files.add("weights-unused-joint", "helper", "note", with(small_chain(), [](Rig& rig) {
              RigNode helper;
              helper.name = "helper";
              helper.parent = 5;
              helper.translation = Vec3(0, 1, 0);
              rig.skins[0].joints.push_back(static_cast<int>(rig.nodes.size()));
              rig.nodes.push_back(helper);
              rig.bind_at_rest();
            }));
}

void add_reference_rule(BrokenFiles& files) {
  TestdataFile& renamed =
      files.add("skeleton-differs-from-reference", "renamed_and_moved", "warning",
                with(humanoid_rig(), [](Rig& rig) {
                  rig.nodes[static_cast<std::size_t>(rig.node("spine"))].name = "Spine";
                  rig.nodes[static_cast<std::size_t>(rig.node("neck"))].translation.y() += 0.05;
                  rig.bind_at_rest();
                }));
  renamed.reference = "valid/humanoid.glb";
  renamed.expected[0].count = 3;  // a name in other letters; one joint, at bind and at rest
}

void add_bind_rules(BrokenFiles& files) {
  files.add("bind-rest-differs", "posed", "warning",
            with(small_chain(), [](Rig& rig) { rig.nodes[3].rotation = turn_about_z(0.5); }));
  files.add("bind-rest-differs", "not_inverted", "warning", with(small_chain(), [](Rig& rig) {
              rig.nodes[0].rotation = turn_about_z(0.7);
              rig.nodes[0].translation = Vec3(20, 5, 0);
              const std::vector<Mat4> world = rig.world_from_node();
              for (Vec3& p : rig.meshes[0].parts[0].positions) p = transform_point(world[0], p);
              for (Vec3& n : rig.meshes[0].parts[0].normals) n = linear(world[0]) * n;
              for (std::size_t j = 0; j < 6; ++j)
                (*rig.skins[0].joint_from_mesh)[j] =
                    world[static_cast<std::size_t>(rig.skins[0].joints[j])];
            }));
  files.add("bind-rest-differs", "bones_a_hundred_times_longer", "error",
            with(small_chain(),
                 [](Rig& rig) {
                   for (RigNode& node : rig.nodes) node.translation *= 100.0;
                 }),
            {}, {{"deform-explodes", "error", {}}});
  files.add("bind-common-offset", "mesh_twice_as_large", "warning",
            with(small_chain(), [](Rig& rig) { move_mesh_space(rig, uniform_scale(2.0)); }));
  files.add("bind-skeleton-misplaced", "vertices_aside", "warning",
            with(small_chain(), [](Rig& rig) {
              for (Vec3& p : rig.meshes[0].parts[0].positions) p.x() += 5.0;
            }));
  files.add("bind-matrix-sheared", "five_permille", "warning", with(small_chain(), [](Rig& rig) {
              Mat4 shear = Mat4::Identity();
              shear(0, 2) = 0.005;
              (*rig.skins[0].joint_from_mesh)[3] = shear * (*rig.skins[0].joint_from_mesh)[3];
            }));
  files.add("bind-matrix-mirrored", "one_joint", "error",
            with(small_chain(),
                 [](Rig& rig) {
                   Mat4 mirror = Mat4::Identity();
                   mirror(0, 0) = -1.0;
                   (*rig.skins[0].joint_from_mesh)[3] = mirror * (*rig.skins[0].joint_from_mesh)[3];
                 }),
            {}, {{"bind-rest-differs", "warning", {}}});
  files.add("bind-matrix-identity", "one_joint", "warning",
            with(small_chain(), [](Rig& rig) { (*rig.skins[0].joint_from_mesh)[3].setIdentity(); }),
            {}, {{"bind-rest-differs", "warning", {}}});
  files.add("bind-skins-disagree", "half_a_percent", "warning", with(small_chain(), [](Rig& rig) {
              RigSkin second = rig.skins[0];
              second.name = "shirt";
              (*second.joint_from_mesh)[3](0, 3) += 0.035;
              rig.skins.push_back(second);
              rig.meshes.push_back(rig.meshes[0]);
              rig.meshes[1].name = "shirt";
              RigNode node;
              node.name = "shirt";
              rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
              rig.nodes.push_back(node);
            }));
}

/// A joint without weight below `parent`, at the end of skin 0. The skin is not bound again.
int add_joint(Rig& rig, const std::string& name, int parent, const Vec3& translation) {
  RigNode node;
  node.name = name;
  node.parent = parent;
  node.translation = translation;
  rig.skins[0].joints.push_back(static_cast<int>(rig.nodes.size()));
  rig.nodes.push_back(node);
  return rig.skins[0].joints.back();
}

/// The chain with limbs to both sides; axes alike on both.
Rig with_pairs(const std::function<void(Rig&)>& change) {
  return with(small_chain(), [&change](Rig& rig) {
    int joint = 2;
    for (const char* limb : {"fin", "arm", "ear"}) {
      add_joint(rig, std::string(limb) + ".L", joint, Vec3(1, 0, 0));
      add_joint(rig, std::string(limb) + ".R", joint++, Vec3(-1, 0, 0));
    }
    change(rig);
    rig.bind_at_rest();
  });
}

void add_skeleton_rules(BrokenFiles& files) {
  files.add("skeleton-gap", "group_with_offset", "warning", with(small_chain(), [](Rig& rig) {
              RigNode group;
              group.name = "group";
              group.parent = 2;
              group.translation = Vec3(0.25, 0, 0);
              rig.nodes[3].parent = static_cast<int>(rig.nodes.size());
              rig.nodes[3].translation -= group.translation;
              rig.nodes.push_back(group);
            }));
  files.add("skeleton-joint-names", "one_name_twice", "note",
            with(small_chain(), [](Rig& rig) { rig.nodes[3].name = "joint2"; }));
  files.add("skeleton-mirror-asymmetry", "rolled_arm", "note",
            with_pairs([](Rig& rig) { rig.nodes[9].rotation = turn_about_x(0.5); }));
  TestdataFile& hanging = files.add(
      "skeleton-rest-shape", "hanging_arms", "note", with(small_chain(), [](Rig& rig) {
        for (const double side : {1.0, -1.0}) {
          const std::string end = side > 0.0 ? ".L" : ".R";
          const int upper = add_joint(rig, "upper_arm" + end, 4, Vec3(0.5 * side, 0, 0));
          const int fore = add_joint(rig, "forearm" + end, upper, Vec3(0.05 * side, -1, 0));
          add_joint(rig, "hand" + end, fore, Vec3(0.02 * side, -1, 0));
        }
        rig.bind_at_rest();
      }));
  hanging.select = {"skeleton-rest-shape"};
  files
      .add("skeleton-name-characters", "dot", "warning",
           with(small_chain(), [](Rig& rig) { rig.nodes[3].name = "arm.L"; }))
      .select = {"skeleton-name-characters"};
  files.add("skeleton-leaf-bones", "tip", "note", with(small_chain(), [](Rig& rig) {
              add_joint(rig, "joint5_end", 5, Vec3(0, 1, 0));
              rig.bind_at_rest();
            }));
  files.add("skeleton-joint-limit", "joints_257", "note", chain_rig(257, 5, 3), {},
            {{"weights-unused-joint", "warning", {}}});
  files.add("skeleton-depth", "nodes_65", "note", chain_rig(65, 5, 3));
  files.add("skin-unused", "spare", "note", with(small_chain(), [](Rig& rig) {
              rig.skins.push_back(rig.skins[0]);
              rig.skins[1].name = "spare";
            }));
}

void add_transform_rules(BrokenFiles& files) {
  files.add("transform-nested-skin", "joints_below_mesh", "warning",
            with(small_chain(), [](Rig& rig) {
              rig.nodes[0].parent = 6;
              rig.nodes[6].translation = Vec3(0, 2, 0);
              for (Vec3& p : rig.meshes[0].parts[0].positions) p.y() += 2.0;
              rig.bind_at_rest();
            }));
  files.add("transform-precision", "far_from_origin", "warning",
            with(small_chain(), [](Rig& rig) { rig.nodes[0].translation = Vec3(0, 0, 131072); }));
  files.add("transform-mirrored", "leaf", "warning",
            with(small_chain(),
                 [](Rig& rig) {
                   rig.nodes[5].scale = Vec3(-1, 1, 1);
                   rig.bind_at_rest();
                 }),
            {}, {{"bind-matrix-mirrored", "warning", {}}});
  files.add("transform-non-uniform-scale", "inner_joint", "warning",
            with(small_chain(), [](Rig& rig) {
              rig.nodes[3].scale = Vec3(1, 1.3, 1);
              rig.bind_at_rest();
            }));
  files.add("transform-uniform-scale", "inner_joint", "warning", with(small_chain(), [](Rig& rig) {
              rig.nodes[3].scale = Vec3::Constant(1.4);
              rig.bind_at_rest();
            }));
  files.add("transform-ignored-on-skin", "turned", "warning",
            with(small_chain(), [](Rig& rig) { rig.nodes[6].rotation = turn_about_z(0.6); }));
  files.add("transform-not-trs", "sheared_node", "error",
            with(small_chain(),
                 [](Rig& rig) {
                   rig.nodes[5].matrix = rig.nodes[5].parent_from_node();
                   (*rig.nodes[5].matrix)(0, 1) = 0.2;
                   rig.nodes[5].translation = Vec3::Zero();
                   rig.bind_at_rest();
                 }),
            {}, {{"transform-non-uniform-scale", "warning", {}}});
  files.add("transform-axis-residue", "z_up_mesh", "warning", with(small_chain(), [](Rig& rig) {
              Mat4 turn = Mat4::Identity();
              const Vec4 q = turn_about_x(-pi / 2);
              turn.topLeftCorner<3, 3>() = Quat(q[3], q[0], q[1], q[2]).toRotationMatrix();
              move_mesh_space(rig, turn);
            }));
  files.add("transform-mesh-residue", "half_size", "note", with(small_chain(), [](Rig& rig) {
              rig.nodes[6].scale = Vec3::Constant(0.5);
              move_mesh_space(rig, uniform_scale(0.5));
            }));
  files.add("transform-root-residue", "turned_armature", "note", with(small_chain(), [](Rig& rig) {
              RigNode armature;
              armature.name = "Armature";
              armature.rotation = turn_about_x(0.5);
              rig.nodes[0].parent = static_cast<int>(rig.nodes.size());
              rig.nodes.push_back(armature);
              rig.bind_at_rest();
              const Mat4 world = rig.world_from_node().back();
              for (Vec3& p : rig.meshes[0].parts[0].positions) p = transform_point(world, p);
              for (Vec3& n : rig.meshes[0].parts[0].normals) n = linear(world) * n;
            }));
  files.add("transform-unit-mismatch", "hundred_times_too_large", "note",
            with(small_chain(), [](Rig& rig) {
              for (RigNode& node : rig.nodes) node.translation *= 100.0;
              for (Vec3& p : rig.meshes[0].parts[0].positions) p *= 100.0;
              rig.bind_at_rest();
            }));
}

}  // namespace

std::vector<TestdataFile> broken_testdata() {
  BrokenFiles files;
  add_read_rules(files);
  add_structure_rules(files);
  add_weight_rules(files);
  add_reference_rule(files);
  add_bind_rules(files);
  add_transform_rules(files);
  add_skeleton_rules(files);
  std::vector<TestdataFile> all = files.take();
  for (TestdataFile& file : broken_fbx_testdata()) all.push_back(std::move(file));
  for (TestdataFile& file : broken_shape_testdata()) all.push_back(std::move(file));
  return all;
}

}  // namespace skinlint::test
