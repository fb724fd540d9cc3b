#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-above-one";
}  // namespace

TEST_CASE("weights-above-one: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-above-one: error in glTF, warning in FBX, with count and extreme", "[rules]") {
  const std::vector<VertexFault> faults = {{7, {{0, 1.5}}}, {8, {{0, 3.0}, {1, 0.25}}}};
  const std::vector<Finding> gltf = findings_of(gltf_with(faults), rule);
  REQUIRE(gltf.size() == 1);
  CHECK(gltf[0].element == first_binding);
  CHECK(gltf[0].severity == Severity::error);
  CHECK(gltf[0].count == 2);
  CHECK(number(gltf[0], "largest_weight") == Approx(3.0));
  REQUIRE(gltf[0].samples.size() == 2);
  CHECK(gltf[0].samples[0].index == 8);
  CHECK(only_severity(fbx_with(faults), rule) == Severity::warning);
}

TEST_CASE("weights-above-one: the limit, just inside and outside", "[rules]") {
  CHECK(findings_of(gltf_with({{7, {{0, 1.0009}}}}), rule).empty());
  CHECK(only_severity(gltf_with({{7, {{0, 1.0011}}}}), rule) == Severity::error);
  CHECK(findings_of(fbx_with({{7, {{0, 1.0009}}}}), rule).empty());
  CHECK(only_severity(fbx_with({{7, {{0, 1.0011}}}}), rule) == Severity::warning);
}

TEST_CASE("weights-above-one: a parameter changes the outcome", "[rules]") {
  const Asset asset = gltf_with({{7, {{0, 1.05}}}});
  CHECK(only_severity(asset, rule) == Severity::error);
  CHECK(findings_of(asset, rule, with_param(rule, "tolerance", 0.1)).empty());
}

TEST_CASE("weights-above-one: the sum it spoils is not reported again", "[rules]") {
  const std::vector<VertexFault> faults = {{7, {{0, 1.5}}}};
  CHECK(reporting(gltf_with(faults), Severity::note) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(faults)) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(faults), Severity::note).count("weights-sum") == 0);
}
