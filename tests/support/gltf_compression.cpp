#include "support/gltf_compression.h"

#include <stdexcept>

#include "support/gltf_writer.h"

#if SKINLINT_HAVE_DRACO
#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>
#endif
#if SKINLINT_HAVE_MESHOPT
#include <meshoptimizer.h>
#endif

namespace skinlint::test {

bool have_draco() { return SKINLINT_HAVE_DRACO != 0; }
bool have_meshopt() { return SKINLINT_HAVE_MESHOPT != 0; }

#if SKINLINT_HAVE_DRACO
namespace {

draco::DataType draco_type(ComponentType type) {
  switch (type) {
    case ComponentType::i8:
      return draco::DT_INT8;
    case ComponentType::u8:
      return draco::DT_UINT8;
    case ComponentType::i16:
      return draco::DT_INT16;
    case ComponentType::u16:
      return draco::DT_UINT16;
    case ComponentType::u32:
      return draco::DT_UINT32;
    case ComponentType::f32:
      return draco::DT_FLOAT32;
    case ComponentType::none:
    case ComponentType::i32:
    case ComponentType::i64:
    case ComponentType::f64:
      break;
  }
  throw std::logic_error("draco: not a glTF component type");
}

draco::GeometryAttribute::Type draco_semantic(const std::string& name) {
  if (name == "POSITION") return draco::GeometryAttribute::POSITION;
  if (name == "NORMAL") return draco::GeometryAttribute::NORMAL;
  return draco::GeometryAttribute::GENERIC;
}

}  // namespace

DracoMesh encode_draco(const std::vector<NamedArray>& attributes,
                       const std::vector<std::uint32_t>& triangles) {
  draco::Mesh mesh;
  const std::size_t vertices = attributes.at(0).array.count;
  mesh.set_num_points(static_cast<std::uint32_t>(vertices));
  mesh.SetNumFaces(triangles.size() / 3);
  for (std::size_t f = 0; f < triangles.size() / 3; ++f)
    mesh.SetFace(draco::FaceIndex(static_cast<std::uint32_t>(f)),
                 {draco::PointIndex(triangles[3 * f]), draco::PointIndex(triangles[3 * f + 1]),
                  draco::PointIndex(triangles[3 * f + 2])});
  DracoMesh encoded;
  for (const NamedArray& attribute : attributes) {
    const PackedArray& array = attribute.array;
    draco::GeometryAttribute description;
    description.Init(draco_semantic(attribute.name), nullptr, array.components,
                     draco_type(array.type), array.normalized,
                     static_cast<std::int64_t>(array.element_bytes()), 0);
    const int id = mesh.AddAttribute(description, true, static_cast<std::uint32_t>(vertices));
    for (std::size_t v = 0; v < vertices; ++v)
      mesh.attribute(id)->SetAttributeValue(
          draco::AttributeValueIndex(static_cast<std::uint32_t>(v)),
          array.bytes.data() + v * array.element_bytes());
    encoded.unique_ids.push_back(mesh.attribute(id)->unique_id());
  }
  draco::ExpertEncoder encoder(mesh);
  encoder.SetEncodingMethod(draco::MESH_SEQUENTIAL_ENCODING);
  draco::EncoderBuffer buffer;
  const draco::Status status = encoder.EncodeToBuffer(&buffer);
  if (!status.ok()) throw std::logic_error("draco: " + status.error_msg_string());
  const auto* data = reinterpret_cast<const std::byte*>(buffer.data());
  encoded.bytes.assign(data, data + buffer.size());
  return encoded;
}
#else
DracoMesh encode_draco(const std::vector<NamedArray>&, const std::vector<std::uint32_t>&) {
  throw std::logic_error("this build has no Draco");
}
#endif

#if SKINLINT_HAVE_MESHOPT
std::vector<std::byte> encode_meshopt_vertices(const std::vector<std::byte>& vertices,
                                               std::size_t stride) {
  const std::size_t count = vertices.size() / stride;
  std::vector<std::byte> out(meshopt_encodeVertexBufferBound(count, stride));
  out.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                                        vertices.data(), count, stride));
  return out;
}

std::vector<std::byte> encode_meshopt_triangles(const std::vector<std::uint32_t>& triangles,
                                                std::size_t vertex_count) {
  std::vector<std::byte> out(meshopt_encodeIndexBufferBound(triangles.size(), vertex_count));
  out.resize(meshopt_encodeIndexBuffer(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                                       triangles.data(), triangles.size()));
  return out;
}

std::vector<std::byte> filter_meshopt_exponential(const std::vector<std::byte>& vertices,
                                                  std::size_t stride) {
  std::vector<std::byte> out(vertices.size());
  meshopt_encodeFilterExp(out.data(), vertices.size() / stride, stride, 24,
                          reinterpret_cast<const float*>(vertices.data()));
  return out;
}
#else
std::vector<std::byte> encode_meshopt_vertices(const std::vector<std::byte>&, std::size_t) {
  throw std::logic_error("this build has no meshoptimizer");
}
std::vector<std::byte> encode_meshopt_triangles(const std::vector<std::uint32_t>&, std::size_t) {
  throw std::logic_error("this build has no meshoptimizer");
}
std::vector<std::byte> filter_meshopt_exponential(const std::vector<std::byte>&, std::size_t) {
  throw std::logic_error("this build has no meshoptimizer");
}
#endif

}  // namespace skinlint::test
