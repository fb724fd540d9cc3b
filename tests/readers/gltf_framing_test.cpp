// GLB framing, JSON errors, versions, extensions, data URIs, companions.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "readers/document_builder.h"
#include "support/gltf_writer.h"

namespace fs = std::filesystem;
using namespace skinlint;
using namespace skinlint::test;

namespace {

void put_u32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

ReadError error_of(const Bytes& bytes) {
  Result<Asset> asset = read(bytes);
  REQUIRE(!asset.has_value());
  return asset.error();
}

/// The triangle as .gltf whose buffer has this uri.
Bytes gltf_with_uri(const std::string& uri) {
  DocumentBuilder d = skinned_triangle();
  d.json["buffers"][0]["uri"] = uri;
  return d.gltf();
}

}  // namespace

TEST_CASE("a small GLB is read in full", "[readers]") {
  const Asset a = read_glb(skinned_triangle());
  CHECK(a.format == Format::glb);
  CHECK(a.version == "2.0");
  CHECK(a.generator == "test");
  CHECK(a.encoding == "binary");
  CHECK(a.file_bytes == skinned_triangle().glb().size());
  CHECK(a.repairs.empty());
  REQUIRE(a.nodes.size() == 3);
  CHECK(a.nodes[2].name == "tip");
  CHECK(a.nodes[2].parent == 1);
  CHECK(a.nodes[2].is_joint);
  CHECK(a.default_scene == 0);
  CHECK(a.scenes[0].roots == std::vector<std::int32_t>{0, 1});
  REQUIRE(a.skins.size() == 1);
  CHECK(a.skins[0].joints == std::vector<std::int32_t>{1, 2});
  CHECK(a.skins[0].skeleton == 1);
  CHECK(a.skins[0].matrix_count == 2);
  CHECK((*a.skins[0].joint_from_mesh[1])(1, 3) == -1);
  REQUIRE(a.bindings.size() == 1);
  CHECK(a.bindings[0].morph_weights == std::vector<double>{0.25});
  const InfluenceTable& table = a.influences[static_cast<std::size_t>(a.bindings[0].influences[0])];
  CHECK(table.vertex_count == 3);
  REQUIRE(table.usable_sets().size() == 1);
  CHECK(read_whole(table.sets[0].weights)[9] == 0.75);
  CHECK(read_whole(a.meshes[0].parts[0].positions)[3] == 1);
  CHECK(read_whole(a.meshes[0].parts[0].indices) == std::vector<double>{0, 1, 2});
  CHECK(a.meshes[0].morphs[0].name == "bump");
  CHECK(read_whole(a.meshes[0].morphs[0].shapes[0].positions[0])[2] == 1);
  REQUIRE(a.clips.size() == 1);
  CHECK(a.clips[0].duration == 2.5);
  CHECK(a.clips[0].channels[0].node == 2);
}

TEST_CASE("GLB headers that lie are errors at their offset", "[readers]") {
  struct Row {
    const char* what;
    std::size_t at;
    std::uint32_t value;
    ReadError::Kind kind;
    std::uint64_t offset;
  };
  const Bytes good = skinned_triangle().glb();
  std::uint32_t json_length = 0;
  std::memcpy(&json_length, good.data() + 12, 4);
  const std::size_t bin_at = 20 + json_length;
  const Row rows[] = {
      {"version 1", 4, 1, ReadError::Kind::unsupported, 4},
      {"version 3", 4, 3, ReadError::Kind::unsupported, 4},
      {"length beyond the file", 8, 0xffffffff, ReadError::Kind::malformed, 8},
      {"length below the headers", 8, 19, ReadError::Kind::malformed, 8},
      {"JSON chunk of 4 GiB", 12, 0xffffffff, ReadError::Kind::malformed, 12},
      {"first chunk of another type", 16, 0, ReadError::Kind::malformed, 16},
      {"binary chunk of 4 GiB", bin_at, 0xffffffff, ReadError::Kind::malformed, bin_at},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Bytes bytes = good;
    put_u32(bytes, row.at, row.value);
    const ReadError error = error_of(bytes);
    CHECK(error.kind == row.kind);
    CHECK(error.offset == row.offset);
  }
}

TEST_CASE("bytes behind the GLB's length and a second binary chunk are repairs", "[readers]") {
  Bytes bytes = skinned_triangle().glb();
  bytes.resize(bytes.size() + 7);
  Result<Asset> asset = read(bytes);
  REQUIRE(asset.has_value());
  REQUIRE(asset->repairs.size() == 1);
  CHECK(asset->repairs[0].kind == Repair::Kind::count_mismatch);
  CHECK_FALSE(asset->repairs[0].affects_skinning);

  Bytes twice = skinned_triangle().glb();
  const Bytes chunk = {std::byte{0},   std::byte{0},   std::byte{0},   std::byte{0},
                       std::byte{'B'}, std::byte{'I'}, std::byte{'N'}, std::byte{0}};
  twice.insert(twice.end(), chunk.begin(), chunk.end());
  put_u32(twice, 8, static_cast<std::uint32_t>(twice.size()));
  asset = read(twice);
  REQUIRE(asset.has_value());
  CHECK(repairs_of(*asset, Repair::Kind::duplicate).size() == 1);
}

TEST_CASE("a GLB cut at any byte is an error or a repaired asset", "[readers]") {
  const Bytes good = skinned_triangle().glb();
  for (std::size_t n = 0; n < good.size(); ++n) {
    Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    Result<Asset> plain = read(cut);
    if (plain) FAIL("read " << n << " of " << good.size() << " bytes");
    // The same with a header that agrees with the cut, so that the chunks are reached.
    if (n < 20) continue;
    put_u32(cut, 8, static_cast<std::uint32_t>(n));
    const Result<Asset> honest = read(cut);
    CHECK((honest.has_value() || !honest.error().message.empty()));
  }
}

TEST_CASE("a document cut at any byte is an error", "[readers]") {
  const Bytes good = gltf_with_uri("data:,");
  for (std::size_t n = 0; n < good.size(); ++n) {
    const ReadError error =
        error_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)));
    if (n > 0) CHECK((error.offset && *error.offset <= n));
  }
}

TEST_CASE("random changes of four bytes never break an invariant", "[readers]") {
  const Bytes good = skinned_triangle().glb();
  std::mt19937 random(20240611);
  std::size_t read_anyway = 0;
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = good;
    const std::size_t at = random() % (bytes.size() - 4);
    put_u32(bytes, at, static_cast<std::uint32_t>(random()));
    if (read(bytes)) ++read_anyway;
  }
  CHECK(read_anyway > 100);  // the binary chunk may hold anything
}

TEST_CASE("what is not glTF 2 is said with its place", "[readers]") {
  struct Row {
    const char* text;
    ReadError::Kind kind;
    std::optional<std::uint64_t> offset;
    const char* locator;
  };
  const Row rows[] = {
      {"", ReadError::Kind::not_recognised, 0, ""},
      {"PK\x03\x04", ReadError::Kind::not_recognised, 0, ""},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
       ReadError::Kind::not_fetched, 0, ""},
      {"{\"name\": 1}", ReadError::Kind::not_recognised, std::nullopt, "/asset"},
      {"{\"asset\": {\"version\": \"1.0\"}}", ReadError::Kind::unsupported, std::nullopt,
       "/asset/version"},
      {"{\"asset\": {\"version\": 2.0}}", ReadError::Kind::unsupported, std::nullopt,
       "/asset/version"},
      {"{\"asset\": {\"version\": \"2.0\", \"minVersion\": \"2.1\"}}", ReadError::Kind::unsupported,
       std::nullopt, "/asset/minVersion"},
      {"{\"asset\": {\"version\": \"2.0\"},}", ReadError::Kind::malformed, 29, ""},
      {"{\"asset\": NaN}", ReadError::Kind::malformed, 10, ""},
      {"{\"asset\": \"\xff\"}", ReadError::Kind::malformed, 11, ""},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const ReadError error = error_of(to_bytes(row.text));
    CHECK(error.kind == row.kind);
    CHECK(error.offset == row.offset);
    CHECK(error.locator == row.locator);
    CHECK_FALSE(error.message.empty());
  }
}

TEST_CASE("a JSON error inside a GLB counts from the file's start", "[readers]") {
  const ReadError error = error_of(glb_of("{\"asset\": nope}", {}));
  CHECK(error.kind == ReadError::Kind::malformed);
  REQUIRE(error.offset.has_value());
  CHECK(*error.offset >= 20 + 10);
  CHECK(*error.offset <= 20 + 12);
}

TEST_CASE("nesting has a limit", "[readers]") {
  std::string text = "{\"asset\": {\"version\": \"2.0\"}, \"extras\": ";
  text += std::string(2000, '[') + std::string(2000, ']') + "}";
  CHECK(error_of(to_bytes(text)).kind == ReadError::Kind::too_large);
}

TEST_CASE("a key given twice is said, and the last one counts", "[readers]") {
  const std::string text =
      "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"name\": \"a\", \"name\": \"b\"}]}";
  Result<Asset> asset = read(to_bytes(text));
  REQUIRE(asset.has_value());
  CHECK(asset->nodes[0].name == "b");
  REQUIRE(asset->repairs.size() == 1);
  CHECK(asset->repairs[0].kind == Repair::Kind::duplicate);
  CHECK(asset->repairs[0].locator == "/nodes/0/name");
}

TEST_CASE("a byte order mark is passed over and said", "[readers]") {
  Result<Asset> asset = read(to_bytes("\xEF\xBB\xBF{\"asset\": {\"version\": \"2.0\"}}"));
  REQUIRE(asset.has_value());
  REQUIRE(asset->repairs.size() == 1);
  CHECK_FALSE(asset->repairs[0].affects_skinning);
}

TEST_CASE("extensions are sorted into read, unreadable, and none of our business", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["extensionsRequired"] = {"KHR_mesh_quantization", "KHR_texture_basisu", "ACME_bones"};
  d.json["extensionsUsed"] = {"KHR_mesh_quantization", "KHR_texture_basisu", "ACME_bones",
                              "EXT_mesh_gpu_instancing", "VRM"};
  const Asset a = read_glb(d);
  REQUIRE(a.unsupported.size() == 1);
  CHECK(a.unsupported[0].name == "ACME_bones");
  CHECK(a.unsupported[0].required);
  REQUIRE(a.not_checked.size() == 1);
  CHECK(a.not_checked[0].because.find("EXT_mesh_gpu_instancing") == 0);
  CHECK(a.bindings.size() == 1);
}

TEST_CASE("buffers in data URIs", "[readers]") {
  const DocumentBuilder d = skinned_triangle();
  const std::string text = base64(d.binary);
  std::string unpadded = text;
  while (unpadded.back() == '=') unpadded.pop_back();
  struct Row {
    const char* what;
    std::string uri;
    bool good;
  };
  const Row rows[] = {
      {"plain", "data:application/octet-stream;base64," + text, true},
      {"no media type", "data:;base64," + text, true},
      {"no padding", "data:;base64," + unpadded, true},
      {"a character that is none", "data:;base64,!" + text, false},
      {"no comma", "data:;base64" + text, false},
      {"broken escape", "data:,%4", false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Result<Asset> asset = read(gltf_with_uri(row.uri));
    REQUIRE(asset.has_value());
    CHECK(asset->format == Format::gltf);
    CHECK(asset->repairs.empty() == row.good);
    if (row.good) {
      CHECK(read_whole(asset->meshes[0].parts[0].positions)[3] == 1);
    } else {
      REQUIRE(asset->repairs.size() == 1);
      CHECK(asset->repairs[0].kind == (row.uri == "data:,%4" || !row.good
                                           ? Repair::Kind::decode_failed
                                           : Repair::Kind::truncated));
      CHECK(asset->repairs[0].affects_skinning);
      CHECK(asset->repairs[0].locator == "/buffers/0/uri");
    }
  }
}

TEST_CASE("companions: names, absence and what lies outside", "[readers]") {
  const Bytes bin = skinned_triangle().binary;
  CHECK(read(gltf_with_uri("my%20model.bin"), {{"my model.bin", bin}}).has_value());
  CHECK(read(gltf_with_uri("sub/../a.bin"), {{"sub/../a.bin", bin}}).has_value());
  struct Row {
    const char* uri;
    ReadError::Kind kind;
  };
  const Row rows[] = {
      {"gone.bin", ReadError::Kind::not_fetched},
      {"../a.bin", ReadError::Kind::forbidden},
      {"sub/../../a.bin", ReadError::Kind::forbidden},
      {"%2e%2e/a.bin", ReadError::Kind::forbidden},
      {"/etc/passwd", ReadError::Kind::forbidden},
      {"file:///etc/passwd", ReadError::Kind::forbidden},
      {"https://example.org/a.bin", ReadError::Kind::not_fetched},
      {"a%zz.bin", ReadError::Kind::malformed},
      {"a%00.bin", ReadError::Kind::malformed},
  };
  for (const Row& row : rows) {
    INFO(row.uri);
    const Result<Asset> asset = read(gltf_with_uri(row.uri), {{"../a.bin", bin}});
    REQUIRE_FALSE(asset.has_value());
    CHECK(asset.error().kind == row.kind);
    CHECK(asset.error().locator == "/buffers/0/uri");
  }
  ReadOptions outside;
  outside.allow_outside = true;
  CHECK(read(gltf_with_uri("../a.bin"), {{"../a.bin", bin}}, outside).has_value());
  const Result<Asset> pointer =
      read(gltf_with_uri("a.bin"), {{"a.bin", to_bytes("version https://git-lfs.github.com/x")}});
  REQUIRE_FALSE(pointer.has_value());
  CHECK(pointer.error().kind == ReadError::Kind::not_fetched);
}

TEST_CASE("a companion that nothing skinned needs is a repair", "[readers]") {
  DocumentBuilder d = skinned_triangle();
  d.json["nodes"][0].erase("skin");
  d.json.erase("skins");
  d.json["buffers"][0]["uri"] = "gone.bin";
  Result<Asset> asset = read(d.gltf());
  REQUIRE(asset.has_value());
  REQUIRE(asset->repairs.size() == 1);
  CHECK(asset->repairs[0].kind == Repair::Kind::missing_data);
  CHECK(asset->repairs[0].element.kind == ElementKind::buffer);
  CHECK_FALSE(asset->repairs[0].affects_skinning);
  CHECK(asset->repairs[0].count > 1);  // every accessor that it cost
}

TEST_CASE("on disk, links that lead out of the folder are outside", "[readers]") {
  const fs::path folder = fs::temp_directory_path() / "skinlint-readers-confinement";
  fs::remove_all(folder);
  fs::create_directories(folder / "asset");
  const auto write = [](const fs::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  const Bytes bin = skinned_triangle().binary;
  write(folder / "outside.bin", bin);
  write(folder / "asset" / "inside.bin", bin);
  fs::create_symlink(folder / "outside.bin", folder / "asset" / "leads_out.bin");
  fs::create_symlink("inside.bin", folder / "asset" / "stays.bin");
  const auto read_with = [&](const std::string& uri, bool allow) {
    write(folder / "asset" / "a.gltf", gltf_with_uri(uri));
    ReadOptions options;
    options.allow_outside = allow;
    return read_asset((folder / "asset" / "a.gltf").string(), options);
  };
  CHECK(read_with("inside.bin", false).has_value());
  CHECK(read_with("stays.bin", false).has_value());
  const Result<Asset> out = read_with("leads_out.bin", false);
  REQUIRE_FALSE(out.has_value());
  CHECK(out.error().kind == ReadError::Kind::forbidden);
  CHECK(read_with("leads_out.bin", true).has_value());
  CHECK(read_with("../outside.bin", true).has_value());
  const Result<Asset> gone = read_with("gone.bin", false);
  REQUIRE_FALSE(gone.has_value());
  CHECK(gone.error().kind == ReadError::Kind::not_fetched);
  CHECK(read_asset((folder / "none.gltf").string(), {}).error().kind == ReadError::Kind::not_found);
  CHECK(read_asset(folder.string(), {}).error().kind == ReadError::Kind::not_found);
  fs::remove_all(folder);
}

TEST_CASE("a file beyond the limit is not mapped", "[readers]") {
  const fs::path path = fs::temp_directory_path() / "skinlint-readers-large.gltf";
  std::ofstream(path) << "{\"asset\": {\"version\": \"2.0\"}}";
  ReadOptions options;
  options.limits.max_file_bytes = 8;
  const Result<Asset> asset = read_asset(path.string(), options);
  REQUIRE_FALSE(asset.has_value());
  CHECK(asset.error().kind == ReadError::Kind::too_large);
  fs::remove(path);
}

TEST_CASE("the table knows its extensions and libraries", "[readers]") {
  const std::vector<std::string> extensions = known_extensions();
  for (const char* e : {"glb", "gltf", "vrm"})
    CHECK(std::count(extensions.begin(), extensions.end(), e) == 1);
  CHECK(reader_libraries().size() >= 3);
}
