#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-mirrored";

Rig with_scale(const std::string& name, const Vec3& scale) {
  Rig rig = chain_rig(6);
  node(rig, name).scale = scale;
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("transform-mirrored: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("transform-mirrored: the end of a chain mirrored, bind agreeing", "[rules]") {
  const Finding found = only(with_scale("joint4", Vec3(-1, 1, 1)), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(slots(found) == std::vector<int>{4, 5});
  CHECK(number(found, "not_mirrored") == 4);
}
TEST_CASE("transform-mirrored: an odd number of negative scales mirrors, an even number turns",
          "[rules]") {
  CHECK(severity(with_scale("joint4", Vec3(-1, -1, -1)), rule) == Severity::warning);
  CHECK(silent(with_scale("joint4", Vec3(-1, -1, 1)), rule));
}
TEST_CASE("transform-mirrored: a configured severity changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::error;
  CHECK(severity(with_scale("joint4", Vec3(-1, 1, 1)), rule, config) == Severity::error);
}
TEST_CASE("transform-mirrored: reported with the bind that knows of it", "[rules]") {
  CHECK(reporting(to_asset(with_scale("joint4", Vec3(-1, 1, 1)))) ==
        Ids{rule, "bind-matrix-mirrored"});
}
TEST_CASE("transform-mirrored: all joints mirrored alike is a note", "[rules]") {
  CHECK(severity(with_scale("joint0", Vec3(-1, 1, 1)), rule) == Severity::note);
}
TEST_CASE("transform-mirrored: the mesh node alone is a warning", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "tube").scale = Vec3(-1, 1, 1);
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element.kind == ElementKind::node);
}
TEST_CASE("transform-mirrored: a joint without weight is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint5", "socket");
  node(rig, "socket").scale = Vec3(-1, 1, 1);
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
