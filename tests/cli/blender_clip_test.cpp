// Clips and skinning against Blender's own evaluation of the scene it exported. Skipped where
// Blender is not installed.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "readers/reader.h"
#include "rules/facts.h"
#include "skinning/clip_pose.h"
#include "skinning/vertex_trace.h"

using namespace skinlint;

namespace {

Vec3 vec3(const nlohmann::json& numbers) {
  return Vec3(numbers.at(0).get<double>(), numbers.at(1).get<double>(),
              numbers.at(2).get<double>());
}

}  // namespace

TEST_CASE("bones and vertices of a clip stand where Blender has them", "[cli][blender]") {
  if (std::system("blender --version >/dev/null 2>&1") != 0) {
    WARN("skipped: blender is not installed");
    return;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "skinlint_blender_clip";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string command = "blender -b --factory-startup -P '" SKINLINT_SOURCE_DIR
                              "/testdata/tools/blender_clip.py' -- '" +
                              folder.string() + "' >'" + (folder / "log.txt").string() + "' 2>&1";
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream in(folder / "expected.json");
  REQUIRE(in);
  const nlohmann::json expected = nlohmann::json::parse(in);
  // Sampled at every frame, as cubic splines between four keys, and through Euler angles. Blender
  // writes exact splines of translations alone: of rotations it bends the tangents.
  for (const char* name : {"clip.glb", "spline.glb", "clip.fbx"}) {
    CAPTURE(name);
    const bool splines = std::string(name) == "spline.glb";
    const Result<Asset> asset = read_asset((folder / name).string(), ReadOptions{});
    REQUIRE(asset);
    REQUIRE(asset->clips.size() == 1);
    REQUIRE(asset->bindings.size() == 1);
    const Facts facts(*asset);
    double worst_bone = 0.0, worst_vertex = 0.0;
    std::size_t bones = 0;
    for (const auto& frame : expected["frames"]) {
      PoseChoice pose{PoseChoice::Kind::clip, 0, frame["seconds"].get<double>()};
      const std::vector<Mat4> world = world_at_time(*asset, asset->clips[0], pose.seconds);
      for (std::size_t n = 0; n < asset->nodes.size(); ++n) {
        const auto head = frame["heads"].find(asset->nodes[n].name);
        if (head == frame["heads"].end() || (splines && asset->nodes[n].name != "hip")) continue;
        ++bones;
        worst_bone = std::max(worst_bone, (translation(world[n]) - vec3(*head)).norm());
      }
      if (splines) continue;
      const PosedBinding posed = pose_binding(*asset, 0, facts.bind(0), pose);
      for (const auto& vertex : frame["vertices"]) {
        const auto found = nearest_vertex(*asset, posed, {}, vec3(vertex));
        worst_vertex = std::max(worst_vertex, found ? found->distance : HUGE_VAL);
      }
    }
    CHECK(bones == (splines ? 1 : 4) * expected["frames"].size());
    CHECK(worst_bone < 5e-6);
    CHECK(worst_vertex < 5e-6);
  }
  std::filesystem::remove_all(folder);
}
