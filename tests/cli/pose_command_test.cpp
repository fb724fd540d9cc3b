#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_tool.h"
#include "readers/obj_points.h"
#include "readers/reader.h"
#include "reports/sample_results.h"
#include "support/json_schema.h"

using namespace skinlint;
using namespace skinlint::test;
using nlohmann::json;

namespace {

Rig bent_rig() {
  Rig rig = chain_rig();
  RigPart& part = rig.meshes[0].parts[0];
  std::vector<Vec3> grow;
  for (const Vec3& normal : part.normals) grow.push_back(0.3 * normal);
  for (std::size_t v = 0; v < grow.size(); v += 3) grow[v] *= 2.0;
  part.morphs.push_back({"grow", 0.0, grow});
  rig.clips.push_back(
      {"nod",
       {rig_channel(4, ChannelPath::rotation, {0, 0, 0, 1, 0.6, 0, 0, 0.8, 0, 0, 0, 1}, 0.5)}});
  return rig;
}

constexpr const char* kPoses =
    R"({"poses":[{"name":"bow","joints":[{"joint":"joint3","rotation_deg":[20,-35,10]},
       {"joint":"joint2","rotation_deg":[0,0,40],"translation_m":[0.1,0,0]}],
       "morphs":{"grow":0.5}}]})";

std::vector<Vec3> points(const Workplace& place, const std::string& name) {
  const auto read = read_obj_points((place.path() / name).string());
  REQUIRE(read);
  return *read;
}

}  // namespace

TEST_CASE("pose --json keeps to its schema and separates three kinds", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", bent_rig());
  place.write("poses.json", kPoses);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"pose", "rig.glb", "--json"},
           {"pose", "rig.glb", "--json", "--clips", "--poses", "poses.json"},
           {"pose", "rig.glb", "--json", "--pose", "bind", "--pose", "joint2:x+90", "--pose",
            "nod@0.25", "--positions", "--method", "dual-quaternion"}}) {
    const ToolRun run = run_tool(place, arguments);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const json shown = json::parse(run.out);
    const auto errors = schema_errors(published_schema("pose.schema.json"), shown);
    INFO(json(errors).dump(1));
    CHECK(errors.empty());
    CHECK(shown["summary"]["weight_faults"] == 0);
    CHECK(shown["summary"]["matrix_faults"] == 0);
  }
  const json all = json::parse(
      run_tool(place, {"pose", "rig.glb", "--json", "--clips", "--poses", "poses.json"}).out);
  const json& poses = all["bindings"][0]["poses"];
  const auto named = [&](const std::string& name) {
    return std::find_if(poses.begin(), poses.end(),
                        [&](const json& p) { return p["pose"] == name; });
  };
  REQUIRE(named("joint3:twist180") != poses.end());
  CHECK((*named("joint3:twist180"))["kind"] == "blending");
  REQUIRE(named("bow") != poses.end());
  CHECK((*named("bow"))["engines"]["morphs_after_skinning"]["max_m"].get<double>() > 0.01);
  REQUIRE(named("nod@0.5") != poses.end());
  CHECK((*named("nod@0.5"))["max_stretch"].get<double>() > 1.05);
  CHECK((*named("nod@0"))["max_stretch"].get<double>() == Approx(1.0).epsilon(1e-5));
}

TEST_CASE("positions are those that --bake writes", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", bent_rig());
  place.write("poses.json", kPoses);
  REQUIRE(run_tool(place, {"pose", "rig.glb", "--poses", "poses.json", "--pose", "bow", "--bake",
                           "bow.obj"})
              .status == 0);
  REQUIRE(run_tool(place, {"pose", "rig.glb", "--poses", "poses.json", "--pose", "bow", "--bake",
                           "bow.glb"})
              .status == 0);
  const json shown = json::parse(run_tool(place, {"pose", "rig.glb", "--json", "--poses",
                                                  "poses.json", "--pose", "bow", "--positions"})
                                     .out);
  const json& part = shown["positions"][0]["parts"][0];
  const std::vector<Vec3> obj = points(place, "bow.obj");
  REQUIRE(part.size() == obj.size());
  const Result<Asset> glb = read_asset((place.path() / "bow.glb").string(), ReadOptions{});
  REQUIRE(glb);
  CHECK(glb->skins.empty());
  REQUIRE(glb->meshes[0].parts[0].positions.count == obj.size());
  for (std::size_t v = 0; v < obj.size(); ++v) {
    const Vec3 listed(part[v][0], part[v][1], part[v][2]);
    CHECK(listed == obj[v]);
    Vec3 stored;
    read_values(glb->meshes[0].parts[0].positions, v, 1, stored.data());
    CHECK((stored - obj[v]).norm() < 1e-6);
  }
  CHECK(place.names() == std::vector<std::string>{"bow.glb", "bow.obj", "poses.json", "rig.glb"});
}

TEST_CASE("solve finds what bake posed, and says so when it cannot", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", bent_rig());
  place.write("poses.json", kPoses);
  REQUIRE(run_tool(place, {"pose", "rig.glb", "--poses", "poses.json", "--pose", "bow", "--bake",
                           "bow.obj"})
              .status == 0);
  const ToolRun run = run_tool(place, {"pose", "rig.glb", "--solve", "bow.obj", "--json"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const json solved = json::parse(run.out);
  const auto errors = schema_errors(published_schema("solve.schema.json"), solved);
  INFO(json(errors).dump(1));
  CHECK(errors.empty());
  CHECK(solved["reached"] == true);
  CHECK(solved["residual_max_m"].get<double>() < 1e-6);
  CHECK(solved["poses"][0]["morphs"][0]["activation"].get<double>() == Approx(0.5).margin(1e-6));
  for (const json& joint : solved["poses"][0]["joints"]) {
    if (joint["joint"] != "joint3") continue;
    CHECK(joint["rotation_deg"][0].get<double>() == Approx(20).margin(1e-3));
    CHECK(joint["rotation_deg"][1].get<double>() == Approx(-35).margin(1e-3));
  }
  // What it found is a pose file.
  place.write("found.json", run.out);
  REQUIRE(run_tool(place, {"pose", "rig.glb", "--poses", "found.json", "--pose", "solved", "--bake",
                           "again.obj"})
              .status == 0);
  const std::vector<Vec3> once = points(place, "bow.obj"), again = points(place, "again.obj");
  for (std::size_t v = 0; v < once.size(); ++v) CHECK((once[v] - again[v]).norm() < 1e-5);

  std::string moved;
  for (std::size_t v = 0; v < once.size(); ++v)
    moved += "v " + std::to_string(once[v].x() + (v == 50 ? 0.4 : 0.0)) + " " +
             std::to_string(once[v].y()) + " " + std::to_string(once[v].z()) + "\n";
  place.write("moved.obj", moved);
  const ToolRun far = run_tool(place, {"pose", "rig.glb", "--solve", "moved.obj"});
  CHECK(far.status == 1);
  CHECK(far.out.find("not reached") != std::string::npos);
  CHECK(far.out.find("part 0 vertex 50") != std::string::npos);
}

TEST_CASE("pose tells wrong usage, unreadable files and faults apart", "[cli]") {
  const Workplace place;
  place.write_rig("rig.glb", bent_rig());
  place.write("text.glb", "no model");
  place.write("short.obj", "v 0 0 0\nv 1 2 nan\n");
  place.write("broken.obj", "v 0 0\n");
  place.write("list.json", "[]");
  place.write("unknown.json", R"({"poses":[{"name":"a","joints":[{"joint":"jiont2"}]}]})");
  struct Row {
    std::vector<std::string> arguments;
    int status;
    const char* says;
  };
  const Row rows[] = {
      {{"pose"}, 2, ""},
      {{"pose", "gone.glb"}, 2, "gone.glb"},
      {{"pose", "."}, 2, "folder"},
      {{"pose", "text.glb"}, 3, "not_recognised"},
      {{"pose", "rig.glb", "--binding", "tub"}, 2, "\"tube\""},
      {{"pose", "rig.glb", "--pose", "nodd@0"}, 2, "nod"},
      {{"pose", "rig.glb", "--pose", "joint2:q+90"}, 2, "JOINT:x+90"},
      {{"pose", "rig.glb", "--pose", "jiont2:x+90"}, 2, "joint2"},
      {{"pose", "rig.glb", "--method", "dual"}, 2, "dual-quaternion"},
      {{"pose", "rig.glb", "--fail-on", "error"}, 2, "never"},
      {{"pose", "rig.glb", "--poses", "list.json"}, 2, "\"poses\""},
      {{"pose", "rig.glb", "--poses", "unknown.json"}, 2, "\"joint2\""},
      {{"pose", "rig.glb", "--bake", "out.obj"}, 2, "--pose"},
      {{"pose", "rig.glb", "--bake", "out.fbx", "--pose", "bind"}, 2, ".obj or .glb"},
      {{"pose", "rig.glb", "--bake", "no/out.obj", "--pose", "bind"}, 2, "no/out.obj"},
      {{"pose", "rig.glb", "--solve", "short.obj"}, 2, "2 vertices"},
      {{"pose", "rig.glb", "--solve", "broken.obj"}, 3, "line 1"},
      {{"pose", "rig.glb", "--solve", "gone.obj"}, 3, "gone.obj"},
      {{"pose", "rig.glb", "--solve", "short.obj", "--bake", "x.obj"}, 2, "two tasks"},
  };
  for (const Row& row : rows) {
    const ToolRun run = run_tool(place, row.arguments);
    CAPTURE(row.arguments.back(), run.err);
    CHECK(run.status == row.status);
    CHECK(run.err.find(row.says) != std::string::npos);
    CHECK(run.out.empty());
  }
  CHECK_FALSE(place.exists("out.obj"));

  Rig torn = chain_rig();
  torn.meshes[0].parts[0].influences[3] = {{5, 1.0}};
  place.write_rig("torn.glb", torn);
  CHECK(run_tool(place, {"pose", "torn.glb"}).status == 0);
  const ToolRun fails = run_tool(place, {"pose", "torn.glb", "--fail-on", "weight"});
  CHECK(fails.status == 1);
  CHECK(fails.out.find("joint5") != std::string::npos);
  CHECK(fails.out.find("agrees with none of its neighbours") != std::string::npos);
  CHECK(run_tool(place, {"pose", "rig.glb", "--fail-on", "fault"}).status == 0);
}
