#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-influence-limit";

/// Four influences share what the further ones leave.
std::vector<RigInfluence> with_extra(const std::vector<double>& extra) {
  double left = 1.0;
  for (const double weight : extra) left -= weight;
  std::vector<RigInfluence> vertex;
  for (std::uint32_t joint = 0; joint < 4; ++joint) vertex.push_back({joint, left / 4.0});
  for (std::size_t k = 0; k < extra.size(); ++k) {
    vertex.push_back({static_cast<std::uint32_t>(4 + k), extra[k]});
  }
  return vertex;
}
}  // namespace

TEST_CASE("weights-influence-limit: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
  CHECK(findings_of(gltf_with({{4, with_extra({})}}), rule).empty());
}

TEST_CASE("weights-influence-limit: how many, how wide, what is lost", "[rules]") {
  const std::vector<VertexFault> faults = {{4, with_extra({0.1, 0.1})}, {9, with_extra({0.05})}};
  for (const Asset& asset : {gltf_with(faults), fbx_with(faults)}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_binding);
    CHECK(found[0].severity == Severity::warning);
    CHECK(found[0].count == 2);
    CHECK(number(found[0], "most_influences") == 6);
    CHECK(number(found[0], "largest_loss") == Approx(20.0));
    REQUIRE(found[0].samples.size() == 2);
    CHECK(found[0].samples[0].index == 4);
    CHECK(found[0].samples[0].value == 6);
  }
}

TEST_CASE("weights-influence-limit: the limits, just inside and outside", "[rules]") {
  CHECK(findings_of(gltf_with({{4, with_extra({0.99 / 512.0})}}), rule).empty());
  CHECK(only_severity(gltf_with({{4, with_extra({1.01 / 512.0})}}), rule) == Severity::note);
  CHECK(only_severity(gltf_with({{4, with_extra({0.0099})}}), rule) == Severity::note);
  CHECK(only_severity(gltf_with({{4, with_extra({0.0101})}}), rule) == Severity::warning);
}

TEST_CASE("weights-influence-limit: parameters change the outcome", "[rules]") {
  const Asset asset = gltf_with({{4, with_extra({0.1})}});
  CHECK(findings_of(asset, rule, with_param(rule, "limit", 5)).empty());
  CHECK(findings_of(asset, rule, with_param(rule, "smallest_weight", 0.15)).empty());
  CHECK(only_severity(asset, rule, with_param(rule, "warning_loss", 15)) == Severity::note);
  CHECK(findings_of(to_asset(chain_rig()), rule, with_param(rule, "limit", 2)).size() == 1);
}

TEST_CASE("weights-influence-limit: no other rule reports the break", "[rules]") {
  CHECK(reporting(gltf_with({{4, with_extra({0.1, 0.1})}}), Severity::note) ==
        std::set<std::string>{rule});
}
