#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "clip-skinned-node";

Rig sliding(double distance) {
  Rig rig = chain_rig(6);
  rig.clips.push_back(
      clip_of("slide", rig.node("tube"), ChannelPath::translation, {0, 0, 0, distance, 0, 0}));
  return rig;
}
}  // namespace

TEST_CASE("clip-skinned-node: clean assets are silent", "[rules]") { CHECK(clean_is_silent(rule)); }
TEST_CASE("clip-skinned-node: a clip moves the mesh node", "[rules]") {
  const Finding found = only(sliding(1.0), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::node, 6, 0});
  CHECK(found.count == 1);
  CHECK(words_of(found, "clip") == "slide");
}
TEST_CASE("clip-skinned-node: rotation and scale count as well", "[rules]") {
  Rig rig = chain_rig(6);
  const Vec4 q = turn(10, Vec3::UnitY());
  rig.clips = {clip_of("spin", 6, ChannelPath::rotation, {0, 0, 0, 1, q[0], q[1], q[2], q[3]})};
  CHECK(severity(rig, rule) == Severity::warning);
  rig.clips = {clip_of("grow", 6, ChannelPath::scale, {1, 1, 1, 2, 2, 2})};
  CHECK(severity(rig, rule) == Severity::warning);
}
TEST_CASE("clip-skinned-node: how far a channel has to go, just inside and outside", "[rules]") {
  CHECK(silent(sliding(0.9e-6), rule));
  CHECK(severity(sliding(1.1e-6), rule) == Severity::warning);
}
TEST_CASE("clip-skinned-node: a severity can be configured", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::note;
  CHECK(severity(sliding(1.0), rule, config) == Severity::note);
}
TEST_CASE("clip-skinned-node: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(sliding(1.0)), Severity::note) == Ids{rule});
}
TEST_CASE("clip-skinned-node: channels that repeat the rest transform", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "tube").translation = Vec3(1, 2, 3);
  node(rig, "tube").rotation = turn(40, Vec3::UnitY());
  const Vec4 q = -node(rig, "tube").rotation;  // the same turn
  rig.clips = {clip_of("baked", 6, ChannelPath::translation, {1, 2, 3, 1, 2, 3}),
               clip_of("baked", 6, ChannelPath::rotation, {q[0], q[1], q[2], q[3]}),
               clip_of("baked", 6, ChannelPath::scale, {1, 1, 1})};
  CHECK(silent(rig, rule));
}
TEST_CASE("clip-skinned-node: morph weights are the mesh's own", "[rules]") {
  Rig rig = chain_rig(6);
  RigChannel channel;
  channel.node = rig.node("tube");
  channel.path = ChannelPath::weights;
  channel.times = {0, 1};
  channel.values = {0, 1};
  rig.clips.push_back({"smile", {channel}});
  CHECK(silent(rig, rule));
}
TEST_CASE("clip-skinned-node: a parent that moves is transform-ignored-on-skin's", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode cart;
  cart.name = "cart";
  node(rig, "tube").parent = static_cast<int>(rig.nodes.size());
  rig.nodes.push_back(cart);
  rig.clips.push_back(
      clip_of("slide", rig.node("cart"), ChannelPath::translation, {0, 0, 0, 1, 0, 0}));
  CHECK(silent(rig, rule));
  CHECK(severity(rig, "transform-ignored-on-skin") == Severity::warning);
}
TEST_CASE("clip-skinned-node: in FBX the bind holds the mesh node", "[rules]") {
  CHECK(silent(to_fbx_asset(sliding(1.0)), rule));
}
