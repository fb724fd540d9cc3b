#pragma once
// FBX records: the nested name/values/children structure under every FBX file, binary or ASCII.
// Nothing is indexed and nothing is copied: a Record is a handful of offsets into the mapped bytes,
// children and values are walked on demand, arrays are inflated only when asked for. Whoever walks
// decides how deep; no function here recurses.
//
// Binary (Kaydara header, 27 bytes, byte 22 != 0: big endian): record = end offset, value count,
// value bytes, name length, name, values, children, 13 or 25 zero bytes. Offsets are 64 bit from
// version 7500 on. Arrays are zlib streams or plain. Source: Blender's developer notes on the
// format and measured files.
// ASCII: `Name: value, value { children }`, `;` comments, `*N { a: values }` arrays (7.x) or plain
// value lists that may run over many lines (6.x and older).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/asset.h"
#include "model/result.h"
#include "model/stream.h"
#include "readers/reader.h"

namespace skinlint::fbx {

/// One record: a name, its values and its children as extents of the file.
struct Record {
  std::string_view name;
  std::uint64_t offset = 0;  // of the record's header
  std::uint64_t values_begin = 0, values_end = 0;
  std::uint64_t value_count = 0;  // binary only, as declared
  std::uint64_t body_begin = 0, body_end = 0;
  bool has_body() const { return body_end > body_begin; }
};

/// One value of a record. Numbers of an ASCII file keep their text until asked for.
struct Value {
  enum class Kind : std::uint8_t { none, integer, real, text, raw, array, word };
  Kind kind = Kind::none;
  char code = 0;          // binary type letter; 0 for ASCII
  std::int64_t i = 0;     // integer
  double d = 0.0;         // real
  std::string_view text;  // text, raw, word (an unquoted ASCII word or number), array payload
  std::uint64_t offset = 0;
  // array
  ComponentType element = ComponentType::none;
  std::uint32_t length = 0;
  bool compressed = false;

  bool is_text() const { return kind == Kind::text || kind == Kind::word; }
  bool is_scalar() const {
    return kind == Kind::integer || kind == Kind::real || kind == Kind::word;
  }
  /// Number of any kind; nullopt when the value is none. "1.#QNAN", "-nan(ind)", "inf" are numbers.
  std::optional<double> as_double() const;
  /// Integer; reals are truncated and saturate.
  std::optional<std::int64_t> as_int64() const;
};

/// Number at the start of `text` in any locale's absence: decimal forms, "nan", "nan(ind)",
/// "1.#IND", "-1.#INF", "inf", "infinity", in any case. nullopt when the whole text is no number.
std::optional<double> parse_number(std::string_view text);

/// What could not be followed inside the file; the first few with their place, all counted.
struct Damage {
  std::uint64_t offset = 0;
  Repair::Kind kind = Repair::Kind::out_of_bounds;
  std::string what;
  std::string object;  // class and name of the record that held it, when known
};

class Records;

/// Walks the children of a record, or the top level. Ends early at damage, which Records keeps.
class Children {
 public:
  bool next(Record& out);

 private:
  friend class Records;
  Children(const Records& records, std::uint64_t begin, std::uint64_t end, bool top_level)
      : records_(&records), position_(begin), end_(end), top_level_(top_level) {}
  bool next_binary(Record& out);
  bool next_ascii(Record& out);
  const Records* records_;
  std::uint64_t position_, end_;
  bool top_level_, done_ = false;
};

/// Walks the values of a record in order.
class Values {
 public:
  bool next(Value& out);

 private:
  friend class Records;
  Values(const Records& records, const Record& record)
      : records_(&records),
        position_(record.values_begin),
        end_(record.values_end),
        left_(record.value_count) {}
  bool next_binary(Value& out);
  bool next_ascii(Value& out);
  const Records* records_;
  std::uint64_t position_, end_, left_;
};

/// Numbers decoded from a record, owned.
struct NumberArray {
  std::shared_ptr<std::byte[]> data;
  std::size_t count = 0;
  ComponentType type = ComponentType::none;
};

class Records {
 public:
  /// Recognises the file and checks that the top level can be followed to its end. Errors:
  /// not_recognised, malformed (record beyond the file, unclosed brace or string, with offset and,
  /// for ASCII, the line).
  static Result<Records> open(std::span<const std::byte> bytes, const Limits& limits);
  /// Content looks like FBX: Kaydara header, or an ASCII file with FBX's first records.
  static bool recognises(std::span<const std::byte> bytes);

  bool binary() const { return binary_; }
  bool big_endian() const { return big_endian_; }
  std::uint32_t version() const { return version_; }
  std::string_view text() const { return text_; }
  std::size_t top_level_count() const { return top_level_count_; }
  /// 1-based line of an offset; for ASCII messages.
  std::uint64_t line_of(std::uint64_t offset) const;

  Children top_level() const;
  Children children(const Record& record) const;
  Values values(const Record& record) const;
  /// First child of that name; false when there is none.
  bool child(const Record& record, std::string_view name, Record& out) const;
  /// The n-th value; kind none when there are fewer.
  Value value(const Record& record, std::size_t index = 0) const;

  /// Number of elements of a record's number array without decoding: declared for binary arrays,
  /// counted for value lists.
  std::uint64_t array_length(const Record& record) const;
  /// All numbers of a record (one array value, a list of scalars, or an ASCII array) as `type`
  /// (i32, i64, f32, f64). Integers out of i32's range saturate. False, with damage noted, when the
  /// data does not decode, disagrees with its declared length, or breaks a limit.
  bool read_numbers(const Record& record, ComponentType type, NumberArray& out) const;
  bool read_doubles(const Record& record, std::vector<double>& out) const;
  bool read_int32(const Record& record, std::vector<std::int32_t>& out) const;
  bool read_int64(const Record& record, std::vector<std::int64_t>& out) const;
  /// A view of the record's single array value in the mapped file, when it is stored plainly in
  /// this machine's byte order and in `type`; undeclared stream otherwise.
  Stream mapped_array(const Record& record, ComponentType type) const;
  /// Type of the record's array value; f64 for lists.
  ComponentType array_type(const Record& record) const;

  void note_damage(std::uint64_t offset, Repair::Kind kind, std::string what) const;
  const std::vector<Damage>& damage() const { return state_->damage; }
  std::uint64_t damage_count() const { return state_->damage_count; }

 private:
  friend class Children;
  friend class Values;
  struct State;
  Records() = default;
  bool decode_array(const Value& value, std::byte* out, std::size_t bytes) const;
  bool reserve_decoded(std::uint64_t bytes, std::uint64_t offset) const;
  void scan_list(const Record& record, const std::function<void(const Value&)>& each) const;
  template <class T>
  std::uint64_t load(std::uint64_t at) const;

  std::string_view text_;
  bool binary_ = false, big_endian_ = false, wide_ = false;
  std::uint32_t version_ = 0;
  std::size_t top_level_count_ = 0;
  Limits limits_;

  struct State {
    std::vector<Damage> damage;
    std::uint64_t damage_count = 0;
    std::uint64_t decoded_bytes = 0;
    std::uint64_t walked_bytes = 0;
    std::uint64_t scanned_bytes = 0;  // of value lists, which have to be walked to be counted
    void* inflater = nullptr;         // libdeflate_decompressor
    State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
  };
  std::unique_ptr<State> state_;
};

}  // namespace skinlint::fbx
