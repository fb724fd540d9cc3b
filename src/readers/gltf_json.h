#pragma once
// JSON as glTF uses it: parsed by simdjson, with every complaint knowing its JSON pointer. A value
// of the wrong type is a Repair and then reads as absent.

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "readers/reader.h"
#include "readers/repair_log.h"

namespace skinlint {

using JsonValue = simdjson::dom::element;
using JsonObject = simdjson::dom::object;
using JsonArray = simdjson::dom::array;

/// Where in the document we are; a chain on the stack, made into a JSON pointer only when needed.
class Place {
 public:
  Place() = default;
  Place(const Place& up, std::string_view key) : up_(&up), key_(key) {}
  Place(const Place& up, std::size_t index) : up_(&up), index_(index), is_index_(true) {}
  // A temporary parent would dangle.
  Place(const Place&& up, std::string_view key) = delete;
  Place(const Place&& up, std::size_t index) = delete;
  std::string pointer() const;

 private:
  const Place* up_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

/// Parses one JSON text. The values stay valid until the next call on the same thread. `offset` is
/// where the text starts in its file; an error carries the byte offset in the file and the reason.
/// Errors: malformed (not JSON, not UTF-8, not an object), too_large (nesting beyond
/// limits.max_json_depth).
Result<JsonObject> parse_json(std::span<const std::byte> text, std::uint64_t offset,
                              const Limits& limits);

/// Reads values out of one element of the file and logs what is wrong with them.
class JsonScope {
 public:
  JsonScope(RepairLog& log, ElementRef element) : log_(&log), element_(element) {}

  /// The values of `keys` in `object`. A key given twice is a Repair; the last one counts, as in
  /// most parsers.
  template <std::size_t N>
  std::array<std::optional<JsonValue>, N> pick(JsonObject object,
                                               const std::array<std::string_view, N>& keys,
                                               const Place& place) const {
    std::array<std::optional<JsonValue>, N> found;
    for (const simdjson::dom::key_value_pair field : object) {
      for (std::size_t i = 0; i < N; ++i) {
        if (field.key != keys[i]) continue;
        if (found[i]) log_duplicate(place, keys[i]);
        found[i] = field.value;
        break;
      }
    }
    return found;
  }

  // Each of these returns nothing for an absent value, and a Repair (wrong_type) and nothing for a
  // value of another type. `what_then` completes the sentence "... is not a number; WHAT_THEN".
  std::optional<JsonObject> object(const std::optional<JsonValue>& value, const Place& place,
                                   bool affects_skinning = true) const;
  std::optional<JsonArray> array(const std::optional<JsonValue>& value, const Place& place,
                                 bool affects_skinning = true) const;
  std::optional<std::string_view> string(const std::optional<JsonValue>& value, const Place& place,
                                         bool affects_skinning = false) const;
  /// A non-negative integer; 3.0 counts as one, as glTF 2.0 section 2.7 says.
  std::optional<std::uint64_t> count(const std::optional<JsonValue>& value, const Place& place,
                                     bool affects_skinning = true) const;
  /// An index as stored, negative or not. -1 with a Repair for what is no integer.
  std::optional<std::int64_t> index(const std::optional<JsonValue>& value, const Place& place,
                                    bool affects_skinning = true) const;
  std::optional<bool> boolean(const std::optional<JsonValue>& value, const Place& place) const;
  /// Exactly N numbers.
  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const std::optional<JsonValue>& value,
                                               const Place& place) const {
    std::array<double, N> out{};
    if (!value) return std::nullopt;
    if (!fixed_numbers(*value, place, out.data(), N)) return std::nullopt;
    return out;
  }

  void repair(Repair::Kind kind, const Place& place, std::string detail,
              bool affects_skinning = true, std::uint64_t count = 1) const {
    log_->add(kind, element_, affects_skinning, std::move(detail), place.pointer(), count);
  }
  ElementRef element() const { return element_; }
  RepairLog& log() const { return *log_; }

 private:
  void log_duplicate(const Place& place, std::string_view key) const;
  void wrong_type(const Place& place, std::string_view expected, bool affects_skinning) const;
  bool fixed_numbers(JsonValue value, const Place& place, double* out, std::size_t n) const;
  RepairLog* log_;
  ElementRef element_;
};

/// A JSON integer, or a number without a fractional part; empty otherwise.
std::optional<std::int64_t> integer_of(JsonValue value);
/// A JSON number of any kind as double.
std::optional<double> number_of(JsonValue value);

}  // namespace skinlint
