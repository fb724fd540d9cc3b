// The evaluator against Blender's own deformed mesh, for ten poses of one rig in both formats,
// linear and dual quaternion. Skipped where Blender is not installed.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "blender_run.h"
#include "readers/reader.h"
#include "rules/facts.h"
#include "skinning/mesh_evaluator.h"

using namespace skinlint;

namespace {

std::vector<Vec3> vectors(const nlohmann::json& values) {
  std::vector<Vec3> out;
  for (const auto& v : values) out.emplace_back(v[0], v[1], v[2]);
  return out;
}

/// Blender's vertex for each of ours, by where both stand at rest.
std::vector<std::size_t> matched(const std::vector<Vec3>& ours, const std::vector<Vec3>& blenders) {
  std::vector<std::size_t> match;
  for (const Vec3& p : ours) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < blenders.size(); ++i) {
      if ((blenders[i] - p).squaredNorm() < (blenders[best] - p).squaredNorm()) best = i;
    }
    CHECK((blenders[best] - p).norm() < 1e-4);
    match.push_back(best);
  }
  return match;
}

}  // namespace

TEST_CASE("posed meshes are Blender's own, linear and dual quaternion", "[cli][blender]") {
  const auto made = test::export_from_blender("blender_pose.py", "deformed.json");
  if (!made) return;
  const auto& [folder, deformed] = *made;
  const std::vector<Vec3> rest = vectors(deformed["rest"]);
  std::size_t compared = 0;
  for (const auto& pose : deformed["poses"]) {
    for (const char* ending : {".glb", ".fbx"}) {
      const std::string path =
          (folder / (pose["name"].get<std::string>() + std::string(ending))).string();
      const Result<Asset> asset = read_asset(path, ReadOptions{});
      INFO(path);
      REQUIRE(asset);
      REQUIRE(asset->bindings.size() == 1);
      const Facts facts(*asset);
      const BindAnalysis& bind = facts.bind(0);
      const auto positions = [&](const SkinMatrices& matrices, SkinningMethod method) {
        EvaluateOptions options;
        options.method = method;
        const MeshPose posed = mesh_pose(*asset, 0, matrices, bind.consensus, {});
        return MeshEvaluator(*asset, 0, posed, options).evaluate(0).positions;
      };
      const std::vector<std::size_t> match = matched(
          positions(bind_pose_matrices(*asset, 0, bind.consensus), SkinningMethod::linear), rest);
      for (const char* key : {"linear", "dual"}) {
        const std::vector<Vec3> theirs = vectors(pose[key]);
        const std::vector<Vec3> ours =
            positions(skin_matrices(*asset, 0, facts.world_from_node()),
                      key[0] == 'l' ? SkinningMethod::linear : SkinningMethod::dual_quaternion);
        double worst = 0.0;
        for (std::size_t v = 0; v < ours.size(); ++v)
          worst = std::max(worst, (ours[v] - theirs[match[v]]).norm());
        INFO(key);
        CHECK(worst <= 1e-4 * bind.size);
        ++compared;
      }
    }
  }
  CHECK(compared == 40);
  std::filesystem::remove_all(folder);
}
