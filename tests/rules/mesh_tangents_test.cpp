#include <limits>

#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "mesh-tangents";
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Rig with_tangents() {
  Rig rig = chain_rig(6);
  for (std::size_t v = 0; v < part_of(rig).positions.size(); ++v)
    part_of(rig).tangents.push_back(Vec4(0, 1, 0, v % 2 == 0 ? 1 : -1));
  return rig;
}
Rig replaced(const Vec4& tangent, std::size_t count = 1) {
  Rig rig = with_tangents();
  for (std::size_t v = 0; v < count; ++v) part_of(rig).tangents.at(v + 5) = tangent;
  return rig;
}
}  // namespace

TEST_CASE("mesh-tangents: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
  CHECK(silent(with_tangents(), rule));
}
TEST_CASE("mesh-tangents: long tangents are a warning", "[rules]") {
  const Finding found = only(replaced(Vec4(0, 1.3, 0, 1), 30), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::part, 0, 0});
  CHECK(found.count == 30);
  CHECK(number(found, "off_unit") == 30);
  CHECK(number(found, "longest") == Approx(1.3));
  CHECK(found.samples.at(0).index == 5);
}
TEST_CASE("mesh-tangents: a w other than 1 or -1, or NaN, is an error", "[rules]") {
  const Finding sign = only(replaced(Vec4(0, 1, 0, 0)), rule);
  CHECK(sign.severity == Severity::error);
  CHECK(number(sign, "wrong_sign") == 1);
  CHECK(number(sign, "off_unit") == 0);
  const Finding broken = only(replaced(Vec4(not_a_number, 1, 0, 1)), rule);
  CHECK(broken.severity == Severity::error);
  CHECK(number(broken, "non_finite") == 1);
  CHECK(number(only(replaced(Vec4(0, 1, 0, not_a_number)), rule), "non_finite") == 1);
}
TEST_CASE("mesh-tangents: limits, just inside and outside", "[rules]") {
  CHECK(silent(replaced(Vec4(0, 1.0066, 0, 1)), rule));
  CHECK(severity(replaced(Vec4(0, 1.0069, 0, 1)), rule) == Severity::warning);
  CHECK(silent(replaced(Vec4(0, 0.9934, 0, -1)), rule));
  CHECK(severity(replaced(Vec4(0, 0.9931, 0, -1)), rule) == Severity::warning);
  CHECK(severity(replaced(Vec4(0, 1, 0, 1.0001)), rule) == Severity::error);
}
TEST_CASE("mesh-tangents: a parameter changes the outcome", "[rules]") {
  CHECK(silent(replaced(Vec4(0, 1.3, 0, 1)), rule, with_param(rule, "unit_length", 0.5)));
}
TEST_CASE("mesh-tangents: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(replaced(Vec4(0, 1.3, 0, 1))), Severity::note) == Ids{rule});
  CHECK(reporting(to_asset(replaced(Vec4(0, not_a_number, 0, 1))), Severity::note) == Ids{rule});
}
TEST_CASE("mesh-tangents: bytes cannot do better than the limit", "[rules]") {
  Asset asset = to_asset(chain_rig(6));
  std::vector<std::int8_t> bytes;
  for (int v = 0; v < 192; ++v) bytes.insert(bytes.end(), {73, 73, 73, -128});  // -128 is -1
  part_of(asset).tangents = stream_over(bytes, ComponentType::i8, 4, true);
  CHECK(silent(asset, rule));
}
TEST_CASE("mesh-tangents: a vertex that no polygon uses needs none", "[rules]") {
  Rig rig = with_tangents();
  part_of(rig).tangents[add_stray_vertex(rig)] = Vec4::Zero();
  CHECK(silent(rig, rule));
}
TEST_CASE("mesh-tangents: no tangents, or FBX, is no fault", "[rules]") {
  CHECK(silent(chain_rig(6), rule));
  CHECK(silent(to_fbx_asset(replaced(Vec4(0, 1.3, 0, 1))), rule));
}
