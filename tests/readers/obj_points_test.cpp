#include "readers/obj_points.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace skinlint;

namespace {

Result<std::vector<Vec3>> points_of(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "skinlint_obj_points.obj";
  std::ofstream(path, std::ios::binary) << text;
  auto points = read_obj_points(path.string());
  std::filesystem::remove(path);
  return points;
}

}  // namespace

TEST_CASE("vertices of an OBJ are read in order; all else is passed over", "[readers]") {
  const auto points = points_of(
      "# v 9 9 9\r\no name\r\nv 1 -2.5 3e-2\r\n  v\t+4 5 6 1.0\nvn 0 0 1\nvt 0 0\n\nv 7 8 nan\nf 1 "
      "2 "
      "3\nv 1 2 3");
  REQUIRE(points);
  REQUIRE(points->size() == 4);
  CHECK((*points)[0] == Vec3(1, -2.5, 0.03));
  CHECK((*points)[1] == Vec3(4, 5, 6));
  CHECK(std::isnan((*points)[2].z()));
  CHECK((*points)[3] == Vec3(1, 2, 3));
}

TEST_CASE("an OBJ without vertices or with a broken one is refused with its line", "[readers]") {
  for (const char* text : {"", "f 1 2 3\n", "\n\n"}) {
    const auto points = points_of(text);
    REQUIRE_FALSE(points);
    CHECK(points.error().kind == ReadError::Kind::malformed);
  }
  for (const char* text : {"v 1 2 3\nv 1 2\n", "v 1 2 3\nv 1 2 x", "v 1 2 3\nv 1 2 3x\n"}) {
    const auto points = points_of(text);
    REQUIRE_FALSE(points);
    CHECK(points.error().locator == "line 2");
  }
  CHECK(read_obj_points("/nonexistent.obj").error().kind == ReadError::Kind::not_found);
}
