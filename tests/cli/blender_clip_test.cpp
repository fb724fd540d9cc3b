// Clips and skinning against Blender's own evaluation of the scene it exported. Skipped where
// Blender is not installed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "blender_run.h"
#include "readers/reader.h"
#include "rules/facts.h"
#include "skinning/clip_pose.h"
#include "skinning/hierarchy.h"
#include "skinning/vertex_trace.h"

using namespace skinlint;

namespace {

Vec3 vec3(const nlohmann::json& numbers) {
  return Vec3(numbers.at(0).get<double>(), numbers.at(1).get<double>(),
              numbers.at(2).get<double>());
}

/// Worst entry of projection and of the camera's axes and place, against Blender's with +Z up.
double camera_difference(const Asset& asset, const nlohmann::json& expected) {
  if (asset.cameras.size() != 1 || !asset.cameras[0].clip_from_camera) return HUGE_VAL;
  const Camera& camera = asset.cameras[0];
  const Mat4 world =
      world_from_nodes(asset)[static_cast<std::size_t>(camera.node)] * camera.node_from_camera;
  double worst = 0.0;
  for (Eigen::Index row = 0; row < 4; ++row) {
    for (Eigen::Index column = 0; column < 4; ++column) {
      const auto blender = [&](const char* which, Eigen::Index r) {
        return expected[which]
            .at(static_cast<std::size_t>(r))
            .at(static_cast<std::size_t>(column))
            .get<double>();
      };
      worst = std::max(
          worst, std::abs((*camera.clip_from_camera)(row, column) - blender("projection", row)));
      if (row == 3) continue;
      const double there = row == 0   ? blender("matrix_world", 0)
                           : row == 1 ? blender("matrix_world", 2)
                                      : -blender("matrix_world", 1);
      const double scale = column < 3 ? world.col(column).head<3>().norm() : 1.0;
      worst = std::max(worst, std::abs(world(row, column) / scale - there));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("bones and vertices of a clip stand where Blender has them", "[cli][blender]") {
  const auto made = test::export_from_blender("blender_clip.py", "expected.json");
  if (!made) return;
  const auto& [folder, expected] = *made;
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
    if (!splines) CHECK(camera_difference(*asset, expected["camera"]) < 1e-5);
    CHECK(bones == (splines ? 1 : 4) * expected["frames"].size());
    CHECK(worst_bone < 5e-6);
    CHECK(worst_vertex < 5e-6);
  }
  std::filesystem::remove_all(folder);
}
