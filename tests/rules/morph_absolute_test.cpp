#include <cmath>

#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "morph-absolute";

/// Unevenness that no linear map explains, a tenth of the mesh's breadth.
Vec3 bump(const Vec3& p) {
  return Vec3(std::sin(9 * p.y()), std::cos(7 * p.x()), std::sin(5 * p.z() + p.y())) * 0.1;
}
Rig humanoid(const std::function<Vec3(const Vec3&)>& offset) {
  Rig rig = humanoid_rig();
  for (RigPart& part : rig.meshes[0].parts) {
    RigMorph morph;
    morph.name = "smile";
    for (const Vec3& p : part.positions) morph.offsets.push_back(offset(p));
    part.morphs.push_back(std::move(morph));
  }
  return rig;
}
Rig scaled_positions(double factor) {
  return humanoid([factor](const Vec3& p) { return Vec3(factor * (p + bump(p))); });
}
}  // namespace

TEST_CASE("morph-absolute: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("morph-absolute: a shape stored as positions", "[rules]") {
  const Rig rig = scaled_positions(1.0);
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::mesh, 0, 0});
  CHECK(found.related == std::vector<ElementRef>{{ElementKind::morph_target, 0, 0}});
  CHECK(found.count == 1);
  CHECK(number(found, "correlation_centroid") > 0.95);
  CHECK(number(found, "length_ratio") == Approx(1.0).margin(0.1));
  CHECK(number(found, "moving") == Approx(100));
  CHECK(found.samples.at(0).label == "smile");
  // The shape that is the base mesh itself, offsets equal to positions.
  CHECK(severity(humanoid([](const Vec3& p) { return p; }), rule) == Severity::warning);
}
TEST_CASE("morph-absolute: limits, just inside and outside", "[rules]") {
  const double ratio = number(only(scaled_positions(1.0), rule), "length_ratio");
  CHECK(silent(scaled_positions(0.49 / ratio), rule));
  CHECK(severity(scaled_positions(0.52 / ratio), rule) == Severity::warning);
  CHECK(severity(scaled_positions(1.9 / ratio), rule) == Severity::warning);
  CHECK(silent(scaled_positions(2.1 / ratio), rule));
  const double correlation = number(only(scaled_positions(1.0), rule), "correlation_centroid");
  CHECK(silent(scaled_positions(1.0), rule, with_param(rule, "correlation", correlation + 1e-3)));
  CHECK(severity(scaled_positions(1.0), rule,
                 with_param(rule, "correlation", correlation - 1e-3)) == Severity::warning);
}
TEST_CASE("morph-absolute: how many vertices have to move is a parameter", "[rules]") {
  int n = 0;
  const Rig rig = humanoid(
      [&n](const Vec3& p) { return ++n % 50 == 0 ? Vec3(Vec3::Zero()) : Vec3(p + bump(p)); });
  CHECK(number(only(rig, rule), "moving") == Approx(98).margin(0.5));
  CHECK(silent(rig, rule, with_param(rule, "moving", 0.99)));
}
TEST_CASE("morph-absolute: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(scaled_positions(1.0)), Severity::note) == Ids{rule});
}
TEST_CASE("morph-absolute: shapes that grow, stretch or thin the mesh", "[rules]") {
  CHECK(silent(humanoid([](const Vec3& p) { return Vec3(0.8 * p); }), rule));
  CHECK(silent(humanoid([](const Vec3& p) { return Vec3(0.8 * (p - Vec3(0, 0.9, 0))); }), rule));
  CHECK(silent(humanoid([](const Vec3& p) { return Vec3(0, 0.9 * p.y(), 0); }), rule));
  CHECK(silent(humanoid([](const Vec3& p) { return Vec3(-0.6 * p); }), rule));
}
TEST_CASE("morph-absolute: few vertices move, and small offsets", "[rules]") {
  CHECK(silent(
      humanoid([](const Vec3& p) { return p.y() > 1.5 ? Vec3(p + bump(p)) : Vec3(Vec3::Zero()); }),
      rule));
  CHECK(silent(scaled_positions(0.1), rule));
}
TEST_CASE("morph-absolute: a mesh without skin is not judged", "[rules]") {
  Rig rig = scaled_positions(1.0);
  rig.skins.clear();
  for (RigInstance& instance : rig.instances) instance.skin = -1;
  for (RigPart& part : rig.meshes[0].parts) part.influences.clear();
  CHECK(silent(rig, rule));
}
TEST_CASE("morph-absolute: sparse offsets count as they are listed", "[rules]") {
  Asset asset = to_fbx_asset(chain_rig(6));
  std::vector<double> offsets;
  std::vector<std::int32_t> indices;
  const Rig rig = chain_rig(6);
  for (std::size_t v = 0; v < 192; ++v) {
    const Vec3 p = rig.meshes[0].parts[0].positions[v];
    const Vec3 d = p + bump(p);
    offsets.insert(offsets.end(), {d[0], d[1], d[2]});
    indices.push_back(static_cast<std::int32_t>(v));
  }
  MorphTarget target;
  target.shapes.resize(1);
  target.shapes[0].positions = {stream_over(offsets, ComponentType::f64, 3)};
  target.shapes[0].indices = {stream_over(indices, ComponentType::i32, 1)};
  asset.meshes[0].morphs.push_back(target);
  CHECK(severity(asset, rule) == Severity::warning);
  asset.meshes[0].morphs[0].shapes[0].positions[0].count = 150;  // 78 % of the vertices
  asset.meshes[0].morphs[0].shapes[0].indices[0].count = 150;
  CHECK(silent(asset, rule));
}
