// Any bytes, through recognition, reader, invariants and every rule. Nothing may crash, hang or
// take unbounded memory, and what a reader delivers must hold its invariants.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/check.h"
#include "readers/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinlint;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  ReadOptions options;
  // Small, so that a file that may lawfully ask for a lot does not look like a leak.
  options.limits.max_decoded_bytes = std::uint64_t{64} << 20;
  // A companion that is there, but short.
  const OpenCompanion open = [](const std::string&) {
    return Result<std::shared_ptr<const Source>>(memory_source(std::vector<std::byte>(64)));
  };
  auto asset =
      read_asset(memory_source(std::vector<std::byte>(bytes, bytes + size)), open, options);
  if (!asset) return 0;
  const std::string broken = check_invariants(*asset);
  if (!broken.empty()) {
    std::fprintf(stderr, "invariant: %s\n", broken.c_str());
    std::abort();
  }
  const FileResult result = check_asset(*asset, "fuzz", CheckConfig{});
  if (result.status == FileResult::Status::crashed) {
    std::fprintf(stderr, "crashed: %s\n", result.error ? result.error->message.c_str() : "");
    std::abort();
  }
  return 0;
}
