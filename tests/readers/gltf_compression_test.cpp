// Draco and meshopt: what went in comes out, and streams that lie are refused.

#include <catch2/catch.hpp>
#include <random>

#include "readers/document_builder.h"
#include "support/gltf_writer.h"

namespace st = skinlint::test;
using skinlint::Asset;
using skinlint::ComponentType;
using skinlint::InfluenceTable;
using skinlint::MeshPart;
using skinlint::Repair;
using skinlint::Result;
using st::Bytes;

namespace {

Asset read_rig(const st::Rig& rig, const st::GltfWriteOptions& options) {
  Result<Asset> asset = st::read(st::write_glb(rig, options));
  if (!asset) FAIL(asset.error().message);
  return std::move(*asset);
}

/// Every value of the first mesh, compared.
void check_same(const Asset& plain, const Asset& decoded) {
  REQUIRE(plain.meshes.size() == decoded.meshes.size());
  for (std::size_t p = 0; p < plain.meshes[0].parts.size(); ++p) {
    const MeshPart& a = plain.meshes[0].parts[p];
    const MeshPart& b = decoded.meshes[0].parts[p];
    CHECK(st::read_whole(a.positions) == st::read_whole(b.positions));
    CHECK(a.indices.count == b.indices.count);
  }
  REQUIRE(plain.influences.size() == decoded.influences.size());
  for (std::size_t t = 0; t < plain.influences.size(); ++t) {
    const InfluenceTable& a = plain.influences[t];
    const InfluenceTable& b = decoded.influences[t];
    REQUIRE(a.sets.size() == b.sets.size());
    for (std::size_t s = 0; s < a.sets.size(); ++s) {
      CHECK(a.sets[s].joints.type == b.sets[s].joints.type);
      CHECK(a.sets[s].weights.type == b.sets[s].weights.type);
      CHECK(a.sets[s].weights.normalized == b.sets[s].weights.normalized);
      CHECK(st::read_whole(a.sets[s].joints) == st::read_whole(b.sets[s].joints));
      CHECK(st::read_whole(a.sets[s].weights) == st::read_whole(b.sets[s].weights));
    }
  }
}

/// JSON and binary chunk of a GLB.
std::pair<nlohmann::json, Bytes> take_apart(const Bytes& glb) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  const auto* text = reinterpret_cast<const char*>(glb.data()) + 20;
  return {nlohmann::json::parse(text, text + length),
          Bytes(glb.begin() + 28 + static_cast<std::ptrdiff_t>(length), glb.end())};
}

}  // namespace

TEST_CASE("Draco meshes decode to what was encoded, in the accessors' types", "[readers]") {
  if (!st::have_draco()) return;
  const st::Rig rig = st::humanoid_rig();
  for (const ComponentType joints : {ComponentType::u8, ComponentType::u16}) {
    for (const ComponentType weights : {ComponentType::f32, ComponentType::u8}) {
      st::GltfWriteOptions options;
      options.joint_type = joints;
      options.weight_type = weights;
      const Asset plain = read_rig(rig, options);
      options.draco = true;
      const Asset decoded = read_rig(rig, options);
      CHECK(decoded.repairs.empty());
      CHECK(decoded.not_checked.empty());
      check_same(plain, decoded);
    }
  }
}

TEST_CASE("meshopt buffer views decode to what was encoded", "[readers]") {
  if (!st::have_meshopt()) return;
  const st::Rig rig = st::humanoid_rig();
  st::GltfWriteOptions options;
  const Asset plain = read_rig(rig, options);
  options.meshopt = true;
  const Asset decoded = read_rig(rig, options);
  CHECK(decoded.repairs.empty());
  check_same(plain, decoded);

  options.meshopt_exponential = true;
  const Asset filtered = read_rig(rig, options);
  CHECK(filtered.repairs.empty());
  const auto a = st::read_whole(plain.meshes[0].parts[0].positions);
  const auto b = st::read_whole(filtered.meshes[0].parts[0].positions);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-6));
}

TEST_CASE("a meshopt view whose declaration lies is refused before it is decoded", "[readers]") {
  if (!st::have_meshopt()) return;
  st::GltfWriteOptions options;
  options.meshopt = true;
  const auto [good, binary] = take_apart(st::write_glb(st::chain_rig(), options));
  struct Row {
    const char* what;
    const char* patch;
    Repair::Kind kind;
  };
  const Row rows[] = {
      {"4 GiB", R"({"count": 268435456})", Repair::Kind::decode_failed},
      {"overflow", R"({"count": 9223372036854775807})", Repair::Kind::decode_failed},
      {"stride of 3", R"({"byteStride": 3})", Repair::Kind::decode_failed},
      {"unknown mode", R"({"mode": "POINTS"})", Repair::Kind::decode_failed},
      {"unknown filter", R"({"filter": "MAGIC"})", Repair::Kind::decode_failed},
      {"octahedral filter on three floats", R"({"filter": "OCTAHEDRAL"})",
       Repair::Kind::decode_failed},
      {"one byte short", R"({"byteLength": 20})", Repair::Kind::decode_failed},
      {"beyond the buffer", R"({"byteOffset": 99999999})", Repair::Kind::out_of_bounds},
      {"no such buffer", R"({"buffer": 17})", Repair::Kind::dangling_reference},
      {"no count", R"({"count": null})", Repair::Kind::defaulted},
  };
  const auto position =
      good["meshes"][0]["primitives"][0]["attributes"]["POSITION"].get<std::size_t>();
  const auto view = good["accessors"][position]["bufferView"].get<std::size_t>();
  for (const Row& row : rows) {
    INFO(row.what);
    nlohmann::json j = good;
    j["bufferViews"][view]["extensions"]["EXT_meshopt_compression"].merge_patch(
        nlohmann::json::parse(row.patch));
    Result<Asset> asset = st::read(st::glb_of(j.dump(), binary));
    REQUIRE(asset.has_value());
    REQUIRE(asset->repairs.size() == 1);
    CHECK(asset->repairs[0].kind == row.kind);
    CHECK(asset->repairs[0].affects_skinning);
    CHECK_FALSE(asset->meshes[0].parts[0].positions.readable());
  }
}

TEST_CASE("Draco data that lie", "[readers]") {
  if (!st::have_draco()) return;
  st::GltfWriteOptions options;
  options.draco = true;
  const auto [good, binary] = take_apart(st::write_glb(st::chain_rig(), options));
  const auto& extension =
      good["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
  const auto view = extension["bufferView"].get<std::size_t>();
  const auto offset = good["bufferViews"][view].value("byteOffset", std::size_t{0});
  const auto length = good["bufferViews"][view]["byteLength"].get<std::size_t>();

  SECTION("an attribute that is not there") {
    nlohmann::json j = good;
    j["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]
     ["JOINTS_0"] = 77;
    Result<Asset> asset = st::read(st::glb_of(j.dump(), binary));
    REQUIRE(asset.has_value());
    REQUIRE(asset->repairs.size() == 1);
    CHECK(asset->repairs[0].kind == Repair::Kind::decode_failed);
    CHECK_FALSE(asset->influences[0].sets[0].joints.readable());
    CHECK(asset->influences[0].sets[0].weights.readable());
  }
  SECTION("another count than the accessor") {
    nlohmann::json j = good;
    const auto joints =
        j["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"].get<std::size_t>();
    j["accessors"][joints]["count"] = 5;
    Result<Asset> asset = st::read(st::glb_of(j.dump(), binary));
    REQUIRE(asset.has_value());
    REQUIRE(asset->repairs.size() == 1);
    CHECK(asset->repairs[0].kind == Repair::Kind::count_mismatch);
  }
  SECTION("four billion faces") {
    Bytes huge = binary;
    // Sequential connectivity starts with the face count behind the 11 bytes of the header.
    for (std::size_t i = 0; i < 4; ++i) huge[offset + 11 + i] = std::byte{0xff};
    huge[offset + 15] = std::byte{0x0f};
    Result<Asset> asset = st::read(st::glb_of(good.dump(), huge));
    REQUIRE(asset.has_value());
    REQUIRE(st::repairs_of(*asset, Repair::Kind::decode_failed).size() == 1);
    CHECK_FALSE(asset->meshes[0].parts[0].positions.readable());
  }
  SECTION("random bytes") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      Bytes bytes = binary;
      for (int k = 0; k < 3; ++k)
        bytes[offset + random() % length] = static_cast<std::byte>(random());
      Result<Asset> asset = st::read(st::glb_of(good.dump(), bytes));
      CHECK(asset.has_value());
    }
  }
}
