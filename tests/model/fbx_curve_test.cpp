#include "model/fbx_curve.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace skinlint;

namespace {

constexpr std::int64_t kSecond = 46186158000;

FbxCurve two_keys(FbxInterpolation how) {
  FbxCurve curve;
  curve.keys = {{0, 10.0, 0.0, 0.0}, {2 * kSecond, 30.0, 0.0, 0.0}};
  curve.keys[0].after = how;
  return curve;
}

double at(const FbxCurve& curve, double seconds) {
  return fbx_curve_value(curve, fbx_ticks(seconds), -1.0);
}

}  // namespace

TEST_CASE("an fbx curve between keys, at them, and beyond", "[model]") {
  struct Row {
    FbxInterpolation how;
    double quarter, half, almost;
  };
  for (const Row& row : {Row{FbxInterpolation::constant, 10, 10, 10},
                         Row{FbxInterpolation::constant_next, 30, 30, 30},
                         Row{FbxInterpolation::linear, 15, 20, 29.5},
                         // Flat tangents: smooth step.
                         Row{FbxInterpolation::cubic, 13.125, 20, 29.963125}}) {
    const FbxCurve curve = two_keys(row.how);
    CAPTURE(static_cast<int>(row.how));
    CHECK(at(curve, -1.0) == 10.0);
    CHECK(at(curve, 0.0) == 10.0);
    CHECK(at(curve, 0.5) == Approx(row.quarter));
    CHECK(at(curve, 1.0) == Approx(row.half));
    CHECK(at(curve, 1.95) == Approx(row.almost));
    CHECK(at(curve, 2.0) == 30.0);
    CHECK(at(curve, 1e9) == 30.0);
  }
  CHECK(at(FbxCurve{}, 0.0) == -1.0);
}

TEST_CASE("slopes are per second, whatever the keys' distance", "[model]") {
  FbxCurve curve = two_keys(FbxInterpolation::cubic);
  curve.keys[0].right_slope = curve.keys[1].left_slope = 10.0;  // the straight line's
  for (const double seconds : {0.1, 0.7, 1.3, 1.9})
    CHECK(at(curve, seconds) == Approx(10.0 + 10.0 * seconds));
  curve.keys[1].left_slope = 0.0;
  // Hermite: h00 10 + h10 2s*10 + h01 30 at a quarter.
  CHECK(at(curve, 0.5) == Approx(13.125 + 0.140625 * 20.0));
}

TEST_CASE("weighted tangents: the point whose time is asked for", "[model]") {
  FbxCurve curve = two_keys(FbxInterpolation::cubic);
  for (const float w : {0.0001F, 0.1F, 0.5F, 0.9F, 0.9999F}) {
    for (const float v : {0.0001F, 0.4F, 0.9999F}) {
      curve.keys[0].right_weight = w;
      curve.keys[1].left_weight = v;
      curve.keys[0].right_slope = curve.keys[1].left_slope = 10.0;
      // Handles along the straight line stay on it.
      for (const double seconds : {0.01, 0.5, 1.0, 1.7, 1.99})
        CHECK(at(curve, seconds) == Approx(10.0 + 10.0 * seconds).epsilon(1e-12));
      curve.keys[0].right_slope = curve.keys[1].left_slope = 0.0;
      for (const double t : {0.125, 0.5, 0.75}) {
        // The other way round: a parameter gives a time and a value.
        const double u = 1.0 - t;
        const double x = 3 * u * u * t * static_cast<double>(w) +
                         3 * u * t * t * (1.0 - static_cast<double>(v)) + t * t * t;
        const double y = 10.0 + 20.0 * (3 * u * t * t + t * t * t);
        CHECK(at(curve, 2.0 * x) == Approx(y).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("ticks of seconds", "[model]") {
  CHECK(fbx_ticks(1.0) == kSecond);
  CHECK(fbx_ticks(-0.5) == -kSecond / 2);
  CHECK(fbx_ticks(1.0 / 30.0) == kSecond / 30);
  CHECK(fbx_ticks(std::nan("")) == 0);
  CHECK(fbx_ticks(1e300) > 0);
  CHECK(fbx_ticks(-std::numeric_limits<double>::infinity()) < 0);
}
