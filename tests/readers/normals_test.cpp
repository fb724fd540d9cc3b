// Normals and tangents as both readers deliver them, and what they note about shapes.

#include <catch2/catch.hpp>
#include <cstring>

#include "readers/fbx_reader.h"
#include "readers/gltf_reader.h"
#include "readers/reader.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/matchers.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

using Per = ListedNormals::Per;
using ShapeNormals = MorphTarget::Shape::Normals;

Asset fbx(const Rig& rig, FbxWriteOptions write = {}) {
  const std::vector<std::byte> bytes = write_fbx(rig, write);
  Result<Asset> asset = read_fbx(memory_source(bytes), {}, {});
  REQUIRE(asset);
  CHECK(check_invariants(*asset).empty());
  return std::move(*asset);
}
/// The chain with its layer of normals replaced.
Asset with_layer(const std::string& mapping, const std::string& reference, const FbxValue& normals,
                 const std::vector<std::int32_t>& indices = {}, bool ascii = false) {
  FbxWriteOptions write;
  write.ascii = ascii;
  write.edit = [&](FbxTree& tree) {
    FbxRecord& layer = tree.at("Objects").at("Geometry").at("LayerElementNormal");
    layer.children.clear();
    layer.add("MappingInformationType", {mapping});
    layer.add("ReferenceInformationType", {reference});
    layer.add("Normals", {normals});
    if (!indices.empty()) layer.add("NormalsIndex", {indices});
  };
  return fbx(chain_rig(3, 4, 3), write);
}
const MeshPart& part_of(const Asset& asset) { return asset.meshes.at(0).parts.at(0); }

Rig morphed() {
  Rig rig = chain_rig(3, 4, 3);
  RigMorph morph;
  morph.name = "smile";
  morph.offsets.assign(rig.meshes[0].parts[0].positions.size(), Vec3(0, 0, 0.1));
  rig.meshes[0].parts[0].morphs.push_back(morph);
  return rig;
}
Asset fbx_shape(const std::vector<double>& normals, bool skinned = true) {
  Rig rig = morphed();
  if (!skinned) {
    rig.skins.clear();
    rig.instances[0].skin = -1;
  }
  FbxWriteOptions write;
  write.edit = [&](FbxTree& tree) {
    for (FbxRecord* geometry : tree.at("Objects").all("Geometry")) {
      if (std::get<std::string>(geometry->values.at(2)) == "Shape")
        geometry->add("Normals", {normals});
    }
  };
  return fbx(rig, write);
}

}  // namespace

TEST_CASE("fbx normals one per vertex turn with the axes and keep their length", "[readers]") {
  Rig rig = chain_rig(3, 4, 3);
  rig.meshes[0].parts[0].normals[5] *= 0.7;
  for (const double unit : {0.01, 0.0254, 1.0}) {
    FbxWriteOptions write;
    write.unit_meters = unit;
    write.axes = {0, 2, 1};
    write.signs = {1, 1, -1};
    const Asset asset = fbx(rig, write);
    const std::vector<double> read = values_of(part_of(asset).normals);
    REQUIRE(read.size() == 3 * rig.meshes[0].parts[0].normals.size());
    for (std::size_t v = 0; v < rig.meshes[0].parts[0].normals.size(); ++v) {
      const Vec3 n(read[3 * v], read[3 * v + 1], read[3 * v + 2]);
      CHECK(worst_difference(n, rig.meshes[0].parts[0].normals[v]) < 1e-12);
    }
    CHECK_FALSE(part_of(asset).listed_normals.values.declared());
  }
}

TEST_CASE("fbx normals by corner, by polygon and for all are listed as stored", "[readers]") {
  std::vector<double> corners;
  for (int k = 0; k < 54; ++k) corners.insert(corners.end(), {0.0, k / 54.0, 1.0});
  for (const bool ascii : {false, true}) {
    const Asset asset = with_layer("ByPolygonVertex", "Direct", corners, {}, ascii);
    const ListedNormals& listed = part_of(asset).listed_normals;
    CHECK(listed.per == Per::corner);
    CHECK(worst_difference(values_of(listed.values), corners) == 0.0);
    CHECK_FALSE(listed.indices.declared());
    CHECK_FALSE(part_of(asset).normals.declared());
  }
  const std::vector<double> one = {0, 3, 0};
  CHECK(part_of(with_layer("ByPolygon", "Direct", one)).listed_normals.per == Per::polygon);
  CHECK(part_of(with_layer("AllSame", "Direct", one)).listed_normals.per == Per::mesh);
  CHECK(part_of(with_layer("ByEdge", "Direct", one)).listed_normals.per == Per::unknown);
  const std::vector<float> narrow = {0, 2, 0};
  const Asset floats = with_layer("AllSame", "Direct", narrow);
  CHECK(part_of(floats).listed_normals.values.type == ComponentType::f32);
  CHECK(values_of(part_of(floats).listed_normals.values) == std::vector<double>{0, 2, 0});
}

TEST_CASE("fbx normals that indices refer to keep values and indices apart", "[readers]") {
  const std::vector<double> values = {0, 1, 0, 1, 0, 0};
  const std::vector<std::int32_t> indices(54, 1);
  for (const char* reference : {"IndexToDirect", "Index"}) {
    const Asset asset = with_layer("ByPolygonVertex", reference, values, indices);
    const ListedNormals& listed = part_of(asset).listed_normals;
    CHECK(values_of(listed.values) == values);
    CHECK(values_of(listed.indices) == std::vector<double>(54, 1.0));
  }
  const Asset by_vertex = with_layer("ByVertice", "IndexToDirect", values, indices);
  CHECK(part_of(by_vertex).listed_normals.per == Per::vertex);
  CHECK_FALSE(part_of(by_vertex).normals.declared());
}

TEST_CASE("fbx normals by vertex of another number are listed", "[readers]") {
  const std::vector<double> short_list = {0, 1, 0, 1, 0, 0};
  const Asset asset = with_layer("ByVertice", "Direct", short_list);
  CHECK_FALSE(part_of(asset).normals.declared());
  CHECK(part_of(asset).listed_normals.values.count == 2);
}

TEST_CASE("fbx normals of unskinned meshes are left alone", "[readers]") {
  Rig rig = chain_rig(3, 4, 3);
  rig.skins.clear();
  rig.instances[0].skin = -1;
  CHECK_FALSE(part_of(fbx(rig)).normals.declared());
}

TEST_CASE("fbx shapes say whether their normals are zero", "[readers]") {
  const auto normals = [](const Asset& asset) {
    return asset.meshes.at(0).morphs.at(0).shapes.at(0).normals;
  };
  CHECK(normals(fbx(morphed())) == ShapeNormals::none);
  CHECK(normals(fbx_shape(std::vector<double>(36, 0.0))) == ShapeNormals::zero);
  std::vector<double> given(36, 0.0);
  given[35] = 1e-9;
  CHECK(normals(fbx_shape(given)) == ShapeNormals::given);
  CHECK(normals(fbx_shape(std::vector<double>(36, 0.0), false)) == ShapeNormals::none);
}

TEST_CASE("gltf targets say whether their normals are zero", "[readers]") {
  const auto normals = [](const std::function<void(nlohmann::ordered_json&)>& edit) {
    GltfWriteOptions write;
    write.edit_json = edit;
    const std::vector<std::byte> bytes = write_glb(morphed(), write);
    Result<Asset> asset = read_gltf(memory_source(bytes), {}, {});
    REQUIRE(asset);
    return asset->meshes.at(0).morphs.at(0).shapes.at(0).normals;
  };
  const auto target = [](nlohmann::ordered_json& j) -> nlohmann::ordered_json& {
    return j["meshes"][0]["primitives"][0]["targets"][0];
  };
  CHECK(normals([](nlohmann::ordered_json&) {}) == ShapeNormals::none);
  CHECK(normals([&](nlohmann::ordered_json& j) { target(j)["NORMAL"] = target(j)["POSITION"]; }) ==
        ShapeNormals::given);
  CHECK(normals([&](nlohmann::ordered_json& j) {
          nlohmann::ordered_json zero = j["accessors"][target(j)["POSITION"].get<std::size_t>()];
          zero.erase("bufferView");  // glTF: without one, all zero
          target(j)["NORMAL"] = j["accessors"].size();
          j["accessors"].push_back(zero);
        }) == ShapeNormals::zero);
}
