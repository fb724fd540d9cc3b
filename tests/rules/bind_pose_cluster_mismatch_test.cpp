#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-pose-cluster-mismatch";

Asset posed_apart(double over_size) {
  Asset asset = fbx_chain();
  posed(asset, "joint3") = shift(over_size * chain_size, 0, 0) * posed(asset, "joint3");
  return asset;
}
/// Every entry of the bind pose carries one matrix more.
Asset all_posed_by(const Mat4& m) {
  Asset asset = fbx_chain();
  for (BindPose::Entry& entry : asset.bind_poses[0].entries) {
    entry.world_from_node = m * entry.world_from_node;
  }
  return asset;
}
}  // namespace

TEST_CASE("bind-pose-cluster-mismatch: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-pose-cluster-mismatch: one joint posed elsewhere", "[rules]") {
  const Finding found = only(posed_apart(0.05), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "worst_over_size") == Approx(0.05));
  CHECK(words_of(found, "rest_agrees_with") == "clusters");
  CHECK(words_of(found, "common") == "no");
}
TEST_CASE("bind-pose-cluster-mismatch: displacement, angle and scale, just inside and outside",
          "[rules]") {
  CHECK(silent(posed_apart(0.95e-3), rule));
  CHECK(severity(posed_apart(1.05e-3), rule) == Severity::warning);
  const auto changed = [](const Mat4& change) {
    Asset asset = fbx_chain();
    posed(asset, "joint3") = posed(asset, "joint3") * change;
    return asset;
  };
  const CheckConfig loose = with_param(rule, "displacement", 0.5);
  CHECK(silent(changed(turned(0.095, Vec3::UnitX())), rule, loose));
  CHECK(severity(changed(turned(0.105, Vec3::UnitX())), rule, loose) == Severity::warning);
  CHECK(silent(changed(scaling(Vec3::Constant(1.00095))), rule, loose));
  CHECK(severity(changed(scaling(Vec3::Constant(1.00105))), rule, loose) == Severity::warning);
}
TEST_CASE("bind-pose-cluster-mismatch: a parameter changes the outcome", "[rules]") {
  CHECK(silent(posed_apart(0.05), rule, with_param(rule, "displacement", 0.1)));
}
TEST_CASE("bind-pose-cluster-mismatch: no other rule reports the break", "[rules]") {
  CHECK(reporting(posed_apart(0.05)) == Ids{rule});
}
TEST_CASE("bind-pose-cluster-mismatch: the mesh's entry alone, elsewhere", "[rules]") {
  Asset asset = fbx_chain();
  posed(asset, "tube") = shift(0.07, 0, 0);
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "mesh") == "yes");
  CHECK(found.count == 1);
}
TEST_CASE("bind-pose-cluster-mismatch: it says when the rest pose agrees with the bind pose",
          "[rules]") {
  Asset asset = fbx_chain();
  *cluster(asset, 3).transform_link = shift(0.5, 0, 0) * *cluster(asset, 3).transform_link;
  *cluster(asset, 3).transform = affine_inverse(*cluster(asset, 3).transform_link).value();
  asset.skins[0].joint_from_mesh[3] = cluster(asset, 3).transform;
  CHECK(words_of(only(asset, rule), "rest_agrees_with") == "bind pose");
}
TEST_CASE("bind-pose-cluster-mismatch: one matrix over all joints is a note", "[rules]") {
  for (const Mat4& m : {scaling(Vec3::Constant(100)), turned(-90, Vec3::UnitX()), shift(2, 0, 0)}) {
    const Finding found = only(all_posed_by(m), rule);
    CHECK(found.severity == Severity::note);
    CHECK(words_of(found, "common") == "yes");
  }
  Asset asset = all_posed_by(scaling(Vec3::Constant(100)));
  posed(asset, "joint3") = shift(10, 0, 0) * posed(asset, "joint3");
  CHECK(severity(asset, rule) == Severity::warning);
}
TEST_CASE("bind-pose-cluster-mismatch: a quarter turn of the mesh's entry alone is a note",
          "[rules]") {
  Asset asset = fbx_chain();
  posed(asset, "tube") = turned(-90, Vec3::UnitX());
  CHECK(severity(asset, rule) == Severity::note);
  posed(asset, "tube") = turned(-80, Vec3::UnitX());
  CHECK(severity(asset, rule) == Severity::warning);
}
TEST_CASE("bind-pose-cluster-mismatch: a cluster completed from the bind pose is no fault",
          "[rules]") {
  Asset asset = posed_apart(0.05);
  cluster(asset, 3).from_bind_pose = true;
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-pose-cluster-mismatch: of two bind poses the nearer counts", "[rules]") {
  Asset asset = posed_apart(0.05);
  asset.bind_poses.push_back(fbx_chain().bind_poses[0]);
  CHECK(silent(asset, rule));
}
