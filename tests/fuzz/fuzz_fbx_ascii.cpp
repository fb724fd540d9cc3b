// Text behind an ASCII header through the FBX reader. The first byte chooses the version.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "readers/fbx_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinlint;
  if (size == 0) return 0;
  static constexpr const char* versions[4] = {"7.4.0", "6.1.0", "5.8.0", "7.7.0"};
  const std::string head = std::string("; FBX ") + versions[data[0] & 3] + " project file\n";
  std::vector<std::byte> bytes;
  for (const char c : head) bytes.push_back(static_cast<std::byte>(c));
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
