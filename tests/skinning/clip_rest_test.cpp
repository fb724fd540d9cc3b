#include "skinning/clip_rest.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

RigChannel channel(int node, ChannelPath path, std::vector<double> values) {
  return rig_channel(node, path, std::move(values), 0.5);
}

/// The chain with one clip of these channels.
Asset with_clip(std::vector<RigChannel> channels) {
  Rig rig = chain_rig(4);
  rig.clips.push_back({"clip", std::move(channels)});
  return to_asset(rig);
}

}  // namespace

TEST_CASE("clip_rest: the first keys are the rest pose", "[skinning]") {
  // Joints of the chain rest at (0, 1, 0).
  const Asset asset = with_clip({channel(2, ChannelPath::translation, {0, 1, 0, 5, 1, 0})});
  const auto found = find_rest_key(asset, {{2}});
  REQUIRE(found);
  CHECK(found->clip == 0);
  CHECK(found->first_key);
  CHECK(found->keyed_segments == 1);
}

TEST_CASE("clip_rest: a later key, met by every channel at once", "[skinning]") {
  const auto found = find_rest_key(
      with_clip({channel(2, ChannelPath::translation, {9, 1, 0, 0, 1, 0, 5, 1, 0}),
                 channel(3, ChannelPath::rotation, {1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0})}),
      {{2}, {3}});
  REQUIRE(found);
  CHECK_FALSE(found->first_key);
  CHECK(found->time == Approx(0.5));
  // The other channel rests at another time: no frame of the clip is the rest pose.
  CHECK_FALSE(find_rest_key(
      with_clip({channel(2, ChannelPath::translation, {9, 1, 0, 0, 1, 0, 5, 1, 0}),
                 channel(3, ChannelPath::rotation, {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1})}),
      {{2}, {3}}));
}

TEST_CASE("clip_rest: tolerances, just inside and outside", "[skinning]") {
  const auto rests = [](ChannelPath path, std::vector<double> key) {
    return find_rest_key(with_clip({channel(2, path, std::move(key))}), {{2}}).has_value();
  };
  CHECK(rests(ChannelPath::translation, {0, 1.0009, 0}));
  CHECK_FALSE(rests(ChannelPath::translation, {0, 1.0012, 0}));
  CHECK(rests(ChannelPath::scale, {1, 1.0009, 1}));
  CHECK_FALSE(rests(ChannelPath::scale, {1, 1.0012, 1}));
  const auto turned = [](double deg) {
    const double half = deg * 3.14159265358979323846 / 360.0;
    return std::vector<double>{std::sin(half), 0, 0, std::cos(half)};
  };
  CHECK(rests(ChannelPath::rotation, turned(0.19)));
  CHECK_FALSE(rests(ChannelPath::rotation, turned(0.21)));
  CHECK(rests(ChannelPath::rotation, {0, 0, 0, -1}));  // the same rotation
  CHECK_FALSE(rests(ChannelPath::rotation, {0, 0, 0, 0}));
}

TEST_CASE("clip_rest: a clip speaks for at least half of the joints", "[skinning]") {
  const Asset asset = with_clip({channel(1, ChannelPath::translation, {0, 1, 0})});
  CHECK(find_rest_key(asset, {{1}, {2}}));
  CHECK_FALSE(find_rest_key(asset, {{1}, {2}, {3}}));
  CHECK_FALSE(find_rest_key(asset, {}));
  CHECK_FALSE(find_rest_key(asset, {{2}}));
}

TEST_CASE("clip_rest: FBX is compared by the matrices of the first keys", "[skinning]") {
  Asset asset = with_clip({channel(2, ChannelPath::rotation, {0, 0, 0, 1})});
  asset.format = Format::fbx_binary;
  Clip& clip = asset.clips[0];
  clip.channels[0].values.components = 3;  // Euler angles: nothing to compare
  CHECK_FALSE(find_rest_key(asset, {{2}}));
  clip.first_key.push_back({2, asset.nodes[2].parent_from_node});
  const auto found = find_rest_key(asset, {{2}});
  REQUIRE(found);
  CHECK(found->clip == 0);
  CHECK(found->first_key);
  CHECK(found->time == 0.0);
  CHECK(found->keyed_segments == 1);
  CHECK_FALSE(find_rest_key(asset, {{1}, {2}, {3}}));  // keys a third of them
  for (const Mat4& change : {compose_trs({0, 0, 0.01}, Quat::Identity(), Vec3::Ones()),
                             compose_trs(Vec3::Zero(), Quat(0.9999, 0.0141, 0, 0), Vec3::Ones()),
                             compose_trs(Vec3::Zero(), Quat::Identity(), Vec3::Constant(1.01))}) {
    clip.first_key[0].parent_from_node = asset.nodes[2].parent_from_node * change;
    CHECK_FALSE(find_rest_key(asset, {{2}}));
  }
}

TEST_CASE("clip_rest: a segment ends below the next joint", "[skinning]") {
  Rig rig = chain_rig(3);
  RigNode offset;
  offset.name = "offset";
  offset.parent = 1;
  rig.nodes[2].parent = static_cast<int>(rig.nodes.size());
  rig.nodes.push_back(offset);
  const Asset asset = to_asset(rig);
  std::int32_t joint = -1;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (asset.nodes[n].name == "joint2") joint = static_cast<std::int32_t>(n);
  }
  const JointSegment segment = joint_segment(asset, joint);
  REQUIRE(segment.size() == 2);
  CHECK(asset.node_name(segment[0]) == "joint2");
  CHECK(asset.node_name(segment[1]) == "offset");
}

TEST_CASE("clip_rest: a clip that leaves alone what changed did not write it", "[skinning]") {
  const Asset moves = with_clip({channel(2, ChannelPath::translation, {0, 1, 0, 5, 1, 0})});
  ChangedParts turned, scaled, moved;
  turned.rotation = true;
  scaled.scale = true;
  CHECK(find_rest_key(moves, {{2}}, {moved}));
  CHECK_FALSE(find_rest_key(moves, {{2}}, {turned}));
  CHECK_FALSE(find_rest_key(moves, {{2}}, {scaled}));
  const Asset turns = with_clip({channel(2, ChannelPath::rotation, {0, 0, 0, 1, 1, 0, 0, 0})});
  CHECK(find_rest_key(turns, {{2}}, {turned}));
  CHECK_FALSE(find_rest_key(turns, {{2}}, {scaled}));
}

TEST_CASE("clip_rest: which parts of a joint changed", "[skinning]") {
  RelativeTransform own;
  own.displacement = 1.0;
  CHECK_FALSE(changed_parts(own).rotation);
  CHECK_FALSE(changed_parts(own).scale);
  own.angle_deg = 5.0;
  CHECK(changed_parts(own).rotation);
  own.non_uniformity = 0.5;  // sheared: either may have changed
  CHECK_FALSE(changed_parts(own).rotation);
  CHECK_FALSE(changed_parts(own).scale);
  own.non_uniformity = 0.0;
  own.log_scale = 0.1;
  CHECK(changed_parts(own).rotation);
  CHECK(changed_parts(own).scale);
  own.log_scale = 0.0;
  own.mirrored = true;
  CHECK_FALSE(changed_parts(own).rotation);
  CHECK(changed_parts(own).scale);
}
