// KHR_draco_mesh_compression, by libdraco.

#include "readers/gltf_compression.h"

#if SKINLINT_HAVE_DRACO
#include <cstring>

#include <draco/compression/decode.h>
#include <draco/core/draco_version.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>
#endif

namespace skinlint {

#if SKINLINT_HAVE_DRACO

namespace {

using Decoded = Result<std::shared_ptr<DecodedBlock>, std::string>;

struct DracoClaims {
  std::uint64_t points = 0, faces = 0;
};

template <class T>
bool read_count(draco::DecoderBuffer& buffer, bool varint, std::uint64_t& out) {
  T value = 0;
  if (!(varint ? draco::DecodeVarint(&value, &buffer) : buffer.Decode(&value))) return false;
  out = value;
  return true;
}

/// Reads the counts that the decoder would allocate for, without decoding (Draco bitstream 2.2,
/// sections "Draco header", "Sequential connectivity", "Edgebreaker connectivity").
std::optional<DracoClaims> peek_claims(std::span<const std::byte> bytes) {
  constexpr std::size_t header = 11;
  if (bytes.size() < header) return std::nullopt;
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  if (std::string_view(reinterpret_cast<const char*>(bytes.data()), 5) != "DRACO")
    return std::nullopt;
  const unsigned version = at(5) << 8 | at(6);
  const unsigned method = at(8);
  const unsigned flags = at(9) | at(10) << 8;
  if (at(7) != draco::TRIANGULAR_MESH) return std::nullopt;
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()) + header, bytes.size() - header,
              static_cast<std::uint16_t>(version));
  if (version >= 0x0103 && (flags & METADATA_FLAG_MASK) != 0) {
    draco::GeometryMetadata metadata;
    if (!draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &metadata)) return std::nullopt;
  }
  const bool varint = version >= 0x0202;
  DracoClaims claims;
  if (method == draco::MESH_SEQUENTIAL_ENCODING) {
    if (!read_count<std::uint32_t>(buffer, varint, claims.faces)) return std::nullopt;
    if (!read_count<std::uint32_t>(buffer, varint, claims.points)) return std::nullopt;
    return claims;
  }
  if (method != draco::MESH_EDGEBREAKER_ENCODING) return std::nullopt;
  std::uint8_t traversal = 0;
  if (!buffer.Decode(&traversal)) return std::nullopt;
  std::uint64_t new_vertices = 0;
  if (version < 0x0202 && !read_count<std::uint32_t>(buffer, version >= 0x0200, new_vertices))
    return std::nullopt;
  const bool edge_varint = version >= 0x0200;
  if (!read_count<std::uint32_t>(buffer, edge_varint, claims.points)) return std::nullopt;
  if (!read_count<std::uint32_t>(buffer, edge_varint, claims.faces)) return std::nullopt;
  return claims;
}

/// Working memory that the decoder takes per face (corner tables, traversal) and per point, rounded
/// up from measurements.
constexpr std::uint64_t bytes_per_face = 160, bytes_per_point = 160;
/// Real meshes expand by up to some tens; beyond this a stream is made to exhaust memory.
constexpr std::uint64_t most_expansion = 1024, always_allowed = std::uint64_t{32} << 20;

template <class T>
constexpr draco::DataType draco_type() {
  if (std::is_same_v<T, std::int8_t>) return draco::DT_INT8;
  if (std::is_same_v<T, std::uint8_t>) return draco::DT_UINT8;
  if (std::is_same_v<T, std::int16_t>) return draco::DT_INT16;
  if (std::is_same_v<T, std::uint16_t>) return draco::DT_UINT16;
  if (std::is_same_v<T, std::int32_t>) return draco::DT_INT32;
  if (std::is_same_v<T, std::uint32_t>) return draco::DT_UINT32;
  return draco::DT_FLOAT32;
}

class LibraryMesh : public DracoMesh {
 public:
  explicit LibraryMesh(std::unique_ptr<draco::Mesh> mesh) : mesh_(std::move(mesh)) {}
  std::uint64_t point_count() const override { return mesh_->num_points(); }
  std::uint64_t index_count() const override { return std::uint64_t{mesh_->num_faces()} * 3; }

  Decoded attribute(std::uint32_t unique_id, ComponentType type, std::uint8_t components,
                    Allowance& decoded) const override {
    const draco::PointAttribute* attribute = mesh_->GetAttributeByUniqueId(unique_id);
    if (attribute == nullptr)
      return "the Draco data have no attribute " + std::to_string(unique_id);
    if (attribute->num_components() != components) {
      return "the Draco attribute " + std::to_string(unique_id) + " has " +
             std::to_string(attribute->num_components()) + " components instead of " +
             std::to_string(components);
    }
    switch (type) {
      case ComponentType::i8:
        return convert<std::int8_t>(*attribute, decoded);
      case ComponentType::u8:
        return convert<std::uint8_t>(*attribute, decoded);
      case ComponentType::i16:
        return convert<std::int16_t>(*attribute, decoded);
      case ComponentType::u16:
        return convert<std::uint16_t>(*attribute, decoded);
      case ComponentType::i32:
        return convert<std::int32_t>(*attribute, decoded);
      case ComponentType::u32:
        return convert<std::uint32_t>(*attribute, decoded);
      case ComponentType::f32:
        return convert<float>(*attribute, decoded);
      case ComponentType::none:
      case ComponentType::i64:
      case ComponentType::f64:
        break;
    }
    return std::string("the accessor's component type cannot be decoded to");
  }

  Decoded indices(Allowance& decoded) const override {
    const std::uint64_t count = index_count();
    std::shared_ptr<DecodedBlock> block = room(count * sizeof(std::uint32_t), decoded);
    if (block == nullptr) return std::string("the decoded indices are beyond the memory limit");
    auto* out = reinterpret_cast<std::uint32_t*>(block->data());
    for (draco::FaceIndex f(0); f < mesh_->num_faces(); ++f) {
      for (const draco::PointIndex& p : mesh_->face(f)) *out++ = p.value();
    }
    return block;
  }

 private:
  static std::shared_ptr<DecodedBlock> room(std::uint64_t size, Allowance& decoded) {
    return decoded.spend(size) ? DecodedBlock::make(size) : nullptr;
  }

  template <class T>
  Decoded convert(const draco::PointAttribute& attribute, Allowance& decoded) const {
    const std::uint64_t points = mesh_->num_points();
    const auto components = static_cast<std::uint64_t>(attribute.num_components());
    std::shared_ptr<DecodedBlock> block = room(points * components * sizeof(T), decoded);
    if (block == nullptr) return std::string("the decoded values are beyond the memory limit");
    auto* out = reinterpret_cast<T*>(block->data());
    const bool same_type = attribute.data_type() == draco_type<T>();
    const std::size_t bytes = components * sizeof(T);
    for (draco::PointIndex p(0); p < mesh_->num_points(); ++p, out += components) {
      const draco::AttributeValueIndex value = attribute.mapped_index(p);
      bool good = value.value() < attribute.size();
      if (good && same_type) {
        const std::uint8_t* from = attribute.GetAddress(value);
        good = attribute.IsAddressValid(from + bytes - 1);
        if (good) std::memcpy(out, from, bytes);
      } else if (good) {
        good = attribute.ConvertValue<T>(value, out);
      }
      if (!good) {
        return "point " + std::to_string(p.value()) +
               " has a value that the accessor's type cannot hold";
      }
    }
    return block;
  }

  std::unique_ptr<draco::Mesh> mesh_;
};

}  // namespace

bool have_draco() { return true; }
std::string draco_version() { return draco::kDracoVersion; }

Result<std::shared_ptr<const DracoMesh>, std::string> decode_draco(std::span<const std::byte> bytes,
                                                                   Allowance& decoded) {
  const std::optional<DracoClaims> claims = peek_claims(bytes);
  if (!claims) return std::string("not a Draco mesh");
  const std::uint64_t memory = claims->points * bytes_per_point + claims->faces * bytes_per_face;
  if (memory > always_allowed && memory / most_expansion > bytes.size()) {
    return std::to_string(bytes.size()) + " bytes claim " + std::to_string(claims->points) +
           " points and " + std::to_string(claims->faces) + " faces";
  }
  if (!decoded.spend(memory)) return std::string("the decoded mesh is beyond the memory limit");
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::Decoder decoder;
  draco::StatusOr<std::unique_ptr<draco::Mesh>> mesh = decoder.DecodeMeshFromBuffer(&buffer);
  if (!mesh.ok()) return "Draco: " + mesh.status().error_msg_string();
  return std::shared_ptr<const DracoMesh>(std::make_shared<LibraryMesh>(std::move(mesh).value()));
}

#else

bool have_draco() { return false; }
std::string draco_version() { return {}; }
Result<std::shared_ptr<const DracoMesh>, std::string> decode_draco(std::span<const std::byte>,
                                                                   Allowance&) {
  return std::string("this build has no Draco decoder");
}

#endif

}  // namespace skinlint
