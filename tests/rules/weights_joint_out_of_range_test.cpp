#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-joint-out-of-range";
}  // namespace

TEST_CASE("weights-joint-out-of-range: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-joint-out-of-range: one finding with the largest index", "[rules]") {
  const std::vector<Finding> found = findings_of(
      gltf_with({{3, {{0, 0.9}, {6, 0.1}}}, {8, {{0, 0.5}, {77, 0.25}, {6, 0.25}}}}), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 2);
  CHECK(number(found[0], "largest_index") == 77);
  CHECK(number(found[0], "entries") == 3);
  CHECK(words_of(found[0], "hint").empty());
  REQUIRE(found[0].limits.size() == 1);
  CHECK(std::get<std::int64_t>(found[0].limits[0].value) == 6);
  REQUIRE(found[0].samples.size() == 2);
  CHECK(found[0].samples[0].index == 8);
}

TEST_CASE("weights-joint-out-of-range: the last joint is in range, the next is not", "[rules]") {
  CHECK(findings_of(gltf_with({{3, {{5, 1.0}}}}), rule).empty());
  CHECK(only_severity(gltf_with({{3, {{6, 1.0}}}}), rule) == Severity::error);
  CHECK(only_severity(gltf_with({{3, {{0, 1.0}, {6, 0.0}}}}), rule) == Severity::warning);
  CHECK(findings_of(gltf_with({{3, {{0, 1.0}, {5, 0.0}}}}), rule).empty());
}

TEST_CASE("weights-joint-out-of-range: the smallest skin of a mesh counts", "[rules]") {
  Rig rig = with_instance(chain_rig());
  RigSkin shorter = rig.skins[0];
  shorter.joints.resize(4);
  shorter.joint_from_mesh->resize(4);
  rig.skins.push_back(shorter);
  rig.instances[1].skin = 1;
  const std::vector<Finding> found = findings_of(to_asset(rig), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == ElementRef{ElementKind::binding, 1, 0});
  CHECK(number(found[0], "largest_index") == 5);
}

TEST_CASE("weights-joint-out-of-range: node indices are recognised", "[rules]") {
  Rig rig = chain_rig();
  for (int k = 0; k < 10; ++k) {  // ten nodes before the joints
    RigNode node;
    node.name = "before" + std::to_string(k);
    rig.nodes.insert(rig.nodes.begin(), node);
  }
  for (std::size_t n = 10; n < rig.nodes.size(); ++n) {
    if (rig.nodes[n].parent >= 0) rig.nodes[n].parent += 10;
  }
  for (int& joint : rig.skins[0].joints) joint += 10;
  rig.instances[0].node += 10;
  CHECK(findings_of(to_asset(rig), rule).empty());
  for (std::vector<RigInfluence>& vertex : rig.meshes[0].parts[0].influences) {
    for (RigInfluence& influence : vertex) influence.joint += 10;
  }
  const std::vector<Finding> found = findings_of(to_asset(rig), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 192);
  CHECK(words_of(found[0], "hint") == "node indices");
}

TEST_CASE("weights-joint-out-of-range: FBX entries outside the mesh", "[rules]") {
  Asset asset = to_fbx_asset(chain_rig());
  asset.skins[0].clusters[2].out_of_range = 3;
  asset.skins[0].clusters[2].out_of_range_weighted = 1;
  asset.skins[0].clusters[2].worst_index = 99999;
  const std::vector<Finding> found = findings_of(asset, rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 3);
  CHECK(number(found[0], "worst_index") == 99999);
  CHECK(reporting(asset) == std::set<std::string>{rule});
  asset.skins[0].clusters[2].out_of_range_weighted = 0;
  CHECK(only_severity(asset, rule) == Severity::warning);
}

TEST_CASE("weights-joint-out-of-range: a skin without joints is another rule's", "[rules]") {
  Asset asset = to_asset(chain_rig());
  asset.skins[0].joints.clear();
  asset.skins[0].joint_ids.clear();
  asset.skins[0].joint_from_mesh.clear();
  CHECK(findings_of(asset, rule).empty());
}

TEST_CASE("weights-joint-out-of-range: the configuration's severity, and no other rule",
          "[rules]") {
  const Asset asset = gltf_with({{3, {{0, 0.4}, {6, 0.1}}}});  // and a wrong sum
  CheckConfig config;
  config.severities[rule] = Severity::warning;
  CHECK(only_severity(asset, rule, config) == Severity::warning);
  CHECK(reporting(asset, Severity::note) == std::set<std::string>{rule});
}
