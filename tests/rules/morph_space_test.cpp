#include <limits>

#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "morph-space";

Rig reaching(double sizes) { return chain_with_morph(Vec3(0, 0, sizes * chain_size)); }

/// The FBX chain with a shape, and a geometric transform that the bind knows of.
Asset with_residue(const Mat4& residue) {
  Asset asset = to_fbx_asset(chain_with_morph(Vec3(0, 0, 0.5)));
  asset.bindings[0].node_from_geometry = residue;
  const Mat4 back = residue.inverse();
  for (std::size_t slot = 0; slot < 6; ++slot)
    *cluster(asset, slot).transform = *cluster(asset, slot).transform * back;
  return asset;
}
/// The FBX chain with a shape under a scaled mesh node.
Asset with_mesh_scale(const Vec3& scale, bool bind_holds_it) {
  Asset asset = to_fbx_asset(chain_with_morph(Vec3(0, 0, 0.5)));
  node(asset, "tube").parent_from_node = scaling(scale);
  if (!bind_holds_it) return asset;
  for (std::size_t slot = 0; slot < 6; ++slot) {
    *cluster(asset, slot).transform = *cluster(asset, slot).transform * scaling(scale);
    asset.skins[0].joint_from_mesh[slot] = cluster(asset, slot).transform;
  }
  return asset;
}
}  // namespace

TEST_CASE("morph-space: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(chain_with_morph(Vec3(0, 0, 0.5)), rule));
}
TEST_CASE("morph-space: offsets of several times the mesh's size", "[rules]") {
  const Finding found = only(reaching(4.0), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(number(found, "longest_offset") == Approx(4.0 * chain_size));
  CHECK(number(found, "longest_offset_percent") == Approx(400));
  CHECK(found.samples.at(0).label == "shape");
}
TEST_CASE("morph-space: limits, just inside and outside", "[rules]") {
  CHECK(silent(reaching(0.99), rule));
  CHECK(severity(reaching(1.01), rule) == Severity::note);
  CHECK(severity(reaching(2.99), rule) == Severity::note);
  CHECK(severity(reaching(3.01), rule) == Severity::warning);
}
TEST_CASE("morph-space: parameters change the outcome", "[rules]") {
  CHECK(silent(reaching(4.0), rule, with_param(rule, "offset_note", 10)));
  CHECK(severity(reaching(4.0), rule, with_param(rule, "offset_warning", 10)) == Severity::note);
}
TEST_CASE("morph-space: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(reaching(4.0)), Severity::note) == Ids{rule});
}
TEST_CASE("morph-space: a geometric transform between shapes and mesh", "[rules]") {
  const Finding found = only(with_residue(turned(90, Vec3::UnitX())), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "residue_displacement") == Approx(0.5 * std::sqrt(2.0)));
  CHECK(reporting(with_residue(turned(90, Vec3::UnitX()))) ==
        Ids{rule, "transform-geometric-residue"});
}
TEST_CASE("morph-space: a geometric transform that only moves is none for offsets", "[rules]") {
  CHECK(silent(with_residue(shift(1, 0, 0)), rule));
}
TEST_CASE("morph-space: a mesh node scaled unevenly, or evenly and not held by the bind",
          "[rules]") {
  CHECK(severity(with_mesh_scale(Vec3(1, 1.5, 1), true), rule) == Severity::warning);
  CHECK(severity(with_mesh_scale(Vec3::Constant(2.54), false), rule) == Severity::warning);
  CHECK(silent(with_mesh_scale(Vec3(1, 1.0005, 1), true), rule));
}
TEST_CASE("morph-space: an even scale that the bind holds is no fault", "[rules]") {
  CHECK(silent(with_mesh_scale(Vec3::Constant(100), true), rule));
}
TEST_CASE("morph-space: glTF ignores a scale of the mesh node for shapes as well", "[rules]") {
  Rig rig = chain_with_morph(Vec3(0, 0, 0.5));
  node(rig, "tube").scale = Vec3(1, 1.5, 1);
  CHECK(silent(rig, rule));
}
TEST_CASE("morph-space: offsets that are not finite are an error", "[rules]") {
  Rig rig = chain_with_morph(Vec3(0, 0, 0.5));
  part_of(rig).morphs[0].offsets[3].x() = std::numeric_limits<double>::quiet_NaN();
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::error);
  CHECK(number(found, "non_finite_offsets") == 1);
}
TEST_CASE("morph-space: positions stored as offsets are morph-absolute's", "[rules]") {
  Rig rig = chain_rig(6);
  for (RigNode& n : rig.nodes) n.translation.y() += n.name == "joint0" ? 20.0 : 0.0;
  for (Vec3& p : part_of(rig).positions) p.y() += 20.0;
  rig.bind_at_rest();
  add_morph(rig, "shape", [](const Vec3& p) { return p; });
  CHECK(silent(rig, rule));
  CHECK(reporting(to_asset(rig)) == Ids{"morph-absolute"});
}
