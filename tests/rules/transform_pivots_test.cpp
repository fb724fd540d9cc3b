#include <functional>

#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-pivots";

Asset with(const std::function<void(FbxTransform&)>& change) {
  Asset asset = fbx_chain();
  change(*node(asset, "joint3").fbx);
  return asset;
}
}  // namespace

TEST_CASE("transform-pivots: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-pivots: each kind is counted", "[rules]") {
  Asset asset = with([](FbxTransform& t) {
    t.post_rotation = Vec3(0, 10, 0);
    t.rotation_order = 4;
  });
  node(asset, "joint1").fbx->rotation_pivot = Vec3(1, 0, 0);
  node(asset, "joint2").fbx->scaling_offset = Vec3(1, 0, 0);
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3, 1, 2});
  CHECK(number(found, "post_rotation") == 1);
  CHECK(number(found, "pivots") == 1);
  CHECK(number(found, "offsets") == 1);
  CHECK(number(found, "rotation_order") == 1);
}
TEST_CASE("transform-pivots: the limit, just inside and outside", "[rules]") {
  CHECK(silent(with([](FbxTransform& t) { t.scaling_pivot.x() = 0.9e-6; }), rule));
  CHECK(severity(with([](FbxTransform& t) { t.scaling_pivot.x() = 1.1e-6; }), rule) ==
        Severity::note);
}
TEST_CASE("transform-pivots: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with([](FbxTransform& t) { t.scaling_pivot.x() = 0.5; }), rule,
               with_param(rule, "residue", 1)));
}
TEST_CASE("transform-pivots: no other rule reports it", "[rules]") {
  CHECK(reporting(with([](FbxTransform& t) { t.post_rotation.x() = 5; }), Severity::note) ==
        Ids{rule});
}
TEST_CASE("transform-pivots: PreRotation is silent", "[rules]") {
  CHECK(silent(with([](FbxTransform& t) { t.pre_rotation = Vec3(10, 20, 30); }), rule));
}
TEST_CASE("transform-pivots: order and PostRotation that are switched off are silent", "[rules]") {
  CHECK(silent(with([](FbxTransform& t) {
                 t.post_rotation.x() = 5;
                 t.rotation_order = 2;
                 t.rotation_active = false;
               }),
               rule));
}
