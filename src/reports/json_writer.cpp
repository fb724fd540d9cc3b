#include "reports/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>

#include "reports/unicode.h"

namespace skinlint {
namespace {

// Large inspections are handed on in pieces of this size.
constexpr std::size_t kFlushAt = std::size_t{1} << 20;

/// Printable ASCII that JSON takes as it is.
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void JsonWriter::new_line() {
  buffer_.push_back('\n');
  buffer_.append(levels_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) append(level.layout == Layout::line ? ", " : ",");
  level.empty = false;
  if (level.layout == Layout::block) new_line();
  if (buffer_.size() > kFlushAt) flush();
}

void JsonWriter::open(char bracket, Layout layout) {
  before_value();
  buffer_.push_back(bracket);
  // What stands inside a line stays on it.
  if (!levels_.empty() && levels_.back().layout == Layout::line) layout = Layout::line;
  levels_.push_back({layout, true});
}

void JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.layout == Layout::block) new_line();
  buffer_.push_back(bracket);
}

JsonWriter& JsonWriter::begin_object(Layout layout) {
  open('{', layout);
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}
JsonWriter& JsonWriter::begin_array(Layout layout) {
  open('[', layout);
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  quoted(name);
  append(": ");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  append("null");
  return *this;
}
JsonWriter& JsonWriter::boolean(bool value) {
  before_value();
  append(value ? "true" : "false");
  return *this;
}
JsonWriter& JsonWriter::string(std::string_view value) {
  before_value();
  quoted(value);
  return *this;
}
JsonWriter& JsonWriter::string_or_null(std::string_view value) {
  return value.empty() ? null() : string(value);
}
JsonWriter& JsonWriter::number(double value) {
  before_value();
  if (std::isnan(value)) {
    append("\"nan\"");
  } else if (std::isinf(value)) {
    append(value > 0 ? "\"inf\"" : "\"-inf\"");
  } else {
    fmt::format_to(std::back_inserter(buffer_), "{}", value);
  }
  return *this;
}
JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  append(json);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  before_value();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
  return *this;
}
JsonWriter& JsonWriter::count(std::uint64_t value) {
  before_value();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
  return *this;
}
JsonWriter& JsonWriter::vector(const Vec3& value) {
  begin_array(Layout::line);
  for (Eigen::Index i = 0; i < 3; ++i) number(value[i]);
  return end_array();
}
JsonWriter& JsonWriter::matrix(const Mat4& value) {
  begin_array(Layout::line);
  for (Eigen::Index row = 0; row < 4; ++row) {
    for (Eigen::Index column = 0; column < 4; ++column) number(value(row, column));
  }
  return end_array();
}

void JsonWriter::quoted(std::string_view text) {
  buffer_.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    if (at > begin) {
      append(text.substr(begin, at - begin));
      continue;
    }
    const CodePoint c = next_code_point(text, at);
    if (!c.valid) {
      append("\xEF\xBF\xBD");
    } else if (c.value == '"') {
      append("\\\"");
    } else if (c.value == '\\') {
      append("\\\\");
    } else if (c.value == '\n') {
      append("\\n");
    } else if (c.value == '\t') {
      append("\\t");
    } else if (is_unsafe(c.value)) {
      // Every unsafe code point lies in the basic plane, so one escape is enough.
      fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}", static_cast<unsigned>(c.value));
    } else {
      append(text.substr(begin, at - begin));
    }
  }
  buffer_.push_back('"');
}

void JsonWriter::finish() {
  buffer_.push_back('\n');
  flush();
}

void JsonWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace skinlint
