#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-depth";
}  // namespace

TEST_CASE("skeleton-depth: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-depth: a deep chain, with its rounding", "[rules]") {
  Rig rig = chain_rig(80, 24, 3);
  for (int j = 1; j < 80; ++j) rig.nodes[static_cast<std::size_t>(j)].translation.x() = 0.1;
  rig.bind_at_rest();
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(number(found, "depth") == 80);
  CHECK(slots(found) == std::vector<int>{79});
  // 79 sums of 0.1 in 24 bits: off by some 1e-7 of 7.9, but not by nothing.
  CHECK(number(found, "rounding") > 1e-8);
  CHECK(number(found, "rounding") < 1e-4);
}
TEST_CASE("skeleton-depth: limits, just inside and outside", "[rules]") {
  CHECK(silent(chain_rig(64, 24, 3), rule));
  CHECK(severity(chain_rig(65, 24, 3), rule) == Severity::note);
}
TEST_CASE("skeleton-depth: a parameter changes the outcome", "[rules]") {
  CHECK(severity(chain_rig(6), rule, with_param(rule, "depth", 5)) == Severity::note);
  CHECK(silent(chain_rig(80, 24, 3), rule, with_param(rule, "depth", 100)));
}
TEST_CASE("skeleton-depth: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(chain_rig(6)), Severity::note, with_param(rule, "depth", 5)) ==
        Ids{rule});
}
TEST_CASE("skeleton-depth: a rope of 500 joints is a note", "[rules]") {
  CHECK(severity(chain_rig(500, 24, 3), rule) == Severity::note);
}
TEST_CASE("skeleton-depth: many joints side by side are silent", "[rules]") {
  Rig rig = chain_rig(6);
  for (int i = 0; i < 100; ++i) add_socket(rig, "joint2", "socket" + std::to_string(i));
  CHECK(silent(rig, rule));
}
