#include "skinning/pose_figures.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "rules/facts.h"
#include "skinning/joint_turns.h"
#include "skinning/pose_analysis.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

const double pi = std::acos(-1.0);

/// Two joints along Y, a closed prism of many sides around them, weights a smooth step about the
/// second joint that is `width` long.
test::Rig bending_tube(double width, int rings = 41, int ring = 24) {
  test::Rig rig = test::chain_rig(2, rings, ring);
  test::RigPart& part = rig.meshes[0].parts[0];
  for (std::size_t v = 0; v < part.positions.size(); ++v) {
    Vec3& p = part.positions[v];
    p = Vec3(0.3 * p.x(), 1.0 + 1.5 * (p.y() - 1.0), 0.3 * p.z());
    const double t = std::min(1.0, std::max(0.0, (p.y() - 1.0) / width + 0.5));
    part.influences[v] = {{0, 1.0 - t}, {1, t}};
  }
  return rig;
}

struct Bound {
  Asset asset;
  BoundMesh mesh;
};
Bound bound(const test::Rig& rig) {
  Bound out{test::to_asset(rig), {}};
  const Facts facts(out.asset);
  out.mesh = bound_mesh(out.asset, 0, facts.bind(0).consensus, facts.bind(0).size);
  return out;
}

PoseFigures turned(const BoundMesh& mesh, std::int32_t slot, const Vec3& axis, double angle,
                   bool quaternions) {
  const Zone zone = zone_of_turn(mesh, weights_below(mesh, slot));
  const PointMover mover(mesh, turn_motions(mesh, slot, axis, angle), quaternions);
  return measure_pose(mesh, zone, mover);
}

}  // namespace

TEST_CASE("a bound mesh joins what a file splits and knows its neighbours", "[skinning]") {
  const Bound split = bound(test::chain_rig(3, 4, 6));
  CHECK(split.mesh.positions.size() == 24);
  CHECK(split.mesh.triangles.size() == 36);
  CHECK(split.mesh.size == Approx(std::sqrt(9.0 + 4.0 + 3.0)).margin(0.2));
  std::size_t border = 0;
  for (std::size_t p = 0; p < split.mesh.positions.size(); ++p) {
    CHECK(split.mesh.ring_of(p).size() >= 3);
    border += split.mesh.border[p] ? 1U : 0U;
  }
  CHECK(border == 12);  // the rims at both ends

  // Unindexed: every corner its own vertex, and yet the same points.
  const Asset loose = test::to_asset(test::chain_rig(3, 4, 6), {.indexed = false});
  const Facts facts(loose);
  const BoundMesh joined = bound_mesh(loose, 0, facts.bind(0).consensus, facts.bind(0).size);
  CHECK(joined.point_of_vertex.size() == 108);
  CHECK(joined.positions.size() == 24);
  CHECK(joined.merged == 24);
  CHECK(joined.triangles.size() == 36);
}

TEST_CASE("half a turn about the bone closes a tube like a candy wrapper; dual quaternions keep it",
          "[skinning]") {
  const Bound tube = bound(bending_tube(1.0));
  const Zone zone = zone_of_turn(tube.mesh, weights_below(tube.mesh, 1));
  const JointLimits limits = measure_joint(tube.mesh, 1, zone, weights_below(tube.mesh, 1));
  REQUIRE(limits.candy_wrapper);
  CHECK(*limits.candy_wrapper == Approx(0.0).margin(1e-6));
  REQUIRE(limits.volume.size() == 4);
  // A disc of weight w keeps 1 - 4 w (1 - w) of its area: a third over a straight step.
  REQUIRE(limits.volume[3].twist);
  CHECK(*limits.volume[3].twist == Approx(1.0 / 3.0).epsilon(0.1));
  CHECK(*limits.volume[3].twist_quaternion == Approx(1.0).epsilon(0.02));
  // 90 degrees: 1 - 2 w (1 - w), two thirds.
  CHECK(*limits.volume[1].twist == Approx(2.0 / 3.0).epsilon(0.03));
  CHECK(*limits.volume[0].twist > *limits.volume[1].twist);
}

TEST_CASE("a sharp bend turns faces over on its inside, a gentle one does not", "[skinning]") {
  const Bound sharp = bound(bending_tube(0.15)), gentle = bound(bending_tube(1.8));
  const PoseFigures bent = turned(sharp.mesh, 1, Vec3::UnitX(), pi / 2, false);
  CHECK(bent.inverted_triangles > 0);
  CHECK(bent.max_stretch > 1.5);
  CHECK(bent.min_stretch < 0.5);
  CHECK(turned(gentle.mesh, 1, Vec3::UnitX(), pi / 6, false).inverted_triangles == 0);
}

TEST_CASE("a turn of everything stretches nothing and keeps the volume", "[skinning]") {
  const Bound tube = bound(bending_tube(1.0));
  const Zone everything = whole_mesh(tube.mesh);
  for (const bool quaternions : {false, true}) {
    const PointMover mover(tube.mesh, turn_motions(tube.mesh, 0, Vec3(1, 2, 3).normalized(), 2.0),
                           quaternions);
    const PoseFigures figures = measure_pose(tube.mesh, everything, mover);
    CHECK(figures.max_stretch == Approx(1.0).epsilon(1e-9));
    CHECK(figures.min_stretch == Approx(1.0).epsilon(1e-9));
    CHECK(figures.inverted_triangles == 0);
    REQUIRE(figures.volume_ratio);
    CHECK(*figures.volume_ratio == Approx(1.0).epsilon(1e-9));
    CHECK(figures.worst.empty());
  }
}

TEST_CASE("an open sheet has no volume to lose", "[skinning]") {
  test::Rig rig = bending_tube(1.0);
  for (Vec3& p : rig.meshes[0].parts[0].positions) p.z() = 0.0;
  const Bound sheet = bound(rig);
  CHECK_FALSE(turned(sheet.mesh, 1, Vec3::UnitX(), 1.0, false).volume_ratio);
}

TEST_CASE("poses of a sound rig are limits of blending, never faults", "[skinning]") {
  const Asset asset = test::to_asset(bending_tube(0.6));
  const Facts facts(asset);
  PoseInput input;
  input.asset = &asset;
  input.bind = &facts.bind(0);
  const PoseAnalysis analysis = analyse_poses(input);
  CHECK(analysis.matrix_faults.empty());
  CHECK(analysis.weight_faults.empty());
  CHECK(analysis.still_joints == 1);  // the first joint carries everything
  REQUIRE(analysis.poses.size() == 7);
  CHECK(analysis.poses[0].name == "joint1:x+90");
  CHECK(analysis.poses[6].name == "joint1:twist180");
  CHECK(analysis.poses[6].kind == PoseKind::blending);
  for (const PoseResult& pose : analysis.poses)
    CHECK((pose.kind == PoseKind::blending || pose.kind == PoseKind::none));
}

TEST_CASE("a joint that is not where it was bound is a matrix fault of its poses", "[skinning]") {
  test::Rig rig = test::chain_rig();
  rig.nodes[3].translation.x() += 0.4;
  const Asset asset = test::to_asset(rig);
  const Facts facts(asset);
  PoseInput input;
  input.asset = &asset;
  input.bind = &facts.bind(0);
  const PoseAnalysis analysis = analyse_poses(input);
  REQUIRE(analysis.matrix_faults.size() == 3);  // the joint and the two below it
  CHECK(analysis.matrix_faults[0].slot == 3);
  CHECK(analysis.matrix_faults[0].starts);
  CHECK_FALSE(analysis.matrix_faults[1].starts);
  CHECK(analysis.matrix_faults[0].displacement == Approx(0.4).epsilon(1e-3));
  CHECK(analysis.weight_faults.empty());
  for (const PoseResult& pose : analysis.poses)
    CHECK((pose.kind == PoseKind::matrix) == (pose.turn->slot >= 3));
}
