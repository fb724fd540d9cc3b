#pragma once
// JsonWriter: writes JSON piece by piece, so that a report never holds more than one file and an
// inspection never holds the whole asset. Keys keep the order in which they are written. Strings
// are made safe (see unicode.h): the output is always valid UTF-8 without raw control characters.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "model/math.h"

namespace skinlint {

class JsonWriter {
 public:
  /// `block` puts every item on its own line; `line` keeps the value on one line (matrices).
  enum class Layout : std::uint8_t { block, line };

  explicit JsonWriter(std::ostream& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& begin_object(Layout layout = Layout::block);
  JsonWriter& end_object();
  JsonWriter& begin_array(Layout layout = Layout::block);
  JsonWriter& end_array();
  /// Name of the next value; only inside an object.
  JsonWriter& key(std::string_view name);

  JsonWriter& null();
  JsonWriter& boolean(bool value);
  JsonWriter& string(std::string_view value);
  /// The string, or null when it is empty.
  JsonWriter& string_or_null(std::string_view value);
  /// Shortest text that reads back as the same double; "nan", "inf", "-inf" as strings.
  JsonWriter& number(double value);
  JsonWriter& integer(std::int64_t value);
  /// A value that was written before, at this depth.
  JsonWriter& raw(std::string_view json);
  JsonWriter& count(std::uint64_t value);
  /// Three numbers on one line.
  JsonWriter& vector(const Vec3& value);
  /// Sixteen numbers on one line, row-major.
  JsonWriter& matrix(const Mat4& value);

  /// Ends the document's line and hands everything to the stream in one write.
  void finish();
  /// Hands what is buffered to the stream in one write.
  void flush();

 private:
  struct Level {
    Layout layout;
    bool empty;
  };
  void before_value();
  void open(char bracket, Layout layout);
  void close(char bracket);
  void append(std::string_view text) { buffer_.append(text); }
  void quoted(std::string_view text);
  void new_line();

  std::ostream& out_;
  std::string buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace skinlint
