#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "morph-topology";

const std::vector<double> two_offsets = {0, 0, 0.1, 0, 0.1, 0};

/// The FBX chain with a sparse shape on two control points.
Asset with_indices(const std::vector<std::int32_t>& indices) {
  Asset asset = fbx_chain();
  MorphTarget target;
  target.name = "smile";
  target.shapes.resize(1);
  target.shapes[0].positions = {stream_over(two_offsets, ComponentType::f64, 3)};
  target.shapes[0].indices = {stream_over(indices, ComponentType::i32, 1)};
  asset.meshes[0].morphs.push_back(target);
  part_of(asset).morph_target_count = 1;
  return asset;
}
/// As the glTF reader leaves a target of another length.
Asset with_count(std::size_t count) {
  Asset asset = to_asset(chain_with_morph(Vec3(0, 0, 0.1)));
  Stream& offsets = asset.meshes[0].morphs[0].shapes[0].positions[0];
  if (count != offsets.count) offsets.data = nullptr;
  offsets.count = count;
  return asset;
}
Rig two_shapes(const std::string& first, const std::string& second) {
  Rig rig = chain_rig(6);
  add_morph(rig, first, [](const Vec3&) { return Vec3(0, 0, 0.1); });
  add_morph(rig, second, [](const Vec3&) { return Vec3(0, 0.1, 0); });
  return rig;
}
}  // namespace

TEST_CASE("morph-topology: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(two_shapes("a", "b"), rule));
}
TEST_CASE("morph-topology: a target with ten vertices less", "[rules]") {
  const Finding found = only(with_count(182), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::morph_target, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "offsets") == 182);
  CHECK(number(found, "vertices") == 192);
}
TEST_CASE("morph-topology: counts and indices, just inside and outside", "[rules]") {
  CHECK(silent(with_count(192), rule));
  CHECK(severity(with_count(191), rule) == Severity::error);
  CHECK(severity(with_count(193), rule) == Severity::error);
  const std::vector<std::int32_t> last = {0, 191}, beyond = {0, 192}, negative = {-1, 5};
  CHECK(silent(with_indices(last), rule));
  CHECK(number(only(with_indices(beyond), rule), "out_of_range") == 1);
  CHECK(severity(with_indices(negative), rule) == Severity::error);
  const std::vector<std::int32_t> three = {0, 1, 2};
  CHECK(severity(with_indices(three), rule) == Severity::error);
}
TEST_CASE("morph-topology: a part with fewer targets than the others", "[rules]") {
  Rig rig = two_shapes("a", "b");
  rig.meshes[0].parts.push_back(rig.meshes[0].parts[0]);
  CHECK(silent(rig, rule));
  rig.meshes[0].parts[1].morphs.pop_back();
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::error);
  CHECK(number(found, "fewest_targets") == 1);
  CHECK(number(found, "most_targets") == 2);
}
TEST_CASE("morph-topology: two shapes of one name are a warning", "[rules]") {
  const Finding found = only(two_shapes("smile", "smile"), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::morph_target, 0, 1});
  CHECK(words_of(found, "name") == "smile");
  CHECK(silent(two_shapes("smile", "Smile"), rule));
}
TEST_CASE("morph-topology: a shape that moves nothing is a note", "[rules]") {
  const Finding found = only(chain_with_morph(Vec3(0, 0, 0)), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.count == 1);
  Rig rig = chain_with_morph(Vec3(0, 0, 0));
  part_of(rig).morphs[0].offsets[100].x() = 1e-9;
  CHECK(silent(rig, rule));
  Asset without = to_asset(chain_with_morph(Vec3(0, 0, 0.1)));
  without.meshes[0].morphs[0].shapes.clear();
  CHECK(severity(without, rule) == Severity::note);
}
TEST_CASE("morph-topology: no other rule reports it", "[rules]") {
  CHECK(reporting(with_count(182), Severity::note) == Ids{rule});
  CHECK(reporting(to_asset(two_shapes("smile", "smile")), Severity::note) == Ids{rule});
  CHECK(reporting(to_asset(chain_with_morph(Vec3(0, 0, 0))), Severity::note) == Ids{rule});
}
TEST_CASE("morph-topology: a severity can be configured", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(only_severity(with_count(182), rule, config) == Severity::note);
}
TEST_CASE("morph-topology: a part may leave out the positions of a target", "[rules]") {
  Rig rig = two_shapes("a", "b");
  rig.meshes[0].parts.push_back(rig.meshes[0].parts[0]);
  Asset asset = to_asset(rig);
  asset.meshes[0].morphs[1].shapes[0].positions[1] = {};
  CHECK(silent(asset, rule));
}
TEST_CASE("morph-topology: in-betweens share a name; so do shapes without one", "[rules]") {
  CHECK(silent(two_shapes("", ""), rule));
  Asset asset = to_asset(two_shapes("a", "b"));
  asset.meshes[0].morphs[0].shapes.push_back(asset.meshes[0].morphs[0].shapes[0]);
  CHECK(silent(asset, rule));
}
TEST_CASE("morph-topology: damage that the reader tells of, and meshes without skin", "[rules]") {
  Asset damaged = to_asset(chain_with_morph(Vec3(0, 0, 0.1)));
  damaged.meshes[0].morphs[0].shapes[0].positions[0].data = nullptr;
  CHECK(silent(damaged, rule));
  CHECK(silent(unskinned(two_shapes("smile", "smile")), rule));
}
