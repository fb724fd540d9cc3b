#include <limits>

#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "mesh-normals";
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The first `count` normals scaled.
Rig scaled(double length, std::size_t count = 3) {
  Rig rig = chain_rig(6);
  for (std::size_t v = 0; v < count; ++v) part_of(rig).normals.at(v) *= length;
  return rig;
}
Rig replaced(const Vec3& normal) {
  Rig rig = chain_rig(6);
  part_of(rig).normals.at(7) = normal;
  return rig;
}
/// Normals of the FBX chain as a list of its own.
Asset listed(const std::vector<double>& values, const std::vector<std::int32_t>* indices = nullptr,
             ListedNormals::Per per = ListedNormals::Per::corner) {
  Asset asset = fbx_chain();
  part_of(asset).normals = {};
  ListedNormals& normals = part_of(asset).listed_normals;
  normals.per = per;
  normals.values = stream_over(values, ComponentType::f64, 3);
  if (indices != nullptr) normals.indices = stream_over(*indices, ComponentType::i32, 1);
  return asset;
}
}  // namespace

TEST_CASE("mesh-normals: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("mesh-normals: three short normals: how many, how short", "[rules]") {
  const Finding found = only(scaled(0.7), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::part, 0, 0});
  CHECK(found.count == 3);
  CHECK(number(found, "off_unit") == 3);
  CHECK(number(found, "zero_length") == 0);
  CHECK(number(found, "shortest") == Approx(0.7));
  CHECK(number(found, "longest") == Approx(0.7));
  CHECK(number(found, "normals") == 192);
  REQUIRE(found.samples.size() == 3);
  std::set<std::int64_t> vertices;
  for (const Sample& sample : found.samples) vertices.insert(sample.index);
  CHECK(vertices == std::set<std::int64_t>{0, 1, 2});
  CHECK(found.sample_of == "vertex");
}
TEST_CASE("mesh-normals: a NaN normal is an error, one without length a warning", "[rules]") {
  const Finding broken = only(replaced(Vec3(0, not_a_number, 1)), rule);
  CHECK(broken.severity == Severity::error);
  CHECK(number(broken, "non_finite") == 1);
  CHECK(broken.samples.at(0).index == 7);
  const Finding none = only(replaced(Vec3::Zero()), rule);
  CHECK(none.severity == Severity::warning);
  CHECK(number(none, "zero_length") == 1);
  CHECK(number(none, "off_unit") == 0);
}
TEST_CASE("mesh-normals: limits, just inside and outside", "[rules]") {
  CHECK(silent(scaled(1.0066), rule));
  CHECK(severity(scaled(1.0069), rule) == Severity::warning);
  CHECK(silent(scaled(0.9934), rule));
  CHECK(severity(scaled(0.9931), rule) == Severity::warning);
}
TEST_CASE("mesh-normals: a parameter changes the outcome", "[rules]") {
  CHECK(silent(scaled(0.7), rule, with_param(rule, "unit_length", 0.4)));
  CHECK(severity(scaled(1.001), rule, with_param(rule, "unit_length", 1e-4)) == Severity::warning);
}
TEST_CASE("mesh-normals: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(scaled(0.7)), Severity::note) == Ids{rule});
  CHECK(reporting(to_asset(replaced(Vec3(0, not_a_number, 1))), Severity::note) == Ids{rule});
}
TEST_CASE("mesh-normals: bytes cannot do better than the limit", "[rules]") {
  Asset asset = to_asset(chain_rig(6));
  const std::vector<std::int8_t> fair(3 * 192, 73), poor(3 * 192, 70);
  part_of(asset).normals = stream_over(fair, ComponentType::i8, 3, true);  // length 0.9956
  CHECK(silent(asset, rule));
  part_of(asset).normals = stream_over(poor, ComponentType::i8, 3, true);  // length 0.955
  CHECK(only(asset, rule).count == 192);
}
TEST_CASE("mesh-normals: a vertex or a listed normal that nothing uses needs none", "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t stray = add_stray_vertex(rig);
  part_of(rig).normals[stray] = Vec3::Zero();
  CHECK(silent(rig, rule));
  part_of(rig).normals[stray] = Vec3(0, not_a_number, 0);  // importers that scan it still choke
  CHECK(severity(rig, rule) == Severity::error);

  const std::vector<double> values = {0, 1, 0, 0, 0, 0, 1, 0, 0};
  const std::vector<std::int32_t> spares = {0, 2, 2, 0, -1, 99}, uses = {0, 1, 2};
  CHECK(silent(listed(values, &spares), rule));
  const Finding found = only(listed(values, &uses), rule);
  CHECK(number(found, "zero_length") == 1);
  CHECK(found.sample_of == "normal");
  CHECK(found.samples.at(0).index == 1);
}
TEST_CASE("mesh-normals: listed per corner they are named by corner", "[rules]") {
  const std::vector<double> values = {0, 1, 0, 0, 0.7, 0, 1, 0, 0};
  const Finding found = only(listed(values), rule);
  CHECK(found.sample_of == "corner");
  CHECK(found.samples.at(0).index == 1);
  CHECK(only(listed(values, nullptr, ListedNormals::Per::polygon), rule).sample_of == "polygon");
}
TEST_CASE("mesh-normals: a mesh without normals, or without skin, is not judged", "[rules]") {
  Rig rig = chain_rig(6);
  part_of(rig).normals.clear();
  CHECK(silent(rig, rule));
  CHECK(silent(unskinned(scaled(0.7)), rule));
}
TEST_CASE("mesh-normals: shapes whose normals are all zero are a note", "[rules]") {
  Asset asset = to_asset(chain_with_morph(Vec3(0, 0.1, 0)));
  CHECK(silent(asset, rule));
  asset.meshes[0].morphs[0].shapes[0].normals = MorphTarget::Shape::Normals::given;
  CHECK(silent(asset, rule));
  asset.meshes[0].morphs[0].shapes[0].normals = MorphTarget::Shape::Normals::zero;
  const Finding found = only(asset, rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::mesh, 0, 0});
  CHECK(found.count == 1);
}
TEST_CASE("mesh-normals: parts that share one stream are one finding", "[rules]") {
  Asset asset = to_asset(scaled(0.7));
  asset.meshes.push_back(asset.meshes[0]);
  asset.bindings.push_back(asset.bindings[0]);
  asset.bindings[1].mesh = 1;
  CHECK(findings_of(asset, rule).size() == 1);
}
