#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "clip-bind-reset";

/// A clip that starts with a joint of the chain moved aside.
RigClip moved(const std::string& name, int joint, double aside) {
  return clip_of(name, joint, ChannelPath::translation, {0, 1, aside, 0, 1, 0});
}
Rig starting(double aside, int joint = 3) {
  Rig rig = chain_rig(6);
  rig.clips.push_back(moved("walk", joint, aside));
  return rig;
}
}  // namespace

TEST_CASE("clip-bind-reset: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(starting(0.0), rule));
}
TEST_CASE("clip-bind-reset: the only clip starts in a pose", "[rules]") {
  const Finding found = only(starting(0.5), rule);
  CHECK(found.severity == Severity::note);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(number(found, "clips") == 1);
  CHECK(number(found, "nearest_displacement") == Approx(0.5));
  CHECK(words_of(found, "nearest_clip") == "walk");
}
TEST_CASE("clip-bind-reset: limits, just inside and outside", "[rules]") {
  CHECK(silent(starting(0.95e-3 * chain_size), rule));
  CHECK(severity(starting(1.05e-3 * chain_size), rule) == Severity::note);
}
TEST_CASE("clip-bind-reset: a parameter changes the outcome", "[rules]") {
  CHECK(silent(starting(0.5), rule, with_param(rule, "displacement", 0.2)));
}
TEST_CASE("clip-bind-reset: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(starting(0.5)), Severity::note) == Ids{rule});
}
TEST_CASE("clip-bind-reset: one clip of several starts in the bind pose", "[rules]") {
  Rig rig = starting(0.5);
  rig.clips.push_back(moved("t_pose", 3, 0.0));
  CHECK(silent(rig, rule));
  rig.clips.back() = moved("run", 3, 0.25);
  const Finding found = only(rig, rule);
  CHECK(number(found, "clips") == 2);
  CHECK(words_of(found, "nearest_clip") == "run");
}
TEST_CASE("clip-bind-reset: the skeleton as a whole may stand elsewhere", "[rules]") {
  Rig rig = chain_rig(6);
  rig.clips.push_back(clip_of("walk", 0, ChannelPath::translation, {3, 0, 2, 4, 0, 2}));
  CHECK(silent(rig, rule));
}
TEST_CASE("clip-bind-reset: clips that move no joint of the skin do not count", "[rules]") {
  Rig rig = chain_rig(6);
  rig.clips.push_back(
      clip_of("slide", rig.node("tube"), ChannelPath::translation, {5, 0, 0, 0, 0, 0}));
  CHECK(silent(rig, rule));
}
TEST_CASE("clip-bind-reset: FBX is judged by the pose of the first key", "[rules]") {
  Asset asset = to_fbx_asset(starting(0.5));
  CHECK(silent(asset, rule));  // the reader would have given a pose; here the clip has none yet
  asset.clips[0].first_key = {{node_of(asset, "joint3"), shift(0, 1, 0.5)}};
  CHECK(number(only(asset, rule), "nearest_displacement") == Approx(0.5));
  asset.clips[0].first_key = {{node_of(asset, "joint3"), shift(0, 1, 0)}};
  CHECK(silent(asset, rule));
}
