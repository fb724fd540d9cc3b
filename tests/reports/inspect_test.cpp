#include "reports/inspect.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/sample_results.h"
#include "reports/unicode.h"
#include "support/json_schema.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

std::string json_text(const Asset& asset, const InspectOptions& options = {}) {
  std::ostringstream out;
  write_inspect_json(out, Facts(asset), "rig.glb", options);
  return out.str();
}

json inspect(const Asset& asset, const InspectOptions& options = {}) {
  json parsed = json::parse(json_text(asset, options));
  const auto errors = schema_errors(published_schema("inspect.schema.json"), parsed);
  INFO(json(errors).dump(1));
  CHECK(errors.empty());
  return parsed;
}

std::string text(const Asset& asset, const InspectOptions& options = {}) {
  std::ostringstream out;
  write_inspect_text(out, Facts(asset), "rig.glb", options);
  return out.str();
}

}  // namespace

TEST_CASE("inspect gives the model's numbers", "[reports]") {
  Rig rig = chain_rig(4, 8, 4);
  rig.clips.push_back({"wave", {}});
  const Asset asset = to_asset(rig);
  const json all = inspect(asset);
  CHECK(all["schema"] == "skinlint-inspect/1");
  CHECK(all["space"] == "canonical");
  CHECK(all["unit_meters"] == 1.0);
  REQUIRE(all["nodes"].size() == asset.nodes.size());
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    CHECK(all["nodes"][i]["name"] == asset.nodes[i].name);
    CHECK(all["nodes"][i]["parent"] == asset.nodes[i].parent);
    CHECK(all["nodes"][i]["id"] == asset.nodes[i].id);
  }
  REQUIRE(all["bindings"].size() == 1);
  const json& binding = all["bindings"][0];
  CHECK(binding["vertices"] == 32);
  CHECK(binding["unweighted_vertices"] == 0);
  CHECK(binding["unused_vertices"] == 0);
  CHECK(binding["method"] == "linear");
  REQUIRE(binding["joints"].size() == 4);
  double weight = 0.0;
  for (const json& joint : binding["joints"]) {
    const std::size_t node = joint["node"];
    CHECK(joint["name"] == asset.nodes[node].name);
    CHECK(joint["world_from_joint"] == all["nodes"][node]["world_from_node"]);
    CHECK(joint["bind_world_from_joint"].is_null());
    weight += joint["weight_sum"].get<double>();
  }
  CHECK(weight == Approx(32.0));
  // The chain goes up +Y: joint 2 sits at y = 2, its inverse bind takes it away. Row-major.
  CHECK(binding["joints"][2]["world_from_joint"][7].get<double>() == Approx(2.0));
  CHECK(binding["joints"][2]["joint_from_mesh"][7].get<double>() == Approx(-2.0));
  CHECK(all["clips"][0]["name"] == "wave");
}

TEST_CASE("faulty weights are counted, and non-finite numbers are words", "[reports]") {
  Rig rig = chain_rig(4, 8, 4);
  auto& influences = rig.meshes[0].parts[0].influences;
  influences[0] = {{0, std::numeric_limits<double>::quiet_NaN()}};
  influences[1] = {{0, -0.5}, {1, 1.5}};
  influences[2] = {};
  influences[3] = {{1, 0.5}, {1, 0.5}};
  (*rig.skins[0].joint_from_mesh)[1](0, 0) = std::numeric_limits<double>::infinity();
  const json all = inspect(to_asset(rig));
  const json& binding = all["bindings"][0];
  CHECK(binding["non_finite"] == 1);
  CHECK(binding["negative"] == 1);
  CHECK(binding["duplicate_vertices"] == 1);
  CHECK(binding["unweighted_vertices"].get<int>() >= 1);
  CHECK(binding["joints"][1]["joint_from_mesh"][0] == "inf");
}

TEST_CASE("without stored matrices there are none to show", "[reports]") {
  Rig rig = chain_rig(3, 4, 4);
  rig.skins[0].joint_from_mesh.reset();
  const json all = inspect(to_asset(rig));
  REQUIRE(all["bindings"][0]["joints"].size() == 3);
  for (const json& joint : all["bindings"][0]["joints"]) {
    CHECK(joint["joint_from_mesh"].is_null());
  }
  CHECK(text(to_asset(rig)).find("joint_from_mesh: none") != std::string::npos);
}

TEST_CASE("skin and joint choose what inspect shows", "[reports]") {
  const Asset asset = to_asset(humanoid_rig());
  InspectOptions options;
  options.joint = asset.nodes[static_cast<std::size_t>(asset.skins[0].joints[2])].name;
  const json all = inspect(asset, options);
  REQUIRE(all["bindings"][0]["joints"].size() == 1);
  CHECK(all["bindings"][0]["joints"][0]["name"] == options.joint);
  options.skin = "no such skin";
  CHECK(inspect(asset, options)["bindings"].empty());
}

TEST_CASE("vertices come with positions, weights and offsets", "[reports]") {
  Rig rig = chain_rig(3, 4, 4);
  RigPart& part = rig.meshes[0].parts[0];
  RigMorph morph;
  morph.name = "bulge";
  morph.offsets.assign(part.positions.size(), Vec3::Zero());
  morph.offsets[2] = Vec3(1, 2, 3);
  morph.offsets[5] = Vec3(0, -1, 0.5);
  part.morphs.push_back(morph);
  const Asset asset = to_asset(rig);
  InspectOptions options;
  options.vertices = true;
  const json all = inspect(asset, options);
  const json& vertices = all["bindings"][0]["vertex_data"];
  REQUIRE(vertices.size() == part.positions.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    CHECK(vertices[v]["vertex"] == v);
    CHECK(vertices[v]["position"][1].get<double>() == Approx(part.positions[v].y()));
    double sum = 0.0;
    for (const json& influence : vertices[v]["influences"])
      sum += influence["weight"].get<double>();
    CHECK(sum == Approx(1.0));
  }
  REQUIRE(all["morphs"].size() == 1);
  const json& target = all["morphs"][0]["targets"][0];
  CHECK(target["offsets"] == 2);
  CHECK(target["delta_sum"] == json({1.0, 1.0, 3.5}));
  REQUIRE(target["offset_data"].size() == 2);
  CHECK(target["offset_data"][1]["vertex"] == 5);
  CHECK(inspect(asset)["bindings"][0].contains("vertex_data") == false);
}

TEST_CASE("conventions: row transposes, unity mirrors X on both sides", "[reports]") {
  Mat4 m;
  m << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 1;
  CHECK(in_convention(m, Convention::column) == m);
  CHECK(in_convention(m, Convention::row) == m.transpose());
  Mat4 mirror = Mat4::Identity();
  mirror(0, 0) = -1;
  CHECK(in_convention(m, Convention::unity) == mirror * m * mirror);
  CHECK(in_convention(Vec3(1, 2, 3), Convention::unity) == Vec3(-1, 2, 3));
  const Asset asset = to_asset(chain_rig(3, 4, 4));
  InspectOptions row;
  row.convention = Convention::row;
  const json all = inspect(asset, row);
  CHECK(all["convention"] == "row");
  CHECK(all["bindings"][0]["joints"][1]["world_from_joint"][13].get<double>() == Approx(1.0));
}

TEST_CASE("the text names nodes, joints and the verdict on the bind", "[reports]") {
  const Asset asset = to_asset(humanoid_rig());
  const std::string shown = text(asset);
  for (const Node& node : asset.nodes) CHECK(shown.find(node.name) != std::string::npos);
  CHECK(shown.find("identity") != std::string::npos);
  CHECK(shown.find("joint_from_mesh") != std::string::npos);
}

TEST_CASE("hostile names are safe in both inspections", "[reports]") {
  Rig rig = chain_rig(3, 4, 4);
  const std::string hostile = std::string("x\x1b]0;y\x07\0\n", 9) + "\xE2\x80\xAE\xFF";
  for (RigNode& node : rig.nodes) node.name += hostile;
  rig.skins[0].name = hostile;
  rig.meshes[0].name = hostile;
  const Asset asset = to_asset(rig);
  for (const std::string& shown : {text(asset), json_text(asset)}) {
    for (std::size_t at = 0; at < shown.size();) {
      const CodePoint c = next_code_point(shown, at);
      REQUIRE(c.valid);
      REQUIRE((c.value == '\n' || !is_unsafe(c.value)));
    }
  }
  CHECK(inspect(asset)["nodes"].size() == rig.nodes.size());
}

TEST_CASE("an empty asset can be inspected", "[reports]") {
  Asset asset;
  asset.encoding = "json";
  CHECK(inspect(asset)["nodes"].empty());
  CHECK_FALSE(text(asset).empty());
}
