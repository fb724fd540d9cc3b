#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-joint-limit";
}  // namespace

TEST_CASE("skeleton-joint-limit: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-joint-limit: more joints than the limit", "[rules]") {
  Rig rig = chain_rig(6);
  add_socket(rig, "joint2", "socket");
  const Finding found = only(rig, rule, with_param(rule, "limit", 6));
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 7);
  CHECK(number(found, "joints") == 7);
  CHECK(number(found, "weighted") == 6);
}
TEST_CASE("skeleton-joint-limit: limits, just inside and outside", "[rules]") {
  CHECK(silent(chain_rig(256, 24, 3), rule));
  CHECK(severity(chain_rig(257, 24, 3), rule) == Severity::note);
}
TEST_CASE("skeleton-joint-limit: parameters change the outcome", "[rules]") {
  CHECK(severity(chain_rig(6), rule, with_param(rule, "limit", 5)) == Severity::note);
  for (const auto& [level, expected] :
       {std::pair(0, Severity::off), std::pair(2, Severity::warning),
        std::pair(3, Severity::error)}) {
    CheckConfig config = with_param(rule, "limit", 5);
    config.params[rule]["level"] = level;
    CHECK(severity(chain_rig(6), rule, config) == expected);
  }
}
TEST_CASE("skeleton-joint-limit: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(chain_rig(6)), Severity::note, with_param(rule, "limit", 5)) ==
        Ids{rule});
}
TEST_CASE("skeleton-joint-limit: an avatar of 600 joints is a note", "[rules]") {
  CHECK(severity(chain_rig(600, 24, 3), rule) == Severity::note);
}
TEST_CASE("skeleton-joint-limit: skins are counted each by itself", "[rules]") {
  Rig rig = chain_rig(6);
  RigSkin half = rig.skins[0];
  half.joints.resize(3);
  half.joint_from_mesh->resize(3);
  rig.skins.push_back(half);
  CHECK(silent(rig, rule, with_param(rule, "limit", 6)));
}
