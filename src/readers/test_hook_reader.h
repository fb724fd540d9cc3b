#pragma once
// A format for tests alone: files that crash, hang or eat memory when read, so that what a batch
// does about it can be shown with the real program. Not in builds without tests.

#include "readers/reader.h"

namespace skinlint {

/// "skinlint test hook: WORD".
bool looks_like_test_hook(std::span<const std::byte> bytes);
/// WORD is crash (invalid memory access), abort, hang (sleeps), spin (burns CPU) or memory.
/// NOLINTNEXTLINE: the format table's signature.
Result<Asset> read_test_hook(std::shared_ptr<const Source> source, const OpenCompanion& open,
                             const ReadOptions& options);

}  // namespace skinlint
