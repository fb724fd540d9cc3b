#include "readers/test_hook_reader.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace skinlint {
namespace {

constexpr std::string_view prefix = "skinlint test hook: ";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool looks_like_test_hook(std::span<const std::byte> bytes) {
  return text_of(bytes).substr(0, prefix.size()) == prefix;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the format table's signature.
Result<Asset> read_test_hook(std::shared_ptr<const Source> source, const OpenCompanion& /*open*/,
                             const ReadOptions& /*options*/) {
  const std::string_view word = text_of(source->bytes()).substr(prefix.size());
  const auto is = [word](std::string_view name) { return word.substr(0, name.size()) == name; };
  if (is("crash")) std::raise(SIGSEGV);
  if (is("abort")) std::abort();
  if (is("hang")) {
    while (true) ::pause();
  }
  if (is("spin")) {
    for (std::atomic<unsigned> turns{0};;) turns.fetch_add(1);
  }
  if (is("memory")) {
    std::vector<std::vector<char>> blocks;
    while (true) blocks.emplace_back(std::size_t{16} << 20, 'x');
  }
  return ReadError{ReadError::Kind::malformed, "a test hook of an unknown kind", {}, {}};
}

}  // namespace skinlint
