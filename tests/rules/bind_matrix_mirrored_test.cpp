#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-mirrored";

Rig mirrored_binds(std::size_t first, std::size_t last) {
  Rig rig = chain_rig(6);
  for (std::size_t j = first; j < last; ++j) {
    matrix_of(rig, j) = scaling(Vec3(-1, 1, 1)) * matrix_of(rig, j);
  }
  return rig;
}
}  // namespace

TEST_CASE("bind-matrix-mirrored: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-mirrored: mixed at rest is an error naming the odd ones out", "[rules]") {
  const Finding found = only(mirrored_binds(3, 5), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{3, 4});
  CHECK(number(found, "mirrored_at_rest") == 2);
  CHECK(slots(only(mirrored_binds(0, 5), rule)) == std::vector<int>{5});
}
TEST_CASE("bind-matrix-mirrored: mixed at bind alone is a warning", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "joint4").scale = Vec3(-1, 1, 1);
  rig.bind_at_rest();
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(slots(found) == std::vector<int>{4, 5});
}
TEST_CASE("bind-matrix-mirrored: handedness turns where the determinant does", "[rules]") {
  Rig rig = chain_rig(6);
  matrix_of(rig, 3) = scaling(Vec3(1e-3, 1, 1)) * matrix_of(rig, 3);
  CHECK(silent(rig, rule));
  matrix_of(rig, 3) = scaling(Vec3(-1, 1, 1)) * matrix_of(rig, 3);
  CHECK(severity(rig, rule) == Severity::error);
}
TEST_CASE("bind-matrix-mirrored: a configured severity changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(severity(mirrored_binds(3, 5), rule, config) == Severity::note);
}
TEST_CASE("bind-matrix-mirrored: reported with the mirrored joint's drift", "[rules]") {
  CHECK(reporting(to_asset(mirrored_binds(3, 4))) == Ids{rule, "bind-rest-differs"});
}
TEST_CASE("bind-matrix-mirrored: a skin mirrored alike is a note", "[rules]") {
  CHECK(severity(mirrored_binds(0, 6), rule) == Severity::note);
}
TEST_CASE("bind-matrix-mirrored: a joint without weight is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t socket = add_socket(rig, "joint5", "socket");
  matrix_of(rig, socket) = scaling(Vec3(-1, 1, 1)) * matrix_of(rig, socket);
  CHECK(silent(rig, rule));
}
