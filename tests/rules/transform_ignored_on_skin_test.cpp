#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-ignored-on-skin";

Rig mesh_moved(double metres) {
  Rig rig = chain_rig(6);
  node(rig, "tube").translation.x() = metres;
  return rig;
}
const double size = std::sqrt(44.0);
}  // namespace

TEST_CASE("transform-ignored-on-skin: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-ignored-on-skin: a transform that nothing cancels", "[rules]") {
  const Finding found = only(mesh_moved(3.0), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::node, 6, 0});
  CHECK(number(found, "ignored_displacement") == Approx(3.0));
}
TEST_CASE("transform-ignored-on-skin: the limit, just inside and outside", "[rules]") {
  CHECK(silent(mesh_moved(0.95e-4 * size), rule));
  CHECK(severity(mesh_moved(1.05e-4 * size), rule) == Severity::warning);
}
TEST_CASE("transform-ignored-on-skin: a parameter changes the outcome", "[rules]") {
  CHECK(silent(mesh_moved(0.3), rule, with_param(rule, "displacement", 0.1)));
}
TEST_CASE("transform-ignored-on-skin: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(mesh_moved(3.0))) == Ids{rule});
}
TEST_CASE("transform-ignored-on-skin: the bind holds the same transform: a note", "[rules]") {
  Rig rig = mesh_moved(3.0);
  Mat4 m = Mat4::Identity();
  m(0, 3) = 3.0;
  for (Mat4& matrix : *rig.skins[0].joint_from_mesh) matrix = matrix * m;
  CHECK(severity(rig, rule) == Severity::note);
}
TEST_CASE("transform-ignored-on-skin: the joints inherit the same transform: a note", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.translation = Vec3(0, 0, 5);
  const int index = static_cast<int>(put_above(rig, top));
  node(rig, "tube").parent = index;
  rig.bind_at_rest();
  CHECK(severity(rig, rule) == Severity::note);
}
TEST_CASE("transform-ignored-on-skin: a clip that moves a parent of the mesh node alone",
          "[rules]") {
  Rig rig = chain_rig(6);
  RigNode cart;
  cart.name = "cart";
  node(rig, "tube").parent = static_cast<int>(rig.nodes.size());
  rig.nodes.push_back(cart);
  rig.clips.push_back(
      clip_of("slide", rig.node("cart"), ChannelPath::translation, {0, 0, 0, 1, 0, 0}));
  CHECK(severity(rig, rule) == Severity::warning);
}
TEST_CASE("transform-ignored-on-skin: a clip on the mesh node itself is clip-skinned-node's",
          "[rules]") {
  Rig rig = chain_rig(6);
  rig.clips.push_back(clip_of("slide", 6, ChannelPath::translation, {0, 0, 0, 1, 0, 0}));
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-ignored-on-skin: a node that merely is no root is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "tube").parent = static_cast<int>(put_above(rig, RigNode{}));
  CHECK(silent(rig, rule));
}
