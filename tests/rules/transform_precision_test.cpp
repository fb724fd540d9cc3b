#include <cstring>

#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-precision";

/// Bound at the origin, standing `sizes` times its size away.
Rig far_away(double sizes) {
  Rig rig = chain_rig(6);
  node(rig, "joint0").translation = Vec3(0, 0, sizes * chain_size);
  return rig;
}
Rig sized(double factor) {
  Rig rig = chain_rig(6);
  for (RigNode& node : rig.nodes) node.translation *= factor;
  for (Vec3& p : rig.meshes[0].parts[0].positions) p *= factor;
  rig.bind_at_rest();
  return rig;
}
/// A node far away whose joint comes all the way back.
Rig there_and_back(double distance) {
  Rig rig = chain_rig(6);
  RigNode group;
  group.name = "group";
  group.translation = Vec3(distance, 0, 0);
  put_above(rig, group);
  node(rig, "joint0").translation = Vec3(0.3 - distance, 0, 0);
  rig.bind_at_rest();
  return rig;
}

struct Bytes : Storage {
  std::vector<std::int16_t> values;
};
/// Positions as 16-bit integers in steps of `step` times the size, scaled back by the bind.
Asset in_steps(double step) {
  Rig rig = chain_rig(6);
  const double unit = step * chain_size;
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m * scaling(Vec3::Constant(unit));
  Asset asset = to_asset(rig);
  auto bytes = std::make_shared<Bytes>();
  for (const Vec3& p : rig.meshes[0].parts[0].positions) {
    for (int k = 0; k < 3; ++k) {
      bytes->values.push_back(static_cast<std::int16_t>(std::lround(p[k] / unit)));
    }
  }
  Stream& positions = asset.meshes[0].parts[0].positions;
  REQUIRE(positions.count * 3 == bytes->values.size());
  positions.data = reinterpret_cast<const std::byte*>(bytes->values.data());
  positions.stride = 6;
  positions.type = ComponentType::i16;
  asset.storage.push_back(bytes);
  return asset;
}
}  // namespace

TEST_CASE("transform-precision: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("transform-precision: a mesh far from the origin", "[rules]") {
  const Finding found = only(far_away(2e4), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(words_of(found, "problem") == "far-from-origin");
  CHECK(number(found, "distance") == Approx(2e4).epsilon(0.01));
}
TEST_CASE("transform-precision: a mesh of almost no size", "[rules]") {
  const Finding found = only(sized(5e-6 / chain_size), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "problem") == "too-small");
  CHECK(number(found, "size") == Approx(5e-6));
}
TEST_CASE("transform-precision: transforms that cancel each other lose digits", "[rules]") {
  const Finding found = only(there_and_back(1e6), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "problem") == "chain-rounding");
  // float keeps 1/16 near 1e6: 0.3 comes back as 0.3125.
  CHECK(number(found, "rounding") * chain_size == Approx(0.0125).epsilon(0.01));
  CHECK(slots(found).size() == 1);
}
TEST_CASE("transform-precision: positions in coarse steps", "[rules]") {
  const Finding found = only(in_steps(2e-3), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(words_of(found, "problem") == "coarse-positions");
  CHECK(number(found, "step") == Approx(2e-3).epsilon(0.01));
}
TEST_CASE("transform-precision: limits, just inside and outside", "[rules]") {
  CHECK(silent(far_away(0.998e4), rule));
  CHECK(severity(far_away(1.002e4), rule) == Severity::warning);
  CHECK(silent(sized(1.01e-5 / chain_size), rule));
  CHECK(severity(sized(0.99e-5 / chain_size), rule) == Severity::warning);
  CHECK(silent(in_steps(0.95e-4), rule));
  CHECK(severity(in_steps(1.05e-4), rule) == Severity::note);
  CHECK(severity(in_steps(0.95e-3), rule) == Severity::note);
  CHECK(severity(in_steps(1.05e-3), rule) == Severity::warning);
}
TEST_CASE("transform-precision: units of an FBX count in the file's unit", "[rules]") {
  Asset asset = to_fbx_asset(sized(5e-6 / chain_size));
  asset.unit_meters = 0.1;
  CHECK(silent(asset, rule));  // 5e-5 units
  asset.unit_meters = 1.0;
  CHECK(severity(asset, rule) == Severity::warning);
}
TEST_CASE("transform-precision: a parameter changes the outcome", "[rules]") {
  CHECK(silent(far_away(2e4), rule, with_param(rule, "distance", 1e5)));
  CHECK(silent(there_and_back(1e6), rule, with_param(rule, "rounding", 0.01)));
  CHECK(silent(in_steps(2e-3), rule, [] {
    CheckConfig config = with_param(rule, "step", 0.01);
    config.params[rule]["step_note"] = 0.01;
    return config;
  }()));
}
TEST_CASE("transform-precision: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(far_away(2e4)), Severity::note) == Ids{rule});
}
TEST_CASE("transform-precision: a place in an ordinary scene is silent", "[rules]") {
  CHECK(silent(far_away(1000), rule));
}
TEST_CASE("transform-precision: a long chain near the origin is silent", "[rules]") {
  CHECK(silent(chain_rig(200), rule));
}
TEST_CASE("transform-precision: 14 bits of position are silent", "[rules]") {
  CHECK(silent(in_steps(1.0 / 16384), rule));
}
TEST_CASE("transform-precision: rounded positions stored as floats show nowhere", "[rules]") {
  Rig rig = chain_rig(6);
  for (Vec3& p : rig.meshes[0].parts[0].positions) {
    p = (p / 0.02).array().round().matrix() * 0.02;
  }
  CHECK(silent(rig, rule));
}
TEST_CASE("transform-precision: what is scaled to nothing is silent", "[rules]") {
  Rig rig = far_away(2e4);
  node(rig, "joint0").scale = Vec3::Zero();
  CHECK(silent(rig, rule));
}
