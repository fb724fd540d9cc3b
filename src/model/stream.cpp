#include "model/stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace skinlint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "streams are views of little-endian files");

template <class T>
T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
double as_double(T value, bool normalized) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    if (!normalized) return static_cast<double>(value);
    // glTF 2.0 section 3.6.2.2: c / max, signed values clamped at -1.
    const double scaled =
        static_cast<double>(value) / static_cast<double>(std::numeric_limits<T>::max());
    return std::is_signed_v<T> ? std::max(scaled, -1.0) : scaled;
  }
}

template <class T>
void copy_values(const Stream& s, std::size_t first, std::size_t n, double* out) {
  const std::byte* p = s.data + first * s.stride;
  const std::size_t width = s.components;
  if (s.stride == width * sizeof(T)) {
    for (std::size_t i = 0; i < n * width; ++i)
      out[i] = as_double(load<T>(p + i * sizeof(T)), s.normalized);
    return;
  }
  for (std::size_t i = 0; i < n; ++i, p += s.stride) {
    for (std::size_t c = 0; c < width; ++c)
      out[i * width + c] = as_double(load<T>(p + c * sizeof(T)), s.normalized);
  }
}

constexpr std::uint32_t no_index = 0xffffffffU;

template <class T>
std::uint32_t as_index(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double wide = static_cast<double>(value);
    return wide >= 0.0 && wide < 4294967295.0 && wide == std::floor(wide)
               ? static_cast<std::uint32_t>(wide)
               : no_index;
  } else if constexpr (std::is_signed_v<T>) {
    if (value < 0) return no_index;
    if constexpr (sizeof(T) > 4) {
      if (value > static_cast<T>(no_index)) return no_index;
    }
    return static_cast<std::uint32_t>(value);
  } else {
    return static_cast<std::uint32_t>(value);
  }
}

template <class T>
void copy_indices(const Stream& s, std::size_t first, std::size_t n, std::uint32_t* out) {
  const std::byte* p = s.data + first * s.stride;
  const std::size_t width = s.components;
  if (s.stride == width * sizeof(T)) {
    for (std::size_t i = 0; i < n * width; ++i) out[i] = as_index(load<T>(p + i * sizeof(T)));
    return;
  }
  for (std::size_t i = 0; i < n; ++i, p += s.stride) {
    for (std::size_t c = 0; c < width; ++c)
      out[i * width + c] = as_index(load<T>(p + c * sizeof(T)));
  }
}

}  // namespace

std::size_t component_size(ComponentType type) {
  switch (type) {
    case ComponentType::none:
      return 0;
    case ComponentType::i8:
    case ComponentType::u8:
      return 1;
    case ComponentType::i16:
    case ComponentType::u16:
      return 2;
    case ComponentType::i32:
    case ComponentType::u32:
    case ComponentType::f32:
      return 4;
    case ComponentType::i64:
    case ComponentType::f64:
      return 8;
  }
  return 0;
}

std::string_view component_type_name(ComponentType type) {
  switch (type) {
    case ComponentType::none:
      return "none";
    case ComponentType::i8:
      return "signed byte";
    case ComponentType::u8:
      return "unsigned byte";
    case ComponentType::i16:
      return "signed short";
    case ComponentType::u16:
      return "unsigned short";
    case ComponentType::i32:
      return "signed int";
    case ComponentType::u32:
      return "unsigned int";
    case ComponentType::i64:
      return "signed long";
    case ComponentType::f32:
      return "float";
    case ComponentType::f64:
      return "double";
  }
  return "none";
}

void read_values(const Stream& stream, std::size_t first, std::size_t n, double* out) {
  switch (stream.type) {
    case ComponentType::none:
      return;
    case ComponentType::i8:
      return copy_values<std::int8_t>(stream, first, n, out);
    case ComponentType::u8:
      return copy_values<std::uint8_t>(stream, first, n, out);
    case ComponentType::i16:
      return copy_values<std::int16_t>(stream, first, n, out);
    case ComponentType::u16:
      return copy_values<std::uint16_t>(stream, first, n, out);
    case ComponentType::i32:
      return copy_values<std::int32_t>(stream, first, n, out);
    case ComponentType::u32:
      return copy_values<std::uint32_t>(stream, first, n, out);
    case ComponentType::i64:
      return copy_values<std::int64_t>(stream, first, n, out);
    case ComponentType::f32:
      return copy_values<float>(stream, first, n, out);
    case ComponentType::f64:
      return copy_values<double>(stream, first, n, out);
  }
}

void read_indices(const Stream& stream, std::size_t first, std::size_t n, std::uint32_t* out) {
  switch (stream.type) {
    case ComponentType::none:
      return;
    case ComponentType::i8:
      return copy_indices<std::int8_t>(stream, first, n, out);
    case ComponentType::u8:
      return copy_indices<std::uint8_t>(stream, first, n, out);
    case ComponentType::i16:
      return copy_indices<std::int16_t>(stream, first, n, out);
    case ComponentType::u16:
      return copy_indices<std::uint16_t>(stream, first, n, out);
    case ComponentType::i32:
      return copy_indices<std::int32_t>(stream, first, n, out);
    case ComponentType::u32:
      return copy_indices<std::uint32_t>(stream, first, n, out);
    case ComponentType::i64:
      return copy_indices<std::int64_t>(stream, first, n, out);
    case ComponentType::f32:
      return copy_indices<float>(stream, first, n, out);
    case ComponentType::f64:
      return copy_indices<double>(stream, first, n, out);
  }
}

bool is_all_zero(const Stream& stream) {
  if (!stream.readable()) return false;
  constexpr std::size_t block = 256;
  double values[16 * block];
  for (std::size_t first = 0; first < stream.count; first += block) {
    const std::size_t n = std::min(block, stream.count - first);
    read_values(stream, first, n, values);
    const double* end = values + n * stream.components;
    if (std::any_of(static_cast<const double*>(values), end, [](double v) { return v != 0.0; })) {
      return false;
    }
  }
  return true;
}

}  // namespace skinlint
