#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "deform-singular";

/// Vertices follow one joint each, but for vertex 100, which joint2 and joint3 share; joint3 and
/// all below are twisted about the chain's axis.
Rig twisted(double degrees, double share = 0.5) {
  Rig rig = chain_rig(6);
  for (std::vector<RigInfluence>& vertex : part_of(rig).influences) {
    RigInfluence heaviest = vertex.front();
    for (const RigInfluence& influence : vertex) {
      if (influence.weight > heaviest.weight) heaviest = influence;
    }
    heaviest.weight = 1.0;
    vertex = {heaviest};
  }
  part_of(rig).influences[100] = {{2, share}, {3, 1.0 - share}};
  node(rig, "joint3").rotation = turn(degrees, Vec3::UnitY());
  return rig;
}
}  // namespace

TEST_CASE("deform-singular: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(twisted(0), rule));
}
TEST_CASE("deform-singular: a vertex shared evenly across half a turn collapses", "[rules]") {
  const Finding found = only(twisted(180), rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "smallest_determinant") < 1e-9);
  CHECK(slots(found) == std::vector<int>{2, 3});
  REQUIRE(found.samples.size() == 1);
  CHECK(found.samples[0].index == 100);
  CHECK(found.samples[0].label == "joint2 50 %, joint3 50 %");
}
TEST_CASE("deform-singular: limits, just inside and outside", "[rules]") {
  // The relative determinant of a blend across a twist is the square of cos(angle / 2).
  CHECK(silent(twisted(180 - 0.0040), rule));
  CHECK(severity(twisted(180 - 0.0032), rule) == Severity::error);
  CHECK(silent(twisted(180, 0.51), rule));
}
TEST_CASE("deform-singular: a parameter changes the outcome", "[rules]") {
  CHECK(silent(twisted(179), rule));
  CHECK(severity(twisted(179), rule, with_param(rule, "determinant", 1e-3)) == Severity::error);
}
TEST_CASE("deform-singular: the pose itself is bind-rest-differs'", "[rules]") {
  CHECK(reporting(to_asset(twisted(180))) == Ids{rule, "bind-rest-differs"});
  CHECK(reporting(to_asset(twisted(180, 0.6))) == Ids{"bind-rest-differs"});
}
TEST_CASE("deform-singular: joints turned by less than a right angle cannot cancel", "[rules]") {
  CHECK(silent(twisted(89), rule, with_param(rule, "determinant", 0.1)));
}
TEST_CASE("deform-singular: vertices without normal, or that no polygon uses", "[rules]") {
  Rig rig = twisted(180);
  part_of(rig).normals[100] = Vec3::Zero();
  CHECK(silent(rig, rule));
  part_of(rig).normals.clear();
  CHECK(silent(rig, rule));
  Rig stray = twisted(180, 0.6);
  part_of(stray).influences[add_stray_vertex(stray)] = {{2, 0.5}, {3, 0.5}};
  CHECK(silent(stray, rule));
}
TEST_CASE("deform-singular: FBX normals per corner shade every vertex", "[rules]") {
  Asset asset = to_fbx_asset(twisted(180));
  part_of(asset).normals = {};
  CHECK(silent(asset, rule));
  const std::vector<double> values = {0, 1, 0};
  part_of(asset).listed_normals.per = ListedNormals::Per::mesh;
  part_of(asset).listed_normals.values = stream_over(values, ComponentType::f64, 3);
  CHECK(severity(asset, rule) == Severity::error);
}
TEST_CASE("deform-singular: a mirrored or flattened joint is another rule's", "[rules]") {
  Rig mirrored = twisted(0);
  node(mirrored, "joint3").scale = Vec3(-1, 1, 1);
  CHECK(silent(mirrored, rule));
  CHECK(reporting(to_asset(mirrored)).count("bind-matrix-mirrored") == 1);
  Rig flat = twisted(180);
  node(flat, "joint3").scale = Vec3(1, 0, 1);
  CHECK(silent(flat, rule));
}
TEST_CASE("deform-singular: matrices stored wrongly are bind-rest-differs' alone", "[rules]") {
  Rig rig = twisted(0);
  for (RigNode& n : rig.nodes) n.translation += Vec3(0.01, 0, 0.02);
  node(rig, "joint3").rotation = turn(180, Vec3::UnitY());
  rig.bind_at_rest();
  const Rig clean = rig;
  for (Mat4& m : *rig.skins[0].joint_from_mesh) m = m.inverse().eval();
  CHECK(silent(clean, rule));
  CHECK(silent(rig, rule));
}
