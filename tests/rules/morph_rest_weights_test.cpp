#include <limits>

#include "shape_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "morph-rest-weights";
}  // namespace

TEST_CASE("morph-rest-weights: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}
TEST_CASE("morph-rest-weights: a shape half on: which, and how far vertices are", "[rules]") {
  const Finding found = only(chain_with_morph(Vec3(0, 0, 0.2), 0.5), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
  CHECK(found.count == 1);
  CHECK(number(found, "largest_weight") == Approx(0.5));
  CHECK(number(found, "displacement") == Approx(0.1));
  CHECK(found.samples.at(0).label == "shape");
}
TEST_CASE("morph-rest-weights: limits, just inside and outside", "[rules]") {
  CHECK(silent(chain_with_morph(Vec3(0, 0, 100), 0.9e-4), rule));
  CHECK(severity(chain_with_morph(Vec3(0, 0, 100), 1.1e-4), rule) == Severity::note);
  CHECK(severity(chain_with_morph(Vec3(0, 0, 100), -1.1e-4), rule) == Severity::note);
  CHECK(silent(chain_with_morph(Vec3(0, 0, 0.9e-4 * chain_size), 1.0), rule));
  CHECK(severity(chain_with_morph(Vec3(0, 0, 1.1e-4 * chain_size), 1.0), rule) == Severity::note);
}
TEST_CASE("morph-rest-weights: parameters change the outcome", "[rules]") {
  const Rig rig = chain_with_morph(Vec3(0, 0, 0.2), 0.5);
  CHECK(silent(rig, rule, with_param(rule, "weight", 0.6)));
  CHECK(silent(rig, rule, with_param(rule, "displacement", 0.5)));
}
TEST_CASE("morph-rest-weights: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(chain_with_morph(Vec3(0, 0, 0.2), 0.5)), Severity::note) == Ids{rule});
}
TEST_CASE("morph-rest-weights: weights at zero, shapes that move nothing, clips that play them",
          "[rules]") {
  Rig rig = chain_with_morph(Vec3(0, 0, 0.2), 0.0);
  RigChannel channel;
  channel.node = rig.node("tube");
  channel.path = ChannelPath::weights;
  channel.times = {0, 1};
  channel.values = {1, 0};
  rig.clips.push_back({"smile", {channel}});
  CHECK(silent(rig, rule));
  CHECK(silent(chain_with_morph(Vec3(0, 0, 0), 1.0), rule));
}
TEST_CASE("morph-rest-weights: a body set up by its shapes is a note, never more", "[rules]") {
  CHECK(severity(chain_with_morph(Vec3(0, 0, 5), 1.0), rule) == Severity::note);
}
TEST_CASE("morph-rest-weights: instances with equal weights are one finding", "[rules]") {
  Asset asset = to_asset(chain_with_morph(Vec3(0, 0, 0.2), 0.5));
  asset.bindings.push_back(asset.bindings[0]);
  CHECK(number(only(asset, rule), "instances") == 2);
  asset.bindings[1].morph_weights = {0.25};
  CHECK(findings_of(asset, rule).size() == 2);
  asset.bindings[1].morph_weights = {0.0};
  CHECK(findings_of(asset, rule).size() == 1);
}
TEST_CASE("morph-rest-weights: a weight that is no number is an error", "[rules]") {
  Asset asset = to_asset(chain_with_morph(Vec3(0, 0, 0.2), 0.5));
  asset.bindings[0].morph_weights = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(only(asset, rule).severity == Severity::error);
}
TEST_CASE("morph-rest-weights: in-betweens are bounded by their largest shape", "[rules]") {
  Asset asset = to_asset(chain_with_morph(Vec3(0, 0, 0.2), 0.5));
  MorphTarget::Shape half = asset.meshes[0].morphs[0].shapes[0];
  half.full_weight = 0.5;
  asset.meshes[0].morphs[0].shapes.insert(asset.meshes[0].morphs[0].shapes.begin(), half);
  CHECK(number(only(asset, rule), "displacement") == Approx(0.2));
}
