// The table of formats: one row each. To add a format, add its reader's file and its row.

#include <algorithm>
#include <new>
#include <stdexcept>

#include <libdeflate.h>

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

}  // namespace

Result<Asset> read_asset(std::shared_ptr<const Source> source, const OpenCompanion& open,
                         const ReadOptions& options) {
  // The one place where an exception out of the standard library or a codec becomes an error.
  try {
    const std::span<const std::byte> bytes = source->bytes();
    for (const FormatRow& row : formats) {
      if (row.recognises(bytes)) return row.read(std::move(source), open, options);
    }
    return not_recognised(bytes);
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

Result<Asset> read_asset(const std::string& path, const ReadOptions& options,
                         std::vector<std::string>* companions) {
  Result<std::shared_ptr<const Source>> source = map_file(path, options.limits);
  if (!source) return source.error();
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
  for (const FormatRow& row : formats) {
    std::string_view rest = row.extensions;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out;
}

std::vector<LibraryVersion> reader_libraries() {
  return {{"simdjson", SKINLINT_QUOTE_VALUE(SIMDJSON_VERSION)},
          {"libdeflate", LIBDEFLATE_VERSION_STRING},
          {"draco", draco_version()},
          {"meshoptimizer", meshopt_version()}};
}

}  // namespace skinlint
