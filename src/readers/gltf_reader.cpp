#include "readers/gltf_reader.h"

#include <algorithm>
#include <utility>

namespace skinlint {
namespace {

/// What the model may take for a file's structure: real documents spend well over 50 bytes on what
/// costs us 500; a flood of "{}" does not.
std::uint64_t structure_allowance(const GltfChunks& chunks) {
  return (std::uint64_t{64} << 20) + 16 * static_cast<std::uint64_t>(chunks.json.size());
}

/// Repairs were logged under the file's node numbers; the asset has its own order.
void renumber_nodes(const GltfRead& read, std::vector<Repair>& repairs) {
  for (Repair& repair : repairs) {
    if (repair.element.kind != ElementKind::node) continue;
    const std::int32_t node = read.node_for(repair.element.index);
    if (node >= 0) {
      repair.element.index = node;
    } else {
      repair.element = {};
    }
  }
}

}  // namespace

std::size_t entries_of(const std::optional<JsonValue>& value) {
  JsonArray array;
  if (!value || value->get(array) != simdjson::SUCCESS) return 0;
  std::size_t count = 0;
  // size() saturates at 2^24 - 1.
  for (auto it = array.begin(); it != array.end(); ++it) ++count;
  return std::min<std::size_t>(count, INT32_MAX);
}

std::vector<double> number_list(const std::optional<JsonValue>& value, const JsonScope& scope,
                                const Place& place) {
  std::vector<double> out;
  const auto array = scope.array(value, place, false);
  if (!array) return out;
  for (const JsonValue item : *array) {
    const auto number = number_of(item);
    if (!number) {
      scope.repair(Repair::Kind::wrong_type, place, "not every value is a number; none is used",
                   false);
      return {};
    }
    out.push_back(*number);
  }
  return out;
}

Result<Asset> read_gltf(std::shared_ptr<const Source> source, const OpenCompanion& open,
                        const ReadOptions& options) {
  RepairLog log;
  Result<GltfChunks> chunks = split_chunks(source->bytes(), log);
  if (!chunks) return chunks.error();
  Result<GltfDocument> document = parse_document(*chunks, options.limits, log);
  if (!document) return document.error();

  Asset asset;
  asset.format = chunks->format;
  asset.version = document->version;
  asset.generator = document->generator;
  asset.encoding = chunks->format == Format::glb ? "binary" : "json";
  asset.space = options.space;  // glTF is canonical: both spaces are one
  asset.file_bytes = source->bytes().size();
  asset.storage.push_back(std::move(source));
  report_extensions(*document, asset);

  Allowance structure(structure_allowance(*chunks));
  GltfData data(*document, *chunks, open, options, log, structure, asset.storage);
  GltfRead read{*document, options, asset, log, structure, data, {}, {}, {}, {}, {}};
  read_nodes(read, entries_of(document->meshes), entries_of(document->skins));
  read_skins(read);
  if (!data.fatal()) read_meshes(read);
  if (data.fatal()) return *data.fatal();
  make_bindings(read);
  read_clips(read);
  read_cameras(read);

  asset.repairs = log.take();
  renumber_nodes(read, asset.repairs);
  return asset;
}

}  // namespace skinlint
