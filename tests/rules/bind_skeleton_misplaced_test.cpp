#include "rig_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "bind-skeleton-misplaced";

Rig shifted(double metres) {
  Rig rig = humanoid_rig();
  for (Vec3& p : rig.meshes[0].parts[0].positions) p.z() += metres;
  return rig;
}
double size() {
  const Rig rig = humanoid_rig();
  Box box;
  for (const Vec3& p : rig.meshes[0].parts[0].positions) box.extend(p);
  return box.diagonal().norm();
}
/// Shift that gives this placement, by bisection over the rule's own measure.
double shift_for(double placement) {
  double low = 0.0, high = size();
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    const std::vector<Finding> found =
        findings_of(to_asset(shifted(middle)), rule, with_param(rule, "note", 0.0));
    (found.empty() || number(found[0], "placement") < placement ? low : high) = middle;
  }
  return high;
}
}  // namespace

TEST_CASE("bind-skeleton-misplaced: clean assets are silent", "[rules]") {
  CHECK(clean_is_silent(rule));
}

TEST_CASE("bind-skeleton-misplaced: a mesh beside its skeleton", "[rules]") {
  const Finding found = only(shifted(1.0), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(number(found, "distance") == Approx(1.0).margin(0.2));
  CHECK(words_of(found, "put_right_by").empty());
}
TEST_CASE("bind-skeleton-misplaced: limits, just inside and outside", "[rules]") {
  const double note = shift_for(0.05), warning = shift_for(0.1);
  CHECK(silent(shifted(0.98 * note), rule));
  CHECK(severity(shifted(1.02 * note), rule) == Severity::note);
  CHECK(severity(shifted(0.98 * warning), rule) == Severity::note);
  CHECK(severity(shifted(1.02 * warning), rule) == Severity::warning);
}
TEST_CASE("bind-skeleton-misplaced: a parameter changes the outcome", "[rules]") {
  CHECK(severity(shifted(1.0), rule, with_param(rule, "warning", 5.0)) == Severity::note);
}
TEST_CASE("bind-skeleton-misplaced: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_asset(shifted(1.0))) == Ids{rule});
}
TEST_CASE("bind-skeleton-misplaced: names the unit factor or axis turn that puts it right",
          "[rules]") {
  Rig large = humanoid_rig();
  for (Vec3& p : large.meshes[0].parts[0].positions) p *= 100.0;
  CHECK(words_of(only(large, rule), "put_right_by").find("0.01") != std::string::npos);
  Rig lying = humanoid_rig();
  for (Vec3& p : lying.meshes[0].parts[0].positions) p = Vec3(p.x(), -p.z(), p.y());
  CHECK(words_of(only(lying, rule), "put_right_by") == "-90° about X");
}
TEST_CASE("bind-skeleton-misplaced: fewer than five joints are no fault", "[rules]") {
  Rig rig = chain_rig(4);
  for (Vec3& p : rig.meshes[0].parts[0].positions) p.z() += 20.0;
  CHECK(silent(rig, rule));
}
