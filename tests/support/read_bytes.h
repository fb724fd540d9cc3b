#pragma once
// Bytes that a writer of the tests made, read as a file that stands alone.

#include <cstddef>
#include <vector>

#include "readers/reader.h"

namespace skinlint::test {

/// The asset; a companion it asks for is not there. Throws std::runtime_error when it is
/// unreadable.
Asset read_bytes(std::vector<std::byte> bytes, const ReadOptions& options = {});

}  // namespace skinlint::test
