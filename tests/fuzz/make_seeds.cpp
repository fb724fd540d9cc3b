// Writes small seed corpora for the reader's fuzz targets: make_seeds FOLDER.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "readers/assimp_answer.h"
#include "support/gltf_writer.h"

namespace {

namespace fs = std::filesystem;
using namespace skinlint::test;
using Bytes = std::vector<std::byte>;

void save(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// The compressed views of a GLB as inputs of the compression target.
void save_streams(const fs::path& folder, const Bytes& glb, bool draco) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  const auto* text = reinterpret_cast<const char*>(glb.data()) + 20;
  const nlohmann::json json = nlohmann::json::parse(text, text + length);
  const auto binary = glb.begin() + 28 + static_cast<std::ptrdiff_t>(length);
  int n = 0;
  for (const auto& view : json["bufferViews"]) {
    const bool meshopt =
        view.contains("extensions") && view["extensions"].contains("EXT_meshopt_compression");
    if (!draco && !meshopt) continue;
    const auto& source = meshopt ? view["extensions"]["EXT_meshopt_compression"] : view;
    int codec = draco ? 1 : 0;
    if (meshopt && source["mode"] == "TRIANGLES") codec |= 2;
    if (meshopt && source["mode"] == "INDICES") codec |= 4;
    if (meshopt && source.value("filter", "NONE") == "EXPONENTIAL") codec |= 24;
    Bytes out = {static_cast<std::byte>(codec), std::byte{42}};
    for (const std::uint32_t v :
         {source.value("count", std::uint32_t{0}), source.value("byteStride", std::uint32_t{0})}) {
      out.push_back(std::byte{254});
      const auto* p = reinterpret_cast<const std::byte*>(&v);
      out.insert(out.end(), p, p + sizeof v);
    }
    const auto first = binary + source.value("byteOffset", std::ptrdiff_t{0});
    out.insert(out.end(), first, first + source["byteLength"].get<std::ptrdiff_t>());
    save(folder / ((draco ? "draco" : "meshopt") + std::to_string(n++)), out);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_seeds FOLDER\n", stderr);
    return 2;
  }
  const fs::path folder = argv[1];
  const Rig rig = chain_rig(2, 3, 3);
  GltfWriteOptions plain, sparse, draco, meshopt, filtered;
  sparse.sparse = GltfWriteOptions::Sparse::without_base;
  draco.draco = true;
  meshopt.meshopt = true;
  filtered.meshopt = filtered.meshopt_exponential = true;
  save(folder / "document" / "plain.gltf", write_gltf(rig, plain, BufferPlace::data_uri).gltf);
  save(folder / "document" / "companion.gltf", write_gltf(rig, plain).gltf);
  save(folder / "glb" / "plain.glb", write_glb(rig, plain));
  save(folder / "glb" / "sparse.glb", write_glb(rig, sparse));
  if (have_draco()) {
    save(folder / "glb" / "draco.glb", write_glb(rig, draco));
    save_streams(folder / "compression", write_glb(rig, draco), true);
  }
  if (have_meshopt()) {
    save(folder / "glb" / "meshopt.glb", write_glb(rig, meshopt));
    save_streams(folder / "compression", write_glb(rig, meshopt), false);
    save_streams(folder / "compression", write_glb(rig, filtered), false);
  }
  skinlint::assimp::Answer answer;
  answer.version = "5.2.4";
  answer.outcome = skinlint::assimp::Answer::Outcome::imported;
  answer.nodes = {{"root", -1, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0}}};
  skinlint::assimp::SceneMesh mesh;
  mesh.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  mesh.face_sizes = {3};
  mesh.face_corners = {0, 1, 2};
  mesh.bones = {{"root", answer.nodes[0].parent_from_node, {{0, 1.0F}, {1, 1.0F}, {2, 1.0F}}}};
  mesh.shapes = {{"smile", 0.5F, mesh.positions}};
  answer.meshes = {mesh};
  answer.clips = {{"walk", 1, 25, {{"root", {0}, {}, {}, {0, 0, 0}, {}, {}}}}};
  const std::string bytes = skinlint::assimp::encode_answer(answer);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  save(folder / "answer" / "small", Bytes(data, data + bytes.size()));
  return 0;
}
