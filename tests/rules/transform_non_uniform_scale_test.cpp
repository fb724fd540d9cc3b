#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-non-uniform-scale";

Rig with_scale(const std::string& name, double x) {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  node(rig, name).scale = Vec3(x, 1, 1);
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("transform-non-uniform-scale: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-non-uniform-scale: one joint, its unevenness", "[rules]") {
  const Finding found = only(with_scale("joint3", 1.3), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_unevenness") == Approx(30.0).epsilon(1e-3));
}
TEST_CASE("transform-non-uniform-scale: the limit, just inside and outside", "[rules]") {
  CHECK(silent(with_scale("joint3", 1.0009), rule));
  CHECK(severity(with_scale("joint3", 1.0011), rule) == Severity::warning);
  CHECK(severity(with_scale("joint3", 0.9985), rule) == Severity::warning);
}
TEST_CASE("transform-non-uniform-scale: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_scale("joint3", 1.3), rule, with_param(rule, "unevenness", 0.5)));
}
TEST_CASE("transform-non-uniform-scale: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(with_scale("joint3", 1.3))) == Ids{rule});
}
TEST_CASE("transform-non-uniform-scale: a turned child is counted as sheared", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").scale = Vec3(1.3, 1, 1);
  node(rig, "joint4").rotation = turn(40, Vec3::UnitZ());
  rig.bind_at_rest();
  CHECK(number(only(rig, rule), "sheared_joints") == 2);
}
TEST_CASE("transform-non-uniform-scale: a node above the skeleton is named itself", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.scale = Vec3(1, 2, 1);
  const auto index = static_cast<std::int64_t>(put_above(rig, top));
  rig.bind_at_rest();
  const Finding found = only(rig, rule);
  CHECK(found.element.kind == ElementKind::node);
  CHECK(to_asset(rig).nodes[static_cast<std::size_t>(found.element.index)].id == index);
}
TEST_CASE("transform-non-uniform-scale: a socket without weight is no fault", "[rules]") {
  CHECK(silent(with_scale("socket", 1.3), rule));
}
TEST_CASE("transform-non-uniform-scale: a joint scaled after binding is bind-rest-differs'",
          "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint3").scale = Vec3(1.3, 1, 1);
  CHECK(silent(rig, rule));
}

TEST_CASE("transform-non-uniform-scale: what an FBX joint does not inherit is no scale of its own",
          "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "joint4").parent_from_node *= scaling(Vec3(1, 1.3, 1));
  for (std::size_t slot : {4U, 5U}) {
    *cluster(asset, slot).transform_link =
        shift(0, 4, 0) * scaling(Vec3(1, 1.3, 1)) * shift(0, static_cast<double>(slot) - 4.0, 0);
    *cluster(asset, slot).transform = affine_inverse(*cluster(asset, slot).transform_link).value();
    asset.skins[0].joint_from_mesh[slot] = cluster(asset, slot).transform;
  }
  CHECK(slots(only(asset, rule)) == std::vector<int>{4});
  node(asset, "joint4").fbx->inherit_type = InheritType::Rrs;
  CHECK(silent(asset, rule));
}
