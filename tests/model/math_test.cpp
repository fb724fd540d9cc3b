#include "model/math.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace skinlint;

TEST_CASE("decompose gives back what compose_trs was made of", "[model]") {
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const TransformParts parts = decompose(compose_trs({1, 2, 3}, turn, {2, 2, 2}));
  REQUIRE(parts.valid);
  CHECK_FALSE(parts.mirrored);
  CHECK(parts.translation.isApprox(Vec3(1, 2, 3)));
  CHECK(parts.angle_deg == Approx(0.7 * 180 / 3.14159265358979));
  CHECK(parts.uniform_scale() == Approx(2));
  CHECK(parts.non_uniformity() == Approx(0).margin(1e-12));
}

TEST_CASE("decompose takes a mirror out as such and keeps the turn small", "[model]") {
  const TransformParts parts = decompose(compose_trs(Vec3::Zero(), Quat::Identity(), {-1, -1, -1}));
  REQUIRE(parts.valid);
  CHECK(parts.mirrored);
  CHECK(parts.angle_deg == Approx(0).margin(1e-9));
}

TEST_CASE("singular and non-finite matrices are not decomposed or inverted", "[model]") {
  Mat4 flat = Mat4::Identity();
  flat(2, 2) = 0;
  Mat4 nan = Mat4::Identity();
  nan(0, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(decompose(flat).valid);
  CHECK_FALSE(decompose(nan).valid);
  CHECK_FALSE(affine_inverse(flat).has_value());
  CHECK_FALSE(affine_inverse(nan).has_value());
  CHECK(relative_determinant(linear(flat)) == 0.0);
  CHECK(condition_number(linear(flat)) == std::numeric_limits<double>::infinity());
}

TEST_CASE("relative determinant does not depend on scale", "[model]") {
  for (const double s : {1e-150, 1e-6, 1.0, 1e6, 1e150}) {
    CHECK(relative_determinant(s * Mat3::Identity()) == Approx(1.0));
  }
}

TEST_CASE("all 48 axis turns are recognised and named, inside the tolerance only", "[model]") {
  int found = 0;
  for (int p = 0; p < 6; ++p) {
    static constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int signs = 0; signs < 8; ++signs) {
      Mat3 m = Mat3::Zero();
      for (int c = 0; c < 3; ++c) m(orders[p][c], c) = (signs >> c & 1) != 0 ? -1 : 1;
      const auto turn = nearest_axis_turn(7.0 * m, 0.1);
      REQUIRE(turn.has_value());
      CHECK(turn->linear == m);
      CHECK_FALSE(axis_turn_name(*turn).empty());
      ++found;
    }
  }
  CHECK(found == 48);
  const Mat3 tilt = Eigen::AngleAxisd(0.2 / 57.29577951, Vec3::UnitX()).toRotationMatrix();
  CHECK_FALSE(nearest_axis_turn(tilt, 0.1).has_value());
  CHECK(nearest_axis_turn(tilt, 0.3).has_value());
  CHECK(axis_turn_name(*nearest_axis_turn(
            Eigen::AngleAxisd(-std::acos(0.0), Vec3::UnitX()).toRotationMatrix(), 0.1)) ==
        "-90° about X");
}

TEST_CASE("unit factors are named within the tolerance only", "[model]") {
  CHECK(named_unit_factor(100.05).has_value());
  CHECK_FALSE(named_unit_factor(101).has_value());
  CHECK(named_unit_factor(0.0254)->factor == 0.0254);
  CHECK_FALSE(named_unit_factor(1.0).has_value());
  CHECK_FALSE(named_unit_factor(std::numeric_limits<double>::quiet_NaN()).has_value());
}
