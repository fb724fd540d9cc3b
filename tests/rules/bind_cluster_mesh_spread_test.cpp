#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-cluster-mesh-spread";

Asset apart(double over_size, std::size_t slot = 3) {
  Asset asset = fbx_chain();
  Mat4& transform = *cluster(asset, slot).transform;
  transform = shift(over_size * chain_size, 0, 0) * transform;
  asset.skins[0].joint_from_mesh[slot] = transform;
  return asset;
}
}  // namespace

TEST_CASE("bind-cluster-mesh-spread: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-cluster-mesh-spread: one cluster bound elsewhere", "[rules]") {
  const Finding found = only(apart(0.03), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_spread") == Approx(0.03));
  CHECK(number(found, "distance") == Approx(0.03 * chain_size));
  CHECK(number(found, "clusters") == 6);
}
TEST_CASE("bind-cluster-mesh-spread: limits, just inside and outside", "[rules]") {
  CHECK(silent(apart(0.95e-3), rule));
  CHECK(severity(apart(1.05e-3), rule) == Severity::warning);
  CHECK(severity(apart(0.95e-2), rule) == Severity::warning);
  CHECK(severity(apart(1.05e-2), rule) == Severity::error);
}
TEST_CASE("bind-cluster-mesh-spread: a parameter changes the outcome", "[rules]") {
  CHECK(silent(apart(0.03), rule, with_param(rule, "warning", 0.1)));
  CHECK(severity(apart(0.03), rule, with_param(rule, "error", 0.1)) == Severity::warning);
}
TEST_CASE("bind-cluster-mesh-spread: no other rule reports the break", "[rules]") {
  CHECK(reporting(apart(0.03)) == Ids{rule});
}
TEST_CASE(
    "bind-cluster-mesh-spread: a cluster that is turned about its own vertices disagrees as well",
    "[rules]") {
  Asset asset = fbx_chain();
  const Mat4 about = shift(0, 3.5, 0) * turned(30, Vec3::UnitY()) * shift(0, -3.5, 0);
  *cluster(asset, 3).transform = *cluster(asset, 3).transform * about;
  asset.skins[0].joint_from_mesh[3] = *cluster(asset, 3).transform;
  CHECK(severity(asset, rule) == Severity::error);
}
TEST_CASE("bind-cluster-mesh-spread: a cluster that moves no vertices is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t socket = add_socket(rig, "joint5", "socket");
  Asset asset = to_fbx_asset(rig);
  *cluster(asset, socket).transform = shift(3, 0, 0) * *cluster(asset, socket).transform;
  asset.skins[0].joint_from_mesh[socket] = *cluster(asset, socket).transform;
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-cluster-mesh-spread: a cluster completed from the bind pose is no fault",
          "[rules]") {
  Asset asset = apart(0.03);
  cluster(asset, 3).from_bind_pose = true;
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-cluster-mesh-spread: glTF has no clusters", "[rules]") {
  Rig rig = chain_rig(6);
  matrix_of(rig, 3)(0, 3) += 1;
  CHECK(silent(rig, rule));
}
