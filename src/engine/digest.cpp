#include "engine/digest.h"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>

namespace skinlint {

std::string sha256_hex(std::span<const std::byte> bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex;
  hex.reserve(2 * digest.size());
  constexpr std::string_view digits = "0123456789abcdef";
  for (const std::uint8_t byte : digest) {
    hex += digits[byte >> 4U];
    hex += digits[byte & 15U];
  }
  return hex;
}

std::string sha256_hex(std::string_view text) {
  return sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace skinlint
