#pragma once
// Compressed glTF data: EXT_meshopt_compression (buffer views) and KHR_draco_mesh_compression
// (primitives). The codecs are libraries; here is what must hold before they are let loose.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/stream.h"
#include "readers/repair_log.h"
#include "readers/source.h"

namespace skinlint {

/// This build can decode it.
bool have_draco();
bool have_meshopt();
/// "1.5.5"; empty when not built in.
std::string draco_version();
std::string meshopt_version();

/// One compressed buffer view as the extension declares it.
struct MeshoptStream {
  std::string_view mode,
      filter;  // ATTRIBUTES TRIANGLES INDICES; NONE OCTAHEDRAL QUATERNION EXPONENTIAL
  std::uint64_t count = 0, stride = 0;
  std::span<const std::byte> bytes;
};

/// Decodes count * stride bytes. The claim is checked against what the codec can possibly expand to
/// before anything is allocated. Errors are one sentence.
Result<std::shared_ptr<DecodedBlock>, std::string> decode_meshopt_stream(
    const MeshoptStream& stream, Allowance& decoded);

/// A decoded Draco mesh; attributes are converted to plain arrays on demand.
class DracoMesh {
 public:
  virtual ~DracoMesh() = default;
  virtual std::uint64_t point_count() const = 0;
  virtual std::uint64_t index_count() const = 0;
  /// The attribute of this unique id, `components` values of `type` per point, tightly packed.
  /// Errors: no such attribute, a value that the type cannot hold, too large.
  virtual Result<std::shared_ptr<DecodedBlock>, std::string> attribute(
      std::uint32_t unique_id, ComponentType type, std::uint8_t components,
      Allowance& decoded) const = 0;
  /// Triangle vertex indices as 32-bit integers.
  virtual Result<std::shared_ptr<DecodedBlock>, std::string> indices(Allowance& decoded) const = 0;
};

/// Decodes a mesh. Its claims (points, faces) are read from its header first and held against the
/// allowance and the size of the data. Errors are one sentence.
Result<std::shared_ptr<const DracoMesh>, std::string> decode_draco(std::span<const std::byte> bytes,
                                                                   Allowance& decoded);

}  // namespace skinlint
