#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-matrix-missing";

Rig with_count(std::size_t count) {
  Rig rig = chain_rig(6);
  rig.skins[0].joint_from_mesh->resize(count, Mat4::Identity());
  return rig;
}
}  // namespace

TEST_CASE("bind-matrix-missing: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-matrix-missing: fewer matrices than joints", "[rules]") {
  const Finding found = only(with_count(4), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(number(found, "matrices") == 4);
  CHECK(number(found, "joints") == 6);
  CHECK(slots(found) == std::vector<int>{4, 5});
}
TEST_CASE("bind-matrix-missing: counts around the number of joints", "[rules]") {
  CHECK(severity(with_count(5), rule) == Severity::error);
  CHECK(silent(with_count(6), rule));
  CHECK(severity(with_count(7), rule) == Severity::note);
}
TEST_CASE("bind-matrix-missing: no matrices while joints stand apart", "[rules]") {
  Rig rig = chain_rig(6);
  rig.skins[0].joint_from_mesh.reset();
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(number(found, "max_displacement") == Approx(5.0));
  CHECK(slots(found).front() == 5);
}
TEST_CASE("bind-matrix-missing: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(with_count(5))) == Ids{rule});
  Rig rig = chain_rig(6);
  rig.skins[0].joint_from_mesh.reset();
  CHECK(reporting(to_asset(rig)) == Ids{rule});
}
TEST_CASE("bind-matrix-missing: no matrices and all joints at the origin is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  for (RigNode& n : rig.nodes) n.translation = Vec3::Zero();
  rig.skins[0].joint_from_mesh.reset();
  CHECK(silent(rig, rule));
}
