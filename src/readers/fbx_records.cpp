#include "readers/fbx_records.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include <libdeflate.h>

namespace skinlint::fbx {

namespace {

constexpr std::string_view kMagic("Kaydara FBX Binary  \0", 21);
constexpr std::size_t kHeaderBytes = 27;
constexpr std::size_t kMaxDamageKept = 64;
constexpr std::uint64_t kMaxWalks = 64;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0' || c == '\v' || c == '\f';
}
bool ends_word(char c) {
  return is_space(c) || c == ',' || c == '{' || c == '}' || c == '"' || c == ';';
}

/// First position at or after `at` that is neither white space nor comment.
std::uint64_t skip_blank(std::string_view text, std::uint64_t at, std::uint64_t end) {
  while (at < end) {
    if (is_space(text[at])) {
      ++at;
    } else if (text[at] == ';') {
      const void* newline = std::memchr(text.data() + at, '\n', end - at);
      if (newline == nullptr) return end;
      at = static_cast<std::uint64_t>(static_cast<const char*>(newline) - text.data()) + 1;
    } else {
      return at;
    }
  }
  return end;
}

/// Position after the closing quote of the string that opens at `at`; npos when it never closes.
std::uint64_t skip_string(std::string_view text, std::uint64_t at, std::uint64_t end) {
  const void* quote = std::memchr(text.data() + at + 1, '"', end - at - 1);
  if (quote == nullptr) return std::string_view::npos;
  return static_cast<std::uint64_t>(static_cast<const char*>(quote) - text.data()) + 1;
}

/// Position of the brace that closes the body starting at `at`; npos when there is none.
std::uint64_t skip_body(std::string_view text, std::uint64_t at, std::uint64_t end) {
  std::uint64_t depth = 1;
  while (at < end) {
    switch (text[at]) {
      case '{':
        ++depth;
        ++at;
        break;
      case '}':
        if (--depth == 0) return at;
        ++at;
        break;
      case '"':
        at = skip_string(text, at, end);
        if (at == std::string_view::npos) return at;
        break;
      case ';':
        at = skip_blank(text, at, end);
        break;
      default:
        ++at;
    }
  }
  return std::string_view::npos;
}

/// End of a record name (the position of its colon) when one starts at `at`; npos otherwise.
std::uint64_t name_end(std::string_view text, std::uint64_t at, std::uint64_t end) {
  std::uint64_t p = at;
  while (p < end && !ends_word(text[p]) && text[p] != ':') ++p;
  if (p == at || p >= end || text[p] != ':') return std::string_view::npos;
  if (p + 1 < end && text[p + 1] == ':') return std::string_view::npos;  // Model::name is a value
  return p;
}

std::size_t element_bytes(char code) {
  switch (code) {
    case 'b':
    case 'c':
      return 1;
    case 'i':
    case 'f':
      return 4;
    case 'l':
    case 'd':
      return 8;
    default:
      return 0;
  }
}
ComponentType element_type(char code) {
  switch (code) {
    case 'i':
      return ComponentType::i32;
    case 'l':
      return ComponentType::i64;
    case 'f':
      return ComponentType::f32;
    case 'd':
      return ComponentType::f64;
    default:
      return ComponentType::u8;
  }
}
std::uint64_t swap_bytes(std::uint64_t v, std::size_t n) {
  std::uint64_t r = 0;
  for (std::size_t k = 0; k < n; ++k) r = (r << 8) | ((v >> (8 * k)) & 0xff);
  return r;
}

}  // namespace

Records::State::State() : inflater(libdeflate_alloc_decompressor()) {}
Records::State::~State() {
  libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(inflater));
}

template <class T>
std::uint64_t Records::load(std::uint64_t at) const {
  T v{};
  std::memcpy(&v, text_.data() + at, sizeof(T));
  const std::uint64_t wide = static_cast<std::uint64_t>(v);
  return big_endian_ ? swap_bytes(wide, sizeof(T)) : wide;
}

void Records::note_damage(std::uint64_t offset, Repair::Kind kind, std::string what) const {
  ++state_->damage_count;
  if (state_->damage.size() < kMaxDamageKept) {
    // The same place is walked more than once; it is one damage.
    for (const Damage& d : state_->damage) {
      if (d.offset == offset && d.kind == kind) return;
    }
    state_->damage.push_back({offset, kind, std::move(what), {}});
  }
}

std::uint64_t Records::line_of(std::uint64_t offset) const {
  const std::string_view before = text_.substr(0, static_cast<std::size_t>(offset));
  return 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
}

Children Records::top_level() const {
  std::uint64_t begin = binary_ ? kHeaderBytes : 0;
  if (!binary_ && text_.starts_with("\xEF\xBB\xBF")) begin = 3;
  return Children(*this, begin, text_.size(), true);
}
Children Records::children(const Record& record) const {
  return Children(*this, record.body_begin, record.body_end, false);
}
Values Records::values(const Record& record) const { return Values(*this, record); }

bool Records::child(const Record& record, std::string_view name, Record& out) const {
  Children walk = children(record);
  while (walk.next(out)) {
    if (out.name == name) return true;
  }
  return false;
}

Value Records::value(const Record& record, std::size_t index) const {
  Values walk = values(record);
  Value v;
  for (std::size_t k = 0; walk.next(v); ++k) {
    if (k == index) return v;
  }
  return {};
}

bool Children::next(Record& out) {
  if (done_) return false;
  if (position_ >= end_) {
    done_ = true;
    if (top_level_ && records_->binary()) {
      records_->note_damage(end_, Repair::Kind::truncated,
                            "the file ends without the empty record that closes it");
    }
    return false;
  }
  // Walking costs a header in binary and every byte in ASCII; an object that many others refer to
  // would be walked for each of them.
  std::uint64_t& walked = records_->state_->walked_bytes;
  if (walked > kMaxWalks * records_->text_.size() + (std::uint64_t{256} << 20)) {
    records_->note_damage(0, Repair::Kind::limit,
                          "the file's objects refer to one another too often to be read");
    done_ = true;
    return false;
  }
  const std::uint64_t start = position_;
  done_ = !(records_->binary() ? next_binary(out) : next_ascii(out));
  walked += records_->binary() ? 25 : position_ - start;
  return !done_;
}

bool Children::next_binary(Record& out) {
  const Records& r = *records_;
  const std::uint64_t at = position_;
  const std::uint64_t head = r.wide_ ? 25 : 13;
  if (end_ - at < head) {
    r.note_damage(at, Repair::Kind::truncated,
                  top_level_ ? "the file ends inside a record header"
                             : "a record's list of children ends inside a record header");
    return false;
  }
  std::uint64_t stop = 0, count = 0, value_bytes = 0;
  if (r.wide_) {
    stop = r.load<std::uint64_t>(at);
    count = r.load<std::uint64_t>(at + 8);
    value_bytes = r.load<std::uint64_t>(at + 16);
  } else {
    stop = r.load<std::uint32_t>(at);
    count = r.load<std::uint32_t>(at + 4);
    value_bytes = r.load<std::uint32_t>(at + 8);
  }
  const std::uint64_t name_bytes = static_cast<unsigned char>(r.text_[at + head - 1]);
  if (stop == 0) {
    if (count == 0 && value_bytes == 0 && name_bytes == 0) {
      return false;  // the empty record that closes a list
    }
    // Seen in files of the SDK: a record with values, without children and without end offset.
    if (value_bytes > end_ - at - head || name_bytes > end_ - at - head - value_bytes) {
      r.note_damage(at, Repair::Kind::out_of_bounds, "a record without end offset does not fit");
      return false;
    }
    stop = at + head + name_bytes + value_bytes;
    r.note_damage(at, Repair::Kind::defaulted,
                  "a record has no end offset; it was taken to end after its values");
  }
  if (stop > end_) {
    r.note_damage(at, Repair::Kind::out_of_bounds,
                  "a record claims to end at byte " + std::to_string(stop) +
                      ", beyond what contains it (byte " + std::to_string(end_) + ")");
    return false;
  }
  if (stop < at + head + name_bytes || value_bytes > stop - (at + head + name_bytes)) {
    r.note_damage(at, Repair::Kind::out_of_bounds,
                  "a record's name and values do not fit into the record");
    return false;
  }
  out.offset = at;
  out.name = r.text_.substr(at + head, name_bytes);
  out.values_begin = at + head + name_bytes;
  out.values_end = out.values_begin + value_bytes;
  out.value_count = count;
  out.body_begin = out.values_end;
  out.body_end = stop;
  position_ = stop;
  return true;
}

bool Children::next_ascii(Record& out) {
  const Records& r = *records_;
  const std::string_view text = r.text_;
  std::uint64_t p = skip_blank(text, position_, end_);
  if (p >= end_) return false;
  const std::uint64_t colon = name_end(text, p, end_);
  if (colon == std::string_view::npos) {
    r.note_damage(p, Repair::Kind::out_of_bounds,
                  text[p] == '}' ? "a closing brace without an opening one"
                                 : "text that is neither a record name nor a value");
    return false;
  }
  out.offset = p;
  out.name = text.substr(p, colon - p);
  out.value_count = 0;
  out.values_begin = colon + 1;
  // Values end where a value is not followed by a comma, at a brace, or, when there are none, at
  // the next record's name.
  p = colon + 1;
  bool first = true, after_value = false;
  out.values_end = p;
  for (;;) {
    const std::uint64_t q = skip_blank(text, p, end_);
    if (q >= end_ || text[q] == '}' || text[q] == '{') {
      p = q;
      break;
    }
    const char c = text[q];
    if (c == ',') {
      after_value = false;
      p = q + 1;
      out.values_end = p;
    } else if (after_value || (first && c != '"' && name_end(text, q, end_) != text.npos)) {
      p = q;
      break;
    } else if (c == '"') {
      p = skip_string(text, q, end_);
      if (p == std::string_view::npos) {
        r.note_damage(q, Repair::Kind::truncated, "a string without closing quote");
        return false;
      }
      out.values_end = p;
      after_value = true;
    } else {
      p = q;
      while (p < end_ && !ends_word(text[p])) ++p;
      out.values_end = p;
      after_value = true;
    }
    first = false;
  }
  out.body_begin = out.body_end = p;
  if (p < end_ && text[p] == '{') {
    out.body_begin = p + 1;
    out.body_end = skip_body(text, p + 1, end_);
    if (out.body_end == std::string_view::npos) {
      r.note_damage(p, Repair::Kind::truncated,
                    "the record \"" + std::string(out.name.substr(0, 64)) + "\" is never closed");
      return false;
    }
    p = out.body_end + 1;
  }
  position_ = p;
  return true;
}

bool Values::next(Value& out) {
  if (position_ >= end_) return false;
  const bool more = records_->binary() ? next_binary(out) : next_ascii(out);
  if (!more) position_ = end_;
  return more;
}

bool Values::next_binary(Value& out) {
  const Records& r = *records_;
  if (left_ == 0) return false;
  --left_;
  const std::uint64_t at = position_;
  const char code = r.text_[at];
  const std::uint64_t available = end_ - at - 1;
  std::uint64_t p = at + 1;
  const auto truncated = [&](const char* what) {
    r.note_damage(at, Repair::Kind::out_of_bounds, what);
    return false;
  };
  out.code = code;
  out.offset = at;
  const auto integer = [&](std::int64_t v, std::uint64_t bytes) {
    out.kind = Value::Kind::integer;
    out.i = v;
    position_ = p + bytes;
    return true;
  };
  switch (code) {
    case 'C':
    case 'B':
    case 'Z':
      if (available < 1) return truncated("a value does not fit into its record");
      return integer(static_cast<unsigned char>(r.text_[p]), 1);
    case 'Y':
      if (available < 2) return truncated("a value does not fit into its record");
      return integer(static_cast<std::int16_t>(r.load<std::uint16_t>(p)), 2);
    case 'I':
      if (available < 4) return truncated("a value does not fit into its record");
      return integer(static_cast<std::int32_t>(r.load<std::uint32_t>(p)), 4);
    case 'L':
      if (available < 8) return truncated("a value does not fit into its record");
      return integer(static_cast<std::int64_t>(r.load<std::uint64_t>(p)), 8);
    case 'F':
      if (available < 4) return truncated("a value does not fit into its record");
      out.kind = Value::Kind::real;
      out.d = static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(r.load<std::uint32_t>(p))));
      position_ = p + 4;
      return true;
    case 'D':
      if (available < 8) return truncated("a value does not fit into its record");
      out.kind = Value::Kind::real;
      out.d = std::bit_cast<double>(r.load<std::uint64_t>(p));
      position_ = p + 8;
      return true;
    case 'S':
    case 'R': {
      if (available < 4) return truncated("a string's length does not fit into its record");
      const std::uint64_t n = r.load<std::uint32_t>(p);
      if (n > available - 4) return truncated("a string does not fit into its record");
      out.kind = code == 'S' ? Value::Kind::text : Value::Kind::raw;
      out.text = r.text_.substr(p + 4, n);
      position_ = p + 4 + n;
      return true;
    }
    default:
      break;
  }
  const std::uint64_t size = element_bytes(code);
  if (size == 0) return truncated("a value of a type that FBX does not have");
  if (available < 12) return truncated("an array's header does not fit into its record");
  out.length = static_cast<std::uint32_t>(r.load<std::uint32_t>(p));
  const std::uint64_t encoding = r.load<std::uint32_t>(p + 4);
  const std::uint64_t stored = r.load<std::uint32_t>(p + 8);
  if (encoding > 1) return truncated("an array with an encoding that FBX does not have");
  const std::uint64_t plain = std::uint64_t{out.length} * size;
  // Some writers leave the stored size of a plain array at zero; any other size must be right.
  const std::uint64_t payload = encoding == 1 || stored != 0 ? stored : plain;
  if (payload > available - 12) return truncated("an array does not fit into its record");
  out.kind = Value::Kind::array;
  out.element = element_type(code);
  out.compressed = encoding == 1;
  out.text = r.text_.substr(p + 12, payload);
  position_ = p + 12 + payload;
  return true;
}

bool Values::next_ascii(Value& out) {
  const std::string_view text = records_->text_;
  std::uint64_t p = skip_blank(text, position_, end_);
  if (p < end_ && text[p] == ',') p = skip_blank(text, p + 1, end_);
  if (p >= end_) return false;
  out.offset = p;
  out.code = 0;
  if (text[p] == ',') {  // an empty value
    out.kind = Value::Kind::none;
    out.text = {};
    position_ = p;
    return true;
  }
  if (text[p] == '"') {
    const std::uint64_t stop = skip_string(text, p, end_);
    if (stop == std::string_view::npos) return false;
    out.kind = Value::Kind::text;
    out.text = text.substr(p + 1, stop - p - 2);
    position_ = stop;
    return true;
  }
  std::uint64_t q = p;
  while (q < end_ && !ends_word(text[q])) ++q;
  if (q == p) return false;
  out.kind = Value::Kind::word;
  out.text = text.substr(p, q - p);
  position_ = q;
  return true;
}

bool Records::recognises(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kMagic.substr(0, 20))) return true;
  const std::string_view head = text.substr(0, 4096);
  std::uint64_t p = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (p < head.size() && is_space(head[p]) && head[p] != '\0') ++p;
  if (p >= head.size()) return false;
  const std::string_view rest = head.substr(p);
  if (rest.front() == ';') {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    return line.find("FBX") != std::string_view::npos ||
           head.find("FBXHeaderExtension") != std::string_view::npos;
  }
  return rest.starts_with("FBXHeaderExtension");
}

Result<Records> Records::open(std::span<const std::byte> bytes, const Limits& limits) {
  if (!recognises(bytes)) {
    return ReadError{ReadError::Kind::not_recognised, "no FBX header", 0, {}};
  }
  Records r;
  r.text_ = std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  r.limits_ = limits;
  r.state_ = std::make_unique<State>();
  r.binary_ = r.text_.starts_with(kMagic.substr(0, 20));
  if (r.binary_) {
    if (r.text_.size() < kHeaderBytes) {
      return ReadError{
          ReadError::Kind::malformed, "the file ends inside its header", r.text_.size(), {}};
    }
    r.big_endian_ = r.text_[22] != 0;
    r.version_ = static_cast<std::uint32_t>(r.load<std::uint32_t>(23));
    r.wide_ = r.version_ >= 7500;
    if (r.version_ < 1000 || r.version_ >= 20000) {
      return ReadError{ReadError::Kind::unsupported,
                       "FBX version " + std::to_string(r.version_) + " does not exist",
                       23,
                       {}};
    }
  } else {
    const std::size_t at = r.text_.find("FBX ");
    if (at < 64) {  // "; FBX 7.7.0 project file"
      double parts[3] = {0, 0, 0};
      const char* p = r.text_.data() + at + 4;
      const char* end = r.text_.data() + std::min(r.text_.size(), at + 24);
      for (double& part : parts) {
        int v = 0;
        const auto [stop, error] = std::from_chars(p, end, v);
        if (error != std::errc()) break;
        part = v;
        p = stop;
        if (p < end && *p == '.') ++p;
      }
      const double version = parts[0] * 1000 + parts[1] * 100 + parts[2] * 10;
      if (version > 0 && version < 20000) r.version_ = static_cast<std::uint32_t>(version);
    }
  }
  Children walk = r.top_level();
  Record record;
  while (walk.next(record)) {
    ++r.top_level_count_;
    if (!r.binary_ && record.name == "FBXHeaderExtension") {
      Record version;
      if (r.child(record, "FBXVersion", version)) {
        const std::int64_t v = r.value(version).as_int64().value_or(0);
        if (v >= 1000 && v < 20000) r.version_ = static_cast<std::uint32_t>(v);
      }
    }
  }
  if (!r.damage().empty()) {
    const auto fatal = std::find_if(r.damage().begin(), r.damage().end(), [](const Damage& d) {
      return d.kind != Repair::Kind::defaulted;
    });
    if (fatal == r.damage().end()) return r;
    const Damage& d = *fatal;
    // A file cut inside its closing zeros or its footer has lost nothing.
    const std::string_view rest = r.text_.substr(static_cast<std::size_t>(d.offset));
    const bool only_footer_missing = d.kind == Repair::Kind::truncated && r.binary_ &&
                                     r.top_level_count_ > 0 &&
                                     rest.find_first_not_of('\0') == std::string_view::npos;
    if (!only_footer_missing) {
      return ReadError{ReadError::Kind::malformed, d.what, d.offset,
                       r.binary_ ? std::string() : "line " + std::to_string(r.line_of(d.offset))};
    }
  }
  if (r.top_level_count_ == 0) {
    return ReadError{
        ReadError::Kind::malformed, "the file holds no record", r.binary_ ? kHeaderBytes : 0, {}};
  }
  return r;
}

}  // namespace skinlint::fbx
