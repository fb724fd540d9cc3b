#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-not-affine";

Rig with_bottom(double x, double w = 1.0) {
  Rig rig = chain_rig();
  matrix_of(rig, 2)(3, 0) = x;
  matrix_of(rig, 2)(3, 3) = w;
  return rig;
}
}  // namespace

TEST_CASE("bind-matrix-not-affine: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-not-affine: one finding with joint and error", "[rules]") {
  const Finding found = only(with_bottom(0.25), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 1);
  CHECK(slots(found) == std::vector<int>{2});
  CHECK(number(found, "worst_error") == Approx(0.25));
}
TEST_CASE("bind-matrix-not-affine: the limit, just inside and outside", "[rules]") {
  CHECK(silent(with_bottom(0.9e-6), rule));
  CHECK(severity(with_bottom(1.1e-6), rule) == Severity::error);
  CHECK(silent(with_bottom(0, 1.0 + 0.9e-6), rule));
  CHECK(severity(with_bottom(0, 1.0 + 1.3e-6), rule) == Severity::error);
}
TEST_CASE("bind-matrix-not-affine: a parameter changes the outcome", "[rules]") {
  CHECK(silent(with_bottom(1e-3), rule, with_param(rule, "tolerance", 1e-2)));
}
TEST_CASE("bind-matrix-not-affine: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(with_bottom(0.25))) == Ids{rule});
}
TEST_CASE("bind-matrix-not-affine: transposed matrices are one finding, worst joint first",
          "[rules]") {
  Rig rig = chain_rig();
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m.transposeInPlace();
  const Finding found = only(rig, rule);
  CHECK(found.count == 5);  // the first joint stands at the origin
  CHECK(slots(found).front() == 5);
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
