#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-array-mismatch";
const ElementRef first_part{ElementKind::part, 0, 0};

Asset two_sets() {
  EncodeOptions options;
  options.sets = 2;
  return to_asset(chain_rig(), options);
}
InfluenceTable::Set& set(Asset& asset, std::size_t n = 0) { return asset.influences[0].sets[n]; }
}  // namespace

TEST_CASE("weights-array-mismatch: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(two_sets(), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
  for (const ComponentType weights : {ComponentType::u8, ComponentType::u16}) {
    EncodeOptions options;
    options.weight_type = weights;
    options.joint_type = ComponentType::u8;
    CHECK(findings_of(to_asset(chain_rig(), options), rule).empty());
  }
}

TEST_CASE("weights-array-mismatch: each way of not fitting is one finding on the part", "[rules]") {
  std::vector<Asset> broken;
  const auto add = [&](const auto& change) {
    broken.push_back(two_sets());
    change(broken.back());
  };
  add([](Asset& a) { set(a).joints.count -= 1; });
  add([](Asset& a) { set(a).weights.count += 1; });
  add([](Asset& a) { set(a).weights = {}; });
  add([](Asset& a) { set(a, 1).joints = {}; });
  add([](Asset& a) { a.meshes[0].parts[0].influence_sets_declared = {0, 2}; });
  add([](Asset& a) { a.meshes[0].parts[0].influence_sets_declared = {1}; });
  add([](Asset& a) { set(a).joints.type = ComponentType::f32; });
  add([](Asset& a) {
    set(a).joints.type = ComponentType::u32;
    set(a).joints.data = nullptr;  // the bytes below are shorter
  });
  add([](Asset& a) { set(a).joints.normalized = true; });
  add([](Asset& a) { set(a).weights.type = ComponentType::i8; });
  add([](Asset& a) { set(a).weights.type = ComponentType::u16; });  // not normalised
  add([](Asset& a) { set(a).weights.components = 3; });
  add([](Asset& a) { set(a).weights.data = nullptr; });
  for (std::size_t i = 0; i < broken.size(); ++i) {
    INFO("case " << i);
    const std::vector<Finding> found = findings_of(broken[i], rule);
    REQUIRE(found.size() == 1);
    CHECK(found[0].element == first_part);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].count == 1);
    CHECK_FALSE(words_of(found[0], "problem").empty());
    CHECK(number(found[0], "vertices") == 192);
    CHECK(reporting(broken[i]) == std::set<std::string>{rule});
  }
}

TEST_CASE("weights-array-mismatch: FBX clusters whose lists differ", "[rules]") {
  Asset asset = to_fbx_asset(chain_rig());
  asset.skins[0].clusters[1].weight_count -= 2;
  asset.skins[0].clusters[4].index_count -= 5;
  const std::vector<Finding> found = findings_of(asset, rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 2);
  CHECK(number(found[0], "largest_difference") == 5);
  REQUIRE(found[0].samples.size() == 2);
  CHECK(found[0].samples[0].index == 4);
  CHECK(reporting(asset) == std::set<std::string>{rule});
}

TEST_CASE("weights-array-mismatch: neither joints nor weights is no mismatch", "[rules]") {
  Asset gltf = to_asset(chain_rig());
  gltf.bindings[0].influences[0] = -1;
  gltf.meshes[0].parts[0].influence_sets_declared.clear();
  CHECK(findings_of(gltf, rule).empty());
  Asset fbx = to_fbx_asset(chain_rig());
  fbx.skins[0].clusters[2].index_count = fbx.skins[0].clusters[2].weight_count = 0;
  CHECK(findings_of(fbx, rule).empty());
}

TEST_CASE("weights-array-mismatch: what file-damaged says is not said again", "[rules]") {
  Asset asset = to_asset(chain_rig());
  set(asset).weights.data = nullptr;
  set(asset).weights.source = 7;
  CHECK(findings_of(asset, rule).size() == 1);
  asset.repairs.push_back({Repair::Kind::out_of_bounds,
                           true,
                           {ElementKind::accessor, 7, 0},
                           1,
                           "beyond its buffer",
                           {}});
  CHECK(findings_of(asset, rule).empty());
  CHECK(reporting(asset) == std::set<std::string>{"file-damaged"});
}

TEST_CASE("weights-array-mismatch: the configuration's severity", "[rules]") {
  Asset asset = two_sets();
  set(asset).joints.count -= 1;
  CheckConfig config;
  config.severities[rule] = Severity::warning;
  CHECK(only_severity(asset, rule, config) == Severity::warning);
}
