#include "readers/gltf_json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

namespace skinlint {
namespace {

using simdjson::dom::element_type;

/// Finds where a text stops being JSON and why; simdjson says neither. Keeps nothing of the text.
class ErrorFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ErrorFinder(std::size_t max_depth) : max_depth_(max_depth) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= max_depth_; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return ++depth_ <= max_depth_; }
  bool end_array() override { return --depth_, true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& e) override {
    found_ = true;
    position_ = position;
    reason_ = e.what();
    return false;
  }

  bool found() const { return found_; }
  bool too_deep() const { return depth_ > max_depth_; }
  std::uint64_t position() const { return position_; }
  /// The library's sentence without its own error number.
  std::string reason() const {
    const std::size_t start = reason_.find("] ");
    return start == std::string::npos ? reason_ : reason_.substr(start + 2);
  }

 private:
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  bool found_ = false;
  std::size_t position_ = 0;
  std::string reason_;
};

ReadError json_error(std::span<const std::byte> text, std::uint64_t offset, const Limits& limits,
                     simdjson::error_code code) {
  ReadError error;
  error.kind = ReadError::Kind::malformed;
  error.offset = offset;
  ErrorFinder finder(limits.max_json_depth);
  const auto* begin = reinterpret_cast<const char*>(text.data());
  nlohmann::json::sax_parse(begin, begin + text.size(), &finder);
  if (finder.too_deep() || code == simdjson::DEPTH_ERROR) {
    error.kind = ReadError::Kind::too_large;
    error.message =
        "the JSON is nested deeper than " + std::to_string(limits.max_json_depth) + " levels";
    return error;
  }
  if (finder.found()) {
    // The library counts from one.
    error.offset = offset + (finder.position() == 0 ? 0 : finder.position() - 1);
    error.message = "not JSON: " + finder.reason();
    return error;
  }
  error.message = std::string("not JSON: ") + simdjson::error_message(code);
  return error;
}

/// One parser per thread, so that small files need no allocation; a big file's memory is given
/// back.
simdjson::dom::parser& parser_for(std::size_t size) {
  constexpr std::size_t keep_up_to = std::size_t{4} << 20;
  thread_local std::unique_ptr<simdjson::dom::parser> parser;
  if (!parser || (parser->capacity() > keep_up_to && size <= keep_up_to))
    parser = std::make_unique<simdjson::dom::parser>();
  return *parser;
}

}  // namespace

std::string Place::pointer() const {
  std::vector<const Place*> chain;
  for (const Place* p = this; p->up_ != nullptr; p = p->up_) chain.push_back(p);
  std::string out;
  for (auto p = chain.rbegin(); p != chain.rend(); ++p) {
    out += '/';
    if ((*p)->is_index_) {
      out += std::to_string((*p)->index_);
      continue;
    }
    for (const char c : (*p)->key_) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

Result<JsonObject> parse_json(std::span<const std::byte> text, std::uint64_t offset,
                              const Limits& limits) {
  if (text.empty()) {
    ReadError error;
    error.offset = offset;
    error.message = "the JSON text is empty";
    return error;
  }
  simdjson::dom::parser& parser = parser_for(text.size());
  simdjson::error_code code = simdjson::SUCCESS;
  if (parser.capacity() < text.size() || parser.max_depth() != limits.max_json_depth)
    code = parser.allocate(text.size(), limits.max_json_depth);
  JsonValue root;
  // realloc_if_needed: the parser copies the text into its own padded buffer.
  if (code == simdjson::SUCCESS) {
    code = parser.parse(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), true)
               .get(root);
  }
  if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY) {
    ReadError error;
    error.kind = ReadError::Kind::too_large;
    error.offset = offset;
    error.message = "the JSON text of " + std::to_string(text.size()) + " bytes is too large";
    return error;
  }
  if (code != simdjson::SUCCESS) return json_error(text, offset, limits, code);
  JsonObject object;
  if (root.get(object) != simdjson::SUCCESS) {
    ReadError error;
    error.offset = offset;
    error.message = "the JSON text is not an object";
    return error;
  }
  return object;
}

std::optional<std::int64_t> integer_of(JsonValue value) {
  std::int64_t integer = 0;
  if (value.get(integer) == simdjson::SUCCESS) return integer;
  double number = 0;
  if (value.type() != element_type::DOUBLE || value.get(number) != simdjson::SUCCESS)
    return std::nullopt;
  constexpr double limit = 9007199254740992.0;  // 2^53
  if (!(std::abs(number) <= limit) || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<double> number_of(JsonValue value) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

void JsonScope::log_duplicate(const Place& place, std::string_view key) const {
  const Place at(place, key);
  repair(Repair::Kind::duplicate, at, "the key is given twice; the last value is used");
}

void JsonScope::wrong_type(const Place& place, std::string_view expected,
                           bool affects_skinning) const {
  repair(Repair::Kind::wrong_type, place,
         "the value is not " + std::string(expected) + " and is taken as absent", affects_skinning);
}

std::optional<JsonObject> JsonScope::object(const std::optional<JsonValue>& value,
                                            const Place& place, bool affects_skinning) const {
  if (!value) return std::nullopt;
  JsonObject out;
  if (value->get(out) == simdjson::SUCCESS) return out;
  wrong_type(place, "an object", affects_skinning);
  return std::nullopt;
}

std::optional<JsonArray> JsonScope::array(const std::optional<JsonValue>& value, const Place& place,
                                          bool affects_skinning) const {
  if (!value) return std::nullopt;
  JsonArray out;
  if (value->get(out) == simdjson::SUCCESS) return out;
  wrong_type(place, "an array", affects_skinning);
  return std::nullopt;
}

std::optional<std::string_view> JsonScope::string(const std::optional<JsonValue>& value,
                                                  const Place& place, bool affects_skinning) const {
  if (!value) return std::nullopt;
  std::string_view out;
  if (value->get(out) == simdjson::SUCCESS) return out;
  wrong_type(place, "a string", affects_skinning);
  return std::nullopt;
}

std::optional<std::uint64_t> JsonScope::count(const std::optional<JsonValue>& value,
                                              const Place& place, bool affects_skinning) const {
  if (!value) return std::nullopt;
  std::uint64_t out = 0;
  if (value->get(out) == simdjson::SUCCESS) return out;
  const std::optional<std::int64_t> integer = integer_of(*value);
  if (integer && *integer >= 0) return static_cast<std::uint64_t>(*integer);
  wrong_type(place, "a whole number that is not negative", affects_skinning);
  return std::nullopt;
}

std::optional<std::int64_t> JsonScope::index(const std::optional<JsonValue>& value,
                                             const Place& place, bool affects_skinning) const {
  if (!value) return std::nullopt;
  if (const std::optional<std::int64_t> integer = integer_of(*value)) return integer;
  repair(Repair::Kind::wrong_type, place, "the value is not an index", affects_skinning);
  return -1;
}

std::optional<bool> JsonScope::boolean(const std::optional<JsonValue>& value,
                                       const Place& place) const {
  if (!value) return std::nullopt;
  bool out = false;
  if (value->get(out) == simdjson::SUCCESS) return out;
  wrong_type(place, "true or false", true);
  return std::nullopt;
}

bool JsonScope::fixed_numbers(JsonValue value, const Place& place, double* out,
                              std::size_t n) const {
  JsonArray array;
  bool good = value.get(array) == simdjson::SUCCESS;
  std::size_t i = 0;
  if (good) {
    for (const JsonValue item : array) {
      const std::optional<double> number = i < n ? number_of(item) : std::nullopt;
      good = number.has_value();
      if (!good) break;
      out[i++] = *number;
    }
  }
  if (good && i == n) return true;
  wrong_type(place, std::to_string(n) + " numbers", true);
  return false;
}

}  // namespace skinlint
