#include "readers/fbx_reader.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "skinning/evaluator.h"
#include "support/fbx_writer.h"
#include "support/matchers.h"
#include "support/rig.h"

using namespace skinlint;
using test::FbxRecord;
using test::FbxTree;
using test::FbxWriteOptions;
using test::worst_difference;

namespace {

Result<Asset> read(const std::vector<std::byte>& bytes, Space space = Space::canonical) {
  ReadOptions options;
  options.space = space;
  Result<Asset> asset = read_fbx(memory_source(bytes), {}, options);
  if (asset) CHECK(check_invariants(*asset) == "");
  return asset;
}
Asset read(const test::Rig& rig, const FbxWriteOptions& options, Space space = Space::canonical) {
  Result<Asset> asset = read(test::write_fbx(rig, options), space);
  REQUIRE(asset);
  return std::move(*asset);
}

std::vector<Mat4> worlds(const Asset& a) {
  std::vector<Mat4> w(a.nodes.size());
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    const Node& n = a.nodes[k];
    w[k] = n.parent < 0 ? n.parent_from_node
                        : Mat4(w[static_cast<std::size_t>(n.parent)] * n.parent_from_node);
    if (n.world_from_node) w[k] = *n.world_from_node;
  }
  return w;
}

std::int32_t node_of(const Asset& a, std::int64_t id) {
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    if (a.nodes[k].id == id) return static_cast<std::int32_t>(k);
  }
  return -1;
}

/// Bind poses against the rig: joints where the clusters put them, meshes at the origin, the rest
/// of the tree above them at rest.
void require_same_bind_poses(const Asset& a, const test::Rig& rig, double tolerance,
                             const Mat4& geometric) {
  std::map<int, Mat4> wanted;
  for (const test::RigInstance& instance : rig.instances) {
    if (instance.skin < 0) continue;
    const test::RigSkin& skin = rig.skins[static_cast<std::size_t>(instance.skin)];
    for (std::size_t s = 0; s < skin.joints.size(); ++s) {
      wanted.emplace(skin.joints[s], skin.joint_from_mesh->at(s).inverse());
    }
    wanted.emplace(instance.node, geometric.inverse());
  }
  const std::vector<Mat4> rest = rig.world_from_node();
  REQUIRE(a.bind_poses.size() == (wanted.empty() ? 0u : 1u));
  if (wanted.empty()) return;
  std::set<std::int64_t> seen;
  for (const BindPose::Entry& entry : a.bind_poses[0].entries) {
    REQUIRE(entry.node >= 0);
    CHECK(a.nodes[static_cast<std::size_t>(entry.node)].id == entry.node_id);
    const int n = static_cast<int>(entry.node_id - test::fbx_model_id(0));
    seen.insert(entry.node_id);
    const auto bound = wanted.find(n);
    CHECK(worst_difference(entry.world_from_node,
                           bound != wanted.end() ? bound->second
                                                 : rest[static_cast<std::size_t>(n)]) < tolerance);
  }
  for (const auto& [n, world] : wanted) CHECK(seen.count(test::fbx_model_id(n)) == 1);
}

SkinMatrices skin_matrices(const std::vector<Mat4>& joint_worlds,
                           const std::vector<Mat4>& joint_from_mesh) {
  SkinMatrices m;
  for (std::size_t s = 0; s < joint_worlds.size(); ++s) {
    m.world_from_mesh.push_back(joint_worlds[s] * joint_from_mesh[s]);
    m.usable.push_back(true);
  }
  return m;
}

/// Everything a skin rests on, against the rig it was written from; lengths relative to the rig.
void require_same(const Asset& a, const test::Rig& rig, double tolerance, const Mat4& geometric) {
  REQUIRE(a.nodes.size() == rig.nodes.size());
  const std::vector<Mat4> got = worlds(a), wanted = rig.world_from_node();
  std::set<int> shows_mesh;
  for (const test::RigInstance& i : rig.instances) shows_mesh.insert(i.node);
  for (std::size_t n = 0; n < rig.nodes.size(); ++n) {
    const std::int32_t k = node_of(a, test::fbx_model_id(static_cast<int>(n)));
    REQUIRE(k >= 0);
    const Node& node = a.nodes[static_cast<std::size_t>(k)];
    CAPTURE(node.name);
    CHECK(node.name == rig.nodes[n].name);
    const Mat4 world = shows_mesh.count(static_cast<int>(n)) != 0
                           ? Mat4(got[static_cast<std::size_t>(k)] * geometric)
                           : got[static_cast<std::size_t>(k)];
    CHECK(worst_difference(world, wanted[n]) < tolerance);
  }
  std::size_t skinned = 0;
  for (const test::RigInstance& instance : rig.instances) {
    if (instance.skin < 0) continue;
    REQUIRE(skinned < a.bindings.size());
    const Binding& binding = a.bindings[skinned++];
    const test::RigSkin& from = rig.skins[static_cast<std::size_t>(instance.skin)];
    const Skin& skin = a.skins[static_cast<std::size_t>(binding.skin)];
    CHECK(a.nodes[static_cast<std::size_t>(binding.node)].id == test::fbx_model_id(instance.node));
    CHECK(worst_difference(binding.node_from_geometry, geometric) < tolerance);
    REQUIRE(skin.joints.size() == from.joints.size());
    for (std::size_t s = 0; s < from.joints.size(); ++s) {
      CHECK(skin.joint_ids[s] == test::fbx_model_id(from.joints[s]));
      REQUIRE(skin.joint_from_mesh[s].has_value());
      CHECK(worst_difference(*skin.joint_from_mesh[s], from.joint_from_mesh->at(s)) < tolerance);
      CHECK(worst_difference(*skin.clusters[s].transform_link,
                             from.joint_from_mesh->at(s).inverse()) < tolerance);
    }
    const InfluenceTable& table =
        a.influences[static_cast<std::size_t>(binding.influences.front())];
    const Mesh& mesh = a.meshes[static_cast<std::size_t>(binding.mesh)];
    const std::vector<double> positions = test::values_of(mesh.parts[0].positions);
    std::vector<Mat4> joints_got, joints_wanted, binds_got;
    for (std::size_t s = 0; s < from.joints.size(); ++s) {
      joints_got.push_back(got[static_cast<std::size_t>(skin.joints[s])]);
      joints_wanted.push_back(wanted[static_cast<std::size_t>(from.joints[s])]);
      binds_got.push_back(*skin.joint_from_mesh[s]);
    }
    const SkinMatrices posed_got = skin_matrices(joints_got, binds_got);
    const SkinMatrices posed_wanted = skin_matrices(joints_wanted, *from.joint_from_mesh);
    std::size_t v = 0;
    for (const test::RigPart& part : rig.meshes[static_cast<std::size_t>(instance.mesh)].parts) {
      for (std::size_t k = 0; k < part.positions.size(); ++k, ++v) {
        REQUIRE(3 * v + 2 < positions.size());
        const Vec3 p(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
        REQUIRE((p - part.positions[k]).norm() < tolerance);
        std::multiset<std::pair<std::uint32_t, double>> want, have;
        for (const test::RigInfluence& i : part.influences[k]) want.insert({i.joint, i.weight});
        for (std::uint32_t e = table.first[v]; e < table.first[v + 1]; ++e) {
          have.insert({table.joint[e], table.weight[e]});
        }
        REQUIRE(have == want);
        std::vector<std::uint32_t> slots;
        std::vector<double> weights;
        for (const auto& [slot, weight] : want) {
          slots.push_back(slot);
          weights.push_back(weight);
        }
        const SkinnedVertex moved = skin_vertex(p, slots, weights, posed_got);
        const SkinnedVertex goal = skin_vertex(part.positions[k], slots, weights, posed_wanted);
        REQUIRE(moved.state == goal.state);
        REQUIRE((moved.position - goal.position).norm() < 10.0 * tolerance);
      }
    }
    CHECK(table.vertex_count == v);
    CHECK(table.entries_explicit);
  }
  CHECK(a.bindings.size() == skinned);
  CHECK(a.repairs.empty());
  require_same_bind_poses(a, rig, tolerance, geometric);
}

/// Turns and scales one joint after the bind, so that vertices move.
test::Rig bent(test::Rig rig, int joint) {
  test::RigNode& node = rig.nodes[static_cast<std::size_t>(joint)];
  node.rotation = Vec4(0.3, -0.4, 0.5, 0.7).normalized();
  node.scale = Vec3(1.5, 1.5, 1.5);
  return rig;
}

bool has_repair(const Asset& a, Repair::Kind kind) {
  for (const Repair& r : a.repairs) {
    if (r.kind == kind) return true;
  }
  return false;
}

FbxRecord& object(FbxTree& tree, std::int64_t id) {
  for (FbxRecord& o : tree.at("Objects").children) {
    if (std::get<std::int64_t>(o.values.at(0)) == id) return o;
  }
  throw std::out_of_range("no such object");
}
std::vector<FbxRecord*> of_subclass(FbxTree& tree, const std::string& subclass) {
  std::vector<FbxRecord*> found;
  for (FbxRecord& o : tree.at("Objects").children) {
    if (const auto* s = std::get_if<std::string>(&o.values.at(2)); s != nullptr && *s == subclass) {
      found.push_back(&o);
    }
  }
  return found;
}
std::int64_t id_of(const FbxRecord& o) { return std::get<std::int64_t>(o.values.at(0)); }

}  // namespace

TEST_CASE("fbx twins of a rig read as the rig in every encoding", "[readers]") {
  const test::Rig rig = test::humanoid_rig();
  FbxWriteOptions o;
  o.version = GENERATE(7400u, 7500u);
  o.ascii = GENERATE(false, true);
  o.big_endian = GENERATE(false, true);
  o.compress = GENERATE(false, true);
  const Asset a = read(rig, o);
  require_same(a, rig, 1e-9, Mat4::Identity());
  CHECK(a.format == (o.ascii ? Format::fbx_ascii : Format::fbx_binary));
  CHECK(a.encoding == (o.ascii ? "ascii" : "binary"));
  CHECK(a.version == std::to_string(o.version));
  CHECK(a.generator == rig.generator);
}

TEST_CASE("fbx random rigs keep their matrices, with pivots and all", "[readers]") {
  test::Rig rig = test::random_rig(GENERATE(range(1u, 9u)));
  FbxWriteOptions o;
  o.dress_transforms = GENERATE(false, true);
  if (o.dress_transforms) rig.clips.clear();
  double reach = 1.0;
  for (const Mat4& w : rig.world_from_node()) reach = std::max(reach, w.cwiseAbs().maxCoeff());
  for (const auto& s : rig.skins) {
    for (const Mat4& m : *s.joint_from_mesh) reach = std::max(reach, m.cwiseAbs().maxCoeff());
  }
  require_same(read(rig, o), rig, 1e-9 * reach, Mat4::Identity());
}

TEST_CASE("fbx axes and units: one rig, one canonical model", "[readers]") {
  test::Rig rig = test::chain_rig(4, 6, 5);
  rig = bent(rig, rig.skins[0].joints[1]);
  static constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int order = GENERATE(range(0, 6));
  const int signs = GENERATE(range(0, 8));
  const double unit = GENERATE(0.01, 1.0, 0.0254, 0.001);
  FbxWriteOptions o;
  for (std::size_t k = 0; k < 3; ++k) {
    o.axes[k] = kOrders[order][k];
    o.signs[k] = (signs >> k & 1) != 0 ? -1 : 1;
  }
  o.unit_meters = unit;
  const Asset a = read(rig, o);
  require_same(a, rig, 1e-9, Mat4::Identity());
  CHECK(a.unit_meters == Approx(unit));
  const auto name = [&](std::size_t k) {
    return std::string(o.signs[k] < 0 ? "-" : "+") + "XYZ"[o.axes[k]];
  };
  CHECK(a.axes.right == name(0));
  CHECK(a.axes.up == name(1));
  CHECK(a.axes.front == name(2));
  CHECK(worst_difference(a.canonical_from_file, test::canonical_from_file(o)) < 1e-15);
}

TEST_CASE("fbx space file keeps the numbers as stored", "[readers]") {
  const test::Rig rig = test::chain_rig(3, 4, 4);
  FbxWriteOptions o;
  o.axes = {0, 2, 1};
  o.signs = {1, 1, -1};
  const Asset a = read(rig, o, Space::file);
  CHECK(a.canonical_from_file == Mat4::Identity());
  const Mat4 c = test::canonical_from_file(o);
  const std::vector<double> p = test::values_of(a.meshes[0].parts[0].positions);
  const Vec3 first = transform_point(c, Vec3(p[0], p[1], p[2]));
  CHECK((first - rig.meshes[0].parts[0].positions[0]).norm() < 1e-12);
  const Mat4 back = c * *a.skins[0].joint_from_mesh[1] * c.inverse();
  CHECK(worst_difference(back, rig.skins[0].joint_from_mesh->at(1)) < 1e-12);
}

TEST_CASE("fbx geometric transform joins the bind, not the node", "[readers]") {
  const test::Rig rig = test::humanoid_rig();
  FbxWriteOptions o;
  FbxTransform g;
  g.geometric_translation = Vec3(3, -20, 7);
  g.geometric_rotation = Vec3(-90, 0, 30);
  g.geometric_scaling = Vec3(2.54, 2.54, 2.54);
  o.geometric = g;
  const Mat4 c = test::canonical_from_file(o);
  require_same(read(rig, o), rig, 1e-9, c * fbx_geometric_matrix(g) * c.inverse());
}

TEST_CASE("fbx without global settings says so and assumes the usual", "[readers]") {
  FbxWriteOptions o;
  o.global_settings = false;
  const Asset a = read(test::chain_rig(3, 4, 4), o);
  CHECK_FALSE(a.axes_declared);
  CHECK(a.axes.up == "unknown");
  CHECK(a.unit_meters == Approx(0.01));
  REQUIRE(a.repairs.size() == 1);
  CHECK(a.repairs[0].kind == Repair::Kind::defaulted);
  CHECK_FALSE(a.repairs[0].affects_skinning);
}

TEST_CASE("fbx bind poses and cluster records are kept as evidence", "[readers]") {
  const test::Rig rig = test::chain_rig(3, 6, 4);
  FbxWriteOptions o;
  o.link_mode = LinkMode::total_one;
  o.method = SkinningMethod::dual_quaternion;
  o.edit = [&](FbxTree& tree) {
    FbxRecord& pose = *tree.at("Objects").all("Pose").at(0);
    pose.at("NbPoseNodes").values = {std::int32_t{99}};
    FbxRecord& lost = pose.add("PoseNode");
    lost.add("Node", {std::int64_t{424242}});
    lost.add("Matrix", {std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}});
    FbxRecord& cluster = *of_subclass(tree, "Cluster").at(1);
    auto& indices = std::get<std::vector<std::int32_t>>(cluster.at("Indexes").values[0]);
    auto& weights = std::get<std::vector<double>>(cluster.at("Weights").values[0]);
    indices.insert(indices.end(), {-1, 99999, -7});
    weights.insert(weights.end(), {0.5, 0.0, std::nan("")});
    weights[0] = -0.25;
    indices.push_back(indices[0]);  // twice, and a weight more than indices
    weights.insert(weights.end(), {0.125, 1.0});
  };
  const Asset a = read(rig, o);
  CHECK(a.skins[0].method == SkinningMethod::dual_quaternion);
  REQUIRE(a.bind_poses.size() == 1);
  CHECK(a.bind_poses[0].declared_count == 99);
  const BindPose::Entry& lost = a.bind_poses[0].entries.back();
  CHECK(lost.node == -1);
  CHECK(lost.node_id == 424242);
  CHECK((translation(lost.world_from_node) - Vec3(0.05, 0.06, 0.07)).norm() < 1e-12);
  const ClusterRecord& c = a.skins[0].clusters[1];
  CHECK(c.mode == LinkMode::total_one);
  CHECK(c.weight_count == c.index_count + 1);
  CHECK(c.out_of_range == 3);
  CHECK(c.out_of_range_weighted == 2);
  CHECK(c.worst_index == -7);
  const InfluenceTable& t = a.influences[0];
  bool negative = false, extra = false;
  for (std::size_t k = 0; k < t.weight.size(); ++k) {
    if (t.joint[k] != 1) continue;
    negative = negative || t.weight[k] == -0.25;
    extra = extra || t.weight[k] == 0.125;
  }
  CHECK(negative);
  CHECK(extra);
}

TEST_CASE("fbx bind poses agree with the clusters of a clean rig", "[readers]") {
  const test::Rig rig = test::humanoid_rig();
  const Asset a = read(rig, {});
  REQUIRE(a.bind_poses.size() == 1);
  std::size_t joints = 0;
  for (const BindPose::Entry& e : a.bind_poses[0].entries) {
    REQUIRE(e.node >= 0);
    for (std::size_t s = 0; s < a.skins[0].joints.size(); ++s) {
      if (a.skins[0].joints[s] != e.node) continue;
      ++joints;
      CHECK(worst_difference(e.world_from_node, *a.skins[0].clusters[s].transform_link) < 1e-9);
    }
  }
  CHECK(joints == a.skins[0].joints.size());
}

TEST_CASE("fbx clusters without matrices are completed from the bind pose", "[readers]") {
  const test::Rig rig = test::chain_rig(3, 6, 4);
  FbxWriteOptions o;
  o.edit = [](FbxTree& tree) {
    for (FbxRecord* c : of_subclass(tree, "Cluster")) {
      c->remove("Transform");
      c->remove("TransformLink");
    }
  };
  const Asset a = read(rig, o);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(a.skins[0].clusters[s].from_bind_pose);
    REQUIRE(a.skins[0].joint_from_mesh[s]);
    CHECK(worst_difference(*a.skins[0].joint_from_mesh[s], rig.skins[0].joint_from_mesh->at(s)) <
          1e-9);
  }
  CHECK(a.skins[0].matrix_count == 0u);
  CHECK(has_repair(a, Repair::Kind::defaulted));
  o.bind_poses = false;
  const Asset b = read(rig, o);
  CHECK_FALSE(b.skins[0].joint_from_mesh[0].has_value());
  CHECK_FALSE(b.skins[0].clusters[0].transform_link.has_value());
}

TEST_CASE("fbx instanced geometry and stacked skins make one binding each", "[readers]") {
  test::Rig rig = test::chain_rig(3, 6, 4);
  test::RigNode second;
  second.name = "copy";
  second.translation = Vec3(1, 0, 0);
  rig.nodes.push_back(second);
  test::RigInstance copy = rig.instances[0];
  copy.node = static_cast<int>(rig.nodes.size()) - 1;
  rig.instances.push_back(copy);
  rig.skins.push_back(rig.skins[0]);
  test::RigInstance stacked = rig.instances[0];
  stacked.skin = 1;
  rig.instances.push_back(stacked);
  const Asset a = read(rig, {});
  CHECK(a.meshes.size() == 1);
  CHECK(a.skins.size() == 2);
  CHECK(a.bindings.size() == 4);  // two nodes times two skins
  CHECK(a.influences.size() == 2);
}

TEST_CASE("fbx 6.x instances share the geometry and what deforms it", "[readers]") {
  const auto cube = [](const std::string& name, const std::string& attribute, int corners) {
    std::string text = "  Model: \"Model::" + name + "\", \"Mesh\" {\n    Vertices: ";
    for (int k = 0; k < 3 * corners; ++k) text += (k != 0 ? "," : "") + std::to_string(k % 7);
    return text +
           "\n    PolygonVertexIndex: 0,1,-3\n    NodeAttributeName: \"Geometry::" + attribute +
           "\"\n  }\n";
  };
  const auto read_cubes = [&](const std::string& copy, const std::string& connections = "") {
    const std::string text =
        "; FBX 6.1.0 project file\nFBXHeaderExtension:  {\n  FBXVersion: 6100\n}\nObjects:  {\n" +
        cube("first", "shape", 4) + copy +
        "  Model: \"Model::bone\", \"LimbNode\" {\n  }\n"
        "  Deformer: \"Deformer::skin\", \"Skin\" {\n  }\n"
        "  Deformer: \"Deformer::other\", \"Skin\" {\n  }\n"
        "  Deformer: \"SubDeformer::cluster\", \"Cluster\" {\n    Indexes: 0,1\n    Weights: 1,1\n"
        "    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n"
        "    TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n  }\n}\nConnections:  {\n"
        "  Connect: \"OO\", \"Model::first\", \"Model::Scene\"\n"
        "  Connect: \"OO\", \"Model::copy\", \"Model::Scene\"\n"
        "  Connect: \"OO\", \"Model::bone\", \"Model::Scene\"\n"
        "  Connect: \"OO\", \"Deformer::skin\", \"Model::first\"\n"
        "  Connect: \"OO\", \"SubDeformer::cluster\", \"Deformer::skin\"\n"
        "  Connect: \"OO\", \"Model::bone\", \"SubDeformer::cluster\"\n" +
        connections + "}\n";
    Result<Asset> a =
        read(std::vector<std::byte>(reinterpret_cast<const std::byte*>(text.data()),
                                    reinterpret_cast<const std::byte*>(text.data()) + text.size()));
    REQUIRE(a);
    return std::move(*a);
  };
  const Asset same = read_cubes(cube("copy", "shape", 4));
  CHECK(same.meshes.size() == 1);
  REQUIRE(same.bindings.size() == 2);
  CHECK(same.bindings[0].influences == same.bindings[1].influences);
  CHECK(same.nodes[static_cast<std::size_t>(same.bindings[1].node)].name == "copy");

  const Asset another_name = read_cubes(cube("copy", "other", 4));
  CHECK(another_name.meshes.size() == 2);
  CHECK(another_name.bindings.size() == 1);
  const Asset another_size = read_cubes(cube("copy", "shape", 5));
  CHECK(another_size.meshes.size() == 2);
  CHECK(another_size.bindings.size() == 1);
  const Asset own_skin = read_cubes(cube("copy", "shape", 4),
                                    "  Connect: \"OO\", \"Deformer::other\", \"Model::copy\"\n");
  CHECK(own_skin.meshes.size() == 2);
}

TEST_CASE("fbx blend shapes: sparse offsets, in-betweens, default weights", "[readers]") {
  test::Rig rig = test::chain_rig(3, 6, 4);
  test::RigPart& part = rig.meshes[0].parts[0];
  test::RigMorph morph;
  morph.name = "smile";
  morph.default_weight = 0.25;
  morph.offsets.assign(part.positions.size(), Vec3::Zero());
  morph.offsets[5] = Vec3(0.1, 0.2, 0.3);
  part.morphs.push_back(morph);
  FbxWriteOptions o;
  o.edit = [](FbxTree& tree) {
    FbxRecord& channel = *of_subclass(tree, "BlendShapeChannel").at(0);
    channel.at("FullWeights").values = {std::vector<double>{100.0, 40.0}};
    const std::int64_t id = id_of(channel);
    FbxRecord& between = tree.at("Objects").add(
        "Geometry", {std::int64_t{77}, test::FbxName{"half", "Geometry"}, std::string("Shape")});
    between.add("Indexes", {std::vector<std::int32_t>{2, 9999}});
    between.add("Vertices", {std::vector<double>{100, 0, 0, 0, 0, 100}});
    tree.at("Connections").add("C", {std::string("OO"), std::int64_t{77}, id});
  };
  const Asset a = read(rig, o);
  REQUIRE(a.meshes[0].morphs.size() == 1);
  const MorphTarget& m = a.meshes[0].morphs[0];
  CHECK(m.name == "smile");
  CHECK(m.default_weight == Approx(0.25));
  CHECK(a.bindings[0].morph_weights == std::vector<double>{m.default_weight});
  REQUIRE(m.shapes.size() == 2);
  CHECK(m.shapes[0].full_weight == Approx(0.4));
  CHECK(m.shapes[1].full_weight == Approx(1.0));
  CHECK(test::values_of(m.shapes[0].indices[0]) == std::vector<double>{2, 9999});
  CHECK(test::values_of(m.shapes[1].indices[0]) == std::vector<double>{5});
  CHECK(worst_difference(test::values_of(m.shapes[1].positions[0]), {0.1, 0.2, 0.3}) < 1e-12);
  CHECK(worst_difference(test::values_of(m.shapes[0].positions[0]), {1, 0, 0, 0, 0, 1}) < 1e-12);
}

TEST_CASE("fbx clips: seconds, joined axes, the pose of the first key", "[readers]") {
  test::Rig rig = test::chain_rig(3, 6, 4);
  const int joint = rig.skins[0].joints[1];
  const Quat q(Eigen::AngleAxisd(0.5, Vec3(1, 2, 3).normalized()));
  test::RigClip clip;
  clip.name = "wave";
  clip.channels.push_back({joint,
                           ChannelPath::rotation,
                           Interpolation::linear,
                           {0.5, 1.5},
                           {q.x(), q.y(), q.z(), q.w(), 0, 0, 0, 1}});
  clip.channels.push_back(
      {joint, ChannelPath::translation, Interpolation::linear, {0.5, 1.5}, {0, 1, 0, 0, 2, 0}});
  rig.clips.push_back(clip);
  FbxWriteOptions o;
  o.axes = {0, 2, 1};
  o.signs = {1, 1, -1};
  const Asset a = read(rig, o);
  REQUIRE(a.clips.size() == 1);
  CHECK(a.clips[0].name == "wave");
  CHECK(a.clips[0].duration == Approx(1.5));
  REQUIRE(a.clips[0].channels.size() == 2);
  CHECK(test::values_of(a.clips[0].channels[0].times) == std::vector<double>{0.5, 1.5});
  CHECK(a.clips[0].channels[0].values.components == 3);
  REQUIRE(a.clips[0].first_key.size() == 1);
  CHECK(a.nodes[static_cast<std::size_t>(a.clips[0].first_key[0].node)].id ==
        test::fbx_model_id(joint));
  Mat4 wanted = Mat4::Identity();
  wanted.topLeftCorner<3, 3>() = q.toRotationMatrix();
  wanted(1, 3) = 1.0;
  // curves are single precision, in degrees and centimetres
  CHECK(worst_difference(a.clips[0].first_key[0].parent_from_node, wanted) < 1e-6);
}

TEST_CASE("fbx inherit type: the world is right though it is no product of locals", "[readers]") {
  const test::Rig rig = test::chain_rig(4, 6, 4);
  FbxWriteOptions o;
  const int middle = rig.skins[0].joints[1], below = rig.skins[0].joints[2];
  o.edit = [&](FbxTree& tree) {
    object(tree, test::fbx_model_id(middle)).property("Lcl Scaling").values.resize(4);
    for (const double s : {2.0, 3.0, 0.0}) {
      object(tree, test::fbx_model_id(middle)).property("Lcl Scaling").values.emplace_back(s);
    }
    object(tree, test::fbx_model_id(below))
        .at("Properties70")
        .add("P", {std::string("InheritType"), std::string("enum"), std::string(), std::string(),
                   std::int32_t{2}});
  };
  const Asset a = read(rig, o);
  const std::int32_t k = node_of(a, test::fbx_model_id(below));
  const Node& node = a.nodes[static_cast<std::size_t>(k)];
  REQUIRE(node.fbx);
  CHECK(node.fbx->inherit_type == InheritType::Rrs);
  // The parent is flat, so no parent_from_node can undo its scale: the world is kept apart.
  REQUIRE(node.world_from_node);
  CHECK(worst_difference(Mat3(linear(*node.world_from_node).topLeftCorner<2, 2>().eval().norm() *
                              Mat3::Identity()),
                         Mat3(std::sqrt(2.0) * Mat3::Identity())) < 1e-9);
}

TEST_CASE("fbx connections that name nothing, repeat or form cycles", "[readers]") {
  const test::Rig rig = test::chain_rig(3, 6, 4);
  FbxWriteOptions o;
  SECTION("a cluster's bone that is not there") {
    o.edit = [&](FbxTree& tree) {
      for (FbxRecord& c : tree.at("Connections").children) {
        auto& source = std::get<std::int64_t>(c.values[1]);
        const auto target = std::get<std::int64_t>(c.values[2]);
        if (source == test::fbx_model_id(rig.skins[0].joints[1]) && target >= 10'000'000) {
          source = 31337;
        }
      }
    };
    const Asset a = read(rig, o);
    CHECK(a.skins[0].joints[1] == -1);
    CHECK(a.skins[0].joint_ids[1] == 0);
    CHECK(a.skins[0].joint_from_mesh[1].has_value());
    REQUIRE(a.repairs.size() == 1);
    CHECK(a.repairs[0].kind == Repair::Kind::dangling_reference);
    CHECK(a.repairs[0].affects_skinning);
    CHECK(a.repairs[0].count == 1);
  }
  SECTION("parents in a circle") {
    o.edit = [&](FbxTree& tree) {
      for (FbxRecord& c : tree.at("Connections").children) {
        auto& target = std::get<std::int64_t>(c.values[2]);
        if (std::get<std::int64_t>(c.values[1]) == test::fbx_model_id(rig.skins[0].joints[0])) {
          target = target < 10'000'000 ? test::fbx_model_id(rig.skins[0].joints[2]) : target;
        }
      }
    };
    const Asset a = read(rig, o);
    CHECK(a.nodes.size() == rig.nodes.size());
    REQUIRE(a.repairs.size() == 1);
    CHECK(a.repairs[0].kind == Repair::Kind::graph_cycle);
  }
  SECTION("a second parent") {
    o.edit = [&](FbxTree& tree) {
      tree.at("Connections")
          .add("C", {std::string("OO"), test::fbx_model_id(rig.skins[0].joints[2]),
                     test::fbx_model_id(rig.skins[0].joints[0])});
    };
    const Asset a = read(rig, o);
    const std::int32_t k = node_of(a, test::fbx_model_id(rig.skins[0].joints[2]));
    CHECK(a.nodes[static_cast<std::size_t>(a.nodes[static_cast<std::size_t>(k)].parent)].id ==
          test::fbx_model_id(rig.skins[0].joints[1]));
    CHECK(has_repair(a, Repair::Kind::graph_cycle));
  }
  SECTION("an id given twice") {
    o.edit = [&](FbxTree& tree) {
      tree.at("Objects").add(
          "Model", {test::fbx_model_id(0), test::FbxName{"twin", "Model"}, std::string("Null")});
    };
    const Asset a = read(rig, o);
    CHECK(a.nodes.size() == rig.nodes.size() + 1);
    CHECK(has_repair(a, Repair::Kind::duplicate));
  }
  SECTION("names may repeat: joints are told apart by id") {
    test::Rig same = rig;
    for (test::RigNode& n : same.nodes) n.name = "bone";
    require_same(read(same, o), same, 1e-9, Mat4::Identity());
  }
}

TEST_CASE("fbx damage inside objects becomes repairs with their place", "[readers]") {
  const test::Rig rig = test::chain_rig(3, 12, 8);
  FbxWriteOptions o;
  std::vector<std::byte> bytes = test::write_fbx(rig, o);
  const auto find = [&](std::string_view text) {
    const auto it = std::search(bytes.begin(), bytes.end(), text.begin(), text.end(),
                                [](std::byte b, char c) { return static_cast<char>(b) == c; });
    REQUIRE(it != bytes.end());
    return static_cast<std::size_t>(it - bytes.begin());
  };
  SECTION("weights that do not inflate leave their joint without influences") {
    bytes[find("Weightsd") + 8 + 12 + 3] ^= std::byte{0x55};
    const Result<Asset> a = read(bytes);
    REQUIRE(a);
    REQUIRE(a->repairs.size() == 1);
    CHECK(a->repairs[0].affects_skinning);
    CHECK(a->repairs[0].element.kind == ElementKind::joint);
    CHECK(a->repairs[0].locator.find("Deformer") == 0);
    const auto slot = static_cast<std::uint32_t>(a->repairs[0].element.sub);
    const auto& joints = a->influences[0].joint;
    CHECK_FALSE(joints.empty());
    CHECK(std::count(joints.begin(), joints.end(), slot) == 0);
  }
  SECTION("control points that do not inflate keep their declared number") {
    bytes[find("Verticesd") + 9 + 12 + 3] ^= std::byte{0x55};
    const Result<Asset> a = read(bytes);
    REQUIRE(a);
    CHECK_FALSE(a->meshes[0].parts[0].positions.readable());
    CHECK(a->meshes[0].parts[0].vertex_count == rig.meshes[0].parts[0].positions.size());
    CHECK(a->repairs[0].element.kind == ElementKind::mesh);
  }
  SECTION("a record inside an object that runs beyond it") {
    const std::size_t at = find("Weightsd") - 13;
    bytes[at + 2] = std::byte{0x7f};
    const Result<Asset> a = read(bytes);
    REQUIRE(a);
    CHECK(has_repair(*a, Repair::Kind::out_of_bounds));
  }
}

TEST_CASE("fbx claims of memory that the file does not hold are refused", "[readers]") {
  // One big mesh and a thousand empty skins on it: each would need a table over all vertices.
  FbxTree tree;
  FbxRecord& objects = tree.add("Objects");
  FbxRecord& mesh = objects.add(
      "Geometry", {std::int64_t{1}, test::FbxName{"m", "Geometry"}, std::string("Mesh")});
  mesh.add("Vertices", {std::vector<double>(300'000, 0.0)});
  objects.add("Model", {std::int64_t{2}, test::FbxName{"n", "Model"}, std::string("Mesh")});
  for (std::int64_t k = 0; k < 1000; ++k) {
    objects.add("Deformer", {100 + k, test::FbxName{"s", "Deformer"}, std::string("Skin")});
  }
  FbxRecord& connections = tree.add("Connections");
  connections.add("C", {std::string("OO"), std::int64_t{1}, std::int64_t{2}});
  for (std::int64_t k = 0; k < 1000; ++k) {
    connections.add("C", {std::string("OO"), 100 + k, std::int64_t{1}});
  }
  ReadOptions options;
  options.limits.max_implied_bytes = 1 << 20;
  const Result<Asset> a = read_fbx(memory_source(test::encode_fbx(tree, {})), {}, options);
  REQUIRE(a);
  std::size_t bytes = 0;
  for (const InfluenceTable& t : a->influences) bytes += t.first.capacity() * 4;
  CHECK(bytes < (1 << 20) + 2'400'000);
  CHECK(has_repair(*a, Repair::Kind::limit));
}

TEST_CASE("fbx single bytes broken anywhere never break the reader", "[readers]") {
  const test::Rig rig = test::chain_rig(2, 3, 3);
  FbxWriteOptions o;
  o.ascii = GENERATE(false, true);
  o.compress = false;
  const std::vector<std::byte> whole = test::write_fbx(rig, o);
  std::size_t readable = 0;
  for (std::size_t k = 0; k < whole.size(); k += 3) {
    std::vector<std::byte> bad = whole;
    bad[k] ^= std::byte{static_cast<unsigned char>(1u << (k % 8))};
    if (read(bad)) ++readable;
  }
  CHECK(readable > whole.size() / 12);
}
