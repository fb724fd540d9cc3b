#include <algorithm>

#include "fbx_breaks.h"
#include "rules/reference_skeleton.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-differs-from-reference";

CheckConfig against(const Asset& reference) {
  CheckConfig config;
  const Facts facts(reference);
  config.reference = std::make_shared<const Skeleton>(rules::skeleton_of(facts));
  return config;
}
CheckConfig against_humanoid() {
  const Asset asset = to_asset(humanoid_rig());
  return against(asset);
}
Finding differs(const Rig& rig) { return only(rig, rule, against_humanoid()); }
/// Every count of the finding is zero but the one named.
void only_count(const Finding& found, const std::string& name, double value) {
  for (const char* count :
       {"missing", "extra", "renamed_by_case", "reparented", "bind_differs", "rest_differs"}) {
    INFO(count << ": " << found.message);
    CHECK(number(found, count) == (name == count ? value : 0.0));
  }
}
/// Turned beyond the turn it has.
void turn_more(RigNode& node, double degrees, const Vec3& axis) {
  const Vec4 more = turn(degrees, axis);
  const Quat was(node.rotation.w(), node.rotation.x(), node.rotation.y(), node.rotation.z());
  const Quat is = was * Quat(more.w(), more.x(), more.y(), more.z());
  node.rotation = Vec4(is.x(), is.y(), is.z(), is.w());
}
Rig moved(double metres) {
  Rig rig = humanoid_rig();
  node(rig, "neck").translation.y() += metres;
  rig.bind_at_rest();
  return rig;
}
}  // namespace

TEST_CASE("skeleton-differs-from-reference: the same skeleton is silent", "[rules]") {
  CHECK(silent(humanoid_rig(), rule, against_humanoid()));
  CHECK(silent(humanoid_rig(), rule));  // no reference
}
TEST_CASE("skeleton-differs-from-reference: glTF and FBX of one rig agree", "[rules]") {
  const Asset fbx = to_fbx_asset(humanoid_rig());
  CHECK(silent(fbx, rule, against_humanoid()));
  CHECK(silent(humanoid_rig(), rule, against(fbx)));
}
TEST_CASE("skeleton-differs-from-reference: a joint is gone", "[rules]") {
  Rig reference = humanoid_rig();
  add_socket(reference, "hips", "tail");
  const Asset asset = to_asset(reference);
  const Finding found = only(humanoid_rig(), rule, against(asset));
  CHECK(found.severity == Severity::warning);
  CHECK(found.element.kind == ElementKind::file);
  only_count(found, "missing", 1);
  CHECK(found.count == 1);
  CHECK(found.samples.at(0).label == "tail (missing)");
}
TEST_CASE("skeleton-differs-from-reference: a joint too many", "[rules]") {
  Rig rig = humanoid_rig();
  add_socket(rig, "hips", "tail");
  const Finding found = differs(rig);
  only_count(found, "extra", 1);
  REQUIRE(found.related.size() == 1);
  CHECK(found.related[0].index == rig.node("tail"));
}
TEST_CASE("skeleton-differs-from-reference: another letter case, not a missing joint", "[rules]") {
  Rig rig = humanoid_rig();
  node(rig, "spine").name = "SPINE";
  only_count(differs(rig), "renamed_by_case", 1);
}
TEST_CASE("skeleton-differs-from-reference: another parent", "[rules]") {
  Rig rig = humanoid_rig();
  const std::vector<Mat4> world = rig.world_from_node();
  const int joint = rig.node("neck"), parent = rig.node("hips");
  rig.nodes[static_cast<std::size_t>(joint)].parent = parent;
  rig.nodes[static_cast<std::size_t>(joint)].translation = translation(Mat4(
      world[static_cast<std::size_t>(parent)].inverse() * world[static_cast<std::size_t>(joint)]));
  only_count(differs(rig), "reparented", 1);
}
TEST_CASE("skeleton-differs-from-reference: one joint moved, not all below it", "[rules]") {
  const Finding found = differs(moved(0.05));
  CHECK(number(found, "bind_differs") == 1.0);
  CHECK(number(found, "rest_differs") == 1.0);
  CHECK(number(found, "worst_bind") == Approx(0.05));
  CHECK(number(found, "scale") == Approx(1.0));
}
TEST_CASE("skeleton-differs-from-reference: a rest pose alone", "[rules]") {
  Rig rig = humanoid_rig();
  turn_more(node(rig, "upper_arm.L"), 40, Vec3::UnitZ());
  const Finding found = differs(rig);
  only_count(found, "rest_differs", 1);
  CHECK(found.related.at(0).index == rig.node("upper_arm.L"));
  CheckConfig lenient = against_humanoid();
  lenient.params[rule]["rest"] = 0;
  CHECK(silent(rig, rule, lenient));
}
TEST_CASE("skeleton-differs-from-reference: another unit is one difference", "[rules]") {
  Rig rig = humanoid_rig();
  for (RigNode& node : rig.nodes) node.translation *= 100;
  for (Vec3& p : rig.meshes[0].parts[0].positions) p *= 100;
  rig.bind_at_rest();
  const Finding found = differs(rig);
  CHECK(found.count == 1);
  CHECK(number(found, "scale") == Approx(100));
  CHECK(number(found, "bind_differs") == 0.0);
}
TEST_CASE("skeleton-differs-from-reference: other axes are one difference", "[rules]") {
  const Asset reference = to_asset(humanoid_rig());
  Rig rig = humanoid_rig();
  const Mat4 up = turned(-90, Vec3::UnitX());
  for (RigNode& node : rig.nodes) {
    if (node.parent >= 0 || node.name.empty()) continue;
    node.rotation = turn(-90, Vec3::UnitX());
    node.translation = transform_point(up, node.translation);
  }
  for (Vec3& p : rig.meshes[0].parts[0].positions) p = transform_point(up, p);
  rig.bind_at_rest();
  const Finding found = only(rig, rule, against(reference));
  CHECK(found.count == 1);
  CHECK(number(found, "angle") == Approx(90));
}
TEST_CASE("skeleton-differs-from-reference: limits, just inside and outside", "[rules]") {
  const double size = against_humanoid().reference->size();
  CHECK(silent(moved(0.9e-3 * size), rule, against_humanoid()));
  CHECK_FALSE(silent(moved(1.1e-3 * size), rule, against_humanoid()));
  for (const auto& [angle, fine] : {std::pair{0.09, true}, std::pair{0.11, false}}) {
    Rig rig = humanoid_rig();
    turn_more(node(rig, "foot.L"), angle, Vec3::UnitX());
    rig.bind_at_rest();
    INFO(angle);
    CHECK(silent(rig, rule, against_humanoid()) == fine);
  }
  for (const auto& [scale, fine] : {std::pair{1.0009, true}, std::pair{1.0011, false}}) {
    Rig rig = humanoid_rig();
    node(rig, "head").scale = Vec3::Constant(scale);
    rig.bind_at_rest();
    INFO(scale);
    CHECK(silent(rig, rule, against_humanoid()) == fine);
  }
}
TEST_CASE("skeleton-differs-from-reference: a parameter changes the outcome", "[rules]") {
  CheckConfig config = against_humanoid();
  config.params[rule]["displacement"] = 0.1;
  CHECK(silent(moved(0.05), rule, config));
}
TEST_CASE("skeleton-differs-from-reference: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(moved(0.05)), Severity::warning, against_humanoid()) == Ids{rule});
}
TEST_CASE("skeleton-differs-from-reference: a file without a skeleton is silent", "[rules]") {
  Rig prop;
  RigNode crate;
  crate.name = "crate";
  prop.nodes.push_back(crate);
  CHECK(silent(prop, rule, against_humanoid()));
}
TEST_CASE(
    "skeleton-differs-from-reference: a glove lists some joints and keeps the others as nodes",
    "[rules]") {
  Rig rig = humanoid_rig();
  RigSkin& skin = rig.skins[0];
  const int keep = rig.node("upper_arm.L");
  const auto slot = std::find(skin.joints.begin(), skin.joints.end(), keep) - skin.joints.begin();
  REQUIRE(slot < static_cast<std::ptrdiff_t>(skin.joints.size()));
  skin.joints = {keep};
  for (auto& vertex : rig.meshes[0].parts[0].influences) vertex = {{0, 1.0}};
  rig.bind_at_rest();
  CHECK(silent(rig, rule, against_humanoid()));
}
TEST_CASE("skeleton-differs-from-reference: bones that no skin lists do not count", "[rules]") {
  Rig rig = humanoid_rig();
  RigNode leaf;
  leaf.name = "head_end";
  leaf.parent = rig.node("head");
  rig.nodes.push_back(leaf);
  Asset asset = to_fbx_asset(rig);
  node(asset, "head_end").attribute = "LimbNode";
  CHECK(silent(asset, rule, against_humanoid()));
}
TEST_CASE("skeleton-differs-from-reference: clips without a skin are compared by name and parent",
          "[rules]") {
  Rig rig = humanoid_rig();
  turn_more(node(rig, "upper_arm.L"), 40, Vec3::UnitZ());
  rig.skins.clear();
  rig.instances.clear();
  rig.meshes.clear();
  Asset asset = to_fbx_asset(rig);
  for (Node& n : asset.nodes) n.attribute = "LimbNode";
  CHECK(silent(asset, rule, against_humanoid()));
}
TEST_CASE("skeleton-differs-from-reference: the character stands elsewhere at rest", "[rules]") {
  Rig rig = humanoid_rig();
  RigNode place;
  place.name = "place";
  place.translation = Vec3(3, 0, 1);
  put_above(rig, place);
  CHECK(silent(rig, rule, against_humanoid()));
}
