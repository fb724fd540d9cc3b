#pragma once
// Bytes to Asset. One row per format in the Format table (format_table.cpp); nothing outside this
// room knows formats' bytes.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/asset.h"
#include "model/result.h"

namespace skinlint {

/// Bounds on what a file may make us do. Claims are checked against these before anything is
/// allocated.
struct Limits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 36;
  /// Memory that may be allocated for data a file claims but does not hold (sparse without base,
  /// defaults).
  std::uint64_t max_implied_bytes = std::uint64_t{48} << 20;
  /// Memory for data decoded from compressed streams.
  std::uint64_t max_decoded_bytes = std::uint64_t{2} << 30;
  std::uint32_t max_json_depth = 512;
  std::uint32_t max_node_depth = 1u << 20;
};

/// What the isolated process of a library's importer may take.
struct ImportLimits {
  double seconds = 60.0;            // wall clock, and processor time rounded up
  std::uint64_t memory_mib = 4096;  // address space; 0: no limit
  std::uint64_t answer_bytes = std::uint64_t{2} << 30;
};

struct ReadOptions {
  Space space = Space::canonical;
  /// Allow references (.bin, images are never opened) outside the asset's folder.
  bool allow_outside = false;
  /// Keep the animation curves of FBX files with their tangents, for evaluation between keys. What
  /// looks at keys alone can do without.
  bool clip_curves = true;
  Limits limits;
  ImportLimits import;
};

/// Bytes of a file: mapped, or given by a test. Kept alive by the Asset.
class Source : public Storage {
 public:
  virtual std::span<const std::byte> bytes() const = 0;
};

/// Maps a regular file read-only; reads a small one. Errors: not_found, io, too_large. An empty
/// file gives an empty span.
Result<std::shared_ptr<const Source>> map_file(const std::string& path, const Limits& limits);
/// Copies bytes; for tests and fuzzers.
std::shared_ptr<const Source> memory_source(std::vector<std::byte> bytes);

/// Opens a companion ("foo.bin", already percent-decoded, relative). The seam for tests: a fake
/// disk.
using OpenCompanion =
    std::function<Result<std::shared_ptr<const Source>>(const std::string& relative_path)>;

/// Recognises by content, not by extension, and reads. `companions` gets the name of every other
/// file that was asked for, there or not.
Result<Asset> read_asset(const std::string& path, const ReadOptions& options,
                         std::vector<std::string>* companions = nullptr);
Result<Asset> read_asset(std::shared_ptr<const Source> source, const OpenCompanion& open,
                         const ReadOptions& options);

/// File name extensions that discovery looks for, lower case without dot.
std::vector<std::string> known_extensions();

/// "meshoptimizer 0.18", "draco 1.5.5" ... and what is missing in this build.
struct LibraryVersion {
  std::string name, version;  // version empty: not built in
};
std::vector<LibraryVersion> reader_libraries();

}  // namespace skinlint
