#pragma once
// The encoders of the compressed glTF extensions, for tests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/rig_layout.h"

namespace skinlint::test {

struct NamedArray {
  std::string name;  // POSITION, JOINTS_0 ...
  PackedArray array;
};

struct DracoMesh {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> unique_ids;  // parallel to the attributes
};
/// Sequential encoding without quantisation. Throws std::logic_error when not built in or when the
/// encoder refuses.
DracoMesh encode_draco(const std::vector<NamedArray>& attributes,
                       const std::vector<std::uint32_t>& triangles);

/// `vertices` holds count * stride bytes; stride a multiple of 4, at most 256.
std::vector<std::byte> encode_meshopt_vertices(const std::vector<std::byte>& vertices,
                                               std::size_t stride);
std::vector<std::byte> encode_meshopt_triangles(const std::vector<std::uint32_t>& triangles,
                                                std::size_t vertex_count);
/// Float vectors of `stride` bytes to the EXPONENTIAL filter's input for the vertex codec.
std::vector<std::byte> filter_meshopt_exponential(const std::vector<std::byte>& vertices,
                                                  std::size_t stride);

}  // namespace skinlint::test
