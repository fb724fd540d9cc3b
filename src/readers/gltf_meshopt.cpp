// EXT_meshopt_compression, by meshoptimizer.

#include "readers/gltf_compression.h"

#if SKINLINT_HAVE_MESHOPT
#include <meshoptimizer.h>
#endif

namespace skinlint {

#if SKINLINT_HAVE_MESHOPT

namespace {

using Decoded = Result<std::shared_ptr<DecodedBlock>, std::string>;

/// What the codec can expand one byte to, at most. Attributes: a plane of 16 values costs at least
/// a quarter of a byte of header, so 64. Triangles: one byte makes three indices. Indices: one
/// each.
std::optional<std::uint64_t> most_bytes(const MeshoptStream& s) {
  std::uint64_t factor = 64;
  if (s.mode == "TRIANGLES") factor = 3 * s.stride;
  if (s.mode == "INDICES") factor = s.stride;
  std::uint64_t most = 0;
  if (__builtin_mul_overflow(factor, static_cast<std::uint64_t>(s.bytes.size()), &most))
    return std::nullopt;
  return most;
}

std::optional<std::string> fault_of(const MeshoptStream& s) {
  const bool attributes = s.mode == "ATTRIBUTES";
  if (!attributes && s.mode != "TRIANGLES" && s.mode != "INDICES")
    return "mode \"" + std::string(s.mode.substr(0, 40)) + "\" is not known";
  if (attributes && (s.stride == 0 || s.stride % 4 != 0 || s.stride > 256))
    return "a stride of " + std::to_string(s.stride) + " is not a multiple of 4 up to 256";
  if (!attributes && s.stride != 2 && s.stride != 4)
    return "an index stride of " + std::to_string(s.stride) + " is neither 2 nor 4";
  if (s.mode == "TRIANGLES" && s.count % 3 != 0)
    return std::to_string(s.count) + " triangle indices are no multiple of 3";
  if (s.filter == "NONE") return std::nullopt;
  if (!attributes) return "only attributes may have a filter";
  if (s.filter == "OCTAHEDRAL" && s.stride != 4 && s.stride != 8)
    return "the octahedral filter needs a stride of 4 or 8";
  if (s.filter == "QUATERNION" && s.stride != 8) return "the quaternion filter needs a stride of 8";
  if (s.filter != "OCTAHEDRAL" && s.filter != "QUATERNION" && s.filter != "EXPONENTIAL")
    return "filter \"" + std::string(s.filter.substr(0, 40)) + "\" is not known";
  return std::nullopt;
}

}  // namespace

bool have_meshopt() { return true; }

std::string meshopt_version() {
  return std::to_string(MESHOPTIMIZER_VERSION / 1000) + "." +
         std::to_string(MESHOPTIMIZER_VERSION % 1000 / 10);
}

Decoded decode_meshopt_stream(const MeshoptStream& s, Allowance& decoded) {
  if (auto fault = fault_of(s)) return *fault;
  std::uint64_t total = 0;
  const std::optional<std::uint64_t> most = most_bytes(s);
  if (__builtin_mul_overflow(s.count, s.stride, &total) || !most || total > *most) {
    return std::to_string(s.count) + " elements of " + std::to_string(s.stride) +
           " bytes cannot come out of " + std::to_string(s.bytes.size()) + " compressed bytes";
  }
  if (!decoded.spend(total)) return std::string("the decoded data are beyond the memory limit");
  std::shared_ptr<DecodedBlock> block = DecodedBlock::make(total);
  if (block == nullptr) return std::string("no memory for the decoded data");
  const auto* in = reinterpret_cast<const unsigned char*>(s.bytes.data());
  int code = 0;
  if (s.mode == "ATTRIBUTES") {
    code = meshopt_decodeVertexBuffer(block->data(), s.count, s.stride, in, s.bytes.size());
  } else if (s.mode == "TRIANGLES") {
    code = meshopt_decodeIndexBuffer(block->data(), s.count, s.stride, in, s.bytes.size());
  } else {
    code = meshopt_decodeIndexSequence(block->data(), s.count, s.stride, in, s.bytes.size());
  }
  if (code != 0) return "the compressed stream does not decode (code " + std::to_string(code) + ")";
  if (s.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(block->data(), s.count, s.stride);
  if (s.filter == "QUATERNION") meshopt_decodeFilterQuat(block->data(), s.count, s.stride);
  if (s.filter == "EXPONENTIAL") meshopt_decodeFilterExp(block->data(), s.count, s.stride);
  return block;
}

#else

bool have_meshopt() { return false; }
std::string meshopt_version() { return {}; }
Result<std::shared_ptr<DecodedBlock>, std::string> decode_meshopt_stream(const MeshoptStream&,
                                                                         Allowance&) {
  return std::string("this build has no meshoptimizer");
}

#endif

}  // namespace skinlint
