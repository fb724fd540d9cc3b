#include "skinning/mesh_evaluator.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "rules/facts.h"
#include "skinning/pose_worlds.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

const double pi = std::acos(-1.0);

Mat4 random_motion(std::mt19937& random) {
  std::uniform_real_distribution<double> c(-1, 1);
  return compose_trs({c(random), c(random), c(random)},
                     Quat(c(random), c(random), c(random), c(random)).normalized(), Vec3::Ones());
}

EvaluateOptions how(SkinningMethod method, bool normals = false) {
  EvaluateOptions options;
  options.method = method;
  options.normals = normals;
  return options;
}

const SkinningMethod both_methods[] = {SkinningMethod::linear, SkinningMethod::dual_quaternion};

/// A chain whose joints are bent by different turns.
std::vector<Mat4> bent_chain(const Asset& asset) {
  std::vector<Mat4> world = Facts(asset).world_from_node();
  for (std::int32_t n = 1; n < 6; ++n) {
    move_below(asset, n,
               own_motion(world[static_cast<std::size_t>(n)], {0.3, 0.2 * n, -0.15}, Vec3::Zero()),
               world);
  }
  return world;
}

Vec3 stored_position(const MeshPart& part, std::size_t v) {
  Vec3 p;
  read_values(part.positions, v, 1, p.data());
  return p;
}

}  // namespace

TEST_CASE("bind gives the bind back to 1e-12 of the size, linear and dual quaternion",
          "[skinning]") {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Asset asset = test::to_asset(test::random_rig(seed));
    const Facts facts(asset);
    for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
      const Mat4& bind = facts.bind(b).consensus;
      const MeshPose pose =
          mesh_pose(asset, b, bind_pose_matrices(asset, b, bind), bind, {0.0, 0.0});
      const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[b].mesh)];
      for (const SkinningMethod method : both_methods) {
        const MeshEvaluator evaluator(asset, b, pose, how(method));
        for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
          if (asset.bindings[b].influences[p] < 0) continue;
          const PosedPart posed = evaluator.evaluate(p);
          double worst = 0.0;
          for (std::size_t v = 0; v < posed.positions.size(); ++v)
            worst = std::max(worst, (posed.positions[v] -
                                     transform_point(bind, stored_position(mesh.parts[p], v)))
                                        .norm());
          CHECK(worst <= 1e-12 * facts.bind(b).size);
          CHECK(posed.rejected + posed.not_finite + posed.fell_back == 0);
        }
      }
    }
  }
}

TEST_CASE("a rigid motion of all joints moves all vertices rigidly, linear and dual quaternion",
          "[skinning]") {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Asset asset = test::to_asset(test::random_rig(seed));
    const Facts facts(asset);
    std::mt19937 random(seed);
    const Mat4 motion = random_motion(random);
    std::vector<Mat4> moved = facts.world_from_node();
    for (Mat4& m : moved) m = motion * m;
    const Mat4& bind = facts.bind(0).consensus;
    const MeshPose rest =
        mesh_pose(asset, 0, skin_matrices(asset, 0, facts.world_from_node()), bind, {});
    const MeshPose after = mesh_pose(asset, 0, skin_matrices(asset, 0, moved), bind, {});
    for (const SkinningMethod method : both_methods) {
      const PosedPart a = MeshEvaluator(asset, 0, rest, how(method)).evaluate(0);
      const PosedPart b = MeshEvaluator(asset, 0, after, how(method)).evaluate(0);
      double worst = 0.0;
      for (std::size_t v = 0; v < a.positions.size(); ++v)
        worst = std::max(worst, (b.positions[v] - transform_point(motion, a.positions[v])).norm());
      INFO("seed " << seed);
      CHECK(worst <= 1e-9 * facts.bind(0).size);
    }
  }
}

TEST_CASE("whole meshes and single vertices are one evaluation", "[skinning]") {
  const Asset asset = test::to_asset(test::chain_rig());
  const SkinMatrices matrices = skin_matrices(asset, 0, bent_chain(asset));
  const MeshPose pose = mesh_pose(asset, 0, matrices, Mat4::Identity(), {});
  const PosedPart posed = MeshEvaluator(asset, 0, pose).evaluate(0);
  InfluenceReader reader(asset.influences[0]);
  for (std::size_t v = 0; v < posed.positions.size(); ++v) {
    const InfluenceBlock block = reader.at(v);
    const SkinnedVertex one = skin_vertex(stored_position(asset.meshes[0].parts[0], v),
                                          block.joints_of(0), block.weights_of(0), matrices);
    CHECK((posed.positions[v] - one.position).norm() < 1e-13);
  }
}

TEST_CASE("normals agree with finite differences where weights are constant nearby", "[skinning]") {
  // Six vertices around each of two places share their weights: the map is affine there.
  test::Rig rig = test::chain_rig(3, 6, 8);
  test::RigPart& part = rig.meshes[0].parts[0];
  for (auto& influences : part.influences) influences = {{0, 0.2}, {1, 0.5}, {2, 0.3}};
  const Asset asset = test::to_asset(rig);
  std::vector<Mat4> world = Facts(asset).world_from_node();
  move_below(asset, 1, own_motion(world[1], {0.7, 0.4, -0.3}, Vec3::Zero()), world);
  move_below(asset, 2, own_motion(world[2], {-0.5, 0.2, 0.9}, Vec3::Zero()), world);
  for (const SkinningMethod method : both_methods) {
    const MeshPose pose = mesh_pose(asset, 0, skin_matrices(asset, 0, world), Mat4::Identity(), {});
    const PosedPart posed = MeshEvaluator(asset, 0, pose, how(method, true)).evaluate(0);
    REQUIRE(posed.normals.size() == posed.positions.size());
    // Moving the stored vertices along two tangents and evaluating again.
    for (const std::size_t v : {std::size_t{0}, std::size_t{13}, std::size_t{30}}) {
      const Vec3 normal = part.normals[v];
      const Vec3 u = normal.unitOrthogonal(), w = normal.cross(u);
      const auto shifted = [&](const Vec3& by) {
        test::Rig other = rig;
        for (Vec3& p : other.meshes[0].parts[0].positions) p += by;
        const Asset moved = test::to_asset(other);
        return MeshEvaluator(moved, 0, pose, how(method)).evaluate(0).positions[v];
      };
      const Vec3 along = shifted(0.25 * u) - shifted(-0.25 * u);
      const Vec3 across = shifted(0.25 * w) - shifted(-0.25 * w);
      const Vec3 expected = along.cross(across).normalized();
      INFO("vertex " << v << ", method " << static_cast<int>(method));
      CHECK((posed.normals[v] - expected).norm() < 1e-5);  // positions are stored as floats
    }
  }
}

TEST_CASE("dual quaternions keep the radius of a twisted tube where linear blending loses it",
          "[skinning]") {
  test::Rig rig = test::chain_rig(2, 3, 8);
  for (auto& influences : rig.meshes[0].parts[0].influences) influences = {{0, 0.5}, {1, 0.5}};
  const Asset asset = test::to_asset(rig);
  std::vector<Mat4> world = Facts(asset).world_from_node();
  move_below(asset, 1, own_motion(world[1], {0, 0.5 * pi, 0}, Vec3::Zero()), world);
  const MeshPose pose = mesh_pose(asset, 0, skin_matrices(asset, 0, world), Mat4::Identity(), {});
  const auto radius = [&](SkinningMethod method) {
    const Vec3 p = MeshEvaluator(asset, 0, pose, how(method)).evaluate(0).positions[3];
    return std::hypot(p.x(), p.z());
  };
  CHECK(radius(SkinningMethod::linear) == Approx(std::sqrt(0.5)).epsilon(1e-6));
  CHECK(radius(SkinningMethod::dual_quaternion) == Approx(1.0).epsilon(1e-6));
}

TEST_CASE("dual quaternions of one joint are its matrix, scale and mirror included", "[skinning]") {
  test::Rig rig = test::chain_rig(2, 3, 8);
  for (auto& influences : rig.meshes[0].parts[0].influences) influences = {{1, 1.0}};
  const Asset asset = test::to_asset(rig);
  for (const Vec3& scale : {Vec3(2, 2, 2), Vec3(0.5, 1, 3), Vec3(-1, 1, 1)}) {
    std::vector<Mat4> world = Facts(asset).world_from_node();
    world[1] = compose_trs({0.3, 1.2, -0.4}, Quat(0.9, 0.2, -0.3, 0.1).normalized(), scale);
    const MeshPose pose = mesh_pose(asset, 0, skin_matrices(asset, 0, world), Mat4::Identity(), {});
    const auto positions = [&](SkinningMethod method) {
      return MeshEvaluator(asset, 0, pose, how(method)).evaluate(0).positions;
    };
    const auto linear = positions(SkinningMethod::linear);
    const auto dual = positions(SkinningMethod::dual_quaternion);
    for (std::size_t v = 0; v < linear.size(); ++v) CHECK((linear[v] - dual[v]).norm() < 1e-12);
  }
}

TEST_CASE("a blended skin mixes both methods by its shares", "[skinning]") {
  Asset asset = test::to_asset(test::chain_rig(3, 6, 8));
  const MeshPose pose = mesh_pose(
      asset, 0,
      skin_matrices(asset, 0,
                    [&] {
                      std::vector<Mat4> world = Facts(asset).world_from_node();
                      move_below(asset, 1, own_motion(world[1], {0, 2.0, 0}, Vec3::Zero()), world);
                      return world;
                    }()),
      Mat4::Identity(), {});
  const auto linear =
      MeshEvaluator(asset, 0, pose, how(SkinningMethod::linear)).evaluate(0).positions;
  const auto dual =
      MeshEvaluator(asset, 0, pose, how(SkinningMethod::dual_quaternion)).evaluate(0).positions;
  EvaluateOptions shares = how(SkinningMethod::blend);
  shares.quaternion_shares.assign(12, 0.0F);
  shares.quaternion_shares[10] = 0.25F;
  shares.quaternion_shares[11] = 7.0F;  // as far as it goes
  const auto mixed = MeshEvaluator(asset, 0, pose, shares).evaluate(0).positions;
  CHECK((mixed[9] - linear[9]).norm() < 1e-13);
  CHECK((mixed[10] - (0.75 * linear[10] + 0.25 * dual[10])).norm() < 1e-13);
  CHECK((mixed[11] - dual[11]).norm() < 1e-13);
  CHECK((dual[10] - linear[10]).norm() > 1e-3);
}

TEST_CASE("single precision, four influences and late morphs differ by what they should",
          "[skinning]") {
  test::Rig rig = test::chain_rig();
  test::RigPart& part = rig.meshes[0].parts[0];
  part.morphs.push_back({"grow", 0.0, std::vector<Vec3>(part.positions.size(), Vec3(0.5, 0, 0))});
  // One vertex with five influences, the least of them far behind.
  part.influences[40] = {{0, 0.3}, {1, 0.25}, {2, 0.2}, {3, 0.15}, {5, 0.1}};
  const Asset asset = test::to_asset(rig);
  const std::vector<Mat4> world = bent_chain(asset);
  const MeshPose pose =
      mesh_pose(asset, 0, skin_matrices(asset, 0, world), Mat4::Identity(), {1.0});
  EvaluateOptions fewest, after;
  fewest.max_influences = 4;
  after.morph_after_skin = true;
  const PosedPart exact = MeshEvaluator(asset, 0, pose).evaluate(0);
  const std::vector<Eigen::Vector3f> single =
      evaluate_float(asset, 0, 0, float_skin_matrices(asset, 0, world), {1.0});
  double float_error = 0.0;
  for (std::size_t v = 0; v < single.size(); ++v)
    float_error = std::max(float_error, (single[v].cast<double>() - exact.positions[v]).norm());
  CHECK(float_error > 1e-9);
  CHECK(float_error < 1e-5);

  const PosedPart four = MeshEvaluator(asset, 0, pose, fewest).evaluate(0);
  for (std::size_t v = 0; v < 40; ++v)
    CHECK((four.positions[v] - exact.positions[v]).norm() < 1e-13);
  const Vec3 at = stored_position(asset.meshes[0].parts[0], 40) + Vec3(0.5, 0, 0);
  Vec3 kept = Vec3::Zero();
  const double weights[] = {0.3, 0.25, 0.2, 0.15};
  for (std::size_t j = 0; j < 4; ++j)
    kept += weights[j] / 0.9 * transform_point(pose.skin.world_from_mesh[j], at);
  CHECK((four.positions[40] - kept).norm() < 1e-6);  // weights are stored as floats

  const PosedPart late = MeshEvaluator(asset, 0, pose, after).evaluate(0);
  const PosedPart plain =
      MeshEvaluator(asset, 0, mesh_pose(asset, 0, pose.skin, Mat4::Identity(), {})).evaluate(0);
  for (std::size_t v = 0; v < late.positions.size(); ++v)
    CHECK((late.positions[v] - plain.positions[v] - Vec3(0.5, 0, 0)).norm() < 1e-6);
  CHECK((late.positions.back() - exact.positions.back()).norm() > 1e-2);
}

TEST_CASE("vertices that cannot be evaluated are counted, never moved in silence", "[skinning]") {
  test::Rig rig = test::chain_rig(3, 4, 6);
  test::RigPart& part = rig.meshes[0].parts[0];
  part.influences[3] = {{0, 0.0}};
  part.influences[4] = {{0, std::nan("")}};
  part.influences[5] = {{0, 1.5}, {1, -0.5}};
  part.positions[6].x() = std::nan("");
  const Asset asset = test::to_asset(rig);
  const MeshPose pose = mesh_pose(asset, 0, skin_matrices(asset, 0, Facts(asset).world_from_node()),
                                  Mat4::Identity(), {});
  for (const SkinningMethod method : both_methods) {
    const PosedPart posed = MeshEvaluator(asset, 0, pose, how(method)).evaluate(0);
    CHECK(posed.rejected == 1);
    CHECK(posed.not_finite == 3);
    for (std::size_t v = 0; v < posed.positions.size(); ++v)
      CHECK(posed.positions[v].allFinite() == (v < 3 || v > 6));
  }
  EvaluateOptions fallback;
  fallback.zero_weight = {ZeroWeightPolicy::Kind::fallback, 1, 1e-6};
  const PosedPart posed = MeshEvaluator(asset, 0, pose, fallback).evaluate(0);
  CHECK(posed.fell_back == 1);
  CHECK(posed.positions[3].allFinite());
}
