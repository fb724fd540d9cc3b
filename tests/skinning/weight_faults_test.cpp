#include "skinning/weight_faults.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "rules/facts.h"
#include "support/planted_weights.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

std::vector<WeightFault> faults_of(const Asset& asset) {
  const Facts facts(asset);
  std::vector<WeightFault> all;
  for (std::size_t b = 0; b < asset.bindings.size(); ++b) {
    const BindAnalysis& bind = facts.bind(b);
    const BoundMesh mesh = bound_mesh(asset, b, bind.consensus, bind.size);
    for (const WeightFault& fault : find_weight_faults(mesh)) all.push_back(fault);
  }
  return all;
}

std::string told(const std::vector<WeightFault>& faults) {
  std::string out;
  for (const WeightFault& f : faults)
    out += std::string(weight_fault_name(f.kind)) + " joint " + std::to_string(f.joint) + " x" +
           std::to_string(f.count) + " tear " + std::to_string(f.tear) + "\n";
  return out;
}

}  // namespace

// random_rig is left out: it gives weights to joints anywhere, which is the fault itself.
TEST_CASE("built rigs without faults have no weight faults", "[skinning]") {
  CHECK(faults_of(test::to_asset(test::chain_rig())).empty());
  CHECK(faults_of(test::to_asset(test::humanoid_rig())).empty());
}

TEST_CASE("one vertex bound to a far hand is a stray vertex that names the hand", "[skinning]") {
  const Asset clean = test::to_asset(test::humanoid_rig());
  for (const char* from : {"hand.L", "shin.R", "chest"}) {
    const test::Planted planted = test::bind_one_vertex_far(clean, from);
    REQUIRE(planted.vertices.size() == 1);
    const auto faults = faults_of(planted.asset);
    INFO(from << "\n" << told(faults));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == WeightFault::Kind::stray_vertex);
    CHECK(faults[0].count == 1);
    CHECK(faults[0].joint == planted.joint);
    CHECK(faults[0].stretch > 4.0 * faults[0].ring_stretch);
    CHECK(faults[0].distance > 2.5 * faults[0].usual_distance);
  }
}

TEST_CASE("a swapped left and right weight is a weight fault", "[skinning]") {
  const Asset clean = test::to_asset(test::humanoid_rig());
  const test::Planted planted = test::swap_sides(clean, "hand.L", "hand.R", 1);
  const auto faults = faults_of(planted.asset);
  INFO(told(faults));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == WeightFault::Kind::stray_vertex);
  CHECK(faults[0].joint == planted.joint);
}

TEST_CASE("a patch that follows a far joint is an island", "[skinning]") {
  const Asset clean = test::to_asset(test::humanoid_rig());
  const test::Planted planted = test::swap_sides(clean, "forearm.L", "forearm.R", 4);
  REQUIRE(planted.vertices.size() == 4);
  const auto faults = faults_of(planted.asset);
  INFO(told(faults));
  REQUIRE_FALSE(faults.empty());
  std::uint64_t points = 0;
  for (const WeightFault& fault : faults) points += fault.count;
  CHECK(points == 4);
}

TEST_CASE(
    "an unsmoothed joint in a smooth mesh is a hard edge; a mesh that is hard throughout is "
    "a design",
    "[skinning]") {
  const Asset clean = test::to_asset(test::chain_rig(10, 60, 8));
  const test::Planted planted = test::harden_joint(clean, 5);
  const auto faults = faults_of(planted.asset);
  INFO(told(faults));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == WeightFault::Kind::hard_edge);
  CHECK(faults[0].joint == 5);

  Asset rigid = clean;
  for (int j = 1; j < 10; ++j) rigid = test::harden_joint(rigid, j).asset;
  CHECK(faults_of(rigid).empty());
}

TEST_CASE("a texture seam whose sides disagree is open; one whose sides agree is not a seam",
          "[skinning]") {
  const Asset clean = test::to_asset(test::split_seam(test::chain_rig(6, 24, 12)));
  CHECK(faults_of(clean).empty());
  const test::Planted planted = test::open_seam(clean, 9, 12);
  const auto faults = faults_of(planted.asset);
  INFO(told(faults));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == WeightFault::Kind::open_seam);
  CHECK(faults[0].count == planted.vertices.size());
}

TEST_CASE("a faint pull of a far joint over a patch is beyond its reach", "[skinning]") {
  const Asset clean = test::to_asset(test::humanoid_rig());
  const test::Planted planted = test::leak(clean, "hand.R", "shin.L", 0.1);
  REQUIRE(planted.vertices.size() > 4);
  const auto faults = faults_of(planted.asset);
  INFO(told(faults));
  CHECK(std::any_of(faults.begin(), faults.end(),
                    [&](const WeightFault& f) { return f.joint == planted.joint; }));
}

TEST_CASE("planted weight faults are found on real characters and the untouched ones are quiet",
          "[skinning][corpus]") {
  const char* corpus = std::getenv("SKINLINT_CORPUS");
  if (corpus == nullptr) {
    WARN("skipped: SKINLINT_CORPUS is not set");
    return;
  }
  // Hardening a joint is a fault where the mesh is smooth elsewhere: the knight's is not.
  struct Character {
    const char* path;
    const char *far, *left, *right, *bend;
  };
  const Character characters[] = {
      {"ufbx+ufbx/data/maya_kenney_character_7700_binary.fbx", "LeftHand", "LeftHand", "RightHand",
       "LeftForeArm"},
      {"guillaumeblanc+ozz-animation/media/fbx/pab/arnaud.fbx", "Lefthand", "Lefthand", "RightHand",
       "LeftForeArm"},
      {"castle-engine+demo-models/gltf/knight_size_test/knight_size_test.glb", "palm_l", "palm_l",
       "palm_r", nullptr},
      {"GodotVR+godot-xr-tools/addons/godot-xr-tools/hands/model/Hand_Glove_L.gltf",
       "Thumb_Distal_L", nullptr, nullptr, "Middle_Proximal_L"},
  };
  for (const Character& c : characters) {
    const Result<Asset> asset = test::read_corpus_file(std::string(corpus) + '/' + c.path);
    INFO(c.path);
    REQUIRE(asset);
    const auto untouched = faults_of(*asset);
    INFO(told(untouched));
    CHECK(untouched.empty());
    const auto found = [&](const test::Planted& planted) {
      const auto faults = faults_of(planted.asset);
      INFO(told(faults));
      CHECK_FALSE(faults.empty());
      CHECK(std::any_of(faults.begin(), faults.end(),
                        [&](const WeightFault& f) { return f.joint == planted.joint; }));
    };
    found(test::bind_one_vertex_far(*asset, c.far));
    if (c.left != nullptr) found(test::swap_sides(*asset, c.left, c.right, 1));
    if (c.bend != nullptr) found(test::harden_joint(*asset, test::slot_named(*asset, c.bend)));
  }
}
