#include "readers/obj_points.h"

#include <fmt/format.h>

#include <charconv>

namespace skinlint {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Next number of a line; moves `at` past it.
bool next_number(const char*& at, const char* end, double& value) {
  while (at != end && is_space(*at)) ++at;
  if (at != end && *at == '+') ++at;  // from_chars knows no plus sign
  const auto [next, error] = std::from_chars(at, end, value);
  if (error != std::errc() || (next != end && !is_space(*next))) return false;
  at = next;
  return true;
}

}  // namespace

Result<std::vector<Vec3>> read_obj_points(const std::string& path, const Limits& limits) {
  const auto source = map_file(path, limits);
  if (!source) return source.error();
  const auto bytes = (*source)->bytes();
  const char* at = reinterpret_cast<const char*>(bytes.data());
  const char* const end = at + bytes.size();
  std::vector<Vec3> points;
  for (std::uint64_t line = 1; at != end; ++line) {
    const char* stop = at;
    while (stop != end && *stop != '\n') ++stop;
    while (at != stop && is_space(*at)) ++at;
    if (stop - at > 1 && *at == 'v' && is_space(at[1])) {
      ++at;
      Vec3 p;
      if (!next_number(at, stop, p.x()) || !next_number(at, stop, p.y()) ||
          !next_number(at, stop, p.z())) {
        return ReadError{ReadError::Kind::malformed, "a vertex needs three numbers", std::nullopt,
                         fmt::format("line {}", line)};
      }
      points.push_back(p);
    }
    at = stop == end ? end : stop + 1;
  }
  if (points.empty()) {
    return ReadError{ReadError::Kind::malformed, "there is no vertex (a line \"v x y z\") in it",
                     std::nullopt, ""};
  }
  return points;
}

}  // namespace skinlint
