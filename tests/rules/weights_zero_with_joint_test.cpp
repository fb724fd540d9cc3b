#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-zero-with-joint";
const std::vector<VertexFault> padded = {{4, {{1, 1.0}, {3, 0.0}, {4, 0.0}}}};
}  // namespace

TEST_CASE("weights-zero-with-joint: joint 0 in unused slots is silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(gltf_with({{4, {{1, 1.0}, {0, 0.0}}}}), rule).empty());
}

TEST_CASE("weights-zero-with-joint: a note with the number of slots", "[rules]") {
  const std::vector<Finding> found = findings_of(gltf_with(padded), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::note);
  CHECK(number(found[0], "slots") == 2);
  CHECK(found[0].count == 2);
}

TEST_CASE("weights-zero-with-joint: off unless asked for, and never in FBX", "[rules]") {
  CHECK(reporting(gltf_with(padded), Severity::note).empty());
  CheckConfig asked;
  asked.severities[rule] = Severity::warning;
  CHECK(reporting(gltf_with(padded), Severity::warning, asked) == std::set<std::string>{rule});
  CHECK(findings_of(fbx_with(padded), rule).empty());
}
