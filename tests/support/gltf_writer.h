#pragma once
// glTF and GLB files made from a rig, clean or as broken as a test needs them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/rig.h"

namespace skinlint::test {

struct GltfWriteOptions : EncodeOptions {
  /// f32, or u16/i16 normalised (KHR_mesh_quantization) for meshes that a skin uses: positions in
  /// the unit cube, decode matrix folded into the inverse bind matrices (which are then always
  /// written), normals i16 normalised, morph offsets i16 normalised. One decode matrix for the
  /// file.
  ComponentType position_type = ComponentType::f32;

  /// Sparse accessors for vertex attributes and morph offsets. without_base: no buffer view,
  /// everything that is not zero is a substitute. with_base: every third element of the base holds
  /// rubbish and is substituted.
  enum class Sparse : std::uint8_t { none, without_base, with_base };
  Sparse sparse = Sparse::none;

  bool interleaved = false;  // attributes of a part in one buffer view

  /// KHR_draco_mesh_compression, sequential and without quantisation: vertices keep order and bits.
  /// Needs indexed parts with float or integer attributes. have_draco() says whether it is built
  /// in.
  bool draco = false;
  /// EXT_meshopt_compression of every vertex and index buffer view, with a fallback buffer that has
  /// no data. Triangles may come back rotated. With `meshopt_exponential` float attributes go
  /// through the EXPONENTIAL filter at 24 bits.
  bool meshopt = false;
  bool meshopt_exponential = false;

  /// Called with the finished document before it is written.
  std::function<void(nlohmann::ordered_json&)> edit_json;
  /// Called with the binary buffer and the document (before edit_json).
  std::function<void(std::vector<std::byte>&, const nlohmann::ordered_json&)> edit_buffer;
};

bool have_draco();
bool have_meshopt();

/// Mesh space of the file to mesh space of the rig: identity unless positions are quantised.
Mat4 rig_from_stored(const Rig& rig, const GltfWriteOptions& options);

/// Throws std::logic_error when the options contradict each other or this build lacks an encoder.
std::vector<std::byte> write_glb(const Rig& rig, const GltfWriteOptions& options = {});

enum class BufferPlace : std::uint8_t { file, data_uri };
struct GltfFiles {
  std::vector<std::byte> gltf;  // JSON, two-space indented
  std::string bin_uri;          // as in the JSON; empty for a data URI
  std::vector<std::byte> bin;
};
GltfFiles write_gltf(const Rig& rig, const GltfWriteOptions& options = {},
                     BufferPlace place = BufferPlace::file,
                     const std::string& bin_uri = "model.bin");

/// RFC 4648 with padding.
std::string base64(const std::vector<std::byte>& bytes);

}  // namespace skinlint::test
