#pragma once
// SHA-256, for content identity and fingerprints.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace skinlint {

/// Lower-case hex, 64 characters.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

}  // namespace skinlint
