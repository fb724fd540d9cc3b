#include "readers/gltf_document.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace skinlint {
namespace {

constexpr std::uint32_t glb_magic = 0x46546C67;   // "glTF"
constexpr std::uint32_t chunk_json = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t chunk_bin = 0x004E4942;   // "BIN"
constexpr std::size_t header_size = 12, chunk_header_size = 8;
constexpr ElementRef whole_file{};

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

ReadError malformed(std::string message, std::uint64_t offset) {
  ReadError error;
  error.message = std::move(message);
  error.offset = offset;
  return error;
}

bool has_byte_order_mark(std::span<const std::byte> bytes) {
  constexpr unsigned char mark[] = {0xEF, 0xBB, 0xBF};
  return bytes.size() >= sizeof mark && std::memcmp(bytes.data(), mark, sizeof mark) == 0;
}

std::string bytes_text(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

Result<GltfChunks> split_json(std::span<const std::byte> bytes, std::uint64_t offset,
                              RepairLog& log) {
  GltfChunks chunks;
  chunks.json = bytes;
  chunks.json_offset = offset;
  if (has_byte_order_mark(bytes)) {
    chunks.json = bytes.subspan(3);
    chunks.json_offset += 3;
    log.add(Repair::Kind::wrong_type, whole_file, false,
            "the JSON begins with a byte order mark, which glTF forbids; it is ignored", "");
  }
  return chunks;
}

/// Walks the chunks behind the JSON one.
std::optional<ReadError> find_binary_chunk(std::span<const std::byte> bytes, std::size_t at,
                                           GltfChunks& chunks, RepairLog& log) {
  while (bytes.size() - at >= chunk_header_size) {
    const std::uint64_t length = read_u32(bytes, at);
    const std::uint32_t type = read_u32(bytes, at + 4);
    const std::size_t body = at + chunk_header_size;
    if (length > bytes.size() - body) {
      return malformed("the chunk says it has " + bytes_text(length) + "; " +
                           bytes_text(bytes.size() - body) + " are left",
                       at);
    }
    if (type == chunk_bin) {
      if (chunks.binary) {
        log.add(Repair::Kind::duplicate, whole_file, false,
                "a second binary chunk at offset " + std::to_string(at) + " is ignored", "");
      } else {
        chunks.binary = bytes.subspan(body, length);
      }
    }
    at = body + length;
  }
  if (at < bytes.size()) {
    log.add(Repair::Kind::count_mismatch, whole_file, false,
            bytes_text(bytes.size() - at) + " behind the last chunk are ignored", "");
  }
  return std::nullopt;
}

/// "2.1" to {2, 1}; empty when it is not of that form.
std::optional<std::pair<int, int>> version_numbers(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const char* end = digits.data() + digits.size();
    const auto [rest, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc() || rest != end || value < 0) return std::nullopt;
    return value;
  };
  const auto major = number(text.substr(0, dot));
  const auto minor = number(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

std::optional<ReadError> read_asset_object(const JsonObject& root, const JsonScope& scope,
                                           GltfDocument& document) {
  const Place top;
  const Place place(top, "asset");
  const auto [asset_value] = scope.pick<1>(root, {"asset"}, top);
  JsonObject asset;
  if (!asset_value || asset_value->get(asset) != simdjson::SUCCESS) {
    ReadError error;
    error.kind = ReadError::Kind::not_recognised;
    error.message = "JSON without an \"asset\" object: not glTF";
    error.locator = "/asset";
    return error;
  }
  const auto [version, min_version, generator] =
      scope.pick<3>(asset, {"version", "minVersion", "generator"}, place);
  const auto unsupported = [](std::string message, std::string locator) {
    ReadError error;
    error.kind = ReadError::Kind::unsupported;
    error.message = std::move(message);
    error.locator = std::move(locator);
    return error;
  };
  const Place generator_place(place, "generator");
  document.generator = scope.string(generator, generator_place).value_or("");
  std::string_view text;
  // Version 1.0 documents may leave the version out or write it as a number.
  if (!version || version->get(text) != simdjson::SUCCESS) {
    return unsupported("asset.version is not a string; glTF 2.0 needs one", "/asset/version");
  }
  document.version = text;
  const auto numbers = version_numbers(text);
  if (!numbers || numbers->first != 2) {
    return unsupported("glTF version \"" + std::string(text.substr(0, 40)) + "\"; only 2.x is read",
                       "/asset/version");
  }
  std::string_view needed;
  if (min_version && min_version->get(needed) == simdjson::SUCCESS) {
    const auto minimum = version_numbers(needed);
    if (!minimum || *minimum > std::pair(2, 0)) {
      return unsupported(
          "asset.minVersion is \"" + std::string(needed.substr(0, 40)) + "\"; only 2.0 is read",
          "/asset/minVersion");
    }
  }
  return std::nullopt;
}

std::vector<std::string> names(const std::optional<JsonValue>& value, const JsonScope& scope,
                               const Place& place) {
  std::vector<std::string> out;
  const auto array = scope.array(value, place);
  if (!array) return out;
  std::size_t i = 0;
  for (const JsonValue item : *array) {
    const Place at(place, i++);
    if (const auto name = scope.string(item, at)) out.emplace_back(*name);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

bool looks_like_glb(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && read_u32(bytes, 0) == glb_magic;
}

bool looks_like_json(std::span<const std::byte> bytes) {
  if (has_byte_order_mark(bytes)) bytes = bytes.subspan(3);
  for (const std::byte b : bytes) {
    const auto c = static_cast<char>(b);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    return c == '{';
  }
  return false;
}

Result<GltfChunks> split_chunks(std::span<const std::byte> bytes, RepairLog& log) {
  if (!looks_like_glb(bytes)) return split_json(bytes, 0, log);
  if (bytes.size() < header_size)
    return malformed("the GLB header has 12 bytes; the file ends before", bytes.size());
  const std::uint32_t version = read_u32(bytes, 4);
  if (version != 2) {
    ReadError error =
        malformed("GLB version " + std::to_string(version) + (version == 1 ? " (glTF 1.0)" : "") +
                      "; only version 2 is read",
                  4);
    error.kind = ReadError::Kind::unsupported;
    return error;
  }
  const std::uint64_t length = read_u32(bytes, 8);
  if (length > bytes.size()) {
    return malformed("the GLB header says " + bytes_text(length) + "; the file ends after " +
                         std::to_string(bytes.size()),
                     8);
  }
  if (length < header_size + chunk_header_size)
    return malformed("the GLB header says " + bytes_text(length) + ": too few for a chunk", 8);
  if (length < bytes.size()) {
    log.add(Repair::Kind::count_mismatch, whole_file, false,
            bytes_text(bytes.size() - length) + " behind the length of the GLB header are ignored",
            "");
    bytes = bytes.first(length);
  }
  const std::uint64_t json_length = read_u32(bytes, header_size);
  constexpr std::size_t json_start = header_size + chunk_header_size;
  if (read_u32(bytes, header_size + 4) != chunk_json)
    return malformed("the first chunk is not the JSON chunk", header_size + 4);
  if (json_length > bytes.size() - json_start) {
    return malformed("the JSON chunk says it has " + bytes_text(json_length) + "; " +
                         bytes_text(bytes.size() - json_start) + " are left",
                     header_size);
  }
  Result<GltfChunks> chunks = split_json(bytes.subspan(json_start, json_length), json_start, log);
  if (!chunks) return chunks;
  chunks->format = Format::glb;
  if (auto error = find_binary_chunk(bytes, json_start + json_length, *chunks, log)) return *error;
  return chunks;
}

bool GltfDocument::uses(std::string_view extension) const {
  return std::binary_search(extensions_used.begin(), extensions_used.end(), extension,
                            std::less<>());
}

bool GltfDocument::requires_extension(std::string_view extension) const {
  return std::binary_search(extensions_required.begin(), extensions_required.end(), extension,
                            std::less<>());
}

Result<GltfDocument> parse_document(const GltfChunks& chunks, const Limits& limits,
                                    RepairLog& log) {
  Result<JsonObject> root = parse_json(chunks.json, chunks.json_offset, limits);
  if (!root) return root.error();
  GltfDocument document;
  document.root = *root;
  const JsonScope scope(log, whole_file);
  const Place top;
  if (auto error = read_asset_object(*root, scope, document)) return *error;
  auto fields = scope.pick<12>(
      *root,
      {"accessors", "animations", "buffers", "bufferViews", "meshes", "nodes", "scene", "scenes",
       "skins", "extensionsUsed", "extensionsRequired", "cameras"},
      top);
  document.accessors = fields[0];
  document.animations = fields[1];
  document.buffers = fields[2];
  document.buffer_views = fields[3];
  document.meshes = fields[4];
  document.nodes = fields[5];
  document.scene = fields[6];
  document.scenes = fields[7];
  document.skins = fields[8];
  document.cameras = fields[11];
  const Place used_place(top, "extensionsUsed");
  const Place required_place(top, "extensionsRequired");
  document.extensions_used = names(fields[9], scope, used_place);
  document.extensions_required = names(fields[10], scope, required_place);
  return document;
}

}  // namespace skinlint
