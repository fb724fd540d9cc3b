#include "support/gltf_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "support/gltf_compression.h"
#include "support/rig_layout.h"

namespace skinlint::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr int array_buffer = 34962, element_array_buffer = 34963;

int component_code(ComponentType type) {
  switch (type) {
    case ComponentType::i8:
      return 5120;
    case ComponentType::u8:
      return 5121;
    case ComponentType::i16:
      return 5122;
    case ComponentType::u16:
      return 5123;
    case ComponentType::u32:
      return 5125;
    case ComponentType::f32:
      return 5126;
    case ComponentType::none:
    case ComponentType::i32:
    case ComponentType::i64:
    case ComponentType::f64:
      break;
  }
  throw std::logic_error("glTF has no such component type");
}

const char* type_name(std::uint8_t components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    case 16:
      return "MAT4";
    default:
      throw std::logic_error("glTF has no such element type");
  }
}

std::size_t round_up_4(std::size_t n) { return (n + 3) / 4 * 4; }

bool is_zero(const std::byte* element, std::size_t size) {
  return std::all_of(element, element + size, [](std::byte b) { return b == std::byte{0}; });
}

template <int N>
Json json_array(const Eigen::Matrix<double, N, 1>& v) {
  Json out = Json::array();
  for (int i = 0; i < N; ++i) out.push_back(v[i]);
  return out;
}

std::set<int> skinned_meshes(const Rig& rig) {
  std::set<int> meshes;
  for (const RigInstance& instance : rig.instances)
    if (instance.skin >= 0) meshes.insert(instance.mesh);
  return meshes;
}

class GltfWriter {
 public:
  GltfWriter(const Rig& rig, const GltfWriteOptions& options)
      : rig_(rig),
        options_(options),
        quantised_(options.position_type != ComponentType::f32),
        rig_from_stored_(rig_from_stored(rig, options)) {
    if (options.draco && (options.meshopt || options.interleaved || !options.indexed ||
                          options.sparse != GltfWriteOptions::Sparse::none))
      throw std::logic_error("Draco excludes meshopt, sparse, interleaved and unindexed");
    if (options.meshopt_exponential && options.interleaved)
      throw std::logic_error("the exponential filter needs one attribute to a buffer view");
  }

  void build() {
    document_["asset"] = {{"version", "2.0"}, {"generator", rig_.generator}};
    add_scenes();
    add_nodes();
    add_meshes();
    add_skins();
    add_clips();
    for (const char* key : {"meshes", "skins", "animations", "accessors", "bufferViews"})
      if (document_.contains(key) && document_[key].empty()) document_.erase(key);
    if (quantised_) use_extension("KHR_mesh_quantization");
    if (!extensions_.empty()) {
      document_["extensionsUsed"] = extensions_;
      document_["extensionsRequired"] = extensions_;
    }
  }

  /// `uri` empty: the GLB's own binary chunk. `inline_data`: a data URI instead.
  void finish(const std::string& uri, bool inline_data) {
    if (options_.edit_buffer) options_.edit_buffer(buffer_, document_);
    Json buffers = Json::array();
    if (!buffer_.empty()) {
      Json buffer = {{"byteLength", buffer_.size()}};
      if (inline_data)
        buffer["uri"] = "data:application/octet-stream;base64," + base64(buffer_);
      else if (!uri.empty())
        buffer["uri"] = uri;
      buffers.push_back(std::move(buffer));
    }
    if (fallback_bytes_ > 0)
      buffers.push_back({{"byteLength", fallback_bytes_},
                         {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}});
    if (!buffers.empty()) document_["buffers"] = std::move(buffers);
    if (options_.edit_json) options_.edit_json(document_);
  }

  const Json& document() const { return document_; }
  std::vector<std::byte>& buffer() { return buffer_; }

 private:
  void use_extension(const std::string& name) {
    if (std::find(extensions_.begin(), extensions_.end(), name) == extensions_.end())
      extensions_.push_back(name);
  }

  std::size_t append(const std::vector<std::byte>& bytes) {
    buffer_.resize(round_up_4(buffer_.size()));
    const std::size_t at = buffer_.size();
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return at;
  }

  /// `stride` 0: tightly packed, not vertex data.
  std::size_t add_view(const std::vector<std::byte>& bytes, std::size_t stride, int target) {
    Json view = {{"buffer", 0}, {"byteOffset", append(bytes)}, {"byteLength", bytes.size()}};
    if (stride > 0) view["byteStride"] = stride;
    if (target > 0) view["target"] = target;
    document_["bufferViews"].push_back(std::move(view));
    return document_["bufferViews"].size() - 1;
  }

  /// Stands in a fallback buffer that has no bytes; the data are in the extension's own range.
  std::size_t add_meshopt_view(const std::vector<std::byte>& encoded, std::size_t decoded_bytes,
                               std::size_t stride, const char* mode, const char* filter,
                               int target) {
    use_extension("EXT_meshopt_compression");
    Json compressed = {
        {"buffer", 0},          {"byteOffset", append(encoded)},   {"byteLength", encoded.size()},
        {"byteStride", stride}, {"count", decoded_bytes / stride}, {"mode", mode}};
    if (filter != nullptr) compressed["filter"] = filter;
    Json view = {{"buffer", 1}, {"byteOffset", fallback_bytes_}, {"byteLength", decoded_bytes}};
    if (target == array_buffer) view["byteStride"] = stride;
    view["target"] = target;
    view["extensions"] = {{"EXT_meshopt_compression", std::move(compressed)}};
    fallback_bytes_ += round_up_4(decoded_bytes);
    document_["bufferViews"].push_back(std::move(view));
    return document_["bufferViews"].size() - 1;
  }

  Json accessor_of(const PackedArray& array) {
    Json accessor = {{"componentType", component_code(array.type)}, {"count", array.count}};
    if (array.normalized) accessor["normalized"] = true;
    accessor["type"] = type_name(array.components);
    return accessor;
  }

  /// min and max of finite values, as POSITION and animation times must have them.
  static void add_bounds(Json& accessor, const PackedArray& array) {
    Json low = Json::array(), high = Json::array();
    Stream stream;
    stream.data = array.bytes.data();
    stream.count = array.count;
    stream.stride = array.element_bytes();
    stream.type = array.type;
    stream.components = array.components;
    std::vector<double> values(array.count * array.components);
    read_values(stream, 0, array.count, values.data());
    for (std::size_t c = 0; c < array.components; ++c) {
      double a = std::numeric_limits<double>::infinity(), b = -a;
      for (std::size_t i = 0; i < array.count; ++i) {
        const double v = values[i * array.components + c];
        if (!std::isfinite(v)) continue;
        a = std::min(a, v);
        b = std::max(b, v);
      }
      low.push_back(a <= b ? a : 0.0);
      high.push_back(a <= b ? b : 0.0);
    }
    accessor["min"] = std::move(low);
    accessor["max"] = std::move(high);
  }

  std::size_t push_accessor(Json accessor) {
    document_["accessors"].push_back(std::move(accessor));
    return document_["accessors"].size() - 1;
  }

  /// Data that are no vertex attribute: matrices, keys.
  std::size_t add_plain(const PackedArray& array, bool bounds) {
    Json accessor = accessor_of(array);
    accessor["bufferView"] = add_view(array.bytes, 0, 0);
    if (bounds) add_bounds(accessor, array);
    return push_accessor(std::move(accessor));
  }

  /// Spoils or drops the base and gives what restores it; empty when the array needs nothing.
  Json make_sparse(PackedArray& base, bool& needs_view) {
    using Sparse = GltfWriteOptions::Sparse;
    const bool with_base = options_.sparse == Sparse::with_base;
    const std::size_t size = base.element_bytes();
    PackedArray values = base;
    values.bytes.clear();
    std::vector<double> indices;
    for (std::size_t i = 0; i < base.count; ++i) {
      std::byte* element = base.bytes.data() + i * size;
      if (with_base ? i % 3 != 0 : is_zero(element, size)) continue;
      indices.push_back(static_cast<double>(i));
      values.bytes.insert(values.bytes.end(), element, element + size);
      std::fill(element, element + size, std::byte{0x3d});
    }
    needs_view = with_base;
    if (indices.empty()) return {};
    const PackedArray packed =
        pack(indices, base.count <= 65536 ? ComponentType::u16 : ComponentType::u32, 1);
    Json sparse = {{"count", indices.size()}};
    sparse["indices"] = {{"bufferView", add_view(packed.bytes, 0, 0)},
                         {"componentType", component_code(packed.type)}};
    sparse["values"] = {{"bufferView", add_view(values.bytes, 0, 0)}};
    return sparse;
  }

  /// Vertex attributes of one part, each in its own view or all in one. Returns accessor indices.
  std::vector<std::size_t> add_attributes(const std::vector<NamedArray>& attributes) {
    std::vector<Json> accessors;
    std::vector<PackedArray> arrays;
    std::vector<bool> viewed;
    for (const NamedArray& attribute : attributes) {
      Json accessor = accessor_of(attribute.array);
      if (attribute.name == "POSITION") add_bounds(accessor, attribute.array);
      PackedArray array = attribute.array;
      bool needs_view = true;
      if (options_.sparse != GltfWriteOptions::Sparse::none) {
        Json sparse = make_sparse(array, needs_view);
        if (!sparse.is_null()) accessor["sparse"] = std::move(sparse);
      }
      accessors.push_back(std::move(accessor));
      arrays.push_back(std::move(array));
      viewed.push_back(needs_view);
    }
    if (options_.interleaved) {
      interleave(arrays, viewed, accessors);
    } else {
      for (std::size_t a = 0; a < arrays.size(); ++a)
        if (viewed[a]) accessors[a]["bufferView"] = add_vertex_view(arrays[a]);
    }
    std::vector<std::size_t> indices;
    for (Json& accessor : accessors) indices.push_back(push_accessor(std::move(accessor)));
    return indices;
  }

  static void copy_strided(const PackedArray& array, std::byte* to, std::size_t stride) {
    const std::size_t size = array.element_bytes();
    for (std::size_t i = 0; i < array.count; ++i)
      std::memcpy(to + i * stride, array.bytes.data() + i * size, size);
  }

  std::size_t add_vertex_view(const PackedArray& array) {
    const std::size_t stride = round_up_4(array.element_bytes());
    std::vector<std::byte> bytes(array.count * stride);
    copy_strided(array, bytes.data(), stride);
    return add_strided_view(bytes, stride, array.type == ComponentType::f32);
  }

  std::size_t add_strided_view(const std::vector<std::byte>& bytes, std::size_t stride,
                               bool floats) {
    if (!options_.meshopt) return add_view(bytes, stride, array_buffer);
    const bool filtered = options_.meshopt_exponential && floats;
    const std::vector<std::byte> encoded = encode_meshopt_vertices(
        filtered ? filter_meshopt_exponential(bytes, stride) : bytes, stride);
    return add_meshopt_view(encoded, bytes.size(), stride, "ATTRIBUTES",
                            filtered ? "EXPONENTIAL" : nullptr, array_buffer);
  }

  void interleave(const std::vector<PackedArray>& arrays, const std::vector<bool>& viewed,
                  std::vector<Json>& accessors) {
    std::size_t stride = 0, count = 0;
    std::vector<std::size_t> offsets;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      offsets.push_back(stride);
      if (viewed[a]) stride += round_up_4(arrays[a].element_bytes());
      count = arrays[a].count;
    }
    if (stride == 0) return;
    std::vector<std::byte> bytes(stride * count);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      if (viewed[a]) copy_strided(arrays[a], bytes.data() + offsets[a], stride);
    const std::size_t view = add_strided_view(bytes, stride, false);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      if (viewed[a]) {
        accessors[a]["bufferView"] = view;
        accessors[a]["byteOffset"] = offsets[a];
      }
  }

  std::size_t add_indices(const std::vector<std::uint32_t>& triangles, std::size_t vertices) {
    const PackedArray array = pack_indices(triangles, vertices);
    Json accessor = accessor_of(array);
    if (options_.meshopt)
      accessor["bufferView"] =
          add_meshopt_view(encode_meshopt_triangles(triangles, vertices), array.bytes.size(),
                           array.element_bytes(), "TRIANGLES", nullptr, element_array_buffer);
    else
      accessor["bufferView"] = add_view(array.bytes, 0, element_array_buffer);
    return push_accessor(std::move(accessor));
  }

  void add_scenes() {
    document_["scene"] = 0;
    for (const std::vector<int>& roots : scenes_of(rig_))
      document_["scenes"].push_back({{"nodes", roots}});
  }

  void add_nodes() {
    for (std::size_t i = 0; i < rig_.nodes.size(); ++i) {
      const RigNode& from = rig_.nodes[i];
      Json node = Json::object();
      if (!from.name.empty()) node["name"] = from.name;
      if (from.matrix) {
        node["matrix"] = json_array<16>(from.matrix->reshaped());
      } else {
        if (from.translation != Vec3::Zero()) node["translation"] = json_array<3>(from.translation);
        if (from.rotation != Vec4(0, 0, 0, 1)) node["rotation"] = json_array<4>(from.rotation);
        if (from.scale != Vec3::Ones()) node["scale"] = json_array<3>(from.scale);
      }
      Json children = Json::array();
      for (std::size_t c = 0; c < rig_.nodes.size(); ++c)
        if (rig_.nodes[c].parent == static_cast<int>(i)) children.push_back(c);
      if (!children.empty()) node["children"] = std::move(children);
      for (const RigInstance& instance : rig_.instances) {
        if (instance.node != static_cast<int>(i)) continue;
        node["mesh"] = instance.mesh;
        if (instance.skin >= 0) node["skin"] = instance.skin;
      }
      document_["nodes"].push_back(std::move(node));
    }
  }

  void add_meshes() {
    const std::set<int> skinned = skinned_meshes(rig_);
    for (std::size_t m = 0; m < rig_.meshes.size(); ++m) {
      const RigMesh& from = rig_.meshes[m];
      const bool quantise = quantised_ && skinned.count(static_cast<int>(m)) > 0;
      Json mesh = Json::object();
      if (!from.name.empty()) mesh["name"] = from.name;
      mesh["primitives"] = Json::array();
      for (const RigPart& part : from.parts) mesh["primitives"].push_back(add_part(part, quantise));
      if (!from.parts.empty() && !from.parts[0].morphs.empty()) {
        Json weights = Json::array(), names = Json::array();
        for (const RigMorph& morph : from.parts[0].morphs) {
          weights.push_back(morph.default_weight);
          names.push_back(morph.name);
        }
        mesh["weights"] = std::move(weights);
        mesh["extras"] = {{"targetNames", std::move(names)}};
      }
      document_["meshes"].push_back(std::move(mesh));
    }
  }

  PackedArray pack_positions(const std::vector<Vec3>& positions, bool quantise) const {
    if (!quantise) return pack(positions);
    const Mat4 stored_from_rig = rig_from_stored_.inverse();
    std::vector<double> values;
    for (const Vec3& p : positions) {
      const Vec3 q = transform_point(stored_from_rig, p);
      values.insert(values.end(), q.data(), q.data() + 3);
    }
    return pack(values, options_.position_type, 3, true);
  }

  PackedArray pack_offsets(const std::vector<Vec3>& offsets, bool quantise) const {
    if (!quantise) return pack(offsets);
    std::vector<double> values;
    for (const Vec3& offset : offsets)
      for (int i = 0; i < 3; ++i) values.push_back(offset[i] / rig_from_stored_(0, 0));
    return pack(values, ComponentType::i16, 3, true);
  }

  Json add_part(const RigPart& rig_part, bool quantise) {
    const PackedPart packed = pack_part(rig_part, options_);
    const RigPart& part = packed.part;
    std::vector<NamedArray> attributes;
    attributes.push_back({"POSITION", pack_positions(part.positions, quantise)});
    if (!part.normals.empty()) {
      std::vector<double> flat;
      for (const Vec3& n : part.normals) flat.insert(flat.end(), n.data(), n.data() + 3);
      attributes.push_back(
          {"NORMAL", quantise ? pack(flat, ComponentType::i16, 3, true) : pack(part.normals)});
    }
    if (!part.tangents.empty()) attributes.push_back({"TANGENT", pack(part.tangents)});
    for (std::size_t s = 0; s < packed.sets.size(); ++s) {
      attributes.push_back({"JOINTS_" + std::to_string(s), packed.sets[s].joints});
      attributes.push_back({"WEIGHTS_" + std::to_string(s), packed.sets[s].weights});
    }

    Json primitive = {{"attributes", Json::object()}};
    if (options_.draco) {
      add_draco(primitive, attributes, part);
    } else {
      const std::vector<std::size_t> accessors = add_attributes(attributes);
      for (std::size_t a = 0; a < attributes.size(); ++a)
        primitive["attributes"][attributes[a].name] = accessors[a];
      if (options_.indexed && !part.triangles.empty())
        primitive["indices"] = add_indices(part.triangles, part.positions.size());
    }
    for (const RigMorph& morph : part.morphs) {
      const auto accessors = add_attributes({{"POSITION", pack_offsets(morph.offsets, quantise)}});
      primitive["targets"].push_back({{"POSITION", accessors[0]}});
    }
    return primitive;
  }

  void add_draco(Json& primitive, const std::vector<NamedArray>& attributes, const RigPart& part) {
    use_extension("KHR_draco_mesh_compression");
    const DracoMesh encoded = encode_draco(attributes, part.triangles);
    Json ids = Json::object();
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      Json accessor = accessor_of(attributes[a].array);
      if (attributes[a].name == "POSITION") add_bounds(accessor, attributes[a].array);
      primitive["attributes"][attributes[a].name] = push_accessor(std::move(accessor));
      ids[attributes[a].name] = encoded.unique_ids[a];
    }
    primitive["indices"] =
        push_accessor(accessor_of(pack_indices(part.triangles, part.positions.size())));
    primitive["extensions"]["KHR_draco_mesh_compression"] = {
        {"bufferView", add_view(encoded.bytes, 0, 0)}, {"attributes", std::move(ids)}};
  }

  void add_skins() {
    for (const RigSkin& from : rig_.skins) {
      Json skin = Json::object();
      if (!from.name.empty()) skin["name"] = from.name;
      skin["joints"] = from.joints;
      if (from.skeleton) skin["skeleton"] = *from.skeleton;
      std::vector<Mat4> matrices;
      if (from.joint_from_mesh)
        matrices = *from.joint_from_mesh;
      else if (quantised_)
        matrices.assign(from.joints.size(), Mat4::Identity());
      if (quantised_)
        for (Mat4& m : matrices) m = m * rig_from_stored_;
      if (!matrices.empty()) skin["inverseBindMatrices"] = add_plain(pack(matrices), false);
      document_["skins"].push_back(std::move(skin));
    }
  }

  void add_clips() {
    for (const RigClip& from : rig_.clips) {
      Json clip = Json::object();
      if (!from.name.empty()) clip["name"] = from.name;
      clip["channels"] = Json::array();
      clip["samplers"] = Json::array();
      for (const RigChannel& channel : from.channels) {
        static constexpr const char* paths[] = {"translation", "rotation", "scale", "weights",
                                                "pointer"};
        static constexpr const char* interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
        const std::uint8_t components = channel.path == ChannelPath::rotation  ? 4
                                        : channel.path == ChannelPath::weights ? 1
                                                                               : 3;
        const std::size_t input = add_plain(pack(channel.times, ComponentType::f32, 1), true);
        const std::size_t output =
            add_plain(pack(channel.values, ComponentType::f32, components), false);
        clip["channels"].push_back(
            {{"sampler", clip["samplers"].size()},
             {"target",
              {{"node", channel.node}, {"path", paths[static_cast<std::size_t>(channel.path)]}}}});
        clip["samplers"].push_back(
            {{"input", input},
             {"output", output},
             {"interpolation", interpolations[static_cast<std::size_t>(channel.interpolation)]}});
      }
      document_["animations"].push_back(std::move(clip));
    }
  }

  const Rig& rig_;
  const GltfWriteOptions& options_;
  bool quantised_;
  Mat4 rig_from_stored_;
  Json document_ = {{"asset", nullptr},
                    {"scene", 0},
                    {"scenes", Json::array()},
                    {"nodes", Json::array()},
                    {"meshes", Json::array()},
                    {"skins", Json::array()},
                    {"animations", Json::array()},
                    {"accessors", Json::array()},
                    {"bufferViews", Json::array()}};
  std::vector<std::byte> buffer_;
  std::size_t fallback_bytes_ = 0;
  std::vector<std::string> extensions_;
};

std::vector<std::byte> to_bytes(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

void append_u32(std::vector<std::byte>& bytes, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::byte>((value >> shift) & 0xff));
}

}  // namespace

Mat4 rig_from_stored(const Rig& rig, const GltfWriteOptions& options) {
  Mat4 m = Mat4::Identity();
  if (options.position_type == ComponentType::f32) return m;
  if (options.position_type != ComponentType::u16 && options.position_type != ComponentType::i16)
    throw std::logic_error("positions are f32, u16 or i16");
  Box box;
  for (const int mesh : skinned_meshes(rig))
    for (const RigPart& part : rig.meshes.at(static_cast<std::size_t>(mesh)).parts)
      for (const Vec3& p : part.positions) box.extend(p);
  const double size = box.isEmpty() ? 1.0 : std::max(box.sizes().maxCoeff(), 1e-9);
  const bool is_signed = options.position_type == ComponentType::i16;  // [-1, 1] instead of [0, 1]
  m.topLeftCorner<3, 3>() *= is_signed ? size / 2 : size;
  if (!box.isEmpty()) m.topRightCorner<3, 1>() = is_signed ? Vec3(box.center()) : Vec3(box.min());
  return m;
}

std::vector<std::byte> write_glb(const Rig& rig, const GltfWriteOptions& options) {
  GltfWriter writer(rig, options);
  writer.build();
  writer.finish("", false);
  std::string text = writer.document().dump();
  text.resize(round_up_4(text.size()), ' ');
  std::vector<std::byte>& bin = writer.buffer();
  bin.resize(round_up_4(bin.size()));
  std::vector<std::byte> glb;
  const std::size_t total = 12 + 8 + text.size() + (bin.empty() ? 0 : 8 + bin.size());
  append_u32(glb, 0x46546c67);  // "glTF"
  append_u32(glb, 2);
  append_u32(glb, total);
  append_u32(glb, text.size());
  append_u32(glb, 0x4e4f534a);  // "JSON"
  const std::vector<std::byte> json = to_bytes(text);
  glb.insert(glb.end(), json.begin(), json.end());
  if (!bin.empty()) {
    append_u32(glb, bin.size());
    append_u32(glb, 0x004e4942);  // "BIN"
    glb.insert(glb.end(), bin.begin(), bin.end());
  }
  return glb;
}

GltfFiles write_gltf(const Rig& rig, const GltfWriteOptions& options, BufferPlace place,
                     const std::string& bin_uri) {
  GltfWriter writer(rig, options);
  writer.build();
  writer.finish(bin_uri, place == BufferPlace::data_uri);
  GltfFiles files;
  if (place == BufferPlace::file) {
    files.bin_uri = bin_uri;
    files.bin = writer.buffer();
  }
  files.gltf = to_bytes(writer.document().dump(2) + "\n");
  return files;
}

std::string base64(const std::vector<std::byte>& bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < n ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= n ? digits[(group >> (18 - 6 * k)) & 63] : '=');
  }
  return out;
}

}  // namespace skinlint::test
