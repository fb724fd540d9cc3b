#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "model/math.h"
#include "reports/sample_results.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/json_schema.h"
#include "support/matchers.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  std::string text(bytes.size(), '\0');
  for (std::size_t k = 0; k < bytes.size(); ++k) text[k] = static_cast<char>(bytes[k]);
  return text;
}

/// A humanoid that waves, with a morph target and a camera.
Rig waving_rig() {
  Rig rig = humanoid_rig();
  rig.meshes[0].parts[0].morphs = {
      {"smile", 0.25,
       std::vector<Vec3>(rig.meshes[0].parts[0].positions.size(), Vec3(0.01, 0.02, 0.03))}};
  rig.clips.push_back(
      {"wave",
       {rig_channel(rig.node("upper_arm.L"), ChannelPath::rotation,
                    {0, 0, 0, 1, 0, 0, 0.6, 0.8, 0, 0.6, 0, 0.8}),
        rig_channel(rig.node("hips"), ChannelPath::scale, {1, 1, 1, 1, 1.5, 1, 1, 1, 1})}});
  return rig;
}

void write_waving(const Workplace& place) {
  GltfWriteOptions options;
  options.edit_json = [](nlohmann::ordered_json& document) {
    document["cameras"] = {
        {{"name", "front"},
         {"type", "perspective"},
         {"perspective", {{"yfov", 0.8}, {"aspectRatio", 1.5}, {"znear", 0.1}, {"zfar", 50.0}}}},
        {{"name", "broken"}, {"type", "perspective"}}};
    const std::size_t n = document["nodes"].size();
    document["nodes"].push_back({{"name", "tripod"},
                                 {"camera", 0},
                                 {"translation", {0.5, 1.0, 4.0}},
                                 {"scale", {2, 3, 2}}});
    document["nodes"].push_back({{"name", "other"}, {"camera", 1}});
    document["scenes"][0]["nodes"].push_back(n);
    document["scenes"][0]["nodes"].push_back(n + 1);
  };
  place.write("wave.glb", text_of(write_glb(waving_rig(), options)));
  place.write("wave.fbx", text_of(write_fbx(waving_rig())));
}

json shown(const Workplace& place, std::vector<std::string> arguments, int status = 0) {
  arguments.insert(arguments.begin(), "trace");
  arguments.emplace_back("--json");
  const ToolRun run = run_tool(place, arguments);
  INFO(run.err);
  REQUIRE(run.status == status);
  return json::parse(run.out);
}

template <int Rows, int Columns>
Eigen::Matrix<double, Rows, Columns> matrix(const json& numbers) {
  Eigen::Matrix<double, Rows, Columns> m;
  REQUIRE(numbers.size() == static_cast<std::size_t>(Rows * Columns));
  for (int k = 0; k < Rows * Columns; ++k)
    m(k / Columns, k % Columns) = numbers.at(static_cast<std::size_t>(k)).get<double>();
  return m;
}
Mat4 mat4(const json& numbers) { return matrix<4, 4>(numbers); }
Vec3 vec3(const json& numbers) { return matrix<3, 1>(numbers); }

}  // namespace

TEST_CASE("the numbers of trace --json multiply out by hand", "[cli]") {
  const Workplace place;
  write_waving(place);
  for (const std::string file : {"wave.glb", "wave.fbx"}) {
    for (const std::string pose : {"rest", "bind", "wave@0.7", "wave@1.3"}) {
      CAPTURE(file, pose);
      const json t = shown(place, {file, "--vertex", "40", "--pose", pose});
      const auto errors = schema_errors(published_schema("trace.schema.json"), t);
      INFO(json(errors).dump(1));
      CHECK(errors.empty());
      Vec3 v = vec3(t["vertex"]["stored"]);
      for (const json& morph : t["morphs"]) v += vec3(morph["offset"]);
      CHECK(worst_difference(v, vec3(t["v"])) < 1e-12);
      CHECK(t["morphs"].size() == 1);
      const Mat4 m_model = mat4(t["world_from_mesh"]);
      if (file == "wave.fbx" && pose != "bind") {
        CHECK(worst_difference(mat4(t["world_from_node"]) * mat4(t["node_from_geometry"]),
                               m_model) < 1e-12);
      }
      double sum = 0.0;
      Vec3 skinned = Vec3::Zero(), world = Vec3::Zero();
      Mat3 linear_part = Mat3::Zero();
      CHECK(!t["influences"].empty());
      for (const json& i : t["influences"]) sum += i["weight"].get<double>();
      for (const json& i : t["influences"]) {
        const double w = i["weight"].get<double>() / sum;
        CHECK(i["normalised_weight"].get<double>() == Approx(w).epsilon(1e-12));
        const Mat4 b = mat4(i["mesh_from_joint"]), g = mat4(i["mesh_from_posed_joint"]);
        const Mat4 s = g * mat4(i["joint_from_mesh"]);
        CHECK(worst_difference(b * mat4(i["joint_from_mesh"]), Mat4::Identity()) < 1e-9);
        CHECK(worst_difference(m_model * g, mat4(i["world_from_joint"])) < 1e-9);
        CHECK(worst_difference(s, mat4(i["skin_matrix"])) < 1e-12);
        CHECK(worst_difference(transform_point(s, v), vec3(i["moved"])) < 1e-12);
        if (pose == "bind") CHECK(worst_difference(s, Mat4::Identity()) < 1e-5);
        skinned += w * transform_point(s, v);
        linear_part += w * linear(s);
        // The other way round, without the mesh's space: joints times inverse bind matrices.
        world += w * transform_point(mat4(i["world_from_joint"]) * mat4(i["joint_from_mesh"]), v);
      }
      CHECK(t["weight_sum"].get<double>() == Approx(sum));
      CHECK(worst_difference(skinned, vec3(t["v_skinned"])) < 1e-12);
      CHECK(worst_difference(transform_point(m_model, skinned), vec3(t["v_world"])) < 1e-12);
      CHECK(worst_difference(world, vec3(t["v_world"])) < 1e-9);
      const Vec3 bound = transform_point(mat4(t["world_from_mesh_bound"]), v);
      CHECK(t["displacement"].get<double>() ==
            Approx((vec3(t["v_world"]) - bound).norm()).margin(1e-12));
      CHECK(worst_difference(matrix<3, 3>(t["linear"]["matrix"]), linear_part) < 1e-12);
      CHECK(t["linear"]["determinant"].get<double>() == Approx(linear_part.determinant()));
      CHECK(t["linear"]["condition"].get<double>() == Approx(condition_number(linear_part)));
      CHECK(worst_difference(matrix<3, 3>(t["linear"]["jacobian"]), linear(m_model) * linear_part) <
            1e-12);
      if (!t["normal"].is_null()) {
        const Vec3 n = vec3(t["normal"]["stored"]);
        const Vec3 turned = (linear_part.inverse().transpose() * n).normalized();
        CHECK(worst_difference(turned, vec3(t["normal"]["by_inverse_transpose"])) < 1e-9);
        CHECK(worst_difference((linear_part * n).normalized(), vec3(t["normal"]["by_linear"])) <
              1e-9);
      }
      CHECK(t["problems"].empty());
    }
  }
}

TEST_CASE("trace --camera: from the file, and from JSON", "[cli]") {
  const Workplace place;
  write_waving(place);
  const json t = shown(place, {"wave.glb", "--vertex", "0", "--camera", "front"});
  const auto errors = schema_errors(published_schema("trace.schema.json"), t);
  CHECK(errors.empty());
  const Vec3 world = vec3(t["v_world"]);
  const Vec4 clip = matrix<4, 1>(t["view"]["v_clip"]);
  const double f = 1.0 / std::tan(0.4), x = world.x() - 0.5, y = world.y() - 1.0,
               z = world.z() - 4.0;
  CHECK(worst_difference(
            clip, Vec4(f / 1.5 * x, f * y, (50.1 * z + 2 * 50.0 * 0.1) / (0.1 - 50.0), -z)) < 1e-6);
  place.write("camera.json",
              R"({"world_from_camera": [1,0,0,0.5, 0,1,0,1, 0,0,1,4, 0,0,0,1], // as in the file
                  "perspective": {"yfov": 0.8, "aspect": 1.5, "znear": 0.1, "zfar": 50}})");
  const json other = shown(place, {"wave.fbx", "--vertex", "0", "--camera", "camera.json"});
  CHECK(worst_difference(matrix<4, 1>(other["view"]["v_clip"]), clip) < 1e-5);
  place.write("matrix.json", json({{"camera_from_world", t["view"]["camera_from_world"]},
                                   {"clip_from_camera", t["view"]["clip_from_camera"]}})
                                 .dump());
  const json third = shown(place, {"wave.glb", "--vertex", "0", "--camera", "matrix.json"});
  CHECK(third["view"]["v_clip"] == t["view"]["v_clip"]);
  const auto refused = [&](const std::string& camera, const std::string& part) {
    CAPTURE(camera);
    const ToolRun run = run_tool(place, {"trace", "wave.glb", "--vertex", "0", "--camera", camera});
    CHECK(run.status == 2);
    INFO(run.err);
    CHECK(run.err.find(part) != std::string::npos);
  };
  refused("frnot", "\"front\"");
  refused("broken", "angle");
  place.write("bad.json", R"({"perspektive": {}})");
  refused("bad.json", "\"perspective\"");
  place.write("bad.json", R"({"clip_from_camera": [1, 2]})");
  refused("bad.json", "16 numbers");
  place.write("bad.json", R"({"perspective": {"yfov": 4, "aspect": 1, "znear": 1}})");
  refused("bad.json", "yfov");
  place.write("bad.json", "{");
  refused("bad.json", "JSON");
}

TEST_CASE("trace finds vertices, keeps to clips, and says which", "[cli]") {
  const Workplace place;
  write_waving(place);
  const json worst = shown(place, {"wave.glb", "--vertex", "worst", "--pose", "wave@1"});
  CHECK(worst["vertex"]["chosen_by"] == "worst");
  CHECK(worst["displacement"].get<double>() > 0.1);
  const Vec3 there = vec3(worst["v_world"]);
  const std::string place_text =
      std::to_string(there.x()) + "," + std::to_string(there.y()) + "," + std::to_string(there.z());
  const json near = shown(place, {"wave.glb", "--near", place_text, "--pose", "wave@1"});
  CHECK(worst_difference(vec3(near["v_world"]), there) < 2e-6);
  CHECK(near["vertex"]["chosen_by"] == "near");

  const ToolRun late =
      run_tool(place, {"trace", "wave.glb", "--vertex", "3", "--pose", "wave@99", "--json"});
  CHECK(late.status == 0);
  CHECK(late.err.find("outside the clip") != std::string::npos);
  CHECK(json::parse(late.out)["pose"]["seconds"] == 2.0);
  CHECK(json::parse(late.out)["pose"]["asked_seconds"] == 99.0);

  const ToolRun text = run_tool(place, {"trace", "wave.fbx", "--vertex", "3"});
  CHECK(text.status == 0);
  for (const char* part : {"pose        rest", "B^-1 = joint_from_mesh", "S = G B^-1", "v_world",
                           "displacement from bind", "node_from_geometry", "normalize(L^-T n)"})
    CHECK(text.out.find(part) != std::string::npos);
}

TEST_CASE("trace: wrong names, numbers and files", "[cli]") {
  const Workplace place;
  write_waving(place);
  place.write("text.glb", "no model");
  struct Row {
    std::vector<std::string> arguments;
    int status;
    std::string part;
  };
  const std::string node =
      "\"" + waving_rig().nodes[static_cast<std::size_t>(waving_rig().instances[0].node)].name +
      "\"";
  const Row rows[] = {
      {{"wave.glb"}, 2, "--vertex"},
      {{"wave.glb", "--vertex", "1", "--near", "0,0,0"}, 2, "--vertex"},
      {{"wave.glb", "--vertex", "999999"}, 2, "out of range"},
      {{"wave.glb", "--vertex", "0:999999"}, 2, "out of range"},
      {{"wave.glb", "--vertex", "7:0"}, 2, "out of range"},
      {{"wave.glb", "--vertex", "-1"}, 2, "neither a number"},
      {{"wave.glb", "--vertex", "best"}, 2, "neither a number"},
      {{"wave.glb", "--near", "1,2"}, 2, "three numbers"},
      {{"wave.glb", "--near", "1,2,nan"}, 2, "three numbers"},
      {{"wave.glb", "--near", "1,2,3,4"}, 2, "three numbers"},
      {{"wave.glb", "--vertex", "0", "--binding", "Boddy"}, 2, node},
      {{"wave.glb", "--vertex", "0", "--pose", "wvae@0"}, 2, "\"wave\""},
      {{"wave.glb", "--vertex", "0", "--pose", "wave"}, 2, "wave@0"},
      {{"wave.glb", "--vertex", "0", "--pose", "wave@soon"}, 2, "wave@0"},
      {{"wave.glb", "--vertex", "0", "--pose", "rset"}, 2, "\"rest\""},
      {{"wave.glb", "--vertex", "0", "--zero-weight", "skip"}, 2, "fallback:JOINT"},
      {{"wave.glb", "--vertex", "0", "--zero-weight", "fallback:hpis"}, 2, "\"hips\""},
      {{"gone.glb", "--vertex", "0"}, 2, "gone.glb"},
      {{".", "--vertex", "0"}, 2, "folder"},
      {{"text.glb", "--vertex", "0"}, 3, "not_recognised"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = {"trace"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    CAPTURE(row.arguments);
    const ToolRun run = run_tool(place, arguments);
    INFO(run.err);
    CHECK(run.status == row.status);
    CHECK(run.out.empty());
    CHECK(run.err.find(row.part) != std::string::npos);
  }
}

TEST_CASE("trace: a broken chain is shown and gives status 1", "[cli]") {
  const Workplace place;
  Rig rig = humanoid_rig();
  rig.meshes[0].parts[0].influences[5] = {{0, 0.0}};
  rig.meshes[0].parts[0].influences[6] = {{0, std::nan("")}, {1, 1.0}};
  place.write_rig("rig.glb", rig);
  const json rejected = shown(place, {"rig.glb", "--vertex", "5"}, 1);
  CHECK(schema_errors(published_schema("trace.schema.json"), rejected).empty());
  CHECK(rejected["state"] == "rejected");
  CHECK(rejected["v_world"][0] == "nan");
  CHECK(rejected["problems"].size() == 1);
  const json kept = shown(place, {"rig.glb", "--vertex", "5", "--zero-weight", "fallback:hips"});
  CHECK(kept["state"] == "fell_back");
  CHECK(kept["influences"].back()["fallback"] == true);
  const json broken = shown(place, {"rig.glb", "--vertex", "6"}, 1);
  CHECK(broken["state"] == "not_finite");
  CHECK(broken["weight_sum"] == "nan");
  CHECK(broken["influences"].size() == 2);
}

TEST_CASE("trace of several bindings wants a name", "[cli]") {
  const Workplace place;
  Rig rig = humanoid_rig();
  RigNode second = rig.nodes[static_cast<std::size_t>(rig.instances[0].node)];
  second.name = "twin";
  rig.nodes.push_back(second);
  rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 0, 0});
  place.write_rig("two.glb", rig);
  const ToolRun run = run_tool(place, {"trace", "two.glb", "--vertex", "0"});
  CHECK(run.status == 2);
  CHECK(run.err.find("twin") != std::string::npos);
  CHECK(shown(place, {"two.glb", "--vertex", "0", "--binding", "twin"})["binding"]["mesh_node"] ==
        "twin");
  CHECK(shown(place, {"two.glb", "--vertex", "0", "--binding", "#0"})["binding"]["index"] == 0);
  CHECK(shown(place, {"two.glb", "--vertex", "worst"})["vertex"]["chosen_by"] == "worst");
}
