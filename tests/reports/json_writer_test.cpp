#include "reports/json_writer.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace skinlint;

namespace {

template <class Write>
std::string written(Write write) {
  std::ostringstream out;
  JsonWriter w(out);
  write(w);
  w.finish();
  return out.str();
}

}  // namespace

TEST_CASE("numbers read back as the same double", "[reports]") {
  for (const double value : {0.0, 1.0, -2.5, 0.1, 1e300, 5e-324, 123456789.123456789, 1.0 / 3.0,
                             std::numeric_limits<double>::max()}) {
    const std::string text = written([&](JsonWriter& w) { w.number(value); });
    CHECK(nlohmann::json::parse(text).get<double>() == value);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(written([&](JsonWriter& w) { w.number(nan); }) == "\"nan\"\n");
  CHECK(written([&](JsonWriter& w) { w.number(infinity); }) == "\"inf\"\n");
  CHECK(written([&](JsonWriter& w) { w.number(-infinity); }) == "\"-inf\"\n");
  CHECK(written([&](JsonWriter& w) { w.count(std::numeric_limits<std::uint64_t>::max()); }) ==
        "18446744073709551615\n");
  CHECK(written([&](JsonWriter& w) { w.integer(std::numeric_limits<std::int64_t>::min()); }) ==
        "-9223372036854775808\n");
}

TEST_CASE("structure, order of keys and layouts", "[reports]") {
  const std::string text = written([](JsonWriter& w) {
    w.begin_object().key("z").count(1).key("a").begin_array();
    w.begin_object(JsonWriter::Layout::line).key("x").null().key("y").boolean(true).end_object();
    w.begin_array().end_array();
    w.end_array().key("m").vector(Vec3(1, 2, 3)).key("o").begin_object().end_object().end_object();
  });
  CHECK(text ==
        "{\n \"z\": 1,\n \"a\": [\n  {\"x\": null, \"y\": true},\n  []\n ],\n \"m\": [1, 2, 3],\n "
        "\"o\": {}\n}\n");
}

TEST_CASE("a matrix is written row by row", "[reports]") {
  Mat4 m = Mat4::Identity();
  m(0, 3) = 7;
  const auto json = nlohmann::json::parse(written([&](JsonWriter& w) {
                      w.matrix(m);
                    })).get<std::vector<double>>();
  CHECK(json == std::vector<double>{1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
}

TEST_CASE("strings are valid UTF-8 without raw controls, and ordinary ones come back",
          "[reports]") {
  for (const std::string& plain :
       {std::string("hips"), std::string("a\"b\\c/d"), std::string("tab\there\nline"),
        std::string("\xE9\xAA\xA8"), std::string("\xF0\x9F\xA6\xB4"), std::string("a\0b", 3),
        std::string("\x7F\xC2\x85\xE2\x80\xA8\xE2\x80\xAE")}) {
    const std::string text = written([&](JsonWriter& w) { w.string(plain); });
    CHECK(nlohmann::json::parse(text).get<std::string>() == plain);
    for (const char c : text.substr(0, text.size() - 1)) {
      CHECK(static_cast<unsigned char>(c) >= 0x20);
      CHECK(c != '\x7F');
    }
    CHECK(text.find("\xC2\x85") == std::string::npos);
    CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
  }
  CHECK(nlohmann::json::parse(written([](JsonWriter& w) {
          w.string("\xFF\xC0\xAF");
        })).get<std::string>() == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}
