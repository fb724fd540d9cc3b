#include "reports/posed_mesh.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 20;

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

void append_word(std::string& bytes, std::uint32_t word) { append(bytes, &word, sizeof word); }

/// Names in JSON must be UTF-8; files hold anything.
std::string valid_text(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const CodePoint c = next_code_point(text, at);
    out += c.valid ? text.substr(from, at - from) : std::string("\xEF\xBF\xBD");
  }
  return out;
}

/// The document and its bytes while they grow together.
class GlbBuilder {
 public:
  std::size_t vectors(const std::vector<Vec3>& values, bool bounds) {
    Eigen::Vector3f least = Eigen::Vector3f::Constant(std::numeric_limits<float>::max());
    Eigen::Vector3f most = -least;
    const std::size_t first = bytes.size();
    for (const Vec3& v : values) {
      const Eigen::Vector3f f = v.cast<float>();
      least = least.cwiseMin(f);
      most = most.cwiseMax(f);
      append(bytes, f.data(), 3 * sizeof(float));
    }
    nlohmann::json accessor = {{"bufferView", view(first, 34962)},
                               {"componentType", 5126},
                               {"count", values.size()},
                               {"type", "VEC3"}};
    if (bounds) {
      accessor["min"] = {least.x(), least.y(), least.z()};
      accessor["max"] = {most.x(), most.y(), most.z()};
    }
    return add(std::move(accessor));
  }

  std::size_t indices(const std::vector<std::array<std::uint32_t, 3>>& triangles) {
    const std::size_t first = bytes.size();
    append(bytes, triangles.data(), triangles.size() * sizeof(triangles[0]));
    return add({{"bufferView", view(first, 34963)},
                {"componentType", 5125},
                {"count", 3 * triangles.size()},
                {"type", "SCALAR"}});
  }

  std::string bytes;
  nlohmann::json accessors = nlohmann::json::array(), views = nlohmann::json::array();

 private:
  std::size_t view(std::size_t first, int target) {
    views.push_back({{"buffer", 0},
                     {"byteOffset", first},
                     {"byteLength", bytes.size() - first},
                     {"target", target}});
    return views.size() - 1;
  }
  std::size_t add(nlohmann::json accessor) {
    accessors.push_back(std::move(accessor));
    return accessors.size() - 1;
  }
};

}  // namespace

void write_obj(std::ostream& out, const std::vector<PosedMesh>& meshes,
               const std::string& comment) {
  fmt::memory_buffer page;
  const auto flush = [&](std::size_t least) {
    if (page.size() < least) return;
    out.write(page.data(), static_cast<std::streamsize>(page.size()));
    page.clear();
  };
  const auto print = [&](fmt::string_view format, const auto&... values) {
    fmt::vformat_to(std::back_inserter(page), format, fmt::make_format_args(values...));
    flush(kFlushAt);
  };
  print("# {}\n", printable(comment, 2000));
  std::size_t vertices = 0, normals = 0;
  for (const PosedMesh& mesh : meshes) {
    print("o {}\n", printable(mesh.name));
    for (const PosedMesh::Part& part : mesh.parts) {
      for (const Vec3& p : part.positions) print("v {} {} {}\n", p.x(), p.y(), p.z());
      for (const Vec3& n : part.normals) print("vn {} {} {}\n", n.x(), n.y(), n.z());
      for (const auto& t : part.triangles) {
        if (part.normals.empty()) {
          print("f {} {} {}\n", vertices + t[0] + 1, vertices + t[1] + 1, vertices + t[2] + 1);
        } else {
          print("f {}//{} {}//{} {}//{}\n", vertices + t[0] + 1, normals + t[0] + 1,
                vertices + t[1] + 1, normals + t[1] + 1, vertices + t[2] + 1, normals + t[2] + 1);
        }
      }
      vertices += part.positions.size();
      normals += part.normals.size();
    }
  }
  flush(0);
}

bool write_glb(std::ostream& out, const std::vector<PosedMesh>& meshes,
               const std::string& generator) {
  std::uint64_t size = 0;
  for (const PosedMesh& mesh : meshes) {
    for (const PosedMesh::Part& part : mesh.parts)
      size += 12 * (part.positions.size() + part.normals.size() + part.triangles.size());
  }
  if (size == 0 || size > 0xf0000000U) return false;
  GlbBuilder glb;
  glb.bytes.reserve(size);
  nlohmann::json nodes = nlohmann::json::array(), shapes = nlohmann::json::array(),
                 roots = nlohmann::json::array();
  for (const PosedMesh& mesh : meshes) {
    nlohmann::json primitives = nlohmann::json::array();
    for (const PosedMesh::Part& part : mesh.parts) {
      if (part.positions.empty()) continue;
      nlohmann::json primitive = {{"mode", part.triangles.empty() ? 0 : 4}};
      primitive["attributes"]["POSITION"] = glb.vectors(part.positions, true);
      if (!part.normals.empty())
        primitive["attributes"]["NORMAL"] = glb.vectors(part.normals, false);
      if (!part.triangles.empty()) primitive["indices"] = glb.indices(part.triangles);
      primitives.push_back(std::move(primitive));
    }
    if (primitives.empty()) continue;
    const std::string name = valid_text(mesh.name);
    roots.push_back(nodes.size());
    nodes.push_back({{"name", name}, {"mesh", shapes.size()}});
    shapes.push_back({{"name", name}, {"primitives", std::move(primitives)}});
  }
  const nlohmann::json document = {{"asset", {{"version", "2.0"}, {"generator", generator}}},
                                   {"scene", 0},
                                   {"scenes", {{{"nodes", std::move(roots)}}}},
                                   {"nodes", std::move(nodes)},
                                   {"meshes", std::move(shapes)},
                                   {"accessors", std::move(glb.accessors)},
                                   {"bufferViews", std::move(glb.views)},
                                   {"buffers", {{{"byteLength", glb.bytes.size()}}}}};
  std::string json = document.dump();
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string header;
  append_word(header, 0x46546C67);  // "glTF"
  append_word(header, 2);
  append_word(header, static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + glb.bytes.size()));
  append_word(header, static_cast<std::uint32_t>(json.size()));
  append_word(header, 0x4E4F534A);  // "JSON"
  out << header << json;
  std::string chunk;
  append_word(chunk, static_cast<std::uint32_t>(glb.bytes.size()));
  append_word(chunk, 0x004E4942);  // "BIN"
  out << chunk << glb.bytes;       // multiples of twelve bytes: no padding
  return true;
}

}  // namespace skinlint
