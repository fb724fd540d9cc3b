#pragma once
// Formats without a record reader of ours, through the isolated Assimp process: reduced evidence.
// What such a reading cannot show stands in Asset::not_checked.

#include <span>
#include <string>
#include <string_view>

#include "readers/assimp_answer.h"
#include "readers/reader.h"

namespace skinlint {

struct ImportedFormat {
  std::string_view name;        // "collada"; Asset::imported_format
  std::string_view title;       // "COLLADA"
  std::string_view extensions;  // separated by blanks; the first is what Assimp is told
  bool (*recognises)(std::span<const std::byte> bytes);
};

/// Every format that Assimp reads with bones and that has no reader here. The list does not depend
/// on whether Assimp is there: a file of these is recognised, and its error says what is missing.
std::span<const ImportedFormat> imported_formats();
/// The format of these bytes; nullptr: none of them.
const ImportedFormat* imported_format_of(std::span<const std::byte> bytes);

/// Reads a file of such a format. Canonical space: where the format declares axes and unit
/// (COLLADA), these; else the numbers are taken as right-handed, +Y up and metres, and the asset
/// says that nothing was declared. Errors: unsupported (no Assimp here), malformed (Assimp refused
/// or crashed; its words or the signal), too_large (memory or time). `companions` gets the other
/// files it asked for.
Result<Asset> read_imported(const ImportedFormat& format, const std::string& path,
                            std::uint64_t file_bytes, const ReadOptions& options,
                            std::vector<std::string>* companions);

/// A matrix of an answer, row by row there as here.
Mat4 matrix_of(const assimp::Matrix& m);

/// The canonical model of an answer; for tests and fuzzers. The answer is as decode_answer() gives
/// it.
Result<Asset> asset_from_answer(const ImportedFormat& format, const assimp::Answer& answer,
                                const ReadOptions& options);

}  // namespace skinlint
