#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-singular";

Rig flattened(std::size_t slot, double factor) {
  Rig rig = chain_rig();
  const std::size_t socket = add_socket(rig, "joint5", "socket");
  Mat4& m = matrix_of(rig, slot == 99 ? socket : slot);
  m.row(0) *= factor;
  return rig;
}
}  // namespace

TEST_CASE("bind-matrix-singular: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-singular: a weighted joint is an error", "[rules]") {
  const Finding found = only(flattened(3, 0.0), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(number(found, "weighted") == 1);
  CHECK(std::isinf(number(found, "condition_number")));
}
TEST_CASE("bind-matrix-singular: the limit, just inside and outside", "[rules]") {
  CHECK(silent(flattened(3, 1.1e-12), rule));
  CHECK(severity(flattened(3, 0.9e-12), rule) == Severity::error);
}
TEST_CASE("bind-matrix-singular: a parameter changes the outcome", "[rules]") {
  CHECK(severity(flattened(3, 1e-5), rule, with_param(rule, "relative_determinant", 1e-4)) ==
        Severity::error);
}
TEST_CASE("bind-matrix-singular: a joint without weight is a warning", "[rules]") {
  CHECK(severity(flattened(99, 0.0), rule) == Severity::warning);
}
TEST_CASE("bind-matrix-singular: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(flattened(3, 0.0))) == Ids{rule});
  CHECK(reporting(to_asset(flattened(99, 0.0))) == Ids{rule});
}
