// glTF cameras. Skinning does not rest on them: what is wrong with one makes it unusable and is
// said when somebody asks for it, but is no Repair.

#include "model/projection.h"
#include "readers/gltf_reader.h"

namespace skinlint {
namespace {

std::optional<JsonValue> member(const std::optional<JsonValue>& value, std::string_view key) {
  JsonObject object;
  if (!value || value->get(object) != simdjson::SUCCESS) return std::nullopt;
  JsonValue found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<double> number_in(const std::optional<JsonValue>& value, std::string_view key) {
  const std::optional<JsonValue> found = member(value, key);
  return found ? number_of(*found) : std::nullopt;
}

std::string text_in(const std::optional<JsonValue>& value, std::string_view key) {
  const std::optional<JsonValue> found = member(value, key);
  std::string_view text;
  if (!found || found->get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

void read_lens(const std::optional<JsonValue>& item, Camera& camera) {
  const std::string type = text_in(item, "type");
  if (type == "perspective") {
    const std::optional<JsonValue> lens = member(item, "perspective");
    camera.clip_from_camera = perspective(
        number_in(lens, "yfov").value_or(0.0), number_in(lens, "aspectRatio").value_or(1.0),
        number_in(lens, "znear").value_or(0.0), number_in(lens, "zfar"));
    if (!camera.clip_from_camera)
      camera.unusable_because = "its angle, aspect ratio or planes are missing or out of range";
    return;
  }
  if (type == "orthographic") {
    const std::optional<JsonValue> lens = member(item, "orthographic");
    camera.clip_from_camera =
        orthographic(number_in(lens, "xmag").value_or(0.0), number_in(lens, "ymag").value_or(0.0),
                     number_in(lens, "znear").value_or(0.0), number_in(lens, "zfar").value_or(0.0));
    if (!camera.clip_from_camera)
      camera.unusable_because = "its extents or planes are missing or out of range";
    return;
  }
  camera.unusable_because = "it is neither perspective nor orthographic";
}

}  // namespace

void read_cameras(GltfRead& read) {
  std::vector<JsonValue> items;
  JsonArray array;
  if (read.document.cameras && read.document.cameras->get(array) == simdjson::SUCCESS) {
    for (const JsonValue item : array) {
      if (!read.structure.spend(sizeof(Camera))) break;
      items.push_back(item);
    }
  }
  for (const auto& [node, index] : read.node_cameras) {
    if (node < 0) continue;
    Camera camera;
    camera.id = index;
    camera.node = node;
    if (static_cast<std::size_t>(index) < items.size()) {
      const std::optional<JsonValue> item = items[static_cast<std::size_t>(index)];
      camera.name = text_in(item, "name");
      read_lens(item, camera);
    } else {
      camera.unusable_because = "the file has no camera of this index";
    }
    if (camera.name.empty()) camera.name = read.asset.nodes[static_cast<std::size_t>(node)].name;
    read.asset.cameras.push_back(std::move(camera));
  }
}

}  // namespace skinlint
