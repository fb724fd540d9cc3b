// Buffers inside the JSON: data URIs (RFC 2397).

#include <nettle/base64.h>

#include <algorithm>

#include "readers/gltf_accessor.h"

namespace skinlint {

BufferBytes GltfData::data_uri(std::string_view uri, std::uint64_t index, std::uint64_t wanted,
                               Need need) {
  const ElementRef element{ElementKind::buffer, static_cast<std::int32_t>(index), 0};
  const std::string locator = "/buffers/" + std::to_string(index) + "/uri";
  BufferBytes out;
  const auto fail = [&](std::string detail) {
    log_.add(Repair::Kind::decode_failed, element, need == Need::skinning, std::move(detail),
             locator, 0);
    out.missing = true;
    out.cause = Repair::Kind::decode_failed;
    out.cause_locator = locator;
    return out;
  };
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return fail("the data URI has no comma before its data");
  const std::string_view head = uri.substr(0, comma);
  std::string_view text = uri.substr(comma + 1);
  constexpr std::string_view marker = ";base64";
  const bool base64 =
      head.size() >= marker.size() && head.substr(head.size() - marker.size()) == marker;
  std::string unescaped;
  // Base64 may itself be percent-encoded ("%3D" for its padding).
  if (!base64 || text.find('%') != std::string_view::npos) {
    if (!percent_decode(text, unescaped)) return fail("the data URI has a broken percent escape");
    text = unescaped;
  }
  const std::size_t room = base64 ? BASE64_DECODE_LENGTH(text.size()) : text.size();
  std::shared_ptr<DecodedBlock> block = DecodedBlock::make(room);
  if (block == nullptr) return fail("the data URI is too large");
  std::size_t size = 0;
  if (base64) {
    base64_decode_ctx context;
    base64_decode_init(&context);
    size = room;
    if (base64_decode_update(&context, &size, reinterpret_cast<std::uint8_t*>(block->data()),
                             text.size(), text.data()) != 1) {
      return fail("the data URI is not base64");
    }
    // Padding may be left out as long as every byte that is wanted is there.
    if (base64_decode_final(&context) != 1 && size < wanted)
      return fail("the data URI's base64 ends early");
  } else {
    std::copy(text.begin(), text.end(), reinterpret_cast<char*>(block->data()));
    size = text.size();
  }
  out.bytes = block->bytes().first(size);
  storage_.push_back(std::move(block));
  return out;
}

}  // namespace skinlint
