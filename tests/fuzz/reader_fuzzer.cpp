// libFuzzer's entry for the target that the build names.

#include "fuzz/reader_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return skinlint::fuzz::SKINLINT_FUZZ_TARGET(data, size);
}
