#include "skinning/vertex_trace.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "readers/reader.h"
#include "rules/facts.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/matchers.h"
#include "support/read_bytes.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

VertexTrace trace(const Asset& asset, std::size_t vertex, const PoseChoice& pose = {},
                  ZeroWeightPolicy::Kind kind = ZeroWeightPolicy::Kind::reject,
                  const std::string& fallback = {}) {
  const Facts facts(asset, kind, fallback);
  const PosedBinding posed = pose_binding(asset, 0, facts.bind(0), pose);
  return trace_vertex(asset, posed, 0, vertex, facts.zero_weight(0));
}

/// A triangle at (1,0), weighted wholly to joint 0, and a second joint beside it at (4,1).
Rig plane_rig() {
  Rig rig;
  rig.nodes.resize(3);
  rig.nodes[0].name = "near";
  rig.nodes[0].translation = Vec3(2, 0, 0);
  rig.nodes[1].name = "far";
  rig.nodes[1].translation = Vec3(4, 1, 0);
  rig.nodes[2].name = "mesh";
  RigPart part;
  part.positions = {Vec3(1, 0, 0), Vec3(3, 0, 0), Vec3(1, 2, 0), Vec3(5, 2, 1)};
  part.normals = std::vector<Vec3>(4, Vec3(0, 0, 1));
  part.triangles = {0, 1, 2, 1, 3, 2};
  part.influences = {{{0, 1.0}}, {{0, 0.5}, {1, 0.5}}, {{0, 1.0}}, {{1, 1.0}}};
  rig.meshes = {{"mesh", {part}}};
  rig.skins = {{"skin", {0, 1}, std::nullopt, std::nullopt}};
  rig.instances = {{2, 0, 0}};
  rig.bind_at_rest();
  return rig;
}

PoseChoice clip_at(double seconds) {
  PoseChoice pose;
  pose.kind = PoseChoice::Kind::clip;
  pose.clip = 0;
  pose.seconds = seconds;
  return pose;
}

constexpr PoseChoice at_bind{PoseChoice::Kind::bind, -1, 0.0};

}  // namespace

TEST_CASE("golden: one bone moved from (2,0) to (5,0) is traced to (4,0)", "[skinning]") {
  Rig rig = plane_rig();
  rig.clips.push_back({"move", {rig_channel(0, ChannelPath::translation, {2, 0, 0, 5, 0, 0})}});
  const Asset asset = to_asset(rig);
  const VertexTrace moved = trace(asset, 0, clip_at(1.0));
  CHECK(moved.stored == Vec3(1, 0, 0));
  CHECK(worst_difference(moved.world, Vec3(4, 0, 0)) < 1e-12);
  CHECK(moved.displacement == Approx(3.0));
  CHECK(worst_difference(moved.linear, Mat3::Identity()) < 1e-12);
  CHECK(moved.problems.empty());
  REQUIRE(moved.influences.size() == 1);
  CHECK(worst_difference(translation(*moved.influences[0].mesh_from_joint), Vec3(2, 0, 0)) < 1e-12);
  CHECK(worst_difference(translation(moved.influences[0].skin), Vec3(3, 0, 0)) < 1e-12);
  // Half of it where two joints share the vertex; half of the time too.
  CHECK(worst_difference(trace(asset, 1, clip_at(0.5)).world, Vec3(3.75, 0, 0)) < 1e-12);
}

TEST_CASE("golden: inverse bind matrices left out are not the identity at rest", "[skinning]") {
  Rig rig = plane_rig();
  rig.skins[0].joint_from_mesh = std::nullopt;
  const Asset asset = to_asset(rig);
  const Facts facts(asset);
  const PosedBinding posed = pose_binding(asset, 0, facts.bind(0), {});
  const VertexTrace t = trace_vertex(asset, posed, 0, 1, {});
  CHECK(t.influences.size() == 2);
  CHECK(worst_difference(t.influences[0].skin, t.influences[1].skin) > 0.5);
  CHECK(worst_difference(t.world, Vec3(6, 0.5, 0)) < 1e-12);  // (3,0) + the mean of (2,0), (4,1)
}

TEST_CASE("at bind every S is the identity and nothing is displaced", "[skinning]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Asset asset = to_asset(random_rig(seed));
    const Facts facts(asset);
    for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
      const double size = facts.bind(b).size;
      const PosedBinding posed = pose_binding(asset, b, facts.bind(b), at_bind);
      CHECK(posed.problems.empty());
      const std::optional<FoundVertex> worst = worst_vertex(asset, posed, {});
      REQUIRE(worst);
      CHECK(worst->distance <= 1e-12 * size);
      const VertexTrace t = trace_vertex(asset, posed, worst->part, worst->vertex, {});
      CHECK(t.displacement <= 1e-12 * size);
      for (const TracedInfluence& i : t.influences) {
        CHECK(worst_difference(i.skin.topLeftCorner<3, 3>(), Mat3::Identity()) < 1e-9);
        CHECK(translation(i.skin).norm() <= 1e-9 * size);
      }
      CHECK(worst_difference(t.linear, Mat3::Identity()) < 1e-9);
    }
  }
}

TEST_CASE("gltf and fbx twins are traced to the same place, at rest and along a clip",
          "[skinning][twins]") {
  Rig rig = humanoid_rig();
  const int arm = rig.node("upper_arm.L");
  REQUIRE(arm >= 0);
  RigMorph smile{
      "smile", 0.25,
      std::vector<Vec3>(rig.meshes[0].parts[0].positions.size(), Vec3(0.01, 0.02, 0.03))};
  rig.meshes[0].parts[0].morphs = {smile};
  const Vec4 r = rig.nodes[static_cast<std::size_t>(arm)].rotation;
  rig.clips.push_back(
      {"raise",
       {rig_channel(arm, ChannelPath::rotation, {r[0], r[1], r[2], r[3], 0, 0, 0.6, 0.8}),
        rig_channel(0, ChannelPath::translation, {0, 1, 0, 0.5, 1, 0.5})}});
  FbxWriteOptions options;
  options.axes = {0, 2, 1};  // Z up
  options.signs = {1, 1, -1};
  const Asset gltf = read_bytes(write_glb(rig)), fbx = read_bytes(write_fbx(rig, options));
  REQUIRE(gltf.bindings.size() == 1);
  for (const PoseChoice& pose : {PoseChoice{}, at_bind, clip_at(0.0), clip_at(1.0)}) {
    CAPTURE(static_cast<int>(pose.kind), pose.seconds);
    for (const std::size_t vertex : {std::size_t{0}, std::size_t{17}, std::size_t{150}}) {
      const VertexTrace a = trace(gltf, vertex, pose), b = trace(fbx, vertex, pose);
      CHECK(worst_difference(a.world, b.world) < 2e-6);
      CHECK(a.displacement == Approx(b.displacement).margin(2e-6));
      CHECK(a.influences.size() == b.influences.size());
      CHECK(a.determinant == Approx(b.determinant).epsilon(1e-5));
      CHECK(a.morphs.size() == 1);
      CHECK(b.morphs.size() == 1);
      if (a.normal && b.normal && a.normal->world && b.normal->world)
        CHECK(worst_difference(*a.normal->world, *b.normal->world) < 1e-5);
    }
  }
}

TEST_CASE("morphs come before the skin", "[skinning]") {
  Rig rig = plane_rig();
  rig.meshes[0].parts[0].morphs = {
      {"up", 0.5, {Vec3(0, 2, 0), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}}};
  rig.clips.push_back(
      {"turn", {rig_channel(0, ChannelPath::rotation, {0, 0, std::sqrt(0.5), std::sqrt(0.5)})}});
  const Asset asset = to_asset(rig);
  const VertexTrace t = trace(asset, 0, clip_at(0.0));
  REQUIRE(t.morphs.size() == 1);
  CHECK(t.morphs[0].offset == Vec3(0, 1, 0));
  CHECK(t.morphed == Vec3(1, 1, 0));
  // A quarter turn about (2,0): (1,1) goes to (1,-1).
  CHECK(worst_difference(t.world, Vec3(1, -1, 0)) < 1e-6);
}

TEST_CASE("normals: inverse transpose against the matrices themselves", "[skinning]") {
  Rig rig = plane_rig();
  rig.meshes[0].parts[0].normals = std::vector<Vec3>(4, Vec3(0.6, 0.8, 0));
  rig.clips.push_back({"scale", {rig_channel(0, ChannelPath::scale, {2, 1, 1})}});
  const VertexTrace t = trace(to_asset(rig), 0, clip_at(0.0));
  REQUIRE(t.normal);
  REQUIRE(t.normal->by_inverse_transpose);
  CHECK(worst_difference(*t.normal->by_inverse_transpose, Vec3(0.3, 0.8, 0).normalized()) < 1e-6);
  CHECK(worst_difference(*t.normal->by_linear, Vec3(1.2, 0.8, 0).normalized()) < 1e-6);
  CHECK(*t.normal->angle_deg ==
        Approx((std::atan2(0.8, 0.3) - std::atan2(0.8, 1.2)) * 180.0 / 3.14159265358979));
  CHECK(t.determinant == Approx(2.0));
  CHECK(t.condition == Approx(2.0));
}

TEST_CASE("a singular L names the vertex and its joints", "[skinning]") {
  Rig rig = plane_rig();
  rig.clips.push_back({"flat", {rig_channel(0, ChannelPath::scale, {1, 0, 1})}});
  const Asset asset = to_asset(rig);
  const VertexTrace t = trace(asset, 0, clip_at(0.0));
  REQUIRE(t.problems.size() == 1);
  CHECK(t.problems[0].find("vertex 0") != std::string::npos);
  CHECK(t.problems[0].find("near") != std::string::npos);
  CHECK(t.determinant == Approx(0.0).margin(1e-12));
  REQUIRE(t.normal);
  CHECK_FALSE(t.normal->by_inverse_transpose);
  CHECK(trace(asset, 3, clip_at(0.0)).problems.empty());
}

TEST_CASE("vertices without weight, and with weights that are none", "[skinning]") {
  Rig rig = plane_rig();
  auto& influences = rig.meshes[0].parts[0].influences;
  influences[0] = {{0, 0.0}};
  influences[1] = {{0, std::nan("")}, {1, 0.5}};
  influences[2] = {{0, 2.0}, {1, 2.0}};
  const Asset asset = to_asset(rig);
  const VertexTrace rejected = trace(asset, 0);
  CHECK(rejected.state == SkinnedVertex::State::rejected);
  CHECK(rejected.problems.size() == 1);
  CHECK(std::isnan(rejected.world.x()));
  const VertexTrace fell = trace(asset, 0, {}, ZeroWeightPolicy::Kind::fallback, "far");
  CHECK(fell.state == SkinnedVertex::State::fell_back);
  CHECK(fell.problems.empty());
  REQUIRE(!fell.influences.empty());
  CHECK(fell.influences.back().is_fallback);
  CHECK(fell.influences.back().normalised == 1.0);
  CHECK(worst_difference(fell.world, Vec3(1, 0, 0)) < 1e-6);
  const VertexTrace broken = trace(asset, 1);
  CHECK(broken.state == SkinnedVertex::State::not_finite);
  CHECK(broken.problems.size() == 1);
  CHECK(std::isnan(broken.weight_sum));
  const VertexTrace heavy = trace(asset, 2);
  CHECK(heavy.weight_sum == 4.0);
  CHECK(heavy.influences[0].normalised == 0.5);
  CHECK(worst_difference(heavy.world, Vec3(1, 2, 0)) < 1e-6);
}

TEST_CASE("the worst and the nearest vertex", "[skinning]") {
  Rig rig = plane_rig();
  rig.clips.push_back({"move", {rig_channel(1, ChannelPath::translation, {4, 1, 0, 4, 4, 0})}});
  const Asset asset = to_asset(rig);
  const Facts facts(asset);
  const PosedBinding posed = pose_binding(asset, 0, facts.bind(0), clip_at(1.0));
  const std::optional<FoundVertex> worst = worst_vertex(asset, posed, {});
  REQUIRE(worst);
  CHECK(worst->vertex == 3);
  CHECK(worst->distance == Approx(3.0));
  const std::optional<FoundVertex> nearest = nearest_vertex(asset, posed, {}, Vec3(5, 4.9, 1));
  REQUIRE(nearest);
  CHECK(nearest->vertex == 3);
  CHECK(nearest->distance == Approx(0.1));
  CHECK(nearest_vertex(asset, posed, {}, Vec3(1, 1.4, 0))->vertex == 2);
  const PosedBinding still = pose_binding(asset, 0, facts.bind(0), {});
  CHECK(worst_vertex(asset, still, {})->distance < 1e-12);
}

TEST_CASE("link mode Total1 leaves at v what the weights leave of one", "[skinning]") {
  Rig rig = plane_rig();
  rig.meshes[0].parts[0].influences[0] = {{0, 0.5}};
  rig.clips.push_back({"move", {rig_channel(0, ChannelPath::translation, {5, 0, 0})}});
  FbxWriteOptions options;
  options.link_mode = LinkMode::total_one;
  const VertexTrace t = trace(read_bytes(write_fbx(rig, options)), 0, clip_at(0.0));
  CHECK(t.kept == Approx(0.5));
  CHECK(worst_difference(t.world, Vec3(2.5, 0, 0)) < 1e-6);
  options.link_mode = LinkMode::normalize;
  CHECK(worst_difference(trace(read_bytes(write_fbx(rig, options)), 0, clip_at(0.0)).world,
                         Vec3(4, 0, 0)) < 1e-6);
}
