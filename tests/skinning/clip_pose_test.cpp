#include "skinning/clip_pose.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "skinning/hierarchy.h"
#include "support/fbx_form.h"
#include "support/matchers.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

double difference(const std::vector<Mat4>& a, const std::vector<Mat4>& b) {
  double worst = a.size() == b.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    worst = std::max(worst, worst_difference(a[i], b[i]));
  return worst;
}

}  // namespace

TEST_CASE("a clip's first keys replace what they key and leave the rest", "[skinning]") {
  Rig rig = chain_rig(4);
  rig.clips.push_back({"walk",
                       {rig_channel(1, ChannelPath::translation, {0, 2, 0, 0, 9, 0}),
                        rig_channel(2, ChannelPath::rotation, {0, 0, 2, 0, 0, 0, 0, 1}),
                        rig_channel(3, ChannelPath::scale, {3, 3, 3, 1, 1, 1})}});
  const Asset asset = to_asset(rig);
  Rig posed = chain_rig(4);
  posed.nodes[1].translation = Vec3(0, 2, 0);
  posed.nodes[2].rotation = Vec4(0, 0, 1, 0);  // keys are normalised
  posed.nodes[3].scale = Vec3(3, 3, 3);
  CHECK(difference(world_at_first_keys(asset, asset.clips[0]), posed.world_from_node()) < 1e-12);
  CHECK(difference(world_at_first_keys(asset, Clip{}), world_from_nodes(asset)) == 0.0);
}

TEST_CASE("cubic keys give their value, not a tangent", "[skinning]") {
  Rig rig = chain_rig(4);
  RigChannel cubic = rig_channel(1, ChannelPath::translation, {7, 7, 7, 0, 2, 0, 8, 8, 8});
  cubic.times = {0};
  cubic.interpolation = Interpolation::cubic;
  rig.clips.push_back({"walk", {cubic}});
  const Asset asset = to_asset(rig);
  CHECK(translation(world_at_first_keys(asset, asset.clips[0])[1]).isApprox(Vec3(0, 2, 0)));
}

TEST_CASE("keys that are not finite, zero quaternions and matrix nodes stay at rest",
          "[skinning]") {
  Rig rig = chain_rig(4);
  rig.nodes[3].matrix = rig.nodes[3].parent_from_node();
  rig.clips.push_back({"walk",
                       {rig_channel(1, ChannelPath::translation, {0, std::nan(""), 0}),
                        rig_channel(2, ChannelPath::rotation, {0, 0, 0, 0}),
                        rig_channel(3, ChannelPath::translation, {5, 5, 5})}});
  const Asset asset = to_asset(rig);
  CHECK(difference(world_at_first_keys(asset, asset.clips[0]), world_from_nodes(asset)) == 0.0);
}

TEST_CASE("fbx clips pose by their first-key matrices", "[skinning]") {
  Asset asset = to_fbx_asset(chain_rig(4));
  Clip clip;
  Mat4 local = Mat4::Identity();
  local(1, 3) = 4.0;
  clip.first_key = {{2, local}, {-1, local}};
  const std::vector<Mat4> world = world_at_first_keys(asset, clip);
  CHECK(translation(world[2]).isApprox(Vec3(0, 5, 0)));
  CHECK(translation(world[3]).isApprox(Vec3(0, 6, 0)));
}
