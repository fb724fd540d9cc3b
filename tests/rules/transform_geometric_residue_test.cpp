#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-geometric-residue";

/// A geometric transform, and a bind that knows of it.
Asset with_residue(const Mat4& residue) {
  Asset asset = fbx_chain();
  const Mat4 back = residue.inverse();
  asset.bindings[0].node_from_geometry = residue;
  for (std::size_t slot = 0; slot < 6; ++slot) {
    *cluster(asset, slot).transform = *cluster(asset, slot).transform * back;
  }
  return asset;
}
}  // namespace

TEST_CASE("transform-geometric-residue: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-geometric-residue: a turn is left", "[rules]") {
  const Finding found = only(with_residue(turned(90, Vec3::UnitX())), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::node, node_of(fbx_chain(), "tube"), 0});
  CHECK(number(found, "angle") == Approx(90));
  CHECK(words_of(found, "shared_unequally") == "no");
}
TEST_CASE("transform-geometric-residue: limits, just inside and outside", "[rules]") {
  CHECK(silent(with_residue(scaling(Vec3(1.000095, 1, 1))), rule));
  CHECK(severity(with_residue(scaling(Vec3(1.000105, 1, 1))), rule) == Severity::warning);
  CHECK(silent(with_residue(shift(0.95e-4 * chain_size, 0, 0)), rule));
  CHECK(severity(with_residue(shift(1.05e-4 * chain_size, 0, 0)), rule) == Severity::warning);
}
TEST_CASE("transform-geometric-residue: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_residue(scaling(Vec3::Constant(1.5))), rule, with_param(rule, "residue", 1)));
}
TEST_CASE("transform-geometric-residue: no other rule warns of the break", "[rules]") {
  Asset asset = with_residue(turned(90, Vec3::UnitX()));
  node(asset, "tube").parent_from_node = turned(-90, Vec3::UnitX());
  CHECK(reporting(asset) == Ids{rule});
}
TEST_CASE(
    "transform-geometric-residue: shapes, and a geometry shared under another residue, are named",
    "[rules]") {
  Rig rig = chain_rig(6);
  rig.meshes[0].parts[0].morphs.push_back(
      {"smile", 0.0, std::vector<Vec3>(rig.meshes[0].parts[0].positions.size(), Vec3(0, 0.1, 0))});
  RigNode copy;
  copy.name = "copy";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 0, 0});
  rig.nodes.push_back(copy);
  Asset asset = to_fbx_asset(rig);
  asset.bindings[0].node_from_geometry = shift(1, 0, 0);
  const Finding found = only(asset, rule);
  CHECK(number(found, "morphs") == 1);
  CHECK(words_of(found, "shared_unequally") == "yes");
}
TEST_CASE("transform-geometric-residue: a mesh without a skin may keep one", "[rules]") {
  Asset asset = with_residue(turned(90, Vec3::UnitX()));
  asset.bindings.clear();
  CHECK(silent(asset, rule));
}
