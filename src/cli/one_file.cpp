#include "cli/one_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "cli/command.h"
#include "reports/unicode.h"

namespace skinlint::cli {

int unreadable(const std::string& path, const ReadError& error) {
  std::string place;
  if (!error.locator.empty()) place += fmt::format(", at {}", printable(error.locator));
  if (error.offset) place += fmt::format(", at byte {}", *error.offset);
  complain(fmt::format("{}: unreadable ({}{}): {}", printable(path, 1000),
                       read_error_kind_name(error.kind), place, printable(error.message, 1000)));
  return kUnreadable;
}

Result<Asset, int> read_one_file(std::string_view command, const std::string& path,
                                 const ReadOptions& options) {
  const std::string shown = printable(path, 1000);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return usage_error(command, fmt::format("{}: {}", shown, std::strerror(errno)));
  if (S_ISDIR(status.st_mode))
    return usage_error(command, fmt::format("{} is a folder; {} takes one file", shown, command));
  Result<Asset> asset = read_asset(path, options);
  if (asset) return std::move(*asset);
  return unreadable(path, asset.error());
}

}  // namespace skinlint::cli
