#pragma once
// How a rig's parts become attribute arrays: shared by to_asset and the glTF writer, so that both
// hold the same numbers and a difference is the reader's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/rig.h"

namespace skinlint::test {

/// Bytes that streams of an asset look into, kept alive by Asset::storage.
class Bytes : public Storage {
 public:
  explicit Bytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  const std::byte* data() const { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
};

/// One element array as it stands in a buffer.
struct PackedArray {
  std::vector<std::byte> bytes;
  std::size_t count = 0;
  ComponentType type = ComponentType::none;
  std::uint8_t components = 0;
  bool normalized = false;
  std::size_t element_bytes() const { return component_size(type) * components; }
  std::size_t size() const { return bytes.size(); }
};

/// `type` f32: rounded to float, NaN and infinities kept. Integer types: rounded, clamped to the
/// type's range; `normalized` multiplies by the type's maximum first; NaN becomes 0.
PackedArray pack(const std::vector<double>& values, ComponentType type, std::uint8_t components,
                 bool normalized = false);
PackedArray pack(const std::vector<Vec3>& values);
PackedArray pack(const std::vector<Vec4>& values);
/// Column-major MAT4, f32.
PackedArray pack(const std::vector<Mat4>& values);
/// u16, or u32 where a vertex does not fit (65535 is the restart index).
PackedArray pack_indices(const std::vector<std::uint32_t>& indices, std::size_t vertex_count);

struct PackedSet {
  PackedArray joints, weights;
};

struct PackedPart {
  RigPart part;  // one vertex per triangle corner when not `indexed`
  std::vector<PackedSet> sets;
};
/// Unused slots hold joint 0 and weight 0. Integer weights of a vertex are rounded so that their
/// sum is the rounded sum, as good exporters do. Influences beyond `sets` are left out.
PackedPart pack_part(const RigPart& part, const EncodeOptions& options);

/// Node order in which parents precede children: unchanged where they already do. A parent that is
/// out of range counts as none. Throws std::logic_error for a cycle.
std::vector<int> topological_order(const Rig& rig);
/// rig.scenes, or one scene with every root.
std::vector<std::vector<int>> scenes_of(const Rig& rig);

}  // namespace skinlint::test
