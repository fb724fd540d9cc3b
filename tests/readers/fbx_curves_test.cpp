// FBX animation curves: what the flags, run lengths and packed weights of a key mean.

#include <catch2/catch.hpp>
#include <cstring>

#include "model/fbx_curve.h"
#include "readers/reader.h"
#include "skinning/clip_pose.h"
#include "support/fbx_writer.h"
#include "support/read_bytes.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

/// KeyAttr* of one curve.
struct Attributes {
  std::vector<std::int32_t> flags, runs;
  std::vector<float> data;
};

float packed(std::uint32_t right, std::uint32_t next_left) {
  const std::uint32_t bits = right | next_left << 16U;
  float out = 0.0F;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

Asset read(std::vector<std::byte> bytes, bool curves = true) {
  ReadOptions options;
  options.clip_curves = curves;
  return read_bytes(std::move(bytes), options);
}

/// A chain whose middle joint moves along X (in metres) by these values a second apart, with these
/// attributes on every curve.
std::vector<std::byte> file(const std::vector<double>& x, const Attributes& attributes,
                            FbxWriteOptions options = {}) {
  Rig rig = chain_rig(3, 3, 3);
  std::vector<double> values;
  for (const double v : x) values.insert(values.end(), {v, 0.0, 0.0});
  rig.clips.push_back({"move", {rig_channel(1, ChannelPath::translation, values)}});
  options.unit_meters = 1.0;
  options.edit = [&attributes](FbxTree& tree) {
    for (FbxRecord* curve : tree.at("Objects").all("AnimationCurve")) {
      curve->add("KeyAttrFlags", {attributes.flags});
      // An ASCII file of 7.2 or later prints the bits.
      curve->add("KeyAttrDataFloat", {attributes.data});
      curve->add("KeyAttrRefCount", {attributes.runs});
    }
  };
  return write_fbx(rig, options);
}

double x_at(const Asset& asset, double seconds) {
  return translation(world_at_time(asset, asset.clips.at(0), seconds).at(1)).x();
}

}  // namespace

TEST_CASE("fbx key flags: constant, linear, cubic and where slopes come from", "[readers]") {
  struct Row {
    const char* name;
    Attributes attributes;
    double quarter, second;  // at 0.25 s and at 1.5 s, of keys 0, 4, 2
  };
  const std::vector<float> none = {0, 0, packed(3333, 3333), 0};
  const std::vector<float> slopes = {4, 2, packed(3333, 3333), 0};
  const auto hermite = [](double a, double b, double left, double right, double t) {
    return (2 * t * t * t - 3 * t * t + 1) * a + (t * t * t - 2 * t * t + t) * left +
           (3 * t * t - 2 * t * t * t) * b + (t * t * t - t * t) * right;
  };
  const Row rows[] = {
      {"constant", {{0x2}, {3}, none}, 0, 4},
      {"constant next", {{0x102}, {3}, none}, 4, 2},
      {"linear", {{0x4}, {3}, none}, 1, 3},
      {"blender's linear", {{0x6104}, {3}, none}, 1, 3},
      {"user", {{0x408}, {3}, slopes}, hermite(0, 4, 4, 2, 0.25), hermite(4, 2, 4, 2, 0.5)},
      // A third weighted is a third.
      {"user, weighted",
       {{0x3000408}, {3}, slopes},
       hermite(0, 4, 4, 2, 0.25),
       hermite(4, 2, 4, 2, 0.5)},
      // The middle key's slope is that of its neighbours (2 - 0) / 2; the ends' are their
      // segments'.
      {"auto, time independent",
       {{0x2108}, {3}, none},
       hermite(0, 4, 4, 1, 0.25),
       hermite(4, 2, 1, -2, 0.5)},
      // Progressive: a peak is flat, and so are the ends.
      {"auto, clamped", {{0x6108}, {3}, none}, hermite(0, 4, 0, 0, 0.25), hermite(4, 2, 0, 0, 0.5)},
      // Tension 1 leaves no slope.
      {"tcb", {{0x208}, {3}, {1, 0, 0, 0}}, hermite(0, 4, 0, 0, 0.25), hermite(4, 2, 0, 0, 0.5)},
      // Runs: linear to the middle key, constant from there.
      {"runs", {{0x4, 0x2}, {1, 2}, {0, 0, 0, 0, 0, 0, 0, 0}}, 1, 4},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    for (const std::uint32_t version : {7400U, 7500U}) {
      FbxWriteOptions options;
      options.version = version;
      options.big_endian = version == 7500U;
      const Asset asset = read(file({0, 4, 2}, row.attributes, options));
      CHECK(x_at(asset, 0.25) == Approx(row.quarter).margin(1e-6));
      CHECK(x_at(asset, 1.5) == Approx(row.second).margin(1e-6));
      CHECK(asset.clips[0].left_out.empty());
      CHECK(x_at(asset, 1.0) == Approx(4.0));
      CHECK(x_at(asset, 5.0) == Approx(2.0));
    }
  }
}

TEST_CASE("fbx curves in ascii: slopes are numbers before 7.2, bits from then on", "[readers]") {
  const Attributes numbers{{0x408}, {2}, {4, -2, packed(3333, 3333), 0}};
  FbxWriteOptions options;
  options.ascii = true;
  options.version = 7100;
  const double old = x_at(read(file({0, 4}, numbers, options)), 0.25);
  CHECK(old == Approx(0.15625 * 4 + 0.140625 * 4 + 0.046875 * 2).margin(1e-5));
  options.version = 7400;
  Rig rig = chain_rig(3, 3, 3);
  rig.clips.push_back({"move", {rig_channel(1, ChannelPath::translation, {0, 0, 0, 4, 0, 0})}});
  options.unit_meters = 1.0;
  options.edit = [&](FbxTree& tree) {
    std::vector<std::int32_t> bits(4);
    std::memcpy(bits.data(), numbers.data.data(), 16);
    for (FbxRecord* curve : tree.at("Objects").all("AnimationCurve")) {
      curve->add("KeyAttrFlags", {numbers.flags});
      curve->add("KeyAttrDataFloat", {bits});
      curve->add("KeyAttrRefCount", {numbers.runs});
    }
  };
  CHECK(x_at(read(write_fbx(rig, options)), 0.25) == Approx(old));
}

TEST_CASE("fbx attributes that do not add up leave straight lines, and that is said", "[readers]") {
  const std::vector<float> none = {0, 0, 0, 0};
  for (const Attributes& attributes :
       {Attributes{{0x2}, {2}, none}, Attributes{{0x2, 0x2}, {3}, none},
        Attributes{{0x2}, {3}, {0}}, Attributes{{0x2}, {-3}, none}}) {
    const Asset asset = read(file({0, 4, 2}, attributes));
    CHECK(x_at(asset, 0.25) == Approx(1.0));
    CHECK(asset.clips[0].left_out.size() == 1);
    CHECK(asset.repairs.empty());
  }
}

TEST_CASE("without clip_curves keys alone are kept", "[readers]") {
  const Attributes constant{{0x2}, {3}, {0, 0, 0, 0}};
  const Asset keys = read(file({0, 4, 2}, constant), false);
  REQUIRE(keys.clips.at(0).channels.size() == 1);
  CHECK(keys.clips[0].channels[0].curves == nullptr);
  CHECK(x_at(keys, 0.25) == Approx(1.0));
  CHECK(x_at(keys, 1.0) == Approx(4.0));
}
