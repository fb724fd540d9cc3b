// How long one pose of a large mesh takes, against a plain float loop of the same blend. Run by
// hand; prints one line per variant. See docs/pose.md for the figures.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <vector>

#include "rules/facts.h"
#include "skinning/hierarchy.h"
#include "skinning/mesh_evaluator.h"
#include "skinning/pose_worlds.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

constexpr int kJoints = 60;
constexpr int kRings = 25000, kRing = 40;  // a million vertices

/// Processor time of the fastest of some runs: other work on the machine does not count.
double best_ms(const std::function<void()>& run) {
  double best = 1e300;
  for (int i = 0; i < 9; ++i) {
    const std::clock_t start = std::clock();
    run();
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Twelve floats, row by row, as anyone would write it down.
struct PlainMatrix {
  float m[12];
};

}  // namespace

int main() {
  const Asset asset = test::to_asset(test::chain_rig(kJoints, kRings, kRing));
  std::vector<Mat4> world = world_from_nodes(asset);
  for (std::int32_t n = 1; n < kJoints; ++n) {
    move_below(asset, n,
               own_motion(world[static_cast<std::size_t>(n)], {0.02, 0.05, -0.01}, Vec3::Zero()),
               world);
  }
  const MeshPose pose = mesh_pose(asset, 0, skin_matrices(asset, 0, world), Mat4::Identity(), {});
  const MeshPart& part = asset.meshes[0].parts[0];
  const InfluenceTable& table = asset.influences[0];
  const std::size_t n = part.vertex_count;

  // The plain loop reads what the file holds: float positions and weights, short joints.
  const auto* positions = reinterpret_cast<const float*>(part.positions.data);
  const auto* weights = reinterpret_cast<const float*>(table.sets[0].weights.data);
  const auto* joints = reinterpret_cast<const std::uint16_t*>(table.sets[0].joints.data);
  std::vector<PlainMatrix> plain(pose.skin.world_from_mesh.size());
  for (std::size_t j = 0; j < plain.size(); ++j) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 4; ++c)
        plain[j].m[4 * r + c] = static_cast<float>(pose.skin.world_from_mesh[j](r, c));
    }
  }
  std::vector<float> out(3 * n);
  const double loop = best_ms([&] {
    for (std::size_t v = 0; v < n; ++v) {
      const float x = positions[3 * v], y = positions[3 * v + 1], z = positions[3 * v + 2];
      float sx = 0, sy = 0, sz = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const float w = weights[4 * v + k];
        const float* m = plain[joints[4 * v + k]].m;
        sx += w * (m[0] * x + m[1] * y + m[2] * z + m[3]);
        sy += w * (m[4] * x + m[5] * y + m[6] * z + m[7]);
        sz += w * (m[8] * x + m[9] * y + m[10] * z + m[11]);
      }
      out[3 * v] = sx;
      out[3 * v + 1] = sy;
      out[3 * v + 2] = sz;
    }
  });
  fmt::print("{} vertices, {} joints, 4 influences\n", n, kJoints);
  fmt::print("{:<34} {:8.1f} ms\n", "plain float loop", loop);
  const auto report = [&](const char* name, double ms) {
    fmt::print("{:<34} {:8.1f} ms  {:.2f} x\n", name, ms, ms / loop);
  };
  EvaluateOptions linear, dual, normals;
  linear.method = normals.method = SkinningMethod::linear;
  dual.method = SkinningMethod::dual_quaternion;
  normals.normals = true;
  PosedPart posed;
  report("evaluator, double, linear",
         best_ms([&] { posed = MeshEvaluator(asset, 0, pose, linear).evaluate(0); }));
  double worst = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    const Vec3 mine(static_cast<double>(out[3 * v]), static_cast<double>(out[3 * v + 1]),
                    static_cast<double>(out[3 * v + 2]));
    worst = std::max(worst, (mine - posed.positions[v]).norm());
  }
  std::vector<Eigen::Vector3f> single;
  const std::vector<Eigen::Matrix4f> matrices = float_skin_matrices(asset, 0, world);
  report("evaluator, float, linear",
         best_ms([&] { single = evaluate_float(asset, 0, 0, matrices, {}); }));
  report("evaluator, double, with normals",
         best_ms([&] { posed = MeshEvaluator(asset, 0, pose, normals).evaluate(0); }));
  report("evaluator, double, dual quaternion",
         best_ms([&] { posed = MeshEvaluator(asset, 0, pose, dual).evaluate(0); }));
  fmt::print("loop and double differ by at most {:.2g} m\n", worst);
  return 0;
}
