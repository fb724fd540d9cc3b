#pragma once
// Small glTF documents for reader tests: JSON one may bend at will, one binary buffer, a disk in
// memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "readers/reader.h"

namespace skinlint::test {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(std::string_view text) {
  Bytes out(text.size());
  if (!text.empty()) std::memcpy(out.data(), text.data(), text.size());
  return out;
}

/// Bytes of plain values.
template <class T>
Bytes pack(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A GLB of a JSON text and a binary chunk; both padded as the format says.
Bytes glb_of(const std::string& json, const Bytes& binary);

struct DocumentBuilder {
  nlohmann::json json = {{"asset", {{"version", "2.0"}, {"generator", "test"}}}};
  Bytes binary;

  /// Appends at a multiple of 4; returns the new view's index. `stride` 0: none given.
  int view(const Bytes& bytes, int stride = 0);
  /// Returns the new accessor's index. `view` -1: none.
  int accessor(int view, int component_type, const std::string& type, std::uint64_t count,
               bool normalized = false);
  /// View and accessor of packed values.
  template <class T>
  int values(const std::vector<T>& packed, int component_type, const std::string& type,
             std::uint64_t count, bool normalized = false) {
    return accessor(view(pack(packed)), component_type, type, count, normalized);
  }

  Bytes glb() const;
  /// The JSON with buffer 0 as it is (give it a uri yourself).
  Bytes gltf() const { return to_bytes(json.dump()); }
};

/// Three vertices on two joints, one triangle, one skin with inverse bind matrices, one clip, one
/// morph target. Everything valid.
DocumentBuilder skinned_triangle();

/// Reads from memory and checks the invariants. `files` are the companions.
Result<Asset> read(const Bytes& bytes, const std::map<std::string, Bytes>& files = {},
                   const ReadOptions& options = {});
/// The same for a document as GLB; the read must succeed.
Asset read_glb(const DocumentBuilder& document, const ReadOptions& options = {});

/// Repairs of one kind.
std::vector<Repair> repairs_of(const Asset& asset, Repair::Kind kind);

/// The values of a stream that must be readable.
std::vector<double> read_whole(const Stream& stream);

}  // namespace skinlint::test
