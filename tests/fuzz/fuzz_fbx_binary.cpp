// Bytes behind a Kaydara header through the FBX reader: records, arrays, objects. The first byte
// chooses width and byte order, so that the header's checks do not stop most inputs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "readers/fbx_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinlint;
  if (size == 0) return 0;
  constexpr std::string_view magic("Kaydara FBX Binary  \0\x1a", 22);
  std::vector<std::byte> bytes;
  for (const char c : magic) bytes.push_back(static_cast<std::byte>(c));
  const bool big_endian = (data[0] & 1) != 0;
  static constexpr std::uint32_t versions[4] = {7400, 7500, 6100, 3000};
  const std::uint32_t version = versions[data[0] >> 1 & 3];
  bytes.push_back(std::byte{big_endian});
  for (unsigned k = 0; k < 4; ++k) {
    bytes.push_back(static_cast<std::byte>(version >> (8 * (big_endian ? 3 - k : k)) & 0xff));
  }
  const auto* rest = reinterpret_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), rest + 1, rest + size);
  ReadOptions options;
  options.space = (data[0] & 8) != 0 ? Space::file : Space::canonical;
  options.limits.max_decoded_bytes = std::uint64_t{32} << 20;
  const Result<Asset> asset = read_fbx(memory_source(std::move(bytes)), {}, options);
  if (!asset) return 0;
  const std::string broken = check_invariants(*asset);
  if (!broken.empty()) {
    std::fprintf(stderr, "invariant: %s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
