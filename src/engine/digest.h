#pragma once
// SHA-256, for content identity and fingerprints, and a quick hash.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skinlint {

/// Lower-case hex, 64 characters.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);
/// FNV-1a: quick and the same on every machine; no protection against malice.
std::uint64_t stable_hash(std::string_view text);

}  // namespace skinlint
