#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skin-unused";

Rig with_spare_skin() {
  Rig rig = chain_rig(6);
  RigSkin spare = rig.skins[0];
  spare.name = "spare";
  rig.skins.push_back(spare);
  return rig;
}
/// A second mesh with the second skin.
Rig with_two_meshes(double offset) {
  Rig rig = with_spare_skin();
  rig.meshes.push_back(rig.meshes[0]);
  for (Vec3& p : rig.meshes[1].parts[0].positions) p.x() += offset;
  for (Mat4& m : *rig.skins[1].joint_from_mesh) m = m * shift(-offset, 0, 0);
  RigNode shirt;
  shirt.name = "shirt";
  rig.instances.push_back({static_cast<int>(rig.nodes.size()), 1, 1});
  rig.nodes.push_back(shirt);
  return rig;
}
}  // namespace

TEST_CASE("skin-unused: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("skin-unused: a skin that no mesh uses", "[rules]") {
  const Finding found = only(with_spare_skin(), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 1, 0});
  CHECK(words_of(found, "problem") == "unused");
  CHECK(number(found, "joints") == 6);
}
TEST_CASE("skin-unused: two skins that are equal", "[rules]") {
  const Finding found = only(with_two_meshes(0.0), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(words_of(found, "problem") == "equal");
  CHECK(found.count == 2);
  REQUIRE(found.related.size() == 1);
  CHECK(found.related[0] == ElementRef{ElementKind::skin, 1, 0});
}
TEST_CASE("skin-unused: a severity of its own", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::warning;
  CHECK(severity(with_spare_skin(), rule, config) == Severity::warning);
}
TEST_CASE("skin-unused: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(with_spare_skin()), Severity::note) == Ids{rule});
  CHECK(reporting(to_asset(with_two_meshes(0.0)), Severity::note) == Ids{rule});
}
TEST_CASE("skin-unused: equal skins of an FBX are silent", "[rules]") {
  CHECK(silent(to_fbx_asset(with_two_meshes(0.0)), rule));
}
TEST_CASE("skin-unused: other matrices make another skin", "[rules]") {
  CHECK(silent(with_two_meshes(0.001), rule));
}
