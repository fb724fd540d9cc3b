#pragma once
// The fuzz targets of the glTF reader as plain functions: libFuzzer calls them, and so does the
// test that replays crashers. Each aborts where an invariant does not hold, and returns 0.

#include <cstddef>
#include <cstdint>

namespace skinlint::fuzz {

/// The bytes are a .gltf document.
int document(const std::uint8_t* data, std::size_t size);
/// A GLB: as it is when it starts like one; otherwise two bytes of JSON length, JSON, binary chunk.
int glb(const std::uint8_t* data, std::size_t size);
/// A few numbers for an accessor, its view and its sparse part, and a buffer.
int accessor(const std::uint8_t* data, std::size_t size);
/// A codec's parameters and a compressed stream.
int compression(const std::uint8_t* data, std::size_t size);
/// What the isolated importer's process wrote, and the asset made of it.
int answer(const std::uint8_t* data, std::size_t size);

}  // namespace skinlint::fuzz
