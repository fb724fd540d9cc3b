#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-leaf-bones";

Rig with_tip(const std::string& name) {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", name);
  return rig;
}
/// The tip is no joint of the skin.
Rig with_loose_tip(const std::string& name) {
  Rig rig = chain_rig(6);
  RigNode tip;
  tip.name = name;
  tip.parent = rig.node("joint5");
  rig.nodes.push_back(tip);
  return rig;
}
}  // namespace

TEST_CASE("skeleton-leaf-bones: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-leaf-bones: a tip in the skin", "[rules]") {
  const Finding found = only(with_tip("joint5_end"), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element.kind == ElementKind::file);
  CHECK(found.count == 1);
  CHECK(number(found, "leaf_bones") == 1);
  CHECK(number(found, "joints") == 1);
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].label == "joint5_end");
}
TEST_CASE("skeleton-leaf-bones: names of tips, and words that only end so", "[rules]") {
  for (const char* name : {"hand_end", "HeadTop_End", "LeftToeEnd", "Bip01 HeadNub", "hand_end.001",
                           "tail_end_02", "LIMB_END", "foot.end"}) {
    INFO(name);
    CHECK(number(only(with_tip(name), rule), "leaf_bones") == 1);
  }
  for (const char* name : {"bend", "backend", "Legend", "endless", "ending", "nubby", "socket"}) {
    INFO(name);
    CHECK(silent(with_tip(name), rule));
  }
}
TEST_CASE("skeleton-leaf-bones: a bone of FBX without a cluster, and a Null", "[rules]") {
  Asset asset = to_fbx_asset(with_loose_tip("joint5_end"));
  CHECK(silent(asset, rule));
  node(asset, "joint5_end").attribute = "LimbNode";
  CHECK(number(only(asset, rule), "joints") == 0);
}
TEST_CASE("skeleton-leaf-bones: a severity of its own", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::error;
  CHECK(severity(with_tip("joint5_end"), rule, config) == Severity::error);
}
TEST_CASE("skeleton-leaf-bones: only unused joints are reported beside it", "[rules]") {
  CHECK(reporting(to_asset(with_tip("joint5_end")), Severity::note) ==
        Ids{rule, "weights-unused-joint"});
  CHECK(reporting(to_asset(with_loose_tip("joint5_end")), Severity::note) == Ids{rule});
}
TEST_CASE("skeleton-leaf-bones: many tips are one note", "[rules]") {
  Rig rig = chain_rig(6);
  for (int i = 0; i < 20; ++i) add_socket(rig, "joint5", "tip" + std::to_string(i) + "_end");
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.count == 20);
}
TEST_CASE("skeleton-leaf-bones: weight, children or another name are silent", "[rules]") {
  Rig weighted = with_tip("joint5_end");
  weighted.meshes[0].parts[0].influences[3] = {{6, 1.0}};
  CHECK(silent(weighted, rule));
  Rig parent = with_tip("joint5_end");
  add_socket(parent, "joint5_end", "more");
  CHECK(silent(parent, rule));
  CHECK(silent(with_tip("joint5_socket"), rule));
}
