// The formats that are read through Assimp, by content. Each was seen to bring bones, matrices and
// weights through Assimp 5.2; others of its list were not, or hold none (BVH, 3DS, OBJ...): nothing
// could be judged in them.

#include <algorithm>
#include <array>
#include <cstring>

#include "readers/assimp_reader.h"

namespace skinlint {
namespace {

std::string_view head(std::span<const std::byte> bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), size)};
}

std::string_view without_blanks(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

bool begins(std::span<const std::byte> bytes, std::string_view mark) {
  return head(bytes, mark.size()) == mark;
}

/// XML with this root element, within the first few kilobytes.
bool has_root(std::span<const std::byte> bytes, std::string_view element) {
  const std::string_view text = without_blanks(head(bytes, 4096));
  if (text.empty() || text.front() != '<') return false;
  const std::size_t at = text.find(element);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + element.size();
  return end < text.size() && (text[end] == '>' || text[end] == ' ' || text[end] == '\n' ||
                               text[end] == '\r' || text[end] == '\t');
}

bool is_collada(std::span<const std::byte> bytes) { return has_root(bytes, "<COLLADA"); }
bool is_x(std::span<const std::byte> bytes) { return begins(bytes, "xof 0"); }
bool is_md5(std::span<const std::byte> bytes) {
  return without_blanks(head(bytes, 256)).substr(0, 10) == "MD5Version" &&
         head(bytes, 8192).find("numJoints") != std::string_view::npos &&
         head(bytes, 8192).find("numMeshes") != std::string_view::npos;
}
/// "version 1", comments aside, then the nodes.
bool is_smd(std::span<const std::byte> bytes) {
  std::string_view text = without_blanks(head(bytes, 4096));
  while (text.substr(0, 2) == "//") {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = without_blanks(text);
  }
  if (text.substr(0, 7) != "version") return false;
  text = without_blanks(text.substr(7));
  if (text.substr(0, 1) != "1") return false;
  return without_blanks(text.substr(1)).substr(0, 5) == "nodes";
}
bool is_ms3d(std::span<const std::byte> bytes) { return begins(bytes, "MS3D000000"); }
bool is_b3d(std::span<const std::byte> bytes) { return begins(bytes, "BB3D"); }
bool is_ogre_xml(std::span<const std::byte> bytes) {
  return has_root(bytes, "<mesh") && head(bytes, 4096).find("<submesh") != std::string_view::npos;
}

constexpr std::array<ImportedFormat, 7> formats = {{
    {"collada", "COLLADA", "dae", is_collada},
    {"x", "DirectX X", "x", is_x},
    {"md5", "Doom 3 MD5", "md5mesh", is_md5},
    {"smd", "Valve SMD", "smd", is_smd},
    {"ms3d", "MilkShape 3D", "ms3d", is_ms3d},
    {"b3d", "Blitz3D", "b3d", is_b3d},
    {"ogre", "Ogre XML", "mesh.xml", is_ogre_xml},
}};

}  // namespace

std::span<const ImportedFormat> imported_formats() { return formats; }

const ImportedFormat* imported_format_of(std::span<const std::byte> bytes) {
  for (const ImportedFormat& format : formats) {
    if (format.recognises(bytes)) return &format;
  }
  return nullptr;
}

}  // namespace skinlint
