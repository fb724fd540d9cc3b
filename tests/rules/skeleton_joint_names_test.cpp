#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-joint-names";

Rig renamed(const std::string& from, const std::string& to) {
  Rig rig = chain_rig(6);
  node(rig, from).name = to;
  return rig;
}
}  // namespace

TEST_CASE("skeleton-joint-names: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("skeleton-joint-names: two joints of one name", "[rules]") {
  const Finding found = only(renamed("joint3", "joint2"), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 2);
  CHECK(number(found, "duplicate") == 2);
  CHECK(number(found, "unnamed") == 0);
  CHECK(number(found, "case_only") == 0);
  CHECK(slots(found) == std::vector<int>{2, 3});
}
TEST_CASE("skeleton-joint-names: a joint without a name", "[rules]") {
  const Finding found = only(renamed("joint3", ""), rule);
  CHECK(number(found, "unnamed") == 1);
  CHECK(number(found, "duplicate") == 0);
  CHECK(slots(found) == std::vector<int>{3});
}
TEST_CASE("skeleton-joint-names: names that differ only in capitals", "[rules]") {
  const Finding found = only(renamed("joint3", "Joint2"), rule);
  CHECK(number(found, "case_only") == 2);
  CHECK(number(found, "duplicate") == 0);
  CHECK(slots(found) == std::vector<int>{2, 3});
}
TEST_CASE("skeleton-joint-names: names that differ by more are silent", "[rules]") {
  CHECK(silent(renamed("joint3", "joint2 "), rule));
  CHECK(silent(renamed("joint3", "joint2.001"), rule));
}
TEST_CASE("skeleton-joint-names: a level changes the outcome", "[rules]") {
  const Rig rig = renamed("joint3", "joint2");
  CHECK(silent(rig, rule, with_param(rule, "level", 0)));
  CHECK(severity(rig, rule, with_param(rule, "level", 1)) == Severity::note);
  CHECK(severity(rig, rule, with_param(rule, "level", 2)) == Severity::warning);
  CHECK(severity(rig, rule, with_param(rule, "level", 3)) == Severity::error);
}
TEST_CASE("skeleton-joint-names: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(renamed("joint3", "joint2")), Severity::note) == Ids{rule});
}
TEST_CASE("skeleton-joint-names: an error on names leaves matrices to be judged", "[rules]") {
  Rig rig = renamed("joint3", "joint2");
  node(rig, "joint1").rotation = turn(40, Vec3::UnitX());
  Ids found = reporting(to_asset(rig), Severity::warning, with_param(rule, "level", 3));
  CHECK(found.erase(rule) == 1);
  CHECK(found.count("bind-rest-differs") == 1);
  CHECK(found == reporting(to_asset(rig), Severity::warning));
}
TEST_CASE("skeleton-joint-names: the name of a mesh or of another skin's joint is silent",
          "[rules]") {
  CHECK(silent(renamed("tube", "joint2"), rule));
  Rig rig = chain_rig(6);
  RigSkin other;
  other.name = "other";
  other.joint_from_mesh.emplace();
  for (int j = 0; j < 6; ++j) {
    RigNode copy = rig.nodes[static_cast<std::size_t>(j)];
    copy.parent = j == 0 ? -1 : static_cast<int>(rig.nodes.size()) - 1;
    other.joints.push_back(static_cast<int>(rig.nodes.size()));
    rig.nodes.push_back(copy);
  }
  rig.skins.push_back(other);
  RigNode twin;
  twin.name = "twin";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 0, 1});
  rig.nodes.push_back(twin);
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-joint-names: one node listed twice is silent", "[rules]") {
  Rig rig = chain_rig(6);
  rig.skins[0].joints.push_back(rig.skins[0].joints[2]);
  rig.bind_at_rest();
  CHECK(silent(rig, rule));
}
TEST_CASE("skeleton-joint-names: tools that go by index take it as a note", "[rules]") {
  CHECK(severity(renamed("joint3", ""), rule) == Severity::note);
}
