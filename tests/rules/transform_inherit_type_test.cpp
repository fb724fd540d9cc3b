#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-inherit-type";

/// joint3 inherits by `type` from joint2, which is scaled; the bind agrees.
Asset inheriting(InheritType type, const Vec3& scale) {
  Rig rig = chain_rig(6);
  node(rig, "joint2").scale = scale;
  rig.bind_at_rest();
  Asset asset = to_fbx_asset(rig);
  node(asset, "joint3").fbx->inherit_type = type;
  return asset;
}
}  // namespace

TEST_CASE("transform-inherit-type: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-inherit-type: a joint leaves out its parent's scale", "[rules]") {
  const Finding found = only(inheriting(InheritType::Rrs, Vec3::Constant(0.7)), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_parent_scale_change") == Approx(0.3));
}
TEST_CASE("transform-inherit-type: the limit, just inside and outside", "[rules]") {
  CHECK(severity(inheriting(InheritType::Rrs, Vec3::Constant(1.00095)), rule) == Severity::note);
  CHECK(severity(inheriting(InheritType::Rrs, Vec3::Constant(1.00105)), rule) == Severity::warning);
}
TEST_CASE("transform-inherit-type: a parameter changes the outcome", "[rules]") {
  CHECK(severity(inheriting(InheritType::Rrs, Vec3::Constant(0.7)), rule,
                 with_param(rule, "scale", 0.5)) == Severity::note);
}
TEST_CASE("transform-inherit-type: the parent's scale is the only companion", "[rules]") {
  CHECK(reporting(inheriting(InheritType::Rrs, Vec3::Constant(0.7))) ==
        Ids{rule, "transform-uniform-scale"});
}
TEST_CASE(
    "transform-inherit-type: an animated scale of the parent is a warning, keys of 1 are a note",
    "[rules]") {
  Rig rig = chain_rig(6);
  rig.clips.push_back(
      clip_of("swell", rig.node("joint2"), ChannelPath::scale, {1, 1, 1, 1.5, 1.5, 1.5}));
  Asset asset = to_fbx_asset(rig);
  node(asset, "joint3").fbx->inherit_type = InheritType::Rrs;
  CHECK(severity(asset, rule) == Severity::warning);
  rig.clips[0].channels[0].values = {1, 1, 1, 1, 1, 1};
  asset = to_fbx_asset(rig);
  node(asset, "joint3").fbx->inherit_type = InheritType::Rrs;
  CHECK(severity(asset, rule) == Severity::note);
}
TEST_CASE("transform-inherit-type: without a scaled parent it is a note, once", "[rules]") {
  Asset asset = fbx_chain();
  for (Node& node : asset.nodes) node.fbx->inherit_type = InheritType::Rrs;
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::note);
  CHECK(number(found, "without_effect") == 5);
}
TEST_CASE("transform-inherit-type: RrSs matters under uneven scale alone", "[rules]") {
  CHECK(silent(inheriting(InheritType::RrSs, Vec3::Constant(0.7)), rule));
  CHECK(severity(inheriting(InheritType::RrSs, Vec3(1, 0.7, 1)), rule) == Severity::warning);
  CHECK(silent(inheriting(InheritType::RSrs, Vec3(1, 0.7, 1)), rule));
}
TEST_CASE("transform-inherit-type: a joint that moves no vertices is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  node(rig, "joint5").scale = Vec3::Constant(0.7);
  rig.bind_at_rest();
  Asset asset = to_fbx_asset(rig);
  node(asset, "socket").fbx->inherit_type = InheritType::Rrs;
  CHECK(silent(asset, rule));
}
