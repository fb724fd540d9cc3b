#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-duplicate-joint";
}  // namespace

TEST_CASE("weights-duplicate-joint: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-duplicate-joint: error in glTF, warning in FBX, joint named", "[rules]") {
  const std::vector<VertexFault> faults = {{4, {{1, 0.5}, {1, 0.5}}},
                                           {5, {{2, 0.25}, {0, 0.25}, {2, 0.25}, {2, 0.25}}}};
  for (const Asset& asset : {gltf_with(faults), fbx_with(faults)}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_binding);
    CHECK(found[0].severity == (is_gltf(asset.format) ? Severity::error : Severity::warning));
    CHECK(found[0].count == 2);
    CHECK(number(found[0], "most_slots") == 3);
    REQUIRE(found[0].samples.size() == 2);
    CHECK(found[0].samples[0].index == 5);
    CHECK(found[0].samples[0].value == 3);
    CHECK(found[0].samples[0].label == "joint2");
  }
}

TEST_CASE("weights-duplicate-joint: a slot of weight zero is padding", "[rules]") {
  CHECK(findings_of(gltf_with({{4, {{1, 1.0}, {1, 0.0}}}}), rule).empty());
  CHECK(findings_of(fbx_with({{4, {{1, 1.0}, {1, 0.0}}}}), rule).empty());
  CHECK(only_severity(gltf_with({{4, {{1, 0.999}, {1, 0.001}}}}), rule) == Severity::error);
}

TEST_CASE("weights-duplicate-joint: two FBX clusters on one bone count where a vertex is in both",
          "[rules]") {
  Asset shared = fbx_with({});
  shared.skins[0].joints[5] = shared.skins[0].joints[4];
  const std::vector<Finding> found = findings_of(shared, rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].count > 0);
  CHECK(found[0].count < 192);
  Asset apart = fbx_with({});
  apart.skins[0].joints[5] = apart.skins[0].joints[0];
  CHECK(findings_of(apart, rule).empty());
}

TEST_CASE("weights-duplicate-joint: no other rule reports the break", "[rules]") {
  const std::vector<VertexFault> faults = {{4, {{1, 0.5}, {1, 0.5}}}};
  CHECK(reporting(gltf_with(faults)) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(faults)) == std::set<std::string>{rule});
}
