#pragma once
// Where bytes come from, and which files beside an asset it may name. Private to this room.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "readers/reader.h"

namespace skinlint {

/// The relative path that a URI names: percent-decoded. Errors: malformed (broken escape, NUL
/// byte), forbidden (absolute, a scheme, or climbing above the folder, unless `allow_outside`),
/// not_fetched (a network address, always).
Result<std::string> companion_path(std::string_view uri, bool allow_outside);

/// Opens files below the folder of `asset_path`. A symbolic link that leads out of the folder
/// counts as outside. A file that is not there is ReadError::Kind::not_fetched, so is a Git LFS
/// pointer.
OpenCompanion companions_beside(const std::string& asset_path, const ReadOptions& options);

/// The content is a Git LFS pointer, not the file itself.
bool is_lfs_pointer(std::span<const std::byte> bytes);

/// Bytes percent-decoded; false for a broken escape.
bool percent_decode(std::string_view text, std::string& out);

/// Memory that a reader decoded, kept alive by the asset. Zero-filled; pages that nobody touches
/// cost nothing.
class DecodedBlock : public Storage {
 public:
  /// nullptr when the system refuses. `size` 0 is allowed.
  static std::shared_ptr<DecodedBlock> make(std::size_t size);
  ~DecodedBlock() override;
  DecodedBlock(const DecodedBlock&) = delete;
  DecodedBlock& operator=(const DecodedBlock&) = delete;

  std::byte* data() { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  DecodedBlock(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  std::byte* data_;
  std::size_t size_;
};

}  // namespace skinlint
