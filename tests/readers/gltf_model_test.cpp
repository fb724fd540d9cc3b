// From document to asset: graph, skins, bindings, influence sets, morphs, clips.

#include <catch2/catch.hpp>
#include <cmath>

#include "readers/document_builder.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

Asset nodes_only(const std::string& nodes, const ReadOptions& options = {}) {
  DocumentBuilder d;
  d.json["nodes"] = json::parse(nodes);
  return read_glb(d, options);
}

std::vector<std::int64_t> ids(const Asset& asset) {
  std::vector<std::int64_t> out;
  for (const Node& node : asset.nodes) out.push_back(node.id);
  return out;
}

}  // namespace

TEST_CASE("nodes are sorted parents first and keep their ids", "[readers]") {
  const Asset a = nodes_only(R"([{"name": "leaf"}, {"children": [0]}, {"children": [3, 1]}, {}])");
  CHECK(ids(a) == std::vector<std::int64_t>{2, 3, 1, 0});
  CHECK(a.nodes[3].parent == 2);
  CHECK(a.nodes[0].children == std::vector<std::int32_t>{1, 2});
  CHECK(a.repairs.empty());
}

TEST_CASE("graphs that are no forest are broken at the repeated edge", "[readers]") {
  struct Row {
    const char* what;
    const char* nodes;
    Repair::Kind kind;
    std::int64_t blamed;  // glTF index of the node that lists the child
    std::uint64_t count;
  };
  const Row rows[] = {
      {"own child", R"([{"children": [0]}])", Repair::Kind::graph_cycle, 0, 1},
      {"cycle of two", R"([{"children": [1]}, {"children": [0]}])", Repair::Kind::graph_cycle, 1,
       2},
      {"cycle with a tail", R"([{}, {"children": [2]}, {"children": [3]}, {"children": [1, 0]}])",
       Repair::Kind::graph_cycle, 3, 3},
      {"two parents", R"([{"children": [2]}, {"children": [2]}, {}])", Repair::Kind::graph_cycle, 1,
       1},
      {"listed twice", R"([{"children": [1, 1]}, {}])", Repair::Kind::duplicate, 0, 1},
      {"no such child", R"([{"children": [7, -1, 1]}, {}])", Repair::Kind::dangling_reference, 0,
       2},
      {"child that is text", R"([{"children": ["1"]}, {}])", Repair::Kind::wrong_type, 0, 1},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Asset a = nodes_only(row.nodes);
    REQUIRE(a.repairs.size() == 1);
    const Repair& r = a.repairs[0];
    CHECK(r.kind == row.kind);
    CHECK(r.count == row.count);
    CHECK(r.affects_skinning);
    CHECK(r.locator == "/nodes/" + std::to_string(row.blamed) + "/children");
    REQUIRE(r.element.kind == ElementKind::node);
    CHECK(a.nodes[static_cast<std::size_t>(r.element.index)].id == row.blamed);
  }
}

TEST_CASE("deep chains and long cycles take no recursion", "[readers]") {
  constexpr std::size_t depth = 60000;
  DocumentBuilder d;
  json nodes = json::array();
  for (std::size_t i = 0; i < depth; ++i)
    nodes.push_back({{"name", "n"}, {"children", {(i + 1) % depth}}});
  d.json["nodes"] = nodes;
  Asset a = read_glb(d);
  REQUIRE(a.repairs.size() == 1);
  CHECK(a.repairs[0].count == depth);

  d.json["nodes"].back().erase("children");
  a = read_glb(d);
  CHECK(a.repairs.empty());
  CHECK(a.nodes.back().parent == static_cast<std::int32_t>(depth) - 2);

  ReadOptions shallow;
  shallow.limits.max_node_depth = 100;
  a = read_glb(d, shallow);
  CHECK(a.nodes.size() == depth);
  const auto repairs = repairs_of(a, Repair::Kind::limit);
  CHECK(repairs.size() == depth / 100 - 1);
}

TEST_CASE("a flood of empty objects is bounded by the file's size", "[readers]") {
  std::string text = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}";
  constexpr std::size_t count = 1000000;
  text.reserve(text.size() + count * 3);
  for (std::size_t i = 1; i < count; ++i) text += ",{}";
  Result<Asset> asset = read(to_bytes(text + "]}"));
  REQUIRE(asset.has_value());
  CHECK(asset->nodes.size() * sizeof(Node) < (std::size_t{64} << 20) + 16 * text.size());
  REQUIRE(repairs_of(*asset, Repair::Kind::limit).size() == 1);
}

TEST_CASE("local transforms: matrices as stored, rotations normalised only where they can be",
          "[readers]") {
  const Asset a = nodes_only(R"([
    {"matrix": [1,2,3,4, 5,6,7,8, 9,10,11,12, 13,14,15,16]},
    {"rotation": [0, 0, 2, 2], "translation": [1, 2, 3], "scale": [2, 2, 2]},
    {"rotation": [0, 0, 0, 0]},
    {"rotation": [1e200, 0, 0, 0]},
    {"matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "scale": [2, 2, 2]},
    {"matrix": [1, 2]},
    {"translation": [1, "x", 2]}])");
  CHECK(a.nodes[0].parent_from_node(0, 3) == 13);
  CHECK(a.nodes[0].parent_from_node(3, 0) == 4);
  CHECK(a.nodes[1].local.rotation == Vec4(0, 0, 2, 2));
  CHECK(a.nodes[1].parent_from_node(1, 0) == Approx(2));
  CHECK(a.nodes[1].parent_from_node(0, 0) == Approx(0).margin(1e-12));
  CHECK(a.nodes[1].parent_from_node(2, 3) == 3);
  CHECK(a.nodes[3].parent_from_node.allFinite());
  CHECK(a.nodes[4].parent_from_node == Mat4::Identity());
  CHECK(a.nodes[5].parent_from_node == Mat4::Identity());
  CHECK(repairs_of(a, Repair::Kind::duplicate).size() == 1);
  CHECK(repairs_of(a, Repair::Kind::wrong_type).size() == 2);
}

TEST_CASE("references to what does not exist", "[readers]") {
  struct Row {
    const char* pointer;
    json value;
    bool affects;
    std::size_t bindings;
  };
  const Row rows[] = {
      {"/nodes/0/mesh", 5, true, 0},
      {"/nodes/0/skin", 5, true, 0},
      {"/nodes/0/skin", -1, true, 0},
      {"/skins/0/joints/1", 9, true, 1},
      {"/skins/0/inverseBindMatrices", 99, true, 1},
      {"/skins/0/skeleton", 99, false, 1},
      {"/scene", 3, false, 1},
      {"/scenes/0/nodes/1", 17, false, 1},
      {"/meshes/0/primitives/0/indices", 99, true, 1},
      {"/meshes/0/primitives/0/attributes/JOINTS_0", 99, true, 1},
      {"/meshes/0/primitives/0/targets/0/POSITION", 99, true, 1},
      {"/animations/0/channels/0/sampler", 4, false, 1},
      {"/animations/0/channels/0/target/node", 44, false, 1},
      {"/animations/0/samplers/0/input", 99, false, 1},
  };
  for (const Row& row : rows) {
    INFO(row.pointer);
    DocumentBuilder d = skinned_triangle();
    d.json[json::json_pointer(row.pointer)] = row.value;
    const Asset a = read_glb(d);
    REQUIRE(a.repairs.size() == 1);
    CHECK(a.repairs[0].kind == Repair::Kind::dangling_reference);
    CHECK(a.repairs[0].affects_skinning == row.affects);
    CHECK(std::string(row.pointer).find(a.repairs[0].locator) == 0);
    CHECK(a.bindings.size() == row.bindings);
  }
}

TEST_CASE("a joint that does not exist keeps its slot", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["skins"][0]["joints"] = {9, 2};
  const Asset a = read_glb(d);
  CHECK(a.skins[0].joints == std::vector<std::int32_t>{-1, 2});
  CHECK(a.skins[0].joint_ids == std::vector<std::int64_t>{9, 2});
}

TEST_CASE("inverse bind matrices: absent, short, surplus, of another type", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["skins"][0].erase("inverseBindMatrices");
  Asset a = read_glb(d);
  CHECK_FALSE(a.skins[0].matrix_count.has_value());
  CHECK_FALSE(a.skins[0].joint_from_mesh[0].has_value());
  CHECK(a.skins[0].matrices_readable);

  d = skinned_triangle();
  const auto accessor = d.json["skins"][0]["inverseBindMatrices"].get<std::size_t>();
  d.json["accessors"][accessor]["count"] = 1;
  a = read_glb(d);
  CHECK(a.skins[0].matrix_count == 1);
  CHECK(a.skins[0].joint_from_mesh[0].has_value());
  CHECK_FALSE(a.skins[0].joint_from_mesh[1].has_value());
  CHECK(a.repairs.empty());

  d = skinned_triangle();
  d.json["skins"][0]["joints"] = {1};
  a = read_glb(d);
  CHECK(a.skins[0].matrix_count == 2);
  CHECK(a.skins[0].joint_from_mesh.size() == 1);

  d = skinned_triangle();
  d.json["accessors"][accessor]["type"] = "VEC4";
  a = read_glb(d);
  CHECK_FALSE(a.skins[0].matrices_readable);
  CHECK(a.skins[0].matrix_count == 2);
  CHECK(repairs_of(a, Repair::Kind::wrong_type).size() == 1);
}

TEST_CASE("influence sets are kept as declared, whatever their faults", "[readers]") {
  struct Row {
    const char* what;
    const char* attributes;  // merge patch; 1 joints, 2 weights, 0 positions, 4 matrices
    std::vector<std::int32_t> numbers;
    std::size_t usable;
  };
  const Row rows[] = {
      {"two sets", R"({"JOINTS_1": 1, "WEIGHTS_1": 2})", {0, 1}, 2},
      {"eleven sets",
       R"({"JOINTS_10": 1, "WEIGHTS_10": 2, "JOINTS_2": 1, "WEIGHTS_2": 2})",
       {0, 2, 10},
       3},
      {"joints without weights", R"({"WEIGHTS_0": null})", {0}, 0},
      {"weights without joints", R"({"JOINTS_0": null})", {0}, 0},
      {"a gap", R"({"JOINTS_3": 1, "WEIGHTS_3": 2})", {0, 3}, 2},
      {"float joints", R"({"JOINTS_0": 2})", {0}, 0},
      {"weights of three components", R"({"WEIGHTS_0": 0})", {0}, 0},
      {"weights of another length", R"({"WEIGHTS_0": 7})", {0}, 0},
      {"names that are none",
       R"({"JOINTS_01": 1, "JOINTS_": 1, "_JOINTS_1": 1, "JOINTS_x": 1})",
       {0},
       1},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    DocumentBuilder d = skinned_triangle();
    d.json["meshes"][0]["primitives"][0]["attributes"].merge_patch(json::parse(row.attributes));
    const Asset a = read_glb(d);
    CHECK(a.repairs.empty());
    CHECK(a.meshes[0].parts[0].influence_sets_declared == row.numbers);
    REQUIRE(a.bindings.size() == 1);
    const InfluenceTable& table =
        a.influences[static_cast<std::size_t>(a.bindings[0].influences[0])];
    REQUIRE(table.sets.size() == row.numbers.size());
    CHECK(table.usable_sets().size() == row.usable);
  }
}

TEST_CASE("influence sets beyond the limit are named, not read", "[readers]") {
  for (const int sets : {64, 65, 3000}) {
    INFO(sets);
    DocumentBuilder d = skinned_triangle();
    json& attributes = d.json["meshes"][0]["primitives"][0]["attributes"];
    for (int k = 1; k < sets; ++k) {
      attributes["JOINTS_" + std::to_string(k)] = 1;
      attributes["WEIGHTS_" + std::to_string(k)] = 2;
    }
    const Asset a = read_glb(d);
    CHECK(repairs_of(a, Repair::Kind::limit).size() == (sets > 64 ? 1 : 0));
    REQUIRE(a.influences.size() == 1);
    CHECK(a.influences[0].sets.size() == 64);
    CHECK(a.meshes[0].parts[0].influence_sets_declared.size() == static_cast<std::size_t>(sets));
  }
}

TEST_CASE("a bound part without joints or weights has no table", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["meshes"][0]["primitives"][0]["attributes"].merge_patch(
      {{"JOINTS_0", nullptr}, {"WEIGHTS_0", nullptr}});
  const Asset a = read_glb(d);
  REQUIRE(a.bindings.size() == 1);
  CHECK(a.bindings[0].influences == std::vector<std::int32_t>{-1});
}

TEST_CASE("instances of one mesh share its tables; bare meshes and bare skins bind nothing",
          "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["skins"].push_back({{"joints", {2}}});
  d.json["nodes"].push_back({{"mesh", 0}, {"skin", 1}, {"weights", {0.5}}});
  d.json["nodes"].push_back({{"mesh", 0}});
  d.json["nodes"].push_back({{"skin", 1}});
  const Asset a = read_glb(d);
  REQUIRE(a.bindings.size() == 2);
  CHECK(a.bindings[0].influences == a.bindings[1].influences);
  CHECK(a.influences.size() == 1);
  CHECK(a.bindings[0].morph_weights == std::vector<double>{0.25});
  CHECK(a.bindings[1].morph_weights == std::vector<double>{0.5});
  CHECK(a.nodes[5].skin == 1);
  CHECK(a.nodes[4].mesh == 0);
}

TEST_CASE("vertex streams of another length are not read", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
      d.values<float>({0, 0, 1, 0, 0, 1}, 5126, "VEC3", 2);
  const Asset a = read_glb(d);
  CHECK_FALSE(a.meshes[0].parts[0].normals.readable());
  CHECK(a.meshes[0].parts[0].normals.count == 2);
  REQUIRE(a.repairs.size() == 1);
  CHECK(a.repairs[0].kind == Repair::Kind::count_mismatch);
  CHECK(a.repairs[0].element == ElementRef{ElementKind::part, 0, 0});
}

TEST_CASE("morph targets of another length are left to the rules, without data", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] =
      d.values<float>({0, 0, 1}, 5126, "VEC3", 1);
  const Asset a = read_glb(d);
  const Stream& s = a.meshes[0].morphs[0].shapes[0].positions[0];
  CHECK(s.count == 1);
  CHECK_FALSE(s.readable());
}

TEST_CASE("weights of another number than the morph targets are said", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["meshes"][0]["weights"] = {1, 2};
  d.json["nodes"][0]["weights"] = {0.1, 0.2, 0.3};
  const Asset a = read_glb(d);
  CHECK(a.bindings[0].morph_weights == std::vector<double>{0.1});
  CHECK(repairs_of(a, Repair::Kind::count_mismatch).size() == 2);
}

TEST_CASE("clips: pointers, lengths, interpolation", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  auto& animation = d.json["animations"][0];
  animation["channels"].push_back(
      {{"sampler", 0},
       {"target",
        {{"path", "pointer"},
         {"extensions", {{"KHR_animation_pointer", {{"pointer", "/nodes/2/rotation"}}}}}}}});
  animation["channels"].push_back(
      {{"sampler", 0},
       {"target",
        {{"path", "pointer"},
         {"extensions", {{"KHR_animation_pointer", {{"pointer", "/materials/0/alphaCutoff"}}}}}}}});
  animation["channels"].push_back(
      {{"sampler", 1}, {"target", {{"node", 2}, {"path", "rotation"}}}});
  animation["samplers"].push_back(animation["samplers"][0]);
  animation["samplers"][1]["interpolation"] = "CUBICSPLINE";
  const Asset a = read_glb(d);
  const std::vector<Channel>& channels = a.clips[0].channels;
  REQUIRE(channels.size() == 4);
  CHECK(channels[1].node == 2);
  CHECK(channels[1].path == ChannelPath::rotation);
  CHECK(channels[1].pointer == "/nodes/2/rotation");
  CHECK(channels[2].node == -1);
  CHECK(channels[2].path == ChannelPath::pointer);
  CHECK(channels[2].pointer == "/materials/0/alphaCutoff");
  CHECK(channels[3].interpolation == Interpolation::cubic);
  CHECK_FALSE(channels[3].values.readable());  // two values where cubic keys need six
  REQUIRE(a.repairs.size() == 1);
  CHECK(a.repairs[0].kind == Repair::Kind::count_mismatch);
  CHECK(a.repairs[0].element == ElementRef{ElementKind::channel, 0, 3});
  CHECK_FALSE(a.repairs[0].affects_skinning);
}

TEST_CASE("repairs do not grow without bound", "[readers]") {
  DocumentBuilder d;
  for (int i = 0; i < 3000; ++i) d.json["nodes"].push_back({{"mesh", 7}});
  const Asset a = read_glb(d);
  CHECK(a.repairs.size() <= 1001);
  std::uint64_t total = 0;
  for (const Repair& repair : a.repairs) total += repair.count;
  CHECK(total == 3000);
}
