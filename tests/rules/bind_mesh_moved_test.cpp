#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-mesh-moved";

/// The mesh node changed after the bind; the bind pose and the clusters know nothing of it.
Asset moved_by(const Mat4& m) {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = m;
  return asset;
}
}  // namespace

TEST_CASE("bind-mesh-moved: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("bind-mesh-moved: a mesh node moved after the bind", "[rules]") {
  const Finding found = only(moved_by(shift(0.12, 0, 0)), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(number(found, "moved") == Approx(0.12));
  CHECK(words_of(found, "named").empty());
}
TEST_CASE("bind-mesh-moved: limits, just inside and outside", "[rules]") {
  CHECK(silent(moved_by(shift(0.95e-4 * chain_size, 0, 0)), rule));
  CHECK(severity(moved_by(shift(1.05e-4 * chain_size, 0, 0)), rule) == Severity::note);
  CHECK(severity(moved_by(scaling(Vec3::Constant(1.00095))), rule) == Severity::note);
  CHECK(severity(moved_by(scaling(Vec3::Constant(1.00105))), rule) == Severity::warning);
}
TEST_CASE("bind-mesh-moved: a change of scale is a warning that names the unit", "[rules]") {
  const Finding found = only(moved_by(scaling(Vec3::Constant(100))), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "scale") == Approx(100));
  CHECK(words_of(found, "named") == "metres written as centimetres");
  CHECK(severity(moved_by(scaling(Vec3(-1, 1, 1))), rule) == Severity::warning);
}
TEST_CASE("bind-mesh-moved: a parameter changes the outcome", "[rules]") {
  CHECK(silent(moved_by(shift(0.12, 0, 0)), rule, with_param(rule, "displacement", 0.1)));
  CHECK(severity(moved_by(scaling(Vec3::Constant(1.5))), rule, with_param(rule, "scale", 1)) ==
        Severity::note);
}
TEST_CASE("bind-mesh-moved: no other rule reports the break", "[rules]") {
  CHECK(reporting(moved_by(scaling(Vec3::Constant(100)))) == Ids{rule});
  CHECK(reporting(moved_by(turned(90, Vec3::UnitX()))) == Ids{});
}
TEST_CASE("bind-mesh-moved: a turned mesh node is a note that names the turn", "[rules]") {
  const Finding found = only(moved_by(turned(90, Vec3::UnitX())), rule);
  CHECK(found.severity == Severity::note);
  CHECK(words_of(found, "named") == "90° about X");
}
TEST_CASE("bind-mesh-moved: an animated mesh node is silent", "[rules]") {
  Rig rig = chain_rig(6);
  rig.clips.push_back(
      clip_of("slide", rig.node("tube"), ChannelPath::translation, {0, 0, 0, 1, 0, 0}));
  Asset asset = to_fbx_asset(rig);
  node(asset, "tube").parent_from_node = shift(1, 0, 0);
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-mesh-moved: mesh and skeleton moved together are bind-rest-differs'", "[rules]") {
  Asset asset = moved_by(shift(1, 0, 0));
  node(asset, "joint0").parent_from_node = shift(1, 0, 0);
  CHECK(silent(asset, rule));
}
TEST_CASE("bind-mesh-moved: a mesh node without extent is transform-zero-scale's", "[rules]") {
  CHECK(silent(moved_by(scaling(Vec3::Zero())), rule));
}
