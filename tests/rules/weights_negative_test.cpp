#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-negative";
std::vector<VertexFault> negative(double weight) {
  return {{10, {{0, 1.0 - weight}, {1, weight}}}};
}
}  // namespace

TEST_CASE("weights-negative: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(humanoid_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(chain_rig()), rule).empty());
}

TEST_CASE("weights-negative: one finding with count, extreme and samples", "[rules]") {
  const std::vector<VertexFault> faults = {{10, {{0, 1.02}, {1, -0.02}}},
                                           {3, {{0, 1.3}, {1, -0.1}, {2, -0.2}}}};
  for (const Asset& asset : {gltf_with(faults), fbx_with(faults)}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_binding);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].count == 2);
    CHECK(number(found[0], "lowest_weight") == Approx(-0.2));
    CHECK(number(found[0], "negative_weights") == 3);
    REQUIRE(found[0].samples.size() == 2);
    CHECK(found[0].samples[0].index == 3);
    CHECK(found[0].samples[1].index == 10);
    CHECK(found[0].samples[1].value == Approx(-0.02));
  }
}

TEST_CASE("weights-negative: the limit, just inside and outside", "[rules]") {
  CHECK(only_severity(gltf_with(negative(-0.9e-6)), rule) == Severity::note);
  CHECK(only_severity(gltf_with(negative(-1.1e-6)), rule) == Severity::error);
  CHECK(only_severity(fbx_with(negative(-0.9e-6)), rule) == Severity::note);
  CHECK(only_severity(fbx_with(negative(-1.1e-6)), rule) == Severity::error);
}

TEST_CASE("weights-negative: a parameter changes the outcome", "[rules]") {
  const Asset asset = gltf_with(negative(-1e-4));
  CHECK(only_severity(asset, rule) == Severity::error);
  CHECK(only_severity(asset, rule, with_param(rule, "dust", 1e-3)) == Severity::note);
}

TEST_CASE("weights-negative: no other rule reports the break", "[rules]") {
  CHECK(reporting(gltf_with(negative(-0.02))) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(negative(-0.02))) == std::set<std::string>{rule});
}

TEST_CASE("weights-negative: dust below zero is no fault", "[rules]") {
  CHECK(reporting(gltf_with(negative(-5e-7))).empty());
}

TEST_CASE("weights-negative: both grades are counted", "[rules]") {
  const std::vector<Finding> found =
      findings_of(gltf_with({{1, {{0, 1.0}, {1, -5e-7}}}, {2, {{0, 1.5}, {1, -0.5}}}}), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::error);
  CHECK(number(found[0], "error_vertices") == 1);
  CHECK(number(found[0], "note_vertices") == 1);
  CHECK(found[0].samples[0].index == 2);
}

TEST_CASE("weights-negative: instances of one mesh are one finding", "[rules]") {
  const std::vector<Finding> found =
      findings_of(to_asset(with_instance(chain_with(negative(-0.5)))), rule);
  REQUIRE(found.size() == 1);
  CHECK(number(found[0], "instances") == 2);
}
