// The table of formats: one row each. To add a format, add its reader's file and its row.

#include <algorithm>
#include <new>
#include <stdexcept>

#include <libdeflate.h>

#include "readers/assimp_process.h"
#include "readers/assimp_reader.h"
#include "readers/fbx_reader.h"
#include "readers/gltf_compression.h"
#include "readers/gltf_document.h"
#include "readers/gltf_reader.h"
#include "readers/source.h"
#ifdef SKINLINT_TEST_HOOKS
#include "readers/test_hook_reader.h"
#endif

// The version macro holds bare tokens.
#define SKINLINT_QUOTE(text) #text
#define SKINLINT_QUOTE_VALUE(macro) SKINLINT_QUOTE(macro)

namespace skinlint {
namespace {

struct FormatRow {
  std::string_view name;
  std::string_view extensions;  // separated by blanks
  bool (*recognises)(std::span<const std::byte> bytes);
  Result<Asset> (*read)(std::shared_ptr<const Source> source, const OpenCompanion& open,
                        const ReadOptions& options);
};

constexpr FormatRow formats[] = {
    {"glb", "glb vrm", looks_like_glb, read_gltf},
    {"gltf", "gltf", looks_like_json, read_gltf},
    {"fbx", "fbx", recognises_fbx, read_fbx},
#ifdef SKINLINT_TEST_HOOKS
    {"test hook", "", looks_like_test_hook, read_test_hook},
#endif
};

ReadError not_recognised(std::span<const std::byte> bytes) {
  ReadError error;
  error.kind = ReadError::Kind::not_recognised;
  error.offset = 0;
  if (bytes.empty()) {
    error.message = "the file is empty";
  } else if (is_lfs_pointer(bytes)) {
    error.kind = ReadError::Kind::not_fetched;
    error.message = "the file is a Git LFS pointer; its content was not fetched";
  } else {
    error.message = "the content is of no format that is read here";
  }
  return error;
}

/// The one place where an exception out of the standard library or a codec becomes an error.
template <class Read>
Result<Asset> guarded(Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    ReadError error;
    error.kind = ReadError::Kind::too_large;
    error.message = "there is not enough memory to read the file";
    return error;
  } catch (const std::length_error&) {
    ReadError error;
    error.kind = ReadError::Kind::too_large;
    error.message = "the file asks for more memory than there can be";
    return error;
  }
}

void add_words(std::string_view words, std::vector<std::string>& out) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    out.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

}  // namespace

Result<Asset> read_asset(std::shared_ptr<const Source> source, const OpenCompanion& open,
                         const ReadOptions& options) {
  return guarded([&]() -> Result<Asset> {
    const std::span<const std::byte> bytes = source->bytes();
    for (const FormatRow& row : formats) {
      if (row.recognises(bytes)) return row.read(std::move(source), open, options);
    }
    if (const ImportedFormat* format = imported_format_of(bytes)) {
      ReadError error;
      error.kind = ReadError::Kind::unsupported;
      error.message = std::string(format->title) + " is read from files only";
      return error;
    }
    return not_recognised(bytes);
  });
}

Result<Asset> read_asset(const std::string& path, const ReadOptions& options,
                         std::vector<std::string>* companions) {
  Result<std::shared_ptr<const Source>> source = map_file(path, options.limits);
  if (!source) return source.error();
  const std::span<const std::byte> bytes = (*source)->bytes();
  const bool ours = std::any_of(std::begin(formats), std::end(formats),
                                [&](const FormatRow& row) { return row.recognises(bytes); });
  if (const ImportedFormat* format = ours ? nullptr : imported_format_of(bytes)) {
    return guarded([&] { return read_imported(*format, path, bytes.size(), options, companions); });
  }
  const OpenCompanion open = companions_beside(path, options);
  if (companions == nullptr) return read_asset(*source, open, options);
  return read_asset(
      *source,
      [&](const std::string& relative_path) {
        companions->push_back(relative_path);
        return open(relative_path);
      },
      options);
}

std::vector<std::string> known_extensions() {
  std::vector<std::string> out;
  for (const FormatRow& row : formats) add_words(row.extensions, out);
#if SKINLINT_HAVE_ASSIMP
  for (const ImportedFormat& format : imported_formats()) add_words(format.extensions, out);
#endif
  return out;
}

std::vector<LibraryVersion> reader_libraries() {
  return {{"simdjson", SKINLINT_QUOTE_VALUE(SIMDJSON_VERSION)},
          {"libdeflate", LIBDEFLATE_VERSION_STRING},
          {"draco", draco_version()},
          {"meshoptimizer", meshopt_version()},
          {"assimp", assimp::library_version()}};
}

}  // namespace skinlint
