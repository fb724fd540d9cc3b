#include "skinning/evaluator.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "rules/facts.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

Mat4 translate(double x, double y, double z) {
  return compose_trs({x, y, z}, Quat::Identity(), Vec3::Ones());
}

}  // namespace

TEST_CASE("golden: one bone moved from (2,0) to (5,0) carries (1,0) to (4,0)", "[skinning]") {
  const SkinMatrices skin{{translate(5, 0, 0) * *affine_inverse(translate(2, 0, 0))}, {true}};
  const std::array<std::uint32_t, 1> joints = {0};
  const std::array<double, 1> weights = {1.0};
  const SkinnedVertex v = skin_vertex({1, 0, 0}, joints, weights, skin);
  REQUIRE(v.state == SkinnedVertex::State::moved);
  CHECK(v.position.isApprox(Vec3(4, 0, 0), 1e-15));
}

TEST_CASE("golden: leaving the inverse bind out is not the identity", "[skinning]") {
  const std::array<std::uint32_t, 2> joints = {0, 1};
  const std::array<double, 2> weights = {0.5, 0.5};
  const Mat4 first = translate(2, 0, 0), second = translate(4, 1, 0);
  const SkinMatrices right{{first * *affine_inverse(first), second * *affine_inverse(second)},
                           {true, true}};
  CHECK(skin_vertex({1, 0, 0}, joints, weights, right).position.isApprox(Vec3(1, 0, 0), 1e-15));
  const SkinMatrices left_out{{first, second}, {true, true}};
  CHECK(
      skin_vertex({1, 0, 0}, joints, weights, left_out).position.isApprox(Vec3(4, 0.5, 0), 1e-15));
}

TEST_CASE("weights are normalised by their sum; zero, negative and NaN never pass in silence",
          "[skinning]") {
  const SkinMatrices skin{{translate(1, 0, 0), translate(0, 1, 0)}, {true, true}};
  const std::array<std::uint32_t, 2> joints = {0, 1};
  const auto state = [&](double a, double b) {
    const std::array<double, 2> weights = {a, b};
    return skin_vertex(Vec3::Zero(), joints, weights, skin);
  };
  CHECK(state(1, 1).position.isApprox(Vec3(0.5, 0.5, 0)));
  CHECK(state(0, 0).state == SkinnedVertex::State::rejected);
  CHECK(state(1e-7, 0).state == SkinnedVertex::State::rejected);
  CHECK(state(1.5, -0.5).state == SkinnedVertex::State::not_finite);
  CHECK(state(std::nan(""), 1).state == SkinnedVertex::State::not_finite);
  CHECK(state(std::numeric_limits<double>::infinity(), 1).state ==
        SkinnedVertex::State::not_finite);

  ZeroWeightPolicy fallback{ZeroWeightPolicy::Kind::fallback, 1, 1e-6};
  const std::array<double, 2> none = {0, 0};
  const SkinnedVertex fell = skin_vertex(Vec3::Zero(), joints, none, skin, fallback);
  CHECK(fell.state == SkinnedVertex::State::fell_back);
  CHECK(fell.position.isApprox(Vec3(0, 1, 0)));
  fallback.fallback_slot = 9;
  CHECK(skin_vertex(Vec3::Zero(), joints, none, skin, fallback).state ==
        SkinnedVertex::State::rejected);
}

TEST_CASE("influences on joints that are not there or not usable are not evaluated", "[skinning]") {
  const SkinMatrices skin{{translate(1, 0, 0), Mat4::Identity()}, {true, false}};
  const std::array<double, 2> weights = {0.5, 0.5};
  const std::array<std::uint32_t, 2> unusable = {0, 1}, outside = {0, 7};
  CHECK(skin_vertex(Vec3::Zero(), unusable, weights, skin).state ==
        SkinnedVertex::State::not_finite);
  CHECK(skin_vertex(Vec3::Zero(), outside, weights, skin).state ==
        SkinnedVertex::State::not_finite);
}

TEST_CASE("normals follow the inverse transpose, and a singular blend has none", "[skinning]") {
  const Mat3 squash = Vec3(1, 0.5, 1).asDiagonal();
  const Vec3 slope = Vec3(1, 1, 0).normalized();
  CHECK(skin_normal(slope, squash)->isApprox(Vec3(1, 2, 0).normalized()));
  CHECK_FALSE(skin_normal(slope, Vec3(1, 0, 1).asDiagonal()).has_value());
  CHECK_FALSE(skin_normal(Vec3::Zero(), squash).has_value());
  // Two joints half a turn apart cancel each other across the axis.
  const Mat4 half_turn = compose_trs(
      Vec3::Zero(), Quat(Eigen::AngleAxisd(std::acos(-1.0), Vec3::UnitY())), Vec3::Ones());
  const SkinMatrices skin{{Mat4::Identity(), half_turn}, {true, true}};
  const std::array<std::uint32_t, 2> joints = {0, 1};
  const std::array<double, 2> weights = {0.5, 0.5};
  CHECK(relative_determinant(blended_linear(joints, weights, skin)) < 1e-9);
}

TEST_CASE("property: identity at bind, and a rigid motion of all joints moves all vertices rigidly",
          "[skinning]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Asset asset = test::to_asset(test::random_rig(seed));
    const Facts facts(asset);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> coordinate(-3, 3);
    const Mat4 motion = compose_trs(
        {coordinate(random), coordinate(random), coordinate(random)},
        Quat(coordinate(random), coordinate(random), coordinate(random), coordinate(random))
            .normalized(),
        Vec3::Ones());
    for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
      SkinMatrices rest = facts.skin_matrices(b);
      SkinMatrices moved = rest;
      for (Mat4& m : moved.world_from_mesh) m = motion * m;
      const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[b].mesh)];
      for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
        if (asset.bindings[b].influences[p] < 0) continue;
        InfluenceReader reader(
            asset.influences[static_cast<std::size_t>(asset.bindings[b].influences[p])]);
        for (std::size_t v = 0; v < mesh.parts[p].vertex_count; v += 7) {
          std::array<double, 3> xyz{};
          read_values(mesh.parts[p].positions, v, 1, xyz.data());
          const Vec3 at(xyz[0], xyz[1], xyz[2]);
          const InfluenceBlock block = reader.at(v);
          const SkinnedVertex bind = skin_vertex(at, block.joints_of(0), block.weights_of(0), rest);
          REQUIRE(bind.state == SkinnedVertex::State::moved);
          // Float32 inverse binds in the rig bound what "identity" can mean here.
          const Vec3 expected = transform_point(facts.bind(b).consensus, at);
          CHECK((bind.position - expected).norm() <= 1e-4 * facts.bind(b).size);
          const SkinnedVertex after =
              skin_vertex(at, block.joints_of(0), block.weights_of(0), moved);
          CHECK((after.position - transform_point(motion, bind.position)).norm() <=
                1e-9 * (1 + bind.position.norm()));
        }
      }
    }
  }
}

TEST_CASE(
    "morph offsets add in mesh space, before skinning; activation zero gives the bind pose back",
    "[skinning]") {
  test::Rig rig = test::chain_rig();
  test::RigPart& part = rig.meshes[0].parts[0];
  part.morphs.push_back({"grow", 0.0, std::vector<Vec3>(part.positions.size(), Vec3(0.5, 0, 0))});
  const Asset asset = test::to_asset(rig);
  std::vector<Vec3> positions(4, Vec3::Zero());
  const std::array<double, 1> none = {0.0}, half = {0.5};
  add_morphs(asset.meshes[0], 0, none, 2, positions);
  CHECK(positions[3] == Vec3::Zero());
  add_morphs(asset.meshes[0], 0, half, 2, positions);
  for (const Vec3& p : positions) CHECK(p.isApprox(Vec3(0.25, 0, 0), 1e-6));
}

TEST_CASE("in-betweens are piecewise linear over their full weights", "[skinning]") {
  const std::array<float, 3> low = {1, 0, 0}, high = {0, 4, 0};
  const auto stream = [](const std::array<float, 3>& values) {
    Stream s;
    s.data = reinterpret_cast<const std::byte*>(values.data());
    s.count = 1;
    s.stride = 12;
    s.type = ComponentType::f32;
    s.components = 3;
    return s;
  };
  Mesh mesh;
  mesh.parts.resize(1);
  MorphTarget target;
  target.shapes.push_back({0.5, {stream(low)}, {}});
  target.shapes.push_back({1.0, {stream(high)}, {}});
  mesh.morphs.push_back(target);
  const auto at = [&](double activation) {
    std::vector<Vec3> p(1, Vec3::Zero());
    const std::array<double, 1> a = {activation};
    add_morphs(mesh, 0, a, 0, p);
    return p[0];
  };
  CHECK(at(0.25).isApprox(Vec3(0.5, 0, 0)));
  CHECK(at(0.5).isApprox(Vec3(1, 0, 0)));
  CHECK(at(0.75).isApprox(Vec3(0.5, 2, 0)));
  CHECK(at(1.0).isApprox(Vec3(0, 4, 0)));
}
