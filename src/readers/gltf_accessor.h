#pragma once
// Buffers, buffer views and accessors: from an accessor's index to a Stream that points into the
// mapped file, or into decoded memory where there is no other way. Everything is resolved on demand
// and once; what nobody asks for is neither read nor judged.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "readers/gltf_compression.h"
#include "readers/gltf_document.h"
#include "readers/source.h"

namespace skinlint {

/// Why data are wanted. What skinning needs and is not there ends the read.
enum class Need : std::uint8_t { skinning, other };

/// Component types as a set.
class TypeSet {
 public:
  constexpr TypeSet(std::initializer_list<ComponentType> types) {
    for (const ComponentType t : types) bits_ |= 1u << static_cast<unsigned>(t);
  }
  constexpr bool contains(ComponentType t) const {
    return (bits_ >> static_cast<unsigned>(t) & 1u) != 0;
  }

 private:
  unsigned bits_ = 0;
};

/// What the place that names an accessor expects of it.
struct Expected {
  std::uint8_t components = 1;
  ComponentType type = ComponentType::f32;  // stands in where the accessor cannot be read
  TypeSet types{ComponentType::f32};
  /// Another type is unreadable, with a Repair. Otherwise it is delivered as declared.
  bool strict = true;
  /// Elements of a stream whose accessor does not exist; at least 1 is put in its place.
  std::uint64_t count = 1;
};

/// A buffer as far as it is there.
struct BufferBytes {
  std::span<const std::byte> bytes;
  std::uint64_t declared = 0;        // bytes as declared
  bool missing = false;              // no bytes at all: not declared, not there, not decodable
  std::optional<ReadError> failure;  // why a companion could not be opened
  /// The repair that explains bytes which are not there.
  std::optional<Repair::Kind> cause;
  std::string cause_locator;
};

/// A buffer view, decoded where it is compressed.
struct ViewBytes {
  std::span<const std::byte> bytes;  // clipped to what exists
  std::uint64_t declared = 0;        // bytes as declared
  std::uint64_t stride = 0;          // 0: tight
  std::int64_t buffer = -1;
  bool usable = false;
  /// Where the repair stands that explains bytes which are declared but not there.
  std::optional<Repair::Kind> cause;
  ElementRef cause_element;
  std::string cause_locator;
};

/// A sparse accessor without base data, as it is stored: values for some elements, zero elsewhere.
struct SparseStreams {
  Stream indices, values;
  std::uint64_t count = 0;  // elements of the whole accessor
};

/// An accessor's declaration.
struct AccessorDecl {
  bool valid = false;
  std::optional<std::uint64_t> view;
  std::uint64_t offset = 0, count = 0;
  ComponentType type = ComponentType::none;
  std::uint8_t components = 0;  // 0: a matrix with padded columns, or no type we know
  bool normalized = false;
  std::optional<JsonValue> sparse;
};

class GltfData {
 public:
  /// `structure` is spent for bookkeeping; `decoded` and `implied` as in Limits. All references
  /// must outlive the object.
  GltfData(const GltfDocument& document, const GltfChunks& chunks, const OpenCompanion& open,
           const ReadOptions& options, RepairLog& log, Allowance& structure,
           std::vector<std::shared_ptr<const Storage>>& storage);

  /// The accessor named by `value`, for `element` at `place`. Never empty: what cannot be read
  /// comes back declared and without data.
  Stream stream(JsonValue value, const Expected& expected, Need need, ElementRef element,
                const Place& place);
  /// The same, but a sparse accessor without a buffer view is delivered as stored and costs no
  /// memory.
  std::optional<SparseStreams> sparse_only(JsonValue value, const Expected& expected, Need need);

  /// Declaration of an accessor, or nullptr when the index names none.
  const AccessorDecl* declaration(std::int64_t accessor, Need need);
  const ViewBytes& view(std::uint64_t index, Need need);
  std::uint64_t view_count() const { return views_.size(); }

  /// A stream declared and without data, in place of what cannot be read.
  static Stream unreadable(const Expected& expected, std::uint64_t count, std::int64_t source);

  /// Set when data that skinning needs are not there.
  const std::optional<ReadError>& fatal() const { return fatal_; }

  Allowance& decoded() { return decoded_; }
  std::vector<std::shared_ptr<const Storage>>& storage() { return storage_; }
  RepairLog& log() { return log_; }

 private:
  struct BufferSlot {
    JsonValue json;
    std::optional<BufferBytes> bytes;
  };
  struct ViewSlot {
    JsonValue json;
    std::optional<ViewBytes> bytes;
  };
  struct AccessorSlot {
    JsonValue json;
    bool declared = false, resolved = false;
    AccessorDecl decl;
    Stream stream;
  };

  const BufferBytes& buffer(std::uint64_t index, Need need);
  BufferBytes open_buffer(std::uint64_t index, Need need);
  BufferBytes data_uri(std::string_view uri, std::uint64_t index, std::uint64_t wanted, Need need);
  ViewBytes read_view(std::uint64_t index, Need need);
  void decode_meshopt(JsonValue extension, std::uint64_t index, Need need, ViewBytes& out);
  void missing_needed(const BufferBytes& buffer, Need need, const std::string& locator);
  AccessorDecl declare(std::uint64_t index, JsonValue json, bool affects_skinning);
  void blame_buffer(const BufferBytes& buffer, ViewBytes& view) const;
  Stream resolve(std::uint64_t index, Need need);
  Stream dense_from_sparse(const AccessorDecl& decl, const Stream& base, std::uint64_t index,
                           Need need);
  std::optional<SparseStreams> sparse_streams(const AccessorDecl& decl, std::uint64_t index,
                                              Need need);
  std::optional<std::span<const std::byte>> range(std::uint64_t view_index, std::uint64_t offset,
                                                  std::uint64_t stride, std::uint64_t count,
                                                  std::uint64_t size, ElementRef element,
                                                  const Place& place, Need need);
  std::byte* allocate(std::uint64_t bytes);

  const GltfDocument& document_;
  const GltfChunks& chunks_;
  const OpenCompanion& open_;
  const ReadOptions& options_;
  RepairLog& log_;
  std::vector<std::shared_ptr<const Storage>>& storage_;
  Allowance implied_, decoded_;
  std::vector<BufferSlot> buffers_;
  std::vector<ViewSlot> views_;
  std::vector<AccessorSlot> accessors_;
  std::optional<ReadError> fatal_;
};

}  // namespace skinlint
