// Numbers of FBX records: spellings, arrays plain and compressed, value lists.

#include <sys/mman.h>

#include <libdeflate.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/letters.h"
#include "readers/fbx_records.h"

namespace skinlint::fbx {

namespace {

// Deflate cannot expand more than about 1032 to 1; a larger claim is a lie, told before allocating.
constexpr std::uint64_t kMaxExpansion = 1032;
constexpr std::uint64_t kMaxScans = 24;

std::size_t type_bytes(ComponentType type) {
  switch (type) {
    case ComponentType::i32:
    case ComponentType::f32:
      return 4;
    case ComponentType::i64:
    case ComponentType::f64:
      return 8;
    case ComponentType::none:
    case ComponentType::i8:
    case ComponentType::u8:
    case ComponentType::i16:
    case ComponentType::u16:
    case ComponentType::u32:
      break;
  }
  return 1;
}

std::int64_t saturate(double d) {
  if (!(d > -9.2e18)) return std::isnan(d) ? 0 : std::numeric_limits<std::int64_t>::min();
  if (d >= 9.2e18) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(d);
}
std::int32_t saturate32(std::int64_t v) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      v, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

/// Stores a number in the requested type.
struct Store {
  std::byte* out;
  ComponentType type;
  void operator()(std::size_t index, double d) const {
    switch (type) {
      case ComponentType::f64:
        put(index, d);
        break;
      case ComponentType::f32:
        put(index, static_cast<float>(d));
        break;
      case ComponentType::i64:
        put(index, saturate(d));
        break;
      case ComponentType::i32:
        put(index, saturate32(saturate(d)));
        break;
      case ComponentType::none:
      case ComponentType::i8:
      case ComponentType::u8:
      case ComponentType::i16:
      case ComponentType::u16:
      case ComponentType::u32:
        break;
    }
  }
  void operator()(std::size_t index, std::int64_t v) const {
    if (type == ComponentType::i64) {
      put(index, v);
    } else if (type == ComponentType::i32) {
      put(index, saturate32(v));
    } else {
      (*this)(index, static_cast<double>(v));
    }
  }
  template <class T>
  void put(std::size_t index, T value) const {
    std::memcpy(out + index * sizeof(T), &value, sizeof(T));
  }
};

bool starts_with_letters(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    if (lower_case(text[k]) != lower[k]) return false;
  }
  return true;
}

/// Arrays are filled at once, and much of that time would go into faulting their pages in one by
/// one: they are asked for together, as huge pages inside large blocks where the system has them.
std::shared_ptr<std::byte[]> uninitialised_bytes(std::size_t n) {
  constexpr std::size_t huge = std::size_t{2} << 20, small = std::size_t{4} << 10;
  if (n >= 32 * small) {
    auto block = std::shared_ptr<std::byte[]>(new std::byte[n]);
    const auto inside = [&block, n](std::size_t page, int advice) {
      const std::size_t over = reinterpret_cast<std::uintptr_t>(block.get()) % page;
      const std::size_t skip = over == 0 ? 0 : page - over;
      // Advice: where it is not taken nothing changes.
      if (n >= skip + page) ::madvise(block.get() + skip, (n - skip) / page * page, advice);
    };
    if (n >= 2 * huge) inside(huge, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    inside(small, MADV_POPULATE_WRITE);
#endif
    return block;
  }
  return std::shared_ptr<std::byte[]>(new std::byte[std::max<std::size_t>(n, 1)]);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string_view rest = text;
  bool negative = false;
  if (rest.front() == '+' || rest.front() == '-') {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const auto signed_value = [&](double v) { return negative ? -v : v; };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (starts_with_letters(rest, "nan") || starts_with_letters(rest, "ind") ||
      starts_with_letters(rest, "snan") || starts_with_letters(rest, "qnan")) {
    return signed_value(nan);
  }
  if (starts_with_letters(rest, "inf")) return signed_value(inf);
  if (rest.empty() || !((rest.front() >= '0' && rest.front() <= '9') || rest.front() == '.')) {
    return std::nullopt;
  }
  double value = 0.0;
  const auto [stop, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value, std::chars_format::general);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = rest.find("e-") != std::string_view::npos ||
                      rest.find("E-") != std::string_view::npos || rest.starts_with("0.");
    value = tiny ? 0.0 : inf;
  }
  const std::string_view tail(stop, static_cast<std::size_t>(rest.data() + rest.size() - stop));
  if (tail.empty()) return signed_value(value);
  if (tail.front() == '#') {  // Microsoft's "1.#INF", "-1.#IND", "1.#QNAN0"
    if (starts_with_letters(tail, "#inf")) return signed_value(inf);
    return signed_value(nan);
  }
  return std::nullopt;
}

std::optional<double> Value::as_double() const {
  switch (kind) {
    case Kind::integer:
      return static_cast<double>(i);
    case Kind::real:
      return d;
    case Kind::word:
      return parse_number(text);
    case Kind::none:
    case Kind::text:
    case Kind::raw:
    case Kind::array:
      break;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Value::as_int64() const {
  if (kind == Kind::integer) return i;
  if (kind == Kind::word) {
    std::int64_t v = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error == std::errc() && stop == text.data() + text.size()) return v;
    // ids above 2^63 are written unsigned by some exporters
    std::uint64_t u = 0;
    const auto [stop_u, error_u] = std::from_chars(text.data(), text.data() + text.size(), u);
    if (error_u == std::errc() && stop_u == text.data() + text.size()) {
      return static_cast<std::int64_t>(u);
    }
  }
  const std::optional<double> number = as_double();
  if (!number) return std::nullopt;
  return saturate(*number);
}

bool Records::reserve_decoded(std::uint64_t bytes, std::uint64_t offset) const {
  if (bytes >
      limits_.max_decoded_bytes - std::min(limits_.max_decoded_bytes, state_->decoded_bytes)) {
    note_damage(offset, Repair::Kind::limit,
                "an array of " + std::to_string(bytes) + " bytes is more than the limit allows");
    return false;
  }
  state_->decoded_bytes += bytes;
  return true;
}

bool Records::decode_array(const Value& value, std::byte* out, std::size_t bytes) const {
  if (!value.compressed) {
    if (value.text.size() != bytes) {
      note_damage(value.offset, Repair::Kind::count_mismatch,
                  "an array of " + std::to_string(value.length) + " values is stored in " +
                      std::to_string(value.text.size()) + " bytes instead of " +
                      std::to_string(bytes));
      return false;
    }
    if (bytes != 0) std::memcpy(out, value.text.data(), bytes);
  } else {
    std::size_t written = 0;
    const libdeflate_result result =
        libdeflate_zlib_decompress(static_cast<libdeflate_decompressor*>(state_->inflater),
                                   value.text.data(), value.text.size(), out, bytes, &written);
    if (result != LIBDEFLATE_SUCCESS || written != bytes) {
      const bool size_differs =
          result == LIBDEFLATE_INSUFFICIENT_SPACE || result == LIBDEFLATE_SUCCESS;
      note_damage(value.offset,
                  size_differs ? Repair::Kind::count_mismatch : Repair::Kind::decode_failed,
                  size_differs ? "a compressed array does not inflate to its declared length"
                               : "a compressed array does not inflate");
      return false;
    }
  }
  const std::size_t size = type_bytes(value.element);
  if (big_endian_ && size > 1) {
    for (std::size_t k = 0; k + size <= bytes; k += size) std::reverse(out + k, out + k + size);
  }
  return true;
}

void Records::scan_list(const Record& record, const std::function<void(const Value&)>& each) const {
  Record list = record;
  if (!binary_ && record.has_body()) {
    Record inner;
    if (child(record, "a", inner)) list = inner;
  }
  // A list that many objects refer to would be walked for each of them: the work is bounded by the
  // file's size, generously.
  state_->scanned_bytes += list.values_end - list.values_begin;
  if (state_->scanned_bytes > kMaxScans * text_.size() + (std::uint64_t{64} << 20)) {
    note_damage(0, Repair::Kind::limit, "the file's lists are referred to too often to be read");
    return;
  }
  Values walk = values(list);
  Value v;
  while (walk.next(v)) {
    // "*12 { a: ... }" without its list, and the trailing comma of a list, hold no number.
    if (v.kind == Value::Kind::none) continue;
    if (v.kind == Value::Kind::word && v.text.starts_with('*')) continue;
    each(v);
  }
}

std::uint64_t Records::array_length(const Record& record) const {
  if (binary_) {
    const Value v = value(record);
    if (v.kind == Value::Kind::array) return v.length;
  }
  std::uint64_t n = 0;
  scan_list(record, [&](const Value&) { ++n; });
  return n;
}

ComponentType Records::array_type(const Record& record) const {
  if (binary_) {
    const Value v = value(record);
    if (v.kind == Value::Kind::array) return v.element;
  }
  return ComponentType::f64;
}

Stream Records::mapped_array(const Record& record, ComponentType type) const {
  if (!binary_ || (big_endian_ && type != ComponentType::u8)) return {};
  const Value v = value(record);
  if (v.kind != Value::Kind::array || v.compressed || v.element != type ||
      v.text.size() != std::uint64_t{v.length} * type_bytes(type)) {
    return {};
  }
  Stream s;
  s.data = reinterpret_cast<const std::byte*>(v.text.data());
  s.count = v.length;
  s.stride = type_bytes(type);
  s.type = type;
  s.components = 1;
  return s;
}

bool Records::read_numbers(const Record& record, ComponentType type, NumberArray& out) const {
  out = {};
  out.type = type;
  const std::size_t out_size = type_bytes(type);
  if (binary_) {
    const Value v = value(record);
    if (v.kind == Value::Kind::array) {
      const std::size_t size = type_bytes(v.element);
      const std::uint64_t bytes = std::uint64_t{v.length} * size;
      if (v.compressed && bytes > kMaxExpansion * (v.text.size() + 64)) {
        note_damage(v.offset, Repair::Kind::limit,
                    "an array claims " + std::to_string(v.length) + " values in " +
                        std::to_string(v.text.size()) +
                        " compressed bytes, more than they can hold");
        return false;
      }
      if (!v.compressed && v.text.size() != bytes) return decode_array(v, nullptr, bytes);
      if (!reserve_decoded(std::uint64_t{v.length} * std::max(size, out_size), v.offset)) {
        return false;
      }
      std::shared_ptr<std::byte[]> raw = uninitialised_bytes(bytes);
      if (!decode_array(v, raw.get(), bytes)) return false;
      out.count = v.length;
      if (v.element == type) {
        out.data = std::move(raw);
        return true;
      }
      out.data = uninitialised_bytes(out.count * out_size);
      const Store store{out.data.get(), type};
      for (std::size_t k = 0; k < out.count; ++k) {
        const std::byte* at = raw.get() + k * size;
        const auto get = [&](auto zero) {
          std::memcpy(&zero, at, sizeof(zero));
          return zero;
        };
        switch (v.element) {
          case ComponentType::f64:
            store(k, get(double{}));
            break;
          case ComponentType::f32:
            store(k, static_cast<double>(get(float{})));
            break;
          case ComponentType::i64:
            store(k, get(std::int64_t{}));
            break;
          case ComponentType::i32:
            store(k, std::int64_t{get(std::int32_t{})});
            break;
          case ComponentType::u8:
          case ComponentType::none:
          case ComponentType::i8:
          case ComponentType::i16:
          case ComponentType::u16:
          case ComponentType::u32:
            store(k, std::int64_t{get(std::uint8_t{})});
            break;
        }
      }
      return true;
    }
    if (v.kind == Value::Kind::none && record.value_count != 0) return false;  // damage is noted
  }
  std::uint64_t n = 0;
  scan_list(record, [&](const Value&) { ++n; });
  if (!reserve_decoded(n * out_size, record.offset)) return false;
  out.data = uninitialised_bytes(n * out_size);
  out.count = n;
  const Store store{out.data.get(), type};
  std::size_t k = 0;
  bool good = true;
  const bool wants_integer = type == ComponentType::i32 || type == ComponentType::i64;
  scan_list(record, [&](const Value& v) {
    if (wants_integer) {
      const std::optional<std::int64_t> i = v.as_int64();
      store(k, i.value_or(0));
      good = good && i.has_value();
    } else {
      const std::optional<double> d = v.as_double();
      store(k, d.value_or(0.0));
      good = good && d.has_value();
    }
    ++k;
  });
  if (!good) {
    note_damage(
        record.offset, Repair::Kind::wrong_type,
        "\"" + std::string(record.name.substr(0, 64)) + "\" holds a value that is no number");
    out = {};
    return false;
  }
  if (!binary_) {
    const Value declared = value(record);
    if (declared.kind == Value::Kind::word && declared.text.starts_with('*')) {
      const std::optional<double> want = parse_number(declared.text.substr(1));
      if (!want || *want != static_cast<double>(n)) {
        note_damage(record.offset, Repair::Kind::count_mismatch,
                    "\"" + std::string(record.name.substr(0, 64)) + "\" declares " +
                        std::string(declared.text.substr(1, 24)) + " values and holds " +
                        std::to_string(n));
      }
    }
  }
  return true;
}

bool Records::read_doubles(const Record& record, std::vector<double>& out) const {
  NumberArray numbers;
  out.clear();
  if (!read_numbers(record, ComponentType::f64, numbers)) return false;
  out.resize(numbers.count);
  if (numbers.count != 0) std::memcpy(out.data(), numbers.data.get(), numbers.count * 8);
  return true;
}
bool Records::read_int32(const Record& record, std::vector<std::int32_t>& out) const {
  NumberArray numbers;
  out.clear();
  if (!read_numbers(record, ComponentType::i32, numbers)) return false;
  out.resize(numbers.count);
  if (numbers.count != 0) std::memcpy(out.data(), numbers.data.get(), numbers.count * 4);
  return true;
}
bool Records::read_int64(const Record& record, std::vector<std::int64_t>& out) const {
  NumberArray numbers;
  out.clear();
  if (!read_numbers(record, ComponentType::i64, numbers)) return false;
  out.resize(numbers.count);
  if (numbers.count != 0) std::memcpy(out.data(), numbers.data.get(), numbers.count * 8);
  return true;
}

}  // namespace skinlint::fbx
