#include "skinning/bind_analysis.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "rules/facts.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

Vec4 turn(double degrees, const Vec3& axis) {
  const Quat q(Eigen::AngleAxisd(degrees / 57.29577951308232, axis.normalized()));
  return {q.x(), q.y(), q.z(), q.w()};
}

const BindAnalysis analyse(const test::Rig& rig) {
  const Asset asset = test::to_asset(rig);
  return Facts(asset).bind(0);
}

std::vector<std::size_t> roots(const BindAnalysis& a) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    if (a.joints[j].subtree_root) found.push_back(j);
  }
  return found;
}

void move_vertices(test::Rig& rig, const Mat4& m) {
  for (Vec3& p : rig.meshes[0].parts[0].positions) p = transform_point(m, p);
}

void offset_binds(test::Rig& rig, const Mat4& joint_side) {
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m * joint_side;
}

}  // namespace

TEST_CASE("a clean rig binds at the identity with nothing drifting", "[skinning][bind]") {
  for (const test::Rig& rig : {test::chain_rig(), test::humanoid_rig()}) {
    const BindAnalysis a = analyse(rig);
    CHECK(a.state == BindState::identity);
    CHECK(a.candidate == Candidate::identity);
    CHECK(a.consensus_share == Approx(1.0));
    CHECK(a.drifting_joints == 0);
    CHECK(a.max_displacement <= a.tau * a.size);
    REQUIRE(a.placement.has_value());
    CHECK(*a.placement <= 0.041);
  }
}

TEST_CASE("one joint turned after the bind: its local alone changed, its children follow",
          "[skinning][bind]") {
  test::Rig rig = test::chain_rig(8);
  const int turned = rig.skins[0].joints[4];
  rig.nodes[static_cast<std::size_t>(turned)].rotation = turn(30, Vec3::UnitZ());
  const BindAnalysis a = analyse(rig);
  CHECK(a.state == BindState::drift);
  REQUIRE(roots(a) == std::vector<std::size_t>{4});
  CHECK(a.joints[4].own.angle_deg == Approx(30).epsilon(1e-3));
  CHECK(a.joints[7].drifts);
  CHECK(a.joints[7].own.displacement <= a.tau * a.size);
  CHECK_FALSE(a.joints[3].drifts);
  CHECK(a.candidate == Candidate::identity);
  CHECK_FALSE(a.displacement_is_bound);
  CHECK(a.max_displacement > 0.1 * a.size);
}

TEST_CASE("a pose of most joints does not become the space", "[skinning][bind]") {
  test::Rig rig = test::chain_rig(8);
  rig.nodes[static_cast<std::size_t>(rig.skins[0].joints[3])].rotation = turn(90, Vec3::UnitX());
  const BindAnalysis a = analyse(rig);  // 5 of 8 joints agree with one another, not with the file
  CHECK(a.candidate == Candidate::identity);
  CHECK(roots(a) == std::vector<std::size_t>{3});
}

TEST_CASE("a common offset is split and named", "[skinning][bind]") {
  struct Row {
    const char* what;
    Mat4 offset;
    bool axis, unit;
  };
  const std::vector<Row> rows = {
      {"turn",
       compose_trs(Vec3::Zero(), Quat(Eigen::AngleAxisd(-std::acos(0.0), Vec3::UnitX())),
                   Vec3::Ones()),
       true, false},
      {"unit", compose_trs(Vec3::Zero(), Quat::Identity(), Vec3::Constant(100)), false, true},
      {"both",
       compose_trs(Vec3::Zero(), Quat(Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitY())),
                   Vec3::Constant(0.01)),
       true, true},
      {"odd",
       compose_trs({0.1, 0.2, 9}, Quat(Eigen::AngleAxisd(0.3, Vec3(1, 1, 0).normalized())),
                   Vec3::Ones()),
       false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    test::Rig rig = test::humanoid_rig();
    offset_binds(rig, row.offset);
    const BindAnalysis a = analyse(rig);
    CHECK(a.state == BindState::common);
    CHECK(a.candidate == Candidate::none);
    REQUIRE(a.unexplained.has_value());
    CHECK(a.unexplained->is_axis_turn == row.axis);
    CHECK(a.unexplained->is_unit_factor == row.unit);
    CHECK(a.unexplained->named.empty() == !(row.axis || row.unit));
  }
}

TEST_CASE("a common offset that leaves the joints' centroids in place is one all the same",
          "[skinning][bind]") {
  // The spine's centroids lie in the plane of symmetry, so the identity fits them as well.
  test::Rig mirrored = test::humanoid_rig();
  offset_binds(mirrored, compose_trs(Vec3::Zero(), Quat::Identity(), Vec3(-1, 1, 1)));
  // All centroids of the tube lie on its axis.
  test::Rig turned = test::chain_rig(6);
  offset_binds(
      turned, compose_trs(Vec3::Zero(), Quat(Eigen::AngleAxisd(0.5, Vec3::UnitY())), Vec3::Ones()));
  for (const test::Rig& rig : {mirrored, turned}) {
    const BindAnalysis a = analyse(rig);
    CHECK(a.state == BindState::common);
    CHECK(a.candidate == Candidate::none);
    CHECK(a.consensus_share == Approx(1.0));
    CHECK_FALSE(a.consensus_from_declared);
    CHECK(a.drifting_joints == 0);
    REQUIRE(a.unexplained.has_value());
  }
  CHECK(analyse(mirrored).unexplained->named == "mirror of X");
  CHECK(analyse(turned).unexplained->parts.angle_deg == Approx(0.5 * 57.29577951308232));
}

TEST_CASE("a mesh stored in its armature's space is explained by the file", "[skinning][bind]") {
  test::Rig rig = test::humanoid_rig();
  const int root = rig.skins[0].joints[0];
  test::RigNode armature;
  armature.name = "Armature";
  armature.translation = {3, 0, -2};
  armature.rotation = turn(20, Vec3::UnitY());
  rig.nodes.push_back(armature);
  rig.nodes[static_cast<std::size_t>(root)].parent = static_cast<int>(rig.nodes.size()) - 1;
  const BindAnalysis a = analyse(rig);
  CHECK(a.state == BindState::common);
  CHECK(a.candidate == Candidate::ancestor_parent);
  CHECK(a.drifting_joints == 0);
}

TEST_CASE("vertices moved alone leave all matrices agreeing and show in placement",
          "[skinning][bind]") {
  test::Rig rig = test::humanoid_rig();
  move_vertices(rig, compose_trs({1, 0, 0}, Quat::Identity(), Vec3::Ones()));
  const BindAnalysis shifted = analyse(rig);
  CHECK(shifted.drifting_joints == 0);
  REQUIRE(shifted.placement.has_value());
  CHECK(*shifted.placement > 0.1);

  test::Rig grown = test::humanoid_rig();
  move_vertices(grown, compose_trs(Vec3::Zero(), Quat::Identity(), Vec3::Constant(100)));
  CHECK(*analyse(grown).placement > 0.1);
}

TEST_CASE("states: exploded needs a large posed box or stretch, a rigid pose is only drift",
          "[skinning][bind]") {
  test::Rig rig = test::chain_rig(8);
  rig.nodes[static_cast<std::size_t>(rig.skins[0].joints[5])].translation = {0, 400, 0};
  CHECK(analyse(rig).state == BindState::exploded);
  test::Rig posed = test::chain_rig(8);
  posed.nodes[static_cast<std::size_t>(posed.skins[0].joints[2])].rotation =
      turn(60, Vec3::UnitX());
  CHECK(analyse(posed).state == BindState::drift);
}

TEST_CASE("what cannot be computed is unknown, with the reason", "[skinning][bind]") {
  test::Rig unweighted = test::chain_rig();
  for (auto& v : unweighted.meshes[0].parts[0].influences) v.clear();
  const BindAnalysis a = analyse(unweighted);
  CHECK(a.state == BindState::unknown);
  CHECK_FALSE(a.unknown_because.empty());

  test::Rig nan = test::chain_rig(1);
  (*nan.skins[0].joint_from_mesh)[0](0, 3) = std::nan("");
  const BindAnalysis b = analyse(nan);
  CHECK(b.state == BindState::unknown);
  CHECK(b.joints[0].use == JointBind::Use::not_finite);
}

TEST_CASE("finite matrices whose inverse or product is not are not used", "[skinning][bind]") {
  const auto scaled = [](double s) {
    return compose_trs(Vec3::Zero(), Quat::Identity(), Vec3::Constant(s));
  };
  test::Rig tiny = test::chain_rig(2);
  (*tiny.skins[0].joint_from_mesh)[1] = scaled(1e-310);
  CHECK(analyse(tiny).joints[1].use == JointBind::Use::singular);

  test::Rig vast = test::chain_rig(2);
  vast.nodes[static_cast<std::size_t>(vast.skins[0].joints[1])].matrix = scaled(1e200);
  (*vast.skins[0].joint_from_mesh)[1] = scaled(1e200);
  CHECK(analyse(vast).joints[1].use == JointBind::Use::not_finite);
}

TEST_CASE("bindings share an analysis only where their meshes stand alike", "[skinning][bind]") {
  Asset asset = test::to_asset(test::humanoid_rig());
  asset.format = Format::fbx_binary;
  asset.bindings.push_back(asset.bindings[0]);
  asset.bindings.push_back(asset.bindings[0]);
  asset.bindings[2].node_from_geometry = compose_trs({9, 0, 0}, Quat::Identity(), Vec3::Ones());
  const Facts facts(asset);
  CHECK(&facts.bind(0) == &facts.bind(1));
  CHECK(facts.bind(0).candidate == Candidate::identity);
  CHECK(facts.bind(2).candidate == Candidate::none);
}

TEST_CASE("property: bind analysis does not care where, how turned and how large the world is",
          "[skinning][bind]") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    test::Rig rig = test::random_rig(seed);
    const BindAnalysis before = analyse(rig);
    // The whole file conjugated: roots moved by C, binds by C^-1, vertices by C.
    const double s = seed % 2 == 0 ? 0.01 : 1.0;
    const Mat4 c = compose_trs({0.4, -0.2, 0.7},
                               Quat(Eigen::AngleAxisd(0.1 * seed, Vec3(1, seed, 2).normalized())),
                               Vec3::Constant(s));
    const std::vector<Mat4> world = rig.world_from_node();
    for (std::size_t n = 0; n < rig.nodes.size(); ++n) {
      if (rig.nodes[n].parent < 0) rig.nodes[n].matrix = c * world[n];
    }
    for (test::RigMesh& mesh : rig.meshes) {
      for (test::RigPart& part : mesh.parts) {
        for (Vec3& p : part.positions) p = transform_point(c, p);
      }
    }
    for (test::RigSkin& skin : rig.skins) {
      for (Mat4& m : *skin.joint_from_mesh) m = m * *affine_inverse(c);
    }
    const BindAnalysis after = analyse(rig);
    CHECK(after.drifting_joints == before.drifting_joints);
    CHECK(after.consensus_share == Approx(before.consensus_share));
    CHECK((after.state == BindState::identity || after.state == BindState::common));
    // The box of a turned mesh differs, so sizes agree only up to that.
    CHECK(after.size / s == Approx(before.size).epsilon(0.8));
    CHECK(after.placement.has_value() == before.placement.has_value());
  }
}

TEST_CASE("a joint near the top, turned with nearly all below it, does not take the space along",
          "[skinning][bind]") {
  test::Rig rig = test::chain_rig(12);
  rig.nodes[static_cast<std::size_t>(rig.skins[0].joints[1])].rotation = turn(35, Vec3(1, 0, 1));
  const BindAnalysis a = analyse(rig);
  CHECK(a.candidate == Candidate::identity);
  CHECK(a.consensus_share < 0.25);
  CHECK(roots(a) == std::vector<std::size_t>{1});
}

TEST_CASE("a top joint slightly off does not put the others off", "[skinning][bind]") {
  // Within what the vote counts as agreement all joints tie, and the top joint stands first.
  test::Rig rig = test::chain_rig(8);
  const BindAnalysis clean = analyse(rig);
  (*rig.skins[0].joint_from_mesh)[0](0, 3) += 5.0 * clean.tau * clean.size;
  const BindAnalysis a = analyse(rig);
  CHECK(a.candidate == Candidate::identity);
  CHECK(a.drifting_joints == 1);
  CHECK(a.joints[0].drifts);
}
