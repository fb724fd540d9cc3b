#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-gap";

/// A group between joint2 and joint3.
Rig with_group(const Vec3& translation = Vec3::Zero()) {
  Rig rig = chain_rig(6);
  RigNode group;
  group.name = "group";
  group.parent = rig.node("joint2");
  group.translation = translation;
  node(rig, "joint3").parent = static_cast<int>(rig.nodes.size());
  node(rig, "joint3").translation -= translation;
  rig.nodes.push_back(group);
  return rig;
}
}  // namespace

TEST_CASE("skeleton-gap: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("skeleton-gap: a node with a transform between joints", "[rules]") {
  const Finding found = only(with_group(Vec3(0.2, 0, 0)), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "with_transform") == 1);
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].label == "group");
  CHECK(severity(to_fbx_asset(with_group(Vec3(0.2, 0, 0))), rule) == Severity::warning);
}
TEST_CASE("skeleton-gap: limits, just inside and outside", "[rules]") {
  CHECK(severity(with_group(Vec3(0.99e-4 * chain_size, 0, 0)), rule) == Severity::note);
  CHECK(severity(with_group(Vec3(1.01e-4 * chain_size, 0, 0)), rule) == Severity::warning);
}
TEST_CASE("skeleton-gap: a parameter changes the outcome", "[rules]") {
  CHECK(severity(with_group(Vec3(0.2, 0, 0)), rule, with_param(rule, "residue", 0.1)) ==
        Severity::note);
}
TEST_CASE("skeleton-gap: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(with_group(Vec3(0.2, 0, 0))), Severity::note) == Ids{rule});
}
TEST_CASE("skeleton-gap: skins of one skeleton tell of it once", "[rules]") {
  Rig rig = with_group(Vec3(0.2, 0, 0));
  rig.skins.push_back(rig.skins[0]);
  rig.meshes.push_back(rig.meshes[0]);
  RigNode shirt;
  shirt.name = "shirt";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
  rig.nodes.push_back(shirt);
  CHECK(findings_of(to_asset(rig), rule).size() == 1);
}
TEST_CASE("skeleton-gap: a node without a transform is a note", "[rules]") {
  CHECK(severity(with_group(), rule) == Severity::note);
}
TEST_CASE("skeleton-gap: a bone of FBX without a cluster is silent", "[rules]") {
  Asset asset = to_fbx_asset(with_group(Vec3(0.2, 0, 0)));
  node(asset, "group").attribute = "LimbNode";
  CHECK(silent(asset, rule));
}
TEST_CASE("skeleton-gap: an armature above all joints is silent", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode armature;
  armature.name = "Armature";
  armature.translation = Vec3(0, 1, 0);
  put_above(rig, armature);
  CHECK(silent(rig, rule));
}
