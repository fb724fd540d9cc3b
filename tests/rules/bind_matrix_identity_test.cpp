#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-identity";

Rig with_identity(std::size_t slot, double off = 0.0) {
  Rig rig = chain_rig(6);
  Mat4 m = Mat4::Identity();
  m(0, 3) = off;
  matrix_of(rig, slot) = m;
  return rig;
}
}  // namespace

TEST_CASE("bind-matrix-identity: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-identity: a weighted joint left at the identity", "[rules]") {
  const Finding found = only(with_identity(4), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{4});
  CHECK(number(found, "max_displacement") == Approx(4.0));
}
TEST_CASE("bind-matrix-identity: the limit, just inside and outside", "[rules]") {
  CHECK(severity(with_identity(4, 0.9e-6), rule) == Severity::warning);
  CHECK(silent(with_identity(4, 1.1e-6), rule));
}
TEST_CASE("bind-matrix-identity: a parameter changes the outcome", "[rules]") {
  CHECK(severity(with_identity(4, 1e-4), rule, with_param(rule, "tolerance", 1e-3)) ==
        Severity::warning);
}
TEST_CASE("bind-matrix-identity: reported with the drift it makes", "[rules]") {
  CHECK(reporting(to_asset(with_identity(4))) == Ids{rule, "bind-rest-differs"});
}
TEST_CASE("bind-matrix-identity: the joint at the mesh's origin is no fault", "[rules]") {
  CHECK(silent(with_identity(0), rule));
}
TEST_CASE(
    "bind-matrix-identity: without weight: a note between joints, silent at the end of a chain",
    "[rules]") {
  Rig rig = chain_rig(6);
  const std::size_t socket = add_socket(rig, "joint5", "socket");
  matrix_of(rig, socket) = Mat4::Identity();
  CHECK(silent(rig, rule));
  add_socket(rig, "socket", "tip");
  matrix_of(rig, socket) = Mat4::Identity();
  CHECK(severity(rig, rule) == Severity::note);
}
TEST_CASE("bind-matrix-identity: a skin without matrices is bind-matrix-missing's", "[rules]") {
  Rig rig = chain_rig(6);
  rig.skins[0].joint_from_mesh.reset();
  CHECK(silent(rig, rule));
}
