#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-quantised-sum";

Asset quantised(ComponentType type, double steps_off, int influences) {
  const double full = type == ComponentType::u8 ? 255.0 : 65535.0;
  std::vector<RigInfluence> vertex;
  double left = full + steps_off;
  for (int k = 1; k < influences; ++k) {
    vertex.push_back({static_cast<std::uint32_t>(k), 50.0 / full});
    left -= 50.0;
  }
  vertex.push_back({0, left / full});
  EncodeOptions options;
  options.weight_type = type;
  return gltf_with({{12, vertex}}, options);
}
}  // namespace

TEST_CASE("weights-quantised-sum: clean assets are silent", "[rules]") {
  for (const ComponentType type : {ComponentType::u8, ComponentType::u16, ComponentType::f32}) {
    EncodeOptions options;
    options.weight_type = type;
    CHECK(findings_of(to_asset(chain_rig(), options), rule).empty());
    CHECK(findings_of(to_asset(humanoid_rig(), options), rule).empty());
  }
}

TEST_CASE("weights-quantised-sum: one finding with the difference in steps", "[rules]") {
  const std::vector<Finding> found = findings_of(quantised(ComponentType::u8, -5, 2), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 1);
  CHECK(number(found[0], "worst_difference") == -5);
  CHECK(number(found[0], "full_sum") == 255);
  REQUIRE(found[0].samples.size() == 1);
  CHECK(found[0].samples[0].index == 12);
}

TEST_CASE("weights-quantised-sum: exact, within a step per influence, beyond", "[rules]") {
  for (const ComponentType type : {ComponentType::u8, ComponentType::u16}) {
    CHECK(findings_of(quantised(type, 0, 3), rule).empty());
    CHECK(only_severity(quantised(type, -1, 3), rule) == Severity::warning);
    CHECK(only_severity(quantised(type, -3, 3), rule) == Severity::warning);
    CHECK(only_severity(quantised(type, 3, 3), rule) == Severity::warning);
    CHECK(only_severity(quantised(type, -4, 3), rule) == Severity::error);
    CHECK(only_severity(quantised(type, -2, 1), rule) == Severity::error);
  }
}

TEST_CASE("weights-quantised-sum: a parameter changes the outcome", "[rules]") {
  const Asset asset = quantised(ComponentType::u8, -5, 2);
  CHECK(only_severity(asset, rule, with_param(rule, "steps_per_influence", 3)) ==
        Severity::warning);
}

TEST_CASE("weights-quantised-sum: a vertex without weight is weights-zero-sum's", "[rules]") {
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  CHECK(findings_of(gltf_with({{12, {{0, 0.0}}}}, bytes), rule).empty());
}

TEST_CASE("weights-quantised-sum: no other rule reports the break", "[rules]") {
  CHECK(reporting(quantised(ComponentType::u16, -2, 2), Severity::note) ==
        std::set<std::string>{rule});
  CHECK(reporting(quantised(ComponentType::u8, -9, 2)) == std::set<std::string>{rule});
}
