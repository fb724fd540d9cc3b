#include "engine/path_pattern.h"

#include <fnmatch.h>

#include <filesystem>
#include <string>
#include <vector>

namespace skinlint {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('/', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view part = text.substr(at, end - at);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    at = end + 1;
  }
  return parts;
}

}  // namespace

bool path_matches(std::string_view pattern, std::string_view path) {
  std::vector<std::string> wanted = split(pattern);
  const std::vector<std::string> parts = split(path);
  if (wanted.empty() || parts.empty()) return false;
  if (pattern.find('/') == std::string_view::npos && wanted.front() != "**") {
    wanted.insert(wanted.begin(), "**");
  }
  if (pattern.back() == '/') wanted.emplace_back("**");
  // reach[p]: the pattern's parts so far can consume exactly p parts of the path.
  std::vector<bool> reach(parts.size() + 1, false);
  reach[0] = true;
  for (const std::string& part : wanted) {
    std::vector<bool> next(parts.size() + 1, false);
    if (part == "**") {
      bool reached = false;
      for (std::size_t p = 0; p <= parts.size(); ++p) {
        reached = reached || reach[p];
        next[p] = reached;
      }
    } else {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (reach[p] && ::fnmatch(part.c_str(), parts[p].c_str(), FNM_NOESCAPE) == 0)
          next[p + 1] = true;
      }
    }
    reach = std::move(next);
  }
  return reach[parts.size()];
}

std::string relative_path(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  const auto absolute = [](const std::string& given) {
    std::error_code error;
    const fs::path p(given.empty() ? "." : given);
    return (p.is_absolute() ? p : fs::current_path(error) / p).lexically_normal();
  };
  fs::path base = absolute(folder);
  if (!base.has_filename()) base = base.parent_path();
  const std::string relative = absolute(path).lexically_relative(base).generic_string();
  return relative.empty() ? path : relative;
}

}  // namespace skinlint
