// Files that are damaged: truncated, lying, or not what they say.

#include <string>
#include <utility>

#include "support/gltf_writer.h"
#include "support/rig.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::byte> text_bytes(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

Rig small_chain() { return chain_rig(4, 5, 4); }

GltfWriteOptions edited(std::function<void(Json&)> edit) {
  GltfWriteOptions options;
  options.edit_json = std::move(edit);
  return options;
}

class CorruptFiles {
 public:
  void unreadable(const std::string& name, std::vector<std::byte> bytes,
                  const std::string& read_error) {
    add(name, std::move(bytes)).read_error = read_error;
  }
  void unreadable(const std::string& name, const std::string& text, const std::string& read_error) {
    unreadable(name, text_bytes(text), read_error);
  }
  void damaged(const std::string& name, std::vector<std::byte> bytes,
               std::vector<ExpectedFinding> expected) {
    add(name, std::move(bytes)).expected = std::move(expected);
  }
  std::vector<TestdataFile> take() { return std::move(files_); }

 private:
  TestdataFile& add(const std::string& name, std::vector<std::byte> bytes) {
    TestdataFile file;
    file.path = "corrupt/" + name;
    file.bytes = std::move(bytes);
    files_.push_back(std::move(file));
    return files_.back();
  }
  std::vector<TestdataFile> files_;
};

std::vector<std::byte> gltf_text(const Rig& rig, std::function<void(Json&)> edit) {
  return write_gltf(rig, edited(std::move(edit)), BufferPlace::data_uri).gltf;
}

}  // namespace

std::vector<TestdataFile> corrupt_testdata() {
  CorruptFiles files;
  const Rig rig = small_chain();
  const std::vector<std::byte> glb = write_glb(rig);
  const auto head = [&](std::size_t n) {
    return std::vector<std::byte>(glb.begin(), glb.begin() + static_cast<std::ptrdiff_t>(n));
  };
  const std::vector<ExpectedFinding> and_mismatch = {{"file-damaged", "error", {}},
                                                     {"weights-array-mismatch", "error", {}}};
  const std::vector<ExpectedFinding> damaged_error = {{"file-damaged", "error", {}}};

  files.unreadable("empty.glb", "", "not_recognised");
  files.unreadable("header_only.glb", head(12), "malformed");
  files.unreadable("truncated_in_json.glb", head(400), "malformed");
  files.unreadable("truncated_in_buffer.glb", head(glb.size() - 600), "malformed");
  files.unreadable("not_json.gltf", "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [",
                   "malformed");
  files.unreadable("not_gltf.gltf", "solid cube\nfacet normal 0 0 1\n", "not_recognised");
  files.unreadable("git_lfs_pointer.glb",
                   "version https://git-lfs.github.com/spec/v1\n"
                   "oid sha256:"
                   "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
                   "size 12345\n",
                   "not_fetched");
  files.unreadable("version_1.gltf", gltf_text(rig, [](Json& j) { j["asset"]["version"] = "1.0"; }),
                   "unsupported");
  files.unreadable("missing_companion.gltf", write_gltf(rig).gltf, "not_fetched");
  files.unreadable("outside_folder.gltf",
                   write_gltf(rig, {}, BufferPlace::file, "../../../secret.bin").gltf, "forbidden");
  files.damaged("bad_base64.gltf",
                gltf_text(rig,
                          [](Json& j) {
                            std::string uri = j["buffers"][0]["uri"];
                            uri[uri.size() / 2] = '!';
                            j["buffers"][0]["uri"] = uri;
                          }),
                and_mismatch);
  files.damaged("cyclic_nodes.gltf",
                gltf_text(rig, [](Json& j) { j["nodes"][3]["children"] = {1}; }), damaged_error);
  files.damaged("two_parents.gltf",
                gltf_text(rig, [](Json& j) { j["nodes"][4]["children"] = {3}; }), damaged_error);
  files.damaged("lying_count.gltf",
                gltf_text(rig,
                          [](Json& j) {
                            const std::size_t position =
                                j["meshes"][0]["primitives"][0]["attributes"]["POSITION"];
                            j["accessors"][position]["count"] = 4294967295u;
                          }),
                and_mismatch);
  files.damaged("offset_beyond_everything.gltf",
                gltf_text(rig,
                          [](Json& j) {
                            const std::size_t weights =
                                j["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"];
                            const std::size_t view = j["accessors"][weights]["bufferView"];
                            j["bufferViews"][view]["byteOffset"] = 18446744073709551612u;
                          }),
                and_mismatch);
  files.damaged(
      "sparse_index_beyond.gltf",
      gltf_text(
          rig,
          [](Json& j) {
            // The joint indices as substitutes' indices: far beyond, and not ascending.
            const auto& attributes = j["meshes"][0]["primitives"][0]["attributes"];
            const std::size_t position = attributes["POSITION"];
            const std::size_t weights = attributes["WEIGHTS_0"];
            j["accessors"][position]["sparse"] = {
                {"count", 4},
                {"indices",
                 {{"bufferView", j["accessors"][weights]["bufferView"]}, {"componentType", 5125}}},
                {"values", {{"bufferView", j["accessors"][position]["bufferView"]}}}};
          }),
      damaged_error);
  files.damaged("wrong_types.gltf",
                gltf_text(rig,
                          [](Json& j) {
                            j["skins"][0]["joints"][1] = "joint1";
                            j["nodes"][2]["translation"] = {0, "one", 0};
                          }),
                {{"file-damaged", "error", {}}, {"file-damaged", "error", {}}});
  files.damaged("dangling_joint.gltf",
                gltf_text(rig, [](Json& j) { j["skins"][0]["joints"][2] = 77; }), damaged_error);
  files.unreadable("deep_json.gltf",
                   "{\"asset\": {\"version\": \"2.0\"}, \"extras\": " + std::string(2000, '[') +
                       std::string(2000, ']') + "}\n",
                   "too_large");
  files.damaged(
      "draco_rubbish.gltf",
      gltf_text(rig,
                [](Json& j) {
                  auto& part = j["meshes"][0]["primitives"][0];
                  part["extensions"]["KHR_draco_mesh_compression"] = {
                      {"bufferView", 0},
                      {"attributes",
                       {{"POSITION", 0}, {"NORMAL", 1}, {"JOINTS_0", 2}, {"WEIGHTS_0", 3}}}};
                  for (auto& [name, index] : part["attributes"].items())
                    j["accessors"][index.get<std::size_t>()].erase("bufferView");
                  j["extensionsUsed"] = {"KHR_draco_mesh_compression"};
                  j["extensionsRequired"] = {"KHR_draco_mesh_compression"};
                }),
      damaged_error);
  return files.take();
}

}  // namespace skinlint::test
