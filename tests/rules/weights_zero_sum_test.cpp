#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-zero-sum";
const std::vector<VertexFault> two = {{4, {{1, 0.0}}}, {6, {}}};

CheckConfig fallback(const std::string& joint) {
  CheckConfig config;
  config.zero_weight = ZeroWeightPolicy::Kind::fallback;
  config.fallback_joint = joint;
  return config;
}
Rig with_stray_vertex() {
  Rig rig = chain_rig();
  RigPart& part = rig.meshes[0].parts[0];
  part.positions.push_back(Vec3::Zero());
  part.normals.push_back(Vec3::UnitX());
  part.influences.push_back({});
  return rig;
}
}  // namespace

TEST_CASE("weights-zero-sum: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-zero-sum: error in glTF, warning in FBX, with count", "[rules]") {
  for (const Asset& asset : {gltf_with(two), fbx_with(two)}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_binding);
    CHECK(found[0].severity == (is_gltf(asset.format) ? Severity::error : Severity::warning));
    CHECK(found[0].count == 2);
    CHECK(number(found[0], "used_vertices") == 2);
    CHECK(words_of(found[0], "all_used_vertices") == "no");
    REQUIRE(found[0].samples.size() == 2);
    CHECK(found[0].samples[0].index == 4);
    CHECK(found[0].samples[1].index == 6);
  }
}

TEST_CASE("weights-zero-sum: the limit, just inside and outside", "[rules]") {
  CHECK(only_severity(gltf_with({{4, {{1, 0.9e-6}}}}), rule) == Severity::error);
  CHECK(findings_of(gltf_with({{4, {{1, 1.1e-6}}}}), rule).empty());
}

TEST_CASE("weights-zero-sum: a parameter and the policy change the outcome", "[rules]") {
  const Asset small = gltf_with({{4, {{1, 1e-3}}}});
  CHECK(findings_of(small, rule).empty());
  CHECK(only_severity(small, rule, with_param(rule, "eps", 1e-2)) == Severity::error);

  const std::vector<Finding> found = findings_of(gltf_with(two), rule, fallback("joint3"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].count == 2);
  CHECK(words_of(found[0], "fallback_joint") == "joint3");
  CHECK(only_severity(gltf_with(two), rule, fallback("nobody")) == Severity::error);
}

TEST_CASE("weights-zero-sum: says when no vertex has weight", "[rules]") {
  Rig rig = chain_rig();
  for (std::vector<RigInfluence>& vertex : rig.meshes[0].parts[0].influences) vertex = {{0, 0.0}};
  const std::vector<Finding> found = findings_of(to_asset(rig), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 192);
  CHECK(words_of(found[0], "all_used_vertices") == "yes");
}

TEST_CASE("weights-zero-sum: vertices that no polygon uses", "[rules]") {
  CHECK(findings_of(to_asset(with_stray_vertex()), rule).empty());
  const std::vector<Finding> fbx = findings_of(to_fbx_asset(with_stray_vertex()), rule);
  REQUIRE(fbx.size() == 1);
  CHECK(fbx[0].severity == Severity::note);
  CHECK(number(fbx[0], "unused_vertices") == 1);
}

TEST_CASE("weights-zero-sum: FBX Additive clusters need no weight", "[rules]") {
  CHECK(findings_of(fbx_with(two, LinkMode::additive), rule).empty());
}

TEST_CASE("weights-zero-sum: weights lost to unfit arrays are not counted again", "[rules]") {
  Asset unreadable = gltf_with(two);
  unreadable.influences[0].sets[0].weights.data = nullptr;
  CHECK(findings_of(unreadable, rule).empty());
  Asset cut = fbx_with(two);
  cut.skins[0].clusters[1].weight_count -= 1;
  CHECK(findings_of(cut, rule).empty());
}

TEST_CASE("weights-zero-sum: no other rule reports the break", "[rules]") {
  CHECK(reporting(gltf_with(two)) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(two)) == std::set<std::string>{rule});
}
