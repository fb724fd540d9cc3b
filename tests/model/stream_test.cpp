#include "model/stream.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "model/influences.h"

using namespace skinlint;

namespace {

template <class T>
Stream stream_of(const std::vector<T>& values, ComponentType type, std::uint8_t components,
                 bool normalized = false) {
  Stream s;
  s.data = reinterpret_cast<const std::byte*>(values.data());
  s.type = type;
  s.components = components;
  s.normalized = normalized;
  s.stride = components * sizeof(T);
  s.count = values.size() / components;
  return s;
}

}  // namespace

TEST_CASE("normalised integers follow glTF 2.0 section 3.6.2.2", "[model]") {
  const std::vector<std::int8_t> bytes = {-128, -127, 0, 127};
  std::array<double, 4> out{};
  read_values(stream_of(bytes, ComponentType::i8, 4, true), 0, 1, out.data());
  CHECK(out == std::array<double, 4>{-1.0, -1.0, 0.0, 1.0});
  const std::vector<std::uint16_t> words = {0, 65535, 13107, 1};
  read_values(stream_of(words, ComponentType::u16, 4, true), 0, 1, out.data());
  CHECK(out[1] == 1.0);
  CHECK(out[2] == Approx(0.2));
  read_values(stream_of(words, ComponentType::u16, 4, false), 0, 1, out.data());
  CHECK(out[1] == 65535.0);
}

TEST_CASE("strided elements are read where they are", "[model]") {
  const std::vector<float> data = {1, 2, 3, 99, 4, 5, 6, 99};
  Stream s = stream_of(data, ComponentType::f32, 3);
  s.stride = 16;
  s.count = 2;
  std::array<double, 6> out{};
  read_values(s, 0, 2, out.data());
  CHECK(out == std::array<double, 6>{1, 2, 3, 4, 5, 6});
  read_values(s, 1, 1, out.data());
  CHECK(out[0] == 4);
}

TEST_CASE("indices that are no index become out of every range", "[model]") {
  const std::vector<float> data = {0.0F, 3.0F, -1.0F, 1.5F, std::nanf(""), 1e20F};
  std::array<std::uint32_t, 6> out{};
  read_indices(stream_of(data, ComponentType::f32, 1), 0, 6, out.data());
  CHECK(out ==
        std::array<std::uint32_t, 6>{0, 3, 0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU});
}

TEST_CASE("influence reader joins sets and walks lists alike", "[model]") {
  const std::vector<std::uint8_t> joints0 = {0, 1, 2, 3, 4, 5, 6, 7},
                                  joints1 = {8, 9, 10, 11, 12, 13, 14, 15};
  const std::vector<float> weights0 = {.1F, .2F, .3F, .4F, 1, 0, 0, 0},
                           weights1 = {0, 0, 0, 0, .5F, .5F, .5F, -1};
  InfluenceTable sets;
  sets.vertex_count = 2;
  sets.sets.push_back(
      {0, stream_of(joints0, ComponentType::u8, 4), stream_of(weights0, ComponentType::f32, 4)});
  sets.sets.push_back(
      {1, stream_of(joints1, ComponentType::u8, 4), stream_of(weights1, ComponentType::f32, 4)});
  InfluenceReader reader(sets);
  InfluenceBlock block;
  REQUIRE(reader.next(block));
  REQUIRE(block.count == 2);
  CHECK(block.joints_of(1).size() == 8);
  CHECK(block.joints_of(1)[7] == 15);
  CHECK(block.weights_of(1)[7] == -1.0);
  CHECK_FALSE(reader.next(block));
  CHECK(reader.at(0).joints_of(0)[4] == 8);

  InfluenceTable lists;
  lists.vertex_count = 3;
  lists.first = {0, 1, 1, 3};
  lists.joint = {7, 2, 2};
  lists.weight = {1.0, 0.5, 0.5};
  InfluenceReader list_reader(lists);
  REQUIRE(list_reader.next(block));
  CHECK(block.weights_of(0).size() == 1);
  CHECK(block.weights_of(1).empty());
  CHECK(block.joints_of(2)[1] == 2);
}

TEST_CASE("a set of the wrong type or length is kept but not used", "[model]") {
  const std::vector<float> joints = {0, 1, 2, 3}, weights = {1, 0, 0, 0};
  InfluenceTable table;
  table.vertex_count = 1;
  table.sets.push_back(
      {0, stream_of(joints, ComponentType::f32, 4), stream_of(weights, ComponentType::f32, 4)});
  CHECK(table.empty());
  const std::vector<std::uint16_t> good = {0, 1, 2, 3};
  table.sets[0].joints = stream_of(good, ComponentType::u16, 4);
  CHECK_FALSE(table.empty());
  table.vertex_count = 2;
  CHECK(table.empty());
}

TEST_CASE("a stream is all zero when no component differs from zero", "[model]") {
  std::vector<float> values(3 * 1000, 0.0F);
  const Stream s = stream_of(values, ComponentType::f32, 3);
  CHECK(is_all_zero(s));
  values[2999] = -0.0F;
  CHECK(is_all_zero(s));
  for (const float v : {1e-30F, std::nanf("")}) {
    values[2999] = v;
    CHECK_FALSE(is_all_zero(s));
  }
  Stream empty = s;
  empty.count = 0;
  CHECK(is_all_zero(empty));
  Stream lost = s;
  lost.data = nullptr;
  CHECK_FALSE(is_all_zero(lost));
}
