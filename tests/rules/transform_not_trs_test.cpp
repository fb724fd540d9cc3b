#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "transform-not-trs";

Rig sheared(double amount) {
  Rig rig = chain_rig(6);
  Mat4 m = rig.nodes[3].parent_from_node();
  m(0, 1) = amount;
  rig.nodes[3].matrix = m;
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("transform-not-trs: clean assets are silent", "[rules]") { CHECK(clean_is_silent(rule)); }

TEST_CASE("transform-not-trs: a sheared node matrix", "[rules]") {
  const Finding found = only(sheared(0.2), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::node, 3, 0});
  CHECK(number(found, "rebuild_error") == Approx(0.1).epsilon(0.05));
}
TEST_CASE("transform-not-trs: the limit, just inside and outside", "[rules]") {
  // Half of a small shear is left in each of the two axes it moves together.
  CHECK(silent(sheared(1.95e-4), rule));
  CHECK(severity(sheared(2.05e-4), rule) == Severity::error);
}
TEST_CASE("transform-not-trs: a parameter changes the outcome", "[rules]") {
  CHECK(silent(sheared(0.01), rule, with_param(rule, "tolerance", 0.1)));
}
TEST_CASE("transform-not-trs: reported with the uneven scale that a shear is", "[rules]") {
  CHECK(reporting(to_asset(sheared(0.2))) == Ids{rule, "transform-non-uniform-scale"});
}
TEST_CASE("transform-not-trs: matrices of translation, rotation and any scale are no fault",
          "[rules]") {
  for (const Vec3& scale : {Vec3(1, 1, 1), Vec3(-2, 1, 3), Vec3(0, 1, 1), Vec3(0, 0, 1),
                            Vec3(1e-5, 1e-5, 1e-5), Vec3(1e5, 1, 1)}) {
    Rig rig = chain_rig(6);
    const Quat q(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
    rig.nodes[5].matrix = compose_trs(Vec3(1, 2, 3), q, scale);
    CHECK(silent(rig, rule));
  }
}
TEST_CASE("transform-not-trs: a sheared inverse bind matrix is no fault", "[rules]") {
  Rig rig = chain_rig(6);
  matrix_of(rig, 3)(0, 1) += 0.2;
  CHECK(silent(rig, rule));
}
