#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-unused-joint";

/// The chain with further joints below its last that no vertex follows.
Rig with_unused(int more) {
  Rig rig = chain_rig();
  for (int k = 0; k < more; ++k) {
    RigNode node;
    node.name = "helper" + std::to_string(k);
    node.parent = 5;
    rig.nodes.push_back(node);
    rig.skins[0].joints.push_back(static_cast<int>(rig.nodes.size()) - 1);
  }
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("weights-unused-joint: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(humanoid_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-unused-joint: one note for all of a skin's", "[rules]") {
  for (const Asset& asset : {to_asset(with_unused(3)), to_fbx_asset(with_unused(3))}) {
    const std::vector<Finding> found = findings_of(asset, rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == ElementRef{ElementKind::skin, 0, 0});
    CHECK(found[0].severity == Severity::note);
    CHECK(found[0].count == 3);
    CHECK(number(found[0], "unused_joints") == 3);
    CHECK(number(found[0], "joints") == 9);
    REQUIRE(found[0].related.size() == 3);
    CHECK(found[0].related[0] == ElementRef{ElementKind::joint, 0, 6});
    CHECK(found[0].samples[0].label == "helper0");
  }
}

TEST_CASE("weights-unused-joint: a warning beyond the palette with most of it unused", "[rules]") {
  CHECK(only_severity(to_asset(with_unused(250)), rule) == Severity::note);     // 256 joints
  CHECK(only_severity(to_asset(with_unused(251)), rule) == Severity::warning);  // 257 joints
}

TEST_CASE("weights-unused-joint: a parameter changes the outcome", "[rules]") {
  const Asset most = to_asset(with_unused(7)), half = to_asset(with_unused(6));
  CHECK(only_severity(most, rule) == Severity::note);
  CHECK(only_severity(most, rule, with_param(rule, "joints", 8)) == Severity::warning);
  CHECK(only_severity(half, rule, with_param(rule, "joints", 8)) == Severity::note);
}

TEST_CASE("weights-unused-joint: weight in another mesh of the skin counts", "[rules]") {
  Rig rig = with_unused(1);
  RigMesh other = rig.meshes[0];
  for (std::vector<RigInfluence>& vertex : other.parts[0].influences) vertex = {{6, 1.0}};
  rig.meshes.push_back(other);
  RigNode node;
  node.name = "other";
  rig.nodes.push_back(node);
  rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 1, 0});
  CHECK(findings_of(to_asset(rig), rule).empty());
}

TEST_CASE("weights-unused-joint: no rule warns of a helper joint", "[rules]") {
  CHECK(reporting(to_asset(with_unused(3))).empty());
}
