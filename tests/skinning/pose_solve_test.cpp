#include "skinning/pose_solve.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "rules/facts.h"
#include "skinning/mesh_evaluator.h"
#include "skinning/pose_worlds.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

const double degrees = std::acos(-1.0) / 180.0;

struct Problem {
  Asset asset;
  std::vector<SolveBinding> bindings;
  std::vector<Mat4> world;
  std::vector<Vec3> target;
};

/// Every joint turned by angles that differ, the first one moved; morphs as given.
Problem posed(const test::Rig& rig, double angle_deg, const std::vector<double>& morphs = {}) {
  Problem out{test::to_asset(rig), {}, {}, {}};
  const Facts facts(out.asset);
  std::vector<Mat4> bind;
  for (std::size_t b = 0; b < out.asset.bindings.size(); ++b) {
    bind.push_back(facts.bind(b).consensus);
    out.bindings.push_back({b, facts.bind(b).consensus, facts.bind(b).size});
  }
  out.world = bind_worlds(out.asset, facts.world_from_node(), bind);
  int turned = 0;
  for (std::size_t n = 0; n < out.asset.nodes.size(); ++n) {
    if (!out.asset.nodes[n].is_joint) continue;
    const double a = angle_deg * degrees * (1.0 - 0.13 * (turned % 5));
    const Vec3 turn(turned % 3 == 0 ? a : 0.2 * a, turned % 3 == 1 ? -a : 0.1 * a,
                    turned % 3 == 2 ? a : -0.15 * a);
    const Vec3 shift = turned == 0 ? Vec3(0.3, -0.2, 0.5) : Vec3(Vec3::Zero());
    move_below(out.asset, static_cast<std::int32_t>(n), own_motion(out.world[n], turn, shift),
               out.world);
    ++turned;
  }
  for (const SolveBinding& b : out.bindings) {
    const MeshPose pose = mesh_pose(out.asset, b.binding,
                                    skin_matrices(out.asset, b.binding, out.world), b.bind, morphs);
    const MeshEvaluator evaluator(out.asset, b.binding, pose);
    const Mesh& mesh =
        out.asset.meshes[static_cast<std::size_t>(out.asset.bindings[b.binding].mesh)];
    for (std::size_t p = 0; p < mesh.parts.size(); ++p)
      for (const Vec3& v : evaluator.evaluate(p).positions) out.target.push_back(v);
  }
  return out;
}

/// Worst place of a determined joint against the truth.
double worst_joint(const Problem& problem, const Solution& solution) {
  double worst = 0.0;
  for (const SolvedJoint& joint : solution.joints) {
    if (!joint.determined) continue;
    const Mat4& truth = problem.world[static_cast<std::size_t>(joint.node)];
    worst = std::max(worst, (joint.world_from_joint - truth).cwiseAbs().maxCoeff());
  }
  return worst;
}

test::Rig morphed_chain() {
  test::Rig rig = test::chain_rig();
  test::RigPart& part = rig.meshes[0].parts[0];
  std::vector<Vec3> grow, lean;
  for (std::size_t v = 0; v < part.positions.size(); ++v) {
    const Vec3& p = part.positions[v];
    grow.push_back(0.4 * std::sin(2.0 * p.y()) * part.normals[v]);
    lean.push_back(Vec3(0, 0, v % 2 == 0 ? 0.3 : -0.1));
  }
  part.morphs = {{"grow", 0.0, grow}, {"lean", 0.0, lean}};
  return rig;
}

}  // namespace

TEST_CASE("solving recovers a known pose of the built rigs", "[skinning]") {
  for (const double angle : {10.0, 40.0}) {
    for (const test::Rig& rig : {test::chain_rig(), test::humanoid_rig()}) {
      const Problem problem = posed(rig, angle);
      const auto solution = solve_pose(problem.asset, problem.bindings, problem.target);
      REQUIRE(solution);
      INFO("angle " << angle << ", " << solution->rounds << " rounds");
      CHECK(solution->largest < 1e-6 * problem.bindings[0].size);
      CHECK(worst_joint(problem, *solution) < 1e-6);
      CHECK(std::count_if(solution->joints.begin(), solution->joints.end(),
                          [](const SolvedJoint& j) { return j.determined; }) >= 6);
    }
  }
}

TEST_CASE("solving recovers known morph activations together with the pose", "[skinning]") {
  const Problem problem = posed(morphed_chain(), 25.0, {0.7, -0.35});
  const auto solution = solve_pose(problem.asset, problem.bindings, problem.target);
  REQUIRE(solution);
  INFO(solution->rounds << " rounds");
  CHECK(solution->largest < 1e-6);
  CHECK(solution->morphs[0][0] == Approx(0.7).margin(1e-6));
  CHECK(solution->morphs[0][1] == Approx(-0.35).margin(1e-6));
  CHECK(worst_joint(problem, *solution) < 1e-6);
}

TEST_CASE("a turn is given in the joint's own axes, as a pose file takes it", "[skinning]") {
  Problem problem = posed(test::chain_rig(), 0.0);
  std::vector<Mat4> world = Facts(problem.asset).world_from_node();
  move_below(problem.asset, 3,
             own_motion(world[3], Vec3(20, -35, 50) * degrees, Vec3(0.1, 0, -0.2)), world);
  const MeshPose pose =
      mesh_pose(problem.asset, 0, skin_matrices(problem.asset, 0, world), Mat4::Identity(), {});
  problem.target = MeshEvaluator(problem.asset, 0, pose).evaluate(0).positions;
  const auto solution = solve_pose(problem.asset, problem.bindings, problem.target);
  REQUIRE(solution);
  for (const SolvedJoint& joint : solution->joints) {
    if (joint.node == 3) {
      CHECK((joint.rotation_deg - Vec3(20, -35, 50)).norm() < 1e-4);
      CHECK((joint.translation - Vec3(0.1, 0, -0.2)).norm() < 1e-6);
    } else if (joint.determined) {
      CHECK(joint.rotation_deg.norm() < 1e-4);
      CHECK(joint.translation.norm() < 1e-6);
    }
  }
}

TEST_CASE("a target that no pose reaches keeps its residual where it is", "[skinning]") {
  Problem problem = posed(test::chain_rig(), 20.0);
  problem.target[77] += Vec3(0, 0, 0.25);
  const auto solution = solve_pose(problem.asset, problem.bindings, problem.target);
  REQUIRE(solution);
  CHECK(solution->worst == 77);
  CHECK(solution->largest > 0.15);
  CHECK(solution->largest < 0.26);
  CHECK(solution->root_mean_square < 0.05);
}

TEST_CASE("targets that do not fit the mesh are refused with the reason", "[skinning]") {
  Problem problem = posed(test::chain_rig(), 0.0);
  std::vector<Vec3> fewer(problem.target.begin(), problem.target.end() - 1);
  const auto short_of = solve_pose(problem.asset, problem.bindings, fewer);
  REQUIRE_FALSE(short_of);
  CHECK(short_of.error() == "the target has 191 vertices, the mesh has 192");
  problem.target.push_back(Vec3::Zero());
  CHECK_FALSE(solve_pose(problem.asset, problem.bindings, problem.target));
  problem.target.pop_back();
  problem.target[5].y() = std::nan("");
  const auto not_finite = solve_pose(problem.asset, problem.bindings, problem.target);
  REQUIRE_FALSE(not_finite);
  CHECK(not_finite.error() == "vertex 5 of the target is not finite");
}
