#include "skinning/diagnosis.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "rules/cause_texts.h"
#include "rules/facts.h"
#include "support/fbx_form.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

Vec4 turn(double degrees, const Vec3& axis) {
  const Quat q(Eigen::AngleAxisd(degrees / 57.29577951308232, axis.normalized()));
  return {q.x(), q.y(), q.z(), q.w()};
}

std::vector<Mat4>& binds(test::Rig& rig) { return *rig.skins[0].joint_from_mesh; }

int joint(const test::Rig& rig, std::size_t slot) { return rig.skins[0].joints[slot]; }

test::RigNode& node(test::Rig& rig, std::size_t slot) {
  return rig.nodes[static_cast<std::size_t>(joint(rig, slot))];
}

Mat4 quarter_about_x() {
  return compose_trs(Vec3::Zero(), Quat(Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitX())),
                     Vec3::Ones());
}

BindingDiagnosis diagnose_rig(const test::Rig& rig) {
  const Asset asset = test::to_asset(rig);
  return Facts(asset).diagnosis(0);
}

std::string first_cause(const std::optional<Diagnosis>& part) {
  if (!part) return "no symptom";
  return part->fits.empty() ? "unexplained" : std::string(cause_name(part->fits.front().id));
}

struct Fault {
  const char* expected;
  std::function<void(test::Rig&)> put_in;
};

const std::vector<Fault>& drift_faults() {
  static const std::vector<Fault> faults = {
      {"matrix-transposed",
       [](test::Rig& rig) {
         for (Mat4& m : binds(rig)) m.transposeInPlace();
       }},
      {"matrix-not-inverted",
       [](test::Rig& rig) {
         for (Mat4& m : binds(rig)) m = Mat4(*affine_inverse(m));
       }},
      {"matrix-from-local",
       [](test::Rig& rig) {
         const Asset asset = test::to_asset(rig);
         for (std::size_t s = 0; s < binds(rig).size(); ++s) {
           const Node& n = asset.nodes[static_cast<std::size_t>(asset.skins[0].joints[s])];
           binds(rig)[s] = *affine_inverse(n.parent_from_node);
         }
       }},
      {"joint-order", [](test::Rig& rig) { std::reverse(binds(rig).begin(), binds(rig).end()); }},
      {"joint-order", [](test::Rig& rig) { std::swap(binds(rig)[1], binds(rig)[4]); }},
      {"scale-inherited",
       [](test::Rig& rig) {
         // Bound while the joint's scale stopped at it, then exported as inherited.
         const std::vector<Mat4> before = rig.world_from_node();
         node(rig, 2).scale = Vec3::Constant(1.3);
         const std::vector<Mat4> after = rig.world_from_node();
         for (std::size_t s = 0; s < binds(rig).size(); ++s) {
           const auto n = static_cast<std::size_t>(joint(rig, s));
           // Without inheriting: each joint keeps its own unscaled axes and stands at the end of
           // its parent's scaled bone.
           Mat4 bind = before[n];
           if (s == 2) bind = after[n];
           if (s > 2) {
             const Vec3 shift = translation(after[static_cast<std::size_t>(joint(rig, 3))]) -
                                translation(before[static_cast<std::size_t>(joint(rig, 3))]);
             bind.topRightCorner<3, 1>() += shift;
           }
           binds(rig)[s] = *affine_inverse(bind);
         }
       }},
      {"mirrored-joint",
       [](test::Rig& rig) {
         node(rig, 3).scale = {1, 1, -1};
       }},
      {"one-joint-stale",
       [](test::Rig& rig) {
         binds(rig)[3] =
             compose_trs({0.2, 0.1, 0}, Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX())), Vec3::Ones()) *
             binds(rig)[3];
       }},
      {"posed-after-bind",
       [](test::Rig& rig) {
         node(rig, 3).rotation = turn(25, {1, 0, 1});
       }},
      {"saved-at-clip-key",
       [](test::Rig& rig) {
         node(rig, 3).rotation = turn(25, {1, 0, 1});
         const Vec4 key = node(rig, 3).rotation;
         test::RigClip clip;
         clip.name = "walk";
         clip.channels.push_back({joint(rig, 3),
                                  ChannelPath::rotation,
                                  Interpolation::linear,
                                  {0.0, 1.0},
                                  {key(0), key(1), key(2), key(3), 0, 0, 0, 1}});
         rig.clips.push_back(clip);
       }},
      {"unit-converted-skeleton-only",
       [](test::Rig& rig) {
         for (std::size_t s = 0; s < binds(rig).size(); ++s) node(rig, s).translation *= 100;
       }},
  };
  return faults;
}

}  // namespace

TEST_CASE("each way to get the bind wrong is named first", "[skinning][cause]") {
  for (std::size_t i = 0; i < drift_faults().size(); ++i) {
    const Fault& fault = drift_faults()[i];
    CAPTURE(i, fault.expected);
    test::Rig rig = test::chain_rig(8);
    fault.put_in(rig);
    const BindingDiagnosis d = diagnose_rig(rig);
    CHECK(first_cause(d.drift) == fault.expected);
    if (!d.drift || d.drift->fits.empty()) continue;
    CHECK(d.drift->fits.front().residual <= std::max(2e-4, 0.01 * d.drift->residual_before) + 1e-9);
    CHECK_FALSE(d.drift->fits.front().slots.empty());
  }
}

TEST_CASE("a clean rig has no symptom to explain", "[skinning][cause]") {
  for (const test::Rig& rig : {test::chain_rig(8), test::humanoid_rig(), test::random_rig(3)}) {
    const BindingDiagnosis d = diagnose_rig(rig);
    CHECK_FALSE(d.drift.has_value());
    CHECK_FALSE(d.placement.has_value());
    CHECK_FALSE(d.offset.has_value());
  }
}

TEST_CASE("a posed joint is listed alone, not with the subtree that follows it",
          "[skinning][cause]") {
  test::Rig rig = test::chain_rig(8);
  node(rig, 2).rotation = turn(20, Vec3::UnitX());
  node(rig, 5).rotation = turn(30, Vec3::UnitZ());
  const BindingDiagnosis d = diagnose_rig(rig);
  REQUIRE(first_cause(d.drift) == "posed-after-bind");
  std::vector<std::int32_t> slots = d.drift->fits.front().slots;
  std::sort(slots.begin(), slots.end());
  CHECK(slots == std::vector<std::int32_t>{2, 5});
}

TEST_CASE("a clip that keys the rest pose does not explain matrices stored wrongly",
          "[skinning][cause]") {
  test::Rig rig = test::humanoid_rig();
  test::RigClip clip;
  clip.name = "idle";
  for (const int n : rig.skins[0].joints) {
    const Vec4 r = rig.nodes[static_cast<std::size_t>(n)].rotation;
    clip.channels.push_back(
        {n, ChannelPath::rotation, Interpolation::linear, {0.0}, {r(0), r(1), r(2), r(3)}});
  }
  rig.clips.push_back(clip);
  for (Mat4& m : binds(rig)) m = Mat4(*affine_inverse(m));
  CHECK(first_cause(diagnose_rig(rig).drift) == "matrix-not-inverted");
}

TEST_CASE("noise is unexplained, with its residual", "[skinning][cause]") {
  test::Rig rig = test::chain_rig(8);
  for (std::size_t s = 0; s < binds(rig).size(); ++s) {
    const double k = static_cast<double>(s);
    binds(rig)[s] =
        compose_trs({std::sin(7 * k), std::cos(5 * k), std::sin(3 * k + 1)},
                    Quat(Eigen::AngleAxisd(k, Vec3(k, 1, 2).normalized())), Vec3::Ones()) *
        binds(rig)[s];
  }
  const BindingDiagnosis d = diagnose_rig(rig);
  REQUIRE(d.drift.has_value());
  CHECK(d.drift->fits.empty());
  CHECK(d.drift->residual_before > 0.01);
  const Asset asset = test::to_asset(rig);
  const Cause cause = describe_cause(asset, 0, *d.drift);
  CHECK(cause.id == "unexplained");
  CHECK(cause.confidence == Cause::Confidence::none);
}

TEST_CASE(
    "vertices converted alone are found by placement, and the other side is said to be possible",
    "[skinning][cause]") {
  test::Rig turned = test::humanoid_rig();
  for (Vec3& p : turned.meshes[0].parts[0].positions) p = transform_point(quarter_about_x(), p);
  const BindingDiagnosis axis = diagnose_rig(turned);
  CHECK(first_cause(axis.placement) == "axis-converted-mesh-only");
  CHECK(axis.placement->ambiguous);

  test::Rig grown = test::humanoid_rig();
  for (Vec3& p : grown.meshes[0].parts[0].positions) p *= 2.54;
  CHECK(first_cause(diagnose_rig(grown).placement) == "unit-converted-mesh-only");

  // A mesh of 170 m on a skeleton of 1.7 m: the sizes tell which side it was.
  test::Rig huge = test::humanoid_rig();
  for (Vec3& p : huge.meshes[0].parts[0].positions) p *= 1000;
  const BindingDiagnosis unit = diagnose_rig(huge);
  CHECK(first_cause(unit.placement) == "unit-converted-mesh-only");
  CHECK_FALSE(unit.placement->ambiguous);
}

TEST_CASE("every cause has a name, a text and a remedy", "[skinning][cause]") {
  const Asset asset = test::to_asset(test::chain_rig());
  for (int i = 0; i <= static_cast<int>(CauseId::posed_after_bind); ++i) {
    Diagnosis diagnosis;
    CauseFit fit;
    fit.id = static_cast<CauseId>(i);
    fit.slots = {1};
    diagnosis.fits.push_back(fit);
    const Cause cause = describe_cause(asset, 0, diagnosis);
    CHECK(cause.id == cause_name(fit.id));
    CHECK(cause.confidence == Cause::Confidence::certain);
    CHECK(cause.text.find("{}") == std::string::npos);
    REQUIRE(cause.remedy.has_value());
    for (const std::string_view text :
         {cause.remedy->symptom, cause.remedy->action, cause.remedy->maya, cause.remedy->max,
          cause.remedy->blender}) {
      CHECK_FALSE(text.empty());
    }
    CHECK(cause.joints.size() == 1);
  }
}

TEST_CASE("a joint turned while its child was put back is a pose of two joints",
          "[skinning][cause]") {
  test::Rig rig = test::chain_rig(2);
  const std::vector<Mat4> before = rig.world_from_node();
  node(rig, 0).rotation = turn(30, Vec3::UnitZ());
  const Mat4 child = before[static_cast<std::size_t>(joint(rig, 1))];
  node(rig, 1).matrix =
      Mat4(*affine_inverse(rig.world_from_node()[static_cast<std::size_t>(joint(rig, 0))]) * child);
  CHECK(first_cause(diagnose_rig(rig).drift) == "posed-after-bind");
}

TEST_CASE("one joint slightly off among many has a cause as well", "[skinning][cause]") {
  test::Rig rig = test::chain_rig(60, 240);
  const Asset clean = test::to_asset(rig);
  const Facts before(clean);
  const double tolerance = before.bind(0).tau * before.bind(0).size;
  binds(rig)[30](0, 3) += 3.0 * tolerance;
  const BindingDiagnosis d = diagnose_rig(rig);
  REQUIRE(first_cause(d.drift) == "one-joint-stale");
  CHECK(d.drift->fits.front().slots == std::vector<std::int32_t>{30});
  CHECK_FALSE(d.drift->ambiguous);
}

TEST_CASE("a clip that starts in the rest pose is no excuse for a bind that stayed behind",
          "[skinning][cause]") {
  test::Rig rig = test::chain_rig(8);
  test::RigClip clip;
  clip.name = "idle";
  for (const int n : rig.skins[0].joints) {
    clip.channels.push_back(
        {n, ChannelPath::rotation, Interpolation::linear, {0.0}, {0.0, 0.0, 0.0, 1.0}});
  }
  rig.clips.push_back(clip);
  binds(rig)[3] =
      compose_trs({0.2, 0.1, 0}, Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX())), Vec3::Ones()) *
      binds(rig)[3];
  CHECK(first_cause(diagnose_rig(rig).drift) == "one-joint-stale");
}

TEST_CASE("a pose of most joints is told by the bones' lengths", "[skinning][cause]") {
  test::Rig rig = test::chain_rig(8);
  for (std::size_t s = 1; s < 8; ++s)
    node(rig, s).rotation = turn(8 + 3 * static_cast<double>(s), {1, 0.5, -1});
  const BindingDiagnosis posed = diagnose_rig(rig);
  CHECK(first_cause(posed.drift) == "posed-after-bind");
  CHECK(posed.drift->fits.front().slots.size() == 7);

  for (std::size_t s = 1; s < 8; ++s)
    node(rig, s).translation *= s % 2 == 0 ? 1.7 : 0.4;  // bones of other lengths
  CHECK(first_cause(diagnose_rig(rig).drift) == "unexplained");
}

TEST_CASE("FBX: stretched joints are posed where the bind pose confirms the clusters",
          "[skinning][cause]") {
  test::Rig rig = test::chain_rig(4);
  Asset asset = test::to_fbx_asset(rig);
  const auto move = [&](Asset& into) {
    for (std::size_t s = 1; s < 4; ++s) {
      Node& moved = into.nodes[static_cast<std::size_t>(into.skins[0].joints[s])];
      moved.parent_from_node(1, 3) += 0.8 * static_cast<double>(s);
    }
  };
  move(asset);
  CHECK(first_cause(Facts(asset).diagnosis(0).drift) == "posed-after-bind");
  asset.bind_poses.clear();
  CHECK(first_cause(Facts(asset).diagnosis(0).drift) == "unexplained");
}

TEST_CASE("a turn of the whole skeleton is told from the space it was turned from",
          "[skinning][cause]") {
  // The hips stand above the origin: the turned mesh lies nearer to the hips' space than to the
  // world's.
  test::Rig rig = test::humanoid_rig();
  const Mat4 quarter = quarter_about_x();
  const auto hips = static_cast<std::size_t>(rig.node("hips"));
  const Mat4 world = rig.world_from_node()[hips];
  REQUIRE(translation(world).norm() > 0.5);
  const Mat4 above = world * *affine_inverse(rig.nodes[hips].parent_from_node());
  rig.nodes[hips].matrix = Mat4(*affine_inverse(above) * quarter * world);
  const BindingDiagnosis d = diagnose_rig(rig);
  const std::string cause = first_cause(d.offset);
  CHECK((cause == "axis-converted-skeleton-only" || cause == "axis-converted-mesh-only"));
  REQUIRE(d.offset);
  CHECK(d.offset->ambiguous);
}
