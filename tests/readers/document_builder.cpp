#include "readers/document_builder.h"

#include <catch2/catch.hpp>

namespace skinlint::test {
namespace {

void append_u32(Bytes& out, std::size_t value) {
  const auto v = static_cast<std::uint32_t>(value);
  const auto* p = reinterpret_cast<const std::byte*>(&v);
  out.insert(out.end(), p, p + sizeof v);
}

}  // namespace

Bytes glb_of(const std::string& json, const Bytes& binary) {
  std::string text = json;
  while (text.size() % 4 != 0) text += ' ';
  Bytes body = binary;
  while (body.size() % 4 != 0) body.push_back(std::byte{0});
  Bytes out = to_bytes("glTF");
  append_u32(out, 2);
  append_u32(out, 12 + 8 + text.size() + (body.empty() ? 0 : 8 + body.size()));
  append_u32(out, text.size());
  const Bytes kind = to_bytes("JSON"), chars = to_bytes(text);
  out.insert(out.end(), kind.begin(), kind.end());
  out.insert(out.end(), chars.begin(), chars.end());
  if (!body.empty()) {
    append_u32(out, body.size());
    const Bytes bin = to_bytes(std::string_view("BIN\0", 4));
    out.insert(out.end(), bin.begin(), bin.end());
    out.insert(out.end(), body.begin(), body.end());
  }
  return out;
}

int DocumentBuilder::view(const Bytes& bytes, int stride) {
  while (binary.size() % 4 != 0) binary.push_back(std::byte{0});
  nlohmann::json v = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}};
  if (stride != 0) v["byteStride"] = stride;
  binary.insert(binary.end(), bytes.begin(), bytes.end());
  json["buffers"][0]["byteLength"] = binary.size();
  json["bufferViews"].push_back(v);
  return static_cast<int>(json["bufferViews"].size()) - 1;
}

int DocumentBuilder::accessor(int view, int component_type, const std::string& type,
                              std::uint64_t count, bool normalized) {
  nlohmann::json a = {{"componentType", component_type}, {"type", type}, {"count", count}};
  if (view >= 0) a["bufferView"] = view;
  if (normalized) a["normalized"] = true;
  json["accessors"].push_back(a);
  return static_cast<int>(json["accessors"].size()) - 1;
}

Bytes DocumentBuilder::glb() const { return glb_of(json.dump(), binary); }

DocumentBuilder skinned_triangle() {
  DocumentBuilder d;
  const int position = d.values<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}, 5126, "VEC3", 3);  // 0
  const int joints = d.values<std::uint8_t>({0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, 5121, "VEC4", 3);
  const int weights =
      d.values<float>({0.5F, 0.5F, 0, 0, 1, 0, 0, 0, 0.25F, 0.75F, 0, 0}, 5126, "VEC4", 3);
  const int indices = d.values<std::uint16_t>({0, 1, 2}, 5123, "SCALAR", 3);
  std::vector<float> matrices(32, 0.0F);
  for (const std::size_t m : {0U, 16U}) {
    for (const std::size_t i : {0U, 5U, 10U, 15U}) matrices[m + i] = 1;
  }
  matrices[16 + 13] = -1;  // second joint one up
  const int inverse_bind = d.values<float>(matrices, 5126, "MAT4", 2);
  const int offsets = d.values<float>({0, 0, 1, 0, 0, 0, 0, 0, 0}, 5126, "VEC3", 3);
  const int times = d.values<float>({0, 2.5F}, 5126, "SCALAR", 2);
  const int turns = d.values<float>({0, 0, 0, 1, 0, 0, 1, 0}, 5126, "VEC4", 2);
  d.json["scene"] = 0;
  d.json["scenes"] = {{{"nodes", {0, 1}}}};
  d.json["nodes"] = nlohmann::json::parse(R"([
    {"name": "body", "mesh": 0, "skin": 0},
    {"name": "root", "children": [2]},
    {"name": "tip", "translation": [0, 1, 0]}])");
  d.json["meshes"] = {
      {{"name", "triangle"},
       {"weights", {0.25}},
       {"extras", {{"targetNames", {"bump"}}}},
       {"primitives",
        {{{"attributes", {{"POSITION", position}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
          {"indices", indices},
          {"targets", {{{"POSITION", offsets}}}}}}}}};
  d.json["skins"] = {{{"name", "rig"},
                      {"joints", {1, 2}},
                      {"inverseBindMatrices", inverse_bind},
                      {"skeleton", 1}}};
  d.json["animations"] = {
      {{"name", "wave"},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}},
       {"samplers", {{{"input", times}, {"output", turns}}}}}};
  return d;
}

Result<Asset> read(const Bytes& bytes, const std::map<std::string, Bytes>& files,
                   const ReadOptions& options) {
  const OpenCompanion open =
      [&files](const std::string& path) -> Result<std::shared_ptr<const Source>> {
    const auto found = files.find(path);
    if (found != files.end()) return memory_source(found->second);
    ReadError error;
    error.kind = ReadError::Kind::not_fetched;
    error.message = "\"" + path + "\" is not there";
    return error;
  };
  Result<Asset> asset = read_asset(memory_source(bytes), open, options);
  if (asset) CHECK(check_invariants(*asset) == "");
  return asset;
}

Asset read_glb(const DocumentBuilder& document, const ReadOptions& options) {
  Result<Asset> asset = read(document.glb(), {}, options);
  if (!asset) FAIL(asset.error().message);
  return std::move(*asset);
}

std::vector<Repair> repairs_of(const Asset& asset, Repair::Kind kind) {
  std::vector<Repair> out;
  for (const Repair& repair : asset.repairs) {
    if (repair.kind == kind) out.push_back(repair);
  }
  return out;
}

std::vector<double> read_whole(const Stream& stream) {
  REQUIRE(stream.readable());
  std::vector<double> out(stream.count * stream.components);
  if (stream.count > 0) read_values(stream, 0, stream.count, out.data());
  return out;
}

}  // namespace skinlint::test
