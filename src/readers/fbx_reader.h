#pragma once
// FBX files into the canonical Asset.

#include <memory>
#include <span>

#include "model/asset.h"
#include "model/result.h"
#include "readers/reader.h"

namespace skinlint {

/// Content looks like FBX, binary or ASCII, of any version.
bool recognises_fbx(std::span<const std::byte> bytes);

/// Reads an FBX file. Errors: not_recognised, malformed (the top level cannot be followed; byte
/// offset, and line for ASCII), unsupported (a version that does not exist). Damage inside the top
/// level's records becomes Repairs. The asset views the source's bytes and keeps it alive.
/// FBX has no companions that a rig needs, so `open` is never called.
Result<Asset> read_fbx(std::shared_ptr<const Source> source, const OpenCompanion& open,
                       const ReadOptions& options);

}  // namespace skinlint
