// Clips between their keys: glTF interpolation and FBX curves through files and in memory.

#include <catch2/catch.hpp>
#include <cmath>

#include "readers/reader.h"
#include "skinning/clip_pose.h"
#include "skinning/hierarchy.h"
#include "support/fbx_form.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/matchers.h"
#include "support/read_bytes.h"
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

/// A chain whose second joint is keyed by one channel.
Asset keyed(RigChannel channel) {
  Rig rig = chain_rig(3);
  channel.node = 1;
  rig.clips.push_back({"clip", {std::move(channel)}});
  return to_asset(rig);
}

double x_at(const Asset& asset, double seconds) {
  return translation(world_at_time(asset, asset.clips[0], seconds)[1]).x() -
         translation(world_from_nodes(asset)[0]).x();
}

RigChannel moves(std::vector<double> x, Interpolation interpolation) {
  std::vector<double> values;
  for (const double v : x) values.insert(values.end(), {v, 0.0, 0.0});
  RigChannel channel = rig_channel(1, ChannelPath::translation, values);
  channel.interpolation = interpolation;
  if (interpolation == Interpolation::cubic) channel.times.resize(x.size() / 3);
  return channel;
}

Vec4 turn(double degrees) {
  const double half = degrees * 3.14159265358979323846 / 360.0;
  return Vec4(0, 0, std::sin(half), std::cos(half));
}

double angle_at(const Asset& asset, double seconds) {
  const Mat4 world = world_at_time(asset, asset.clips[0], seconds)[1];
  return std::atan2(world(1, 0), world(0, 0)) * 180.0 / 3.14159265358979323846;
}

}  // namespace

TEST_CASE("gltf keys: step, linear and cubic, held at the ends", "[skinning]") {
  // Cubic: value 0 leaves with slope 2, value 1 is reached with slope -1, one second apart.
  const Asset step = keyed(moves({1, 5, 2}, Interpolation::step));
  const Asset linear = keyed(moves({1, 5, 2}, Interpolation::linear));
  const Asset cubic = keyed(moves({9, 0, 2, -1, 1, 9}, Interpolation::cubic));
  struct Row {
    double seconds, step, linear, cubic;
  };
  const auto hermite = [](double t) {
    return (t * t * t - 2 * t * t + t) * 2 + (3 * t * t - 2 * t * t * t) - (t * t * t - t * t);
  };
  for (const Row& row :
       {Row{-3.0, 1.0, 1.0, 0.0}, Row{0.0, 1.0, 1.0, 0.0}, Row{0.25, 1.0, 2.0, hermite(0.25)},
        Row{0.5, 1.0, 3.0, 0.875}, Row{1.0, 5.0, 5.0, 1.0}, Row{1.5, 5.0, 3.5, 1.0},
        Row{2.0, 2.0, 2.0, 1.0}, Row{7.0, 2.0, 2.0, 1.0}}) {
    CAPTURE(row.seconds);
    CHECK(x_at(step, row.seconds) == Approx(row.step).margin(1e-12));
    CHECK(x_at(linear, row.seconds) == Approx(row.linear).margin(1e-12));
    CHECK(x_at(cubic, row.seconds) == Approx(row.cubic).margin(1e-12));
  }
}

TEST_CASE("gltf rotations turn at even speed, the short way", "[skinning]") {
  const auto clip = [](const Vec4& a, const Vec4& b) {
    return keyed(
        rig_channel(1, ChannelPath::rotation, {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]}));
  };
  for (const double part : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    CAPTURE(part);
    CHECK(angle_at(clip(turn(10), turn(130)), part) == Approx(10.0 + 120.0 * part));
    CHECK(angle_at(clip(turn(10), -turn(130)), part) == Approx(10.0 + 120.0 * part));
    CHECK(angle_at(clip(turn(170), turn(-170)), 0.25) == Approx(175.0));
    CHECK(angle_at(clip(turn(20), turn(20)), part) == Approx(20.0));
    CHECK(angle_at(clip(3.0 * turn(10), 0.5 * turn(130)), part) == Approx(10.0 + 120.0 * part));
  }
}

TEST_CASE("a clip's span, and activations over time", "[skinning]") {
  Rig rig = chain_rig(3);
  RigMorph open{"open", 0.5, std::vector<Vec3>(rig.meshes[0].parts[0].positions.size())};
  open.offsets[0] = Vec3(0, 1, 0);
  RigMorph shut = open;
  shut.name = "shut";
  shut.default_weight = 0.0;
  rig.meshes[0].parts[0].morphs = {open, shut};
  RigChannel weights = rig_channel(rig.instances[0].node, ChannelPath::weights, {0, 1, 1, 0});
  weights.times = {2.0, 4.0};
  rig.clips.push_back({"face", {weights}});
  for (const bool fbx : {false, true}) {
    CAPTURE(fbx);
    const Asset asset = read_bytes(fbx ? write_fbx(rig) : write_glb(rig));
    const std::optional<ClipSpan> span = clip_span(asset.clips.at(0));
    REQUIRE(span);
    CHECK(span->first == 2.0);
    CHECK(span->last == 4.0);
    const Binding& b = asset.bindings.at(0);
    const auto at = [&](double seconds) {
      return morph_activations_at_time(asset, b, asset.clips[0], seconds);
    };
    CHECK(at(0.0) == std::vector<double>{0.0, 1.0});
    CHECK(at(2.5)[0] == Approx(0.25));
    CHECK(at(2.5)[1] == Approx(0.75));
    CHECK(at(9.0) == std::vector<double>{1.0, 0.0});
    CHECK(morph_activations_at_time(asset, b, Clip{}, 1.0) == std::vector<double>{0.5, 0.0});
  }
  CHECK_FALSE(clip_span(Clip{}));
}

TEST_CASE("a clip at its first key, and one without channels", "[skinning]") {
  Rig rig = humanoid_rig();
  rig.clips.push_back({"wave",
                       {rig_channel(2, ChannelPath::rotation, {0, 0, 0.6, 0.8, 0, 0, 0, 1}),
                        rig_channel(1, ChannelPath::translation, {0, 1, 0, 0, 2, 0})}});
  for (const bool fbx : {false, true}) {
    CAPTURE(fbx);
    const Asset asset = read_bytes(fbx ? write_fbx(rig) : write_glb(rig));
    CHECK(difference(world_at_time(asset, asset.clips.at(0), 0.0),
                     world_at_first_keys(asset, asset.clips[0])) < 1e-12);
    CHECK(difference(world_at_time(asset, Clip{}, 0.5), world_from_nodes(asset)) < 1e-12);
  }
}

TEST_CASE("what cannot be read or is not finite stays at rest", "[skinning]") {
  Asset asset = keyed(moves({1, std::nan(""), 2}, Interpolation::linear));
  CHECK(x_at(asset, 0.0) == Approx(1.0));
  CHECK(x_at(asset, 0.5) == Approx(0.0).margin(1e-12));
  CHECK(x_at(asset, 2.0) == Approx(2.0));
  asset.clips[0].channels[0].values.data = nullptr;
  CHECK(difference(world_at_time(asset, asset.clips[0], 0.0), world_from_nodes(asset)) < 1e-12);
}
