#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-mesh-residue";

/// The mesh node has a transform and the bind holds it.
Asset unfrozen(const Mat4& m) {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = m;
  posed(asset, "tube") = m;
  for (std::size_t slot = 0; slot < 6; ++slot) {
    *cluster(asset, slot).transform = *cluster(asset, slot).transform * m;
    asset.skins[0].joint_from_mesh[slot] = cluster(asset, slot).transform;
  }
  return asset;
}
}  // namespace

TEST_CASE("transform-mesh-residue: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-mesh-residue: a transform that the bind cancels", "[rules]") {
  const Finding found = only(unfrozen(scaling(Vec3::Constant(0.5))), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::node, node_of(fbx_chain(), "tube"), 0});
  CHECK(number(found, "scale") == Approx(0.5));
  CHECK(words_of(found, "bind_cancels_it") == "yes");
}
TEST_CASE("transform-mesh-residue: limits, just inside and outside", "[rules]") {
  CHECK(silent(unfrozen(scaling(Vec3::Constant(1.000095))), rule));
  CHECK(severity(unfrozen(scaling(Vec3::Constant(1.000105))), rule) == Severity::note);
  CHECK(silent(unfrozen(shift(0.95e-4 * chain_size, 0, 0)), rule));
  CHECK(severity(unfrozen(shift(1.05e-4 * chain_size, 0, 0)), rule) == Severity::note);
}
TEST_CASE("transform-mesh-residue: a parameter changes the outcome", "[rules]") {
  CHECK(silent(unfrozen(scaling(Vec3::Constant(0.5))), rule, with_param(rule, "residue", 0.6)));
}
TEST_CASE("transform-mesh-residue: nothing warns of it", "[rules]") {
  CHECK(reporting(unfrozen(turned(30, Vec3::UnitY()))).empty());
  CHECK(severity(unfrozen(turned(30, Vec3::UnitY())), rule) == Severity::note);
}
TEST_CASE("transform-mesh-residue: where the bind does not hold it, bind-mesh-moved warns",
          "[rules]") {
  Asset asset = fbx_chain();
  node(asset, "tube").parent_from_node = scaling(Vec3::Constant(0.5));
  CHECK(words_of(only(asset, rule), "bind_cancels_it") == "no");
  CHECK(reporting(asset) == Ids{"bind-mesh-moved"});
}
TEST_CASE(
    "transform-mesh-residue: glTF: a note where the bind holds it, else "
    "transform-ignored-on-skin's",
    "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "tube").scale = Vec3::Constant(0.5);
  CHECK(silent(rig, rule));
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m * scaling(Vec3::Constant(0.5));
  CHECK(words_of(only(rig, rule), "bind_cancels_it") == "yes");
}
TEST_CASE("transform-mesh-residue: a transform of the parents alone is silent", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode top;
  top.name = "Armature";
  top.scale = Vec3::Constant(100);
  node(rig, "tube").parent = static_cast<int>(put_above(rig, top));
  rig.bind_at_rest();
  CHECK(silent(to_fbx_asset(rig), rule));
}
