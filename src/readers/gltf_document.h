#pragma once
// A glTF 2.0 document before its meaning: the chunks of a GLB, the JSON's top level, the asset's
// version and the extensions it names.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "readers/gltf_json.h"

namespace skinlint {

/// A file taken apart. For .gltf the whole file is `json`.
struct GltfChunks {
  Format format = Format::gltf;
  std::span<const std::byte> json;
  std::uint64_t json_offset = 0;
  std::optional<std::span<const std::byte>> binary;  // the GLB's BIN chunk
};

/// Starts like a GLB ("glTF").
bool looks_like_glb(std::span<const std::byte> bytes);
/// The first character that is no white space (after a byte order mark) opens a JSON object.
bool looks_like_json(std::span<const std::byte> bytes);

/// Follows the GLB framing (glTF 2.0 section 4.4), or takes the bytes as JSON. Errors: malformed
/// with the offset of the header or chunk that does not fit; unsupported for GLB version 1. Bytes
/// behind the declared length and further chunks are Repairs or, when the format allows them,
/// ignored.
Result<GltfChunks> split_chunks(std::span<const std::byte> bytes, RepairLog& log);

/// The document's top level. Valid until the next parse on this thread.
struct GltfDocument {
  JsonObject root;
  std::string version, generator;
  std::vector<std::string> extensions_used, extensions_required;
  std::optional<JsonValue> accessors, animations, buffers, buffer_views, cameras, meshes, nodes,
      scene, scenes, skins;

  bool uses(std::string_view extension) const;
  bool requires_extension(std::string_view extension) const;
};

/// Errors: those of parse_json; not_recognised (no `asset` object: other JSON); unsupported (a
/// version other than 2.x, or a minVersion above 2.0).
Result<GltfDocument> parse_document(const GltfChunks& chunks, const Limits& limits, RepairLog& log);

/// Names what the file's extensions keep from us: Asset::unsupported and Asset::not_checked.
void report_extensions(const GltfDocument& document, Asset& asset);

}  // namespace skinlint
