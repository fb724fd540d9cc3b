#pragma once
// A Stream is bulk data as the file has it: a typed, strided view into mapped or decoded memory
// that the Asset keeps alive. Readers of streams convert a block at a time, so no big array is ever
// copied whole.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace skinlint {

enum class ComponentType : std::uint8_t { none, i8, u8, i16, u16, i32, u32, i64, f32, f64 };

std::size_t component_size(ComponentType type);  // bytes; 0 for none
std::string_view component_type_name(ComponentType type);
inline bool is_integer(ComponentType t) {
  return t != ComponentType::none && t != ComponentType::f32 && t != ComponentType::f64;
}

struct Stream {
  const std::byte* data =
      nullptr;             // first element; nullptr with count > 0: declared, but could not be read
  std::size_t count = 0;   // elements, as declared
  std::size_t stride = 0;  // bytes from one element to the next
  ComponentType type = ComponentType::none;
  std::uint8_t components = 0;  // 1..16 per element (VEC4 = 4, MAT4 = 16)
  bool normalized = false;      // integers mean c/max (glTF 2.0 section 3.6.2.2)
  std::int32_t source = -1;     // the file's own accessor index, -1 when it has none

  bool declared() const { return type != ComponentType::none; }
  bool readable() const { return data != nullptr || (declared() && count == 0); }
};

/// Elements [first, first + n) as double, `components` values each, normalisation applied
/// (signed: max(c/max, -1)). `out` holds n * components. The range must lie inside a readable
/// stream.
void read_values(const Stream& stream, std::size_t first, std::size_t n, double* out);
/// The same as unsigned integers, without normalisation; negative or fractional values become
/// 0xffffffff (out of every range). For joint and vertex indices.
void read_indices(const Stream& stream, std::size_t first, std::size_t n, std::uint32_t* out);
/// True when no component of a readable stream differs from zero (NaN does); stops at the first
/// that does. True for an empty stream, false for an unreadable one.
bool is_all_zero(const Stream& stream);

}  // namespace skinlint
