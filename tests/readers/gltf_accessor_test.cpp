// Accessors: types, strides, bounds, sparse data.

#include <catch2/catch.hpp>
#include <limits>

#include "readers/document_builder.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

/// The triangle with its POSITION accessor replaced.
struct PositionCase {
  DocumentBuilder d = skinned_triangle();
  nlohmann::json& accessor() { return d.json["accessors"][0]; }
  const Stream& positions(Asset& keep) {
    keep = read_glb(d);
    return keep.meshes[0].parts[0].positions;
  }
};

}  // namespace

TEST_CASE("every component type of a position, plain and normalised", "[readers]") {
  struct Row {
    int code;
    ComponentType type;
    double plain, normalised;  // of the stored value 64
  };
  const Row rows[] = {
      {5120, ComponentType::i8, 64, 64.0 / 127},    {5121, ComponentType::u8, 64, 64.0 / 255},
      {5122, ComponentType::i16, 64, 64.0 / 32767}, {5123, ComponentType::u16, 64, 64.0 / 65535},
      {5126, ComponentType::f32, 64, 64},
  };
  for (const Row& row : rows) {
    for (const bool normalized : {false, true}) {
      INFO(row.code << (normalized ? " normalised" : ""));
      PositionCase c;
      Bytes bytes(3 * 12);
      const std::size_t size = component_size(row.type);
      for (std::size_t v = 0; v < 3; ++v) {
        for (std::size_t i = 0; i < 3; ++i) {
          std::byte* at = bytes.data() + v * 12 + i * size;
          if (row.type == ComponentType::f32) {
            const float value = 64;
            std::memcpy(at, &value, sizeof value);
          } else {
            *at = std::byte{64};
          }
        }
      }
      c.d.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
          c.d.accessor(c.d.view(bytes, 12), row.code, "VEC3", 3, normalized);
      Asset keep;
      const Stream& s = c.positions(keep);
      CHECK(keep.repairs.empty());
      CHECK(s.type == row.type);
      CHECK(s.normalized == (normalized && row.type != ComponentType::f32));
      for (const double value : read_whole(s))
        CHECK(value == Approx(normalized ? row.normalised : row.plain));
    }
  }
}

TEST_CASE("streams point into the file and keep its stride", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  const int view = d.view(pack<float>({1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9}), 16);
  d.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
      d.accessor(view, 5126, "VEC3", 3);
  const Bytes bytes = d.glb();
  const auto source = memory_source(bytes);
  Result<Asset> asset = read_asset(source, {}, {});
  REQUIRE(asset.has_value());
  const Stream& s = asset->meshes[0].parts[0].positions;
  CHECK(s.stride == 16);
  CHECK(s.data >= source->bytes().data());
  CHECK(s.data < source->bytes().data() + source->bytes().size());
  CHECK(read_whole(s) == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("claims beyond the data are out of bounds, whatever overflows", "[readers]") {
  struct Row {
    const char* what;
    const char* patch;  // merged into the accessor
  };
  const Row rows[] = {
      {"one more", R"({"count": 4})"},
      {"four billion", R"({"count": 4294967295})"},
      {"count near 2^64", R"({"count": 18446744073709551615})"},
      {"offset near 2^64", R"({"byteOffset": 18446744073709551612})"},
      {"offset of one", R"({"byteOffset": 1})"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    PositionCase c;
    c.accessor().merge_patch(nlohmann::json::parse(row.patch));
    Asset keep;
    const Stream& s = c.positions(keep);
    CHECK(s.declared());
    CHECK_FALSE(s.readable());
    CHECK(keep.meshes[0].parts[0].vertex_count == 0);
    CHECK(keep.meshes[0].parts[0].declared_vertex_count == s.count);
    const auto repairs = repairs_of(keep, Repair::Kind::out_of_bounds);
    REQUIRE(repairs.size() == 1);
    CHECK(repairs[0].element == ElementRef{ElementKind::accessor, 0, 0});
    CHECK(repairs[0].locator == "/accessors/0");
    CHECK(repairs[0].affects_skinning);
    CHECK(keep.bindings.size() == 1);
  }
}

TEST_CASE("a short buffer and a long view are one repair each, however many accessors they cost",
          "[readers]") {
  DocumentBuilder cut = skinned_triangle();
  cut.json["buffers"][0]["uri"] = "a.bin";
  Bytes half(cut.binary.begin(), cut.binary.begin() + 40);
  Result<Asset> asset = read(cut.gltf(), {{"a.bin", half}});
  REQUIRE(asset.has_value());
  REQUIRE(asset->repairs.size() == 1);
  CHECK(asset->repairs[0].kind == Repair::Kind::truncated);
  CHECK(asset->repairs[0].element == ElementRef{ElementKind::buffer, 0, 0});
  CHECK(asset->repairs[0].affects_skinning);
  CHECK(asset->repairs[0].count == 7);
  CHECK(asset->meshes[0].parts[0].positions.readable());

  DocumentBuilder view = skinned_triangle();
  view.json["bufferViews"][0]["byteOffset"] = view.binary.size() - 8;
  asset = read(view.glb());
  REQUIRE(asset.has_value());
  REQUIRE(asset->repairs.size() == 1);
  CHECK(asset->repairs[0].kind == Repair::Kind::out_of_bounds);
  CHECK(asset->repairs[0].element == ElementRef{ElementKind::buffer_view, 0, 0});
  CHECK(asset->repairs[0].count == 1);
}

TEST_CASE("accessors that cannot be followed", "[readers]") {
  struct Row {
    const char* what;
    const char* patch;
    Repair::Kind kind;
    const char* locator;
  };
  const Row rows[] = {
      {"no such view", R"({"bufferView": 99})", Repair::Kind::dangling_reference, "/accessors/0"},
      {"view that is text", R"({"bufferView": "0"})", Repair::Kind::wrong_type,
       "/accessors/0/bufferView"},
      {"unknown component", R"({"componentType": 9999})", Repair::Kind::wrong_type,
       "/accessors/0/componentType"},
      {"no component", R"({"componentType": null})", Repair::Kind::defaulted,
       "/accessors/0/componentType"},
      {"unknown type", R"({"type": "VEC5"})", Repair::Kind::wrong_type, "/accessors/0/type"},
      {"negative count", R"({"count": -3})", Repair::Kind::wrong_type, "/accessors/0/count"},
      {"no count", R"({"count": null})", Repair::Kind::defaulted, "/accessors/0/count"},
      {"scalar where a vector belongs", R"({"type": "SCALAR"})", Repair::Kind::wrong_type,
       "/meshes/0/primitives/0/attributes/POSITION"},
      {"32-bit integers", R"({"componentType": 5125})", Repair::Kind::wrong_type,
       "/meshes/0/primitives/0/attributes/POSITION"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    PositionCase c;
    c.accessor().merge_patch(nlohmann::json::parse(row.patch));
    Asset keep;
    const Stream& s = c.positions(keep);
    CHECK(s.declared());
    CHECK_FALSE(s.readable());
    REQUIRE(keep.repairs.size() == 1);
    CHECK(keep.repairs[0].kind == row.kind);
    CHECK(keep.repairs[0].locator == row.locator);
  }
}

TEST_CASE("whole numbers may be written with a fraction of zero", "[readers]") {
  PositionCase c;
  c.accessor()["count"] = 3.0;
  c.accessor()["componentType"] = 5126.0;
  Asset keep;
  CHECK(c.positions(keep).readable());
  CHECK(keep.repairs.empty());
}

TEST_CASE("strides: zero is said, one too small is read as it stands and said", "[readers]") {
  PositionCase zero;
  zero.d.json["bufferViews"][0]["byteStride"] = 0;
  Asset keep;
  CHECK(zero.positions(keep).stride == 12);
  REQUIRE(keep.repairs.size() == 1);
  CHECK_FALSE(keep.repairs[0].affects_skinning);

  PositionCase small;
  small.d.json["bufferViews"][0]["byteStride"] = 4;
  CHECK(small.positions(keep).stride == 4);
  REQUIRE(repairs_of(keep, Repair::Kind::count_mismatch).size() == 1);
}

TEST_CASE("an accessor without data is zero, within the limit", "[readers]") {
  PositionCase c;
  c.accessor().erase("bufferView");
  Asset keep;
  CHECK(read_whole(c.positions(keep)) == std::vector<double>(9, 0.0));
  CHECK(keep.repairs.empty());

  c.accessor()["count"] = 4294967295U;
  CHECK_FALSE(c.positions(keep).readable());
  REQUIRE(keep.repairs.size() == 1);
  CHECK(keep.repairs[0].kind == Repair::Kind::limit);
}

TEST_CASE("sparse accessors", "[readers]") {
  for (const bool with_base : {false, true}) {
    INFO((with_base ? "with" : "without") << " a base");
    PositionCase c;
    if (!with_base) c.accessor().erase("bufferView");
    c.accessor()["sparse"] = {
        {"count", 2},
        {"indices",
         {{"bufferView", c.d.view(pack<std::uint8_t>({1, 2}))}, {"componentType", 5121}}},
        {"values", {{"bufferView", c.d.view(pack<float>({7, 8, 9, 4, 5, 6}))}}}};
    Asset keep;
    CHECK(read_whole(c.positions(keep)) == std::vector<double>{0, 0, 0, 7, 8, 9, 4, 5, 6});
    CHECK(keep.repairs.empty());
  }
}

TEST_CASE("sparse data that do not fit", "[readers]") {
  struct Row {
    const char* what;
    const char* patch;
    Repair::Kind kind;
    bool readable;
  };
  const Row rows[] = {
      {"more values than elements", R"({"count": 4})", Repair::Kind::count_mismatch, false},
      {"no values", R"({"values": null})", Repair::Kind::defaulted, false},
      {"no such view", R"({"values": {"bufferView": 77}})", Repair::Kind::dangling_reference,
       false},
      {"float indices", R"({"indices": {"componentType": 5126}})", Repair::Kind::wrong_type, false},
      {"values end early", R"({"values": {"byteOffset": 4}})", Repair::Kind::out_of_bounds, false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    PositionCase c;
    c.accessor()["sparse"] = {
        {"count", 2},
        {"indices",
         {{"bufferView", c.d.view(pack<std::uint8_t>({1, 2}))}, {"componentType", 5121}}},
        {"values", {{"bufferView", c.d.view(pack<float>({7, 8, 9, 4, 5, 6}))}}}};
    c.accessor()["sparse"].merge_patch(nlohmann::json::parse(row.patch));
    Asset keep;
    CHECK(c.positions(keep).readable() == row.readable);
    REQUIRE(keep.repairs.size() == 1);
    CHECK(keep.repairs[0].kind == row.kind);
  }
  PositionCase outside;
  outside.accessor()["sparse"] = {
      {"count", 2},
      {"indices",
       {{"bufferView", outside.d.view(pack<std::uint8_t>({1, 200}))}, {"componentType", 5121}}},
      {"values", {{"bufferView", outside.d.view(pack<float>({7, 8, 9, 4, 5, 6}))}}}};
  Asset keep;
  CHECK(read_whole(outside.positions(keep)) == std::vector<double>{0, 0, 0, 7, 8, 9, 0, 1, 0});
  REQUIRE(keep.repairs.size() == 1);
  CHECK(keep.repairs[0].kind == Repair::Kind::out_of_bounds);
}

TEST_CASE("a sparse morph target without a base stays sparse", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  const int target = d.accessor(-1, 5126, "VEC3", 3);
  d.json["accessors"][static_cast<std::size_t>(target)]["sparse"] = {
      {"count", 1},
      {"indices", {{"bufferView", d.view(pack<std::uint16_t>({2}))}, {"componentType", 5123}}},
      {"values", {{"bufferView", d.view(pack<float>({7, 8, 9}))}}}};
  d.json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] = target;
  const Asset a = read_glb(d);
  CHECK(a.repairs.empty());
  const MorphTarget::Shape& shape = a.meshes[0].morphs[0].shapes[0];
  CHECK(read_whole(shape.positions[0]) == std::vector<double>{7, 8, 9});
  CHECK(read_whole(shape.indices[0]) == std::vector<double>{2});
}
