#include "fuzz/reader_targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "readers/assimp_answer.h"
#include "readers/assimp_reader.h"
#include "readers/reader.h"
#include "skinning/clip_pose.h"
#include "skinning/vertex_trace.h"

namespace skinlint::fuzz {
namespace {

/// Reads every value that a stream promises, in bounded work.
void touch(const Stream& s) {
  if (!s.declared() || s.data == nullptr) return;
  std::vector<double> values(std::size_t{256} * s.components);
  const std::size_t step = std::max<std::size_t>(256, s.count / 64 / 256 * 256);
  for (std::size_t first = 0; first < s.count; first += step)
    read_values(s, first, std::min<std::size_t>(256, s.count - first), values.data());
  if (s.count > 0) read_values(s, s.count - 1, 1, values.data());
}

void touch(const Asset& asset) {
  for (const Mesh& mesh : asset.meshes) {
    for (const MeshPart& part : mesh.parts) {
      touch(part.positions);
      touch(part.normals);
      touch(part.listed_normals.values);
      touch(part.listed_normals.indices);
      touch(part.tangents);
      touch(part.indices);
    }
    for (const MorphTarget& morph : mesh.morphs) {
      for (const MorphTarget::Shape& shape : morph.shapes) {
        for (const Stream& s : shape.positions) touch(s);
        for (const Stream& s : shape.indices) touch(s);
      }
    }
  }
  for (const InfluenceTable& table : asset.influences) {
    for (const InfluenceTable::Set& set : table.sets) {
      touch(set.joints);
      touch(set.weights);
    }
    InfluenceReader reader(table);
    InfluenceBlock block;
    for (int n = 0; n < 64 && reader.next(block); ++n) {
    }
  }
  for (const Clip& clip : asset.clips) {
    for (const Channel& channel : clip.channels) {
      touch(channel.times);
      touch(channel.values);
    }
  }
  for (const Repair& repair : asset.repairs) {
    if (asset.path(repair.element).empty()) std::abort();
  }
}

/// Evaluates what was read: a few clips in the middle, and one vertex through the whole chain.
void pose(const Asset& asset) {
  constexpr std::size_t most_nodes = 4096, most_clips = 3;
  if (asset.nodes.size() > most_nodes) return;
  const auto trace = [&asset](const PoseChoice& choice) {
    if (asset.bindings.empty()) return;
    const PosedBinding posed = pose_binding(asset, 0, BindAnalysis{}, choice);
    const Binding& b = asset.bindings[0];
    for (std::size_t p = 0; p < b.influences.size(); ++p) {
      if (b.influences[p] < 0) continue;
      const InfluenceTable& table = asset.influences[static_cast<std::size_t>(b.influences[p])];
      if (table.empty() || table.vertex_count == 0) continue;
      const VertexTrace t = trace_vertex(asset, posed, p, table.vertex_count / 2, {});
      if (t.part != p) std::abort();
      return;
    }
  };
  trace({});
  trace({PoseChoice::Kind::bind, -1, 0.0});
  for (std::size_t c = 0; c < asset.clips.size() && c < most_clips; ++c) {
    const std::optional<ClipSpan> span = clip_span(asset.clips[c]);
    if (!span) continue;
    const double seconds = 0.5 * span->first + 0.5 * span->last;
    if (world_at_time(asset, asset.clips[c], seconds).size() != asset.nodes.size()) std::abort();
    trace({PoseChoice::Kind::clip, static_cast<std::int32_t>(c), seconds});
  }
}

void read_and_touch(std::vector<std::byte> bytes) {
  ReadOptions options;
  // Small, so that a file that may lawfully ask for a lot does not look like a leak.
  options.limits.max_decoded_bytes = std::uint64_t{64} << 20;
  const OpenCompanion open = [](const std::string&) -> Result<std::shared_ptr<const Source>> {
    return memory_source(std::vector<std::byte>(64));
  };
  const Result<Asset> asset = read_asset(memory_source(std::move(bytes)), open, options);
  if (!asset) {
    if (asset.error().message.empty()) std::abort();
    return;
  }
  const std::string broken = check_invariants(*asset);
  if (!broken.empty()) {
    std::fprintf(stderr, "invariant: %s\n", broken.c_str());
    std::abort();
  }
  touch(*asset);
  pose(*asset);
}

void append(std::vector<std::byte>& out, const void* data, std::size_t size) {
  const auto* p = static_cast<const std::byte*>(data);
  out.insert(out.end(), p, p + size);
}

std::vector<std::byte> frame(const std::string& json, const std::uint8_t* binary,
                             std::size_t binary_size) {
  std::string text = json;
  while (text.size() % 4 != 0) text += ' ';
  std::vector<std::byte> out;
  const auto put = [&out](std::size_t value) {
    const auto v = static_cast<std::uint32_t>(value);
    append(out, &v, sizeof v);
  };
  append(out, "glTF", 4);
  put(2);
  put(28 + text.size() + binary_size);
  put(text.size());
  append(out, "JSON", 4);
  append(out, text.data(), text.size());
  put(binary_size);
  append(out, "BIN\0", 4);
  if (binary_size > 0) append(out, binary, binary_size);
  return out;
}

/// Takes numbers from the front of the input; zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(sizeof value, size_);
    if (n > 0) std::memcpy(&value, data_, n);
    data_ += n;
    size_ -= n;
    return value;
  }
  /// Mostly small, sometimes anything.
  std::string number() {
    const auto kind = take<std::uint8_t>();
    if (kind == 255) return std::to_string(take<std::uint64_t>());
    if (kind == 254) return std::to_string(take<std::uint32_t>());
    if (kind == 253) return "-" + std::to_string(take<std::uint16_t>());
    return std::to_string(kind);
  }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

std::string skinned_document(const std::string& views, const std::string& accessors,
                             const std::string& primitive_extra, std::size_t binary_size) {
  return R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0,"skin":0},{}],)"
         R"("skins":[{"joints":[1],"inverseBindMatrices":0}],"meshes":[{"primitives":[{"attributes":)"
         R"({"POSITION":0,"NORMAL":0,"JOINTS_0":0,"WEIGHTS_0":0},"indices":0,"targets":[{"POSITION":0}])" +
         primitive_extra +
         R"(}]}],"animations":[{"samplers":[{"input":0,"output":0}],"channels":[{"sampler":0,)"
         R"("target":{"node":1,"path":"translation"}}]}],"buffers":[{"byteLength":)" +
         std::to_string(binary_size) + R"(}],"bufferViews":[)" + views + R"(],"accessors":[)" +
         accessors + "]}";
}

constexpr const char* types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "VEC5"};
constexpr const char* components[] = {"5120", "5121", "5122", "5123", "5125", "5126", "5124", "1"};

}  // namespace

int answer(const std::uint8_t* data, std::size_t size) {
  const auto decoded = assimp::decode_answer({reinterpret_cast<const char*>(data), size});
  if (!decoded) return decoded.error().empty() ? 1 : 0;
  for (const ImportedFormat& format : imported_formats()) {
    const Result<Asset> asset = asset_from_answer(format, *decoded, ReadOptions{});
    if (!asset) continue;
    const std::string broken = check_invariants(*asset);
    if (!broken.empty()) {
      std::fprintf(stderr, "invariant: %s\n", broken.c_str());
      std::abort();
    }
    touch(*asset);
  }
  return 0;
}

int document(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  read_and_touch(std::vector<std::byte>(bytes, bytes + size));
  return 0;
}

int glb(const std::uint8_t* data, std::size_t size) {
  if (size >= 4 && std::memcmp(data, "glTF", 4) == 0) return document(data, size);
  Input in(data, size);
  const std::size_t claimed = in.take<std::uint16_t>();
  const std::size_t length = std::min(claimed, in.size());
  read_and_touch(frame(std::string(reinterpret_cast<const char*>(in.data()), length),
                       in.data() + length, in.size() - length));
  return 0;
}

int accessor(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const auto flags = in.take<std::uint8_t>();
  std::string views, accessor;
  for (int i = 0; i < 3; ++i) {
    views += std::string(i > 0 ? "," : "") + R"({"buffer":0,"byteOffset":)" + in.number();
    views += R"(,"byteLength":)" + in.number();
    if ((flags & 1) != 0 && i == 0) views += R"(,"byteStride":)" + in.number();
    views += "}";
  }
  const auto shape = in.take<std::uint8_t>();
  accessor = R"({"count":)" + in.number() + R"(,"byteOffset":)" + in.number() + R"(,"type":")" +
             types[shape & 7] + R"(","componentType":)" + components[(shape >> 3) & 7];
  if ((flags & 2) != 0) accessor += R"(,"bufferView":0)";
  if ((flags & 4) != 0) accessor += R"(,"normalized":true)";
  if ((flags & 8) != 0) {
    accessor += R"(,"sparse":{"count":)" + in.number() +
                R"(,"indices":{"bufferView":1,"componentType":)" +
                components[in.take<std::uint8_t>() & 7] + R"(,"byteOffset":)" + in.number() +
                R"(},"values":{"bufferView":2,"byteOffset":)" + in.number() + "}}";
  }
  accessor += "}";
  read_and_touch(frame(skinned_document(views, accessor, "", in.size()), in.data(), in.size()));
  return 0;
}

int compression(const std::uint8_t* data, std::size_t size) {
  constexpr const char* modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES", "NONE"};
  constexpr const char* filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  Input in(data, size);
  const auto codec = in.take<std::uint8_t>();
  const auto shape = in.take<std::uint8_t>();
  const std::string count = in.number(), stride = in.number();
  const std::string length = std::to_string(in.size());
  std::string view = R"({"buffer":0,"byteLength":)" + length, extra;
  if ((codec & 1) != 0) {
    extra = R"(,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":)"
            R"({"POSITION":0,"NORMAL":1,"JOINTS_0":2,"WEIGHTS_0":3}}})";
  } else {
    view += R"(,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":)" + length +
            R"(,"count":)" + count + R"(,"byteStride":)" + stride + R"(,"mode":")" +
            modes[(codec >> 1) & 3] + R"(","filter":")" + filters[(codec >> 3) & 3] + R"("}})";
  }
  view += "}";
  const std::string accessor = R"({"bufferView":0,"count":)" + count + R"(,"type":")" +
                               types[shape & 7] + R"(","componentType":)" +
                               components[(shape >> 3) & 7] + "}";
  read_and_touch(frame(skinned_document(view, accessor, extra, in.size()), in.data(), in.size()));
  return 0;
}

}  // namespace skinlint::fuzz
