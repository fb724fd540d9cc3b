#pragma once
// Result<T>: a value or a ReadError, across rooms; no exception crosses a room.

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace skinlint {

/// Why a file could not be read at all. What could be read in part is an Asset with Repairs
/// instead.
struct ReadError {
  enum class Kind : std::uint8_t {
    not_found,       // no such file, or not a regular file
    io,              // the operating system refused
    not_fetched,     // a Git LFS pointer, or a companion file that is not there
    not_recognised,  // content is no format of ours
    malformed,       // structure cannot be followed
    unsupported,     // a version or required feature that we cannot read
    too_large,       // a claim beyond the limits
    forbidden,       // a reference outside the asset's folder
  };
  Kind kind = Kind::malformed;
  std::string message;                  // one sentence: what and why, without the file's path
  std::optional<std::uint64_t> offset;  // byte offset in the file where known
  std::string locator;                  // JSON pointer, object or line where known
};

std::string_view read_error_kind_name(ReadError::Kind kind);

template <class T, class E = ReadError>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return error;` are the point.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)
  explicit operator bool() const { return state_.index() == 0; }
  bool has_value() const { return state_.index() == 0; }
  T& value() {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  E& error() {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  const E& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> state_;
};

}  // namespace skinlint
