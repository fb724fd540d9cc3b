#include <catch2/catch.hpp>
#include <limits>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-non-finite";
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("weights-non-finite: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-non-finite: one finding, NaN and infinities apart", "[rules]") {
  const std::vector<VertexFault> faults = {{5, {{0, not_a_number}, {1, 0.5}}},
                                           {9, {{0, inf}, {1, -inf}}},
                                           {20, {{2, 1.0}, {3, not_a_number}}}};
  for (const Asset& asset : {gltf_with(faults), fbx_with(faults)}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_binding);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].count == 3);
    CHECK(number(found[0], "nan_weights") == 2);
    CHECK(number(found[0], "infinite_weights") == 2);
    REQUIRE(found[0].samples.size() == 3);
    CHECK(found[0].samples[0].index == 5);
  }
}

TEST_CASE("weights-non-finite: the largest finite weight is not its business", "[rules]") {
  const auto most = static_cast<double>(std::numeric_limits<float>::max());
  CHECK(findings_of(gltf_with({{5, {{0, most}}}}), rule).empty());
  CHECK(only_severity(gltf_with({{5, {{0, inf}}}}), rule) == Severity::error);
}

TEST_CASE("weights-non-finite: samples are as many as asked for", "[rules]") {
  CheckConfig config;
  config.max_samples = 1;
  const std::vector<Finding> found =
      findings_of(gltf_with({{5, {{0, not_a_number}}}, {6, {{0, not_a_number}}}}), rule, config);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 2);
  CHECK(found[0].samples.size() == 1);
}

TEST_CASE("weights-non-finite: no other rule reports the break", "[rules]") {
  const std::vector<VertexFault> faults = {{5, {{0, not_a_number}, {1, 0.5}}}, {6, {{0, inf}}}};
  CHECK(reporting(gltf_with(faults)) == std::set<std::string>{rule});
  CHECK(reporting(fbx_with(faults)) == std::set<std::string>{rule});
}
