#include "cli/file_list.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "engine/path_pattern.h"
#include "model/letters.h"
#include "readers/reader.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace fs = std::filesystem;
namespace {

class Collector {
 public:
  Collector(bool allow_empty, Configurations& configurations)
      : allow_empty_(allow_empty), configurations_(configurations) {}

  bool add(const std::string& path, bool globs) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      if (!S_ISDIR(status.st_mode)) return keep(path);
      entered_.clear();
      const std::size_t before = found_;
      if (!folder(path)) return false;
      return found_ > before || nothing("no file with a known extension ({}) below {}", path);
    }
    const int reason = errno;
    if (globs && path.find_first_of("*?[") != std::string::npos) return glob(path);
    if (reason == ELOOP) return fail(fmt::format("{} is a link to itself", shown(path)));
    if (reason == ENOENT || reason == ENOTDIR) {
      return fail(fmt::format("{} does not exist", shown(path)));
    }
    return fail(fmt::format("cannot read {}: {}", shown(path), std::strerror(reason)));
  }

  bool add_list(std::istream& in) {
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    // A file name may hold a line break; `find -print0` is the way to hand such names over.
    const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
    std::size_t entries = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(separator, at), text.size());
      std::string path = text.substr(at, end - at);
      at = end + 1;
      if (separator == '\n' && !path.empty() && path.back() == '\r') path.pop_back();
      if (path.empty()) continue;
      ++entries;
      if (!add(path, false)) return false;
    }
    if (entries == 0 && !allow_empty_) {
      return fail("the list on standard input names no file (--allow-empty accepts that)");
    }
    return true;
  }

  FileList take() { return {std::move(files_), std::move(error_)}; }

 private:
  static std::string shown(const std::string& path) { return printable(path, 1000); }

  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool nothing(const char* format, const std::string& path) {
    if (allow_empty_) return true;
    return fail(
        fmt::format(fmt::runtime(format), fmt::join(known_extensions(), ", "), shown(path)) +
        " (--allow-empty accepts that)");
  }

  bool keep(const std::string& path) {
    ++found_;
    if (seen_.insert(fs::path(path).lexically_normal().string()).second) files_.push_back(path);
    return true;
  }

  /// Of the folder that is being searched: its configuration's, or ours.
  bool known(const std::string& name) const {
    const std::string lower = lower_case(name);
    static const std::vector<std::string> ours = known_extensions();
    const std::vector<std::string>& extensions =
        found_config_ != nullptr && found_config_->file.extensions ? *found_config_->file.extensions
                                                                   : ours;
    // Not from the last dot on: "mesh.xml" is an extension.
    return std::any_of(extensions.begin(), extensions.end(), [&lower](const std::string& e) {
      return lower.size() > e.size() && lower[lower.size() - e.size() - 1] == '.' &&
             lower.compare(lower.size() - e.size(), e.size(), e) == 0;
    });
  }

  /// Left out by the configuration of its folder.
  bool excluded(const std::string& path) const {
    if (found_config_ == nullptr || found_config_->file.exclude.empty()) return false;
    const std::string relative = relative_path(path, found_config_->folder);
    const std::vector<std::string>& patterns = found_config_->file.exclude;
    return std::any_of(patterns.begin(), patterns.end(), [&relative](const std::string& pattern) {
      return path_matches(pattern, relative);
    });
  }

  /// Entries of a folder without hidden ones, sorted by bytes. What is left out there is known
  /// from here on.
  bool list(const std::string& folder, std::vector<std::string>& names) {
    const auto config = configurations_.for_folder(folder);
    if (!config) return fail(config.error());
    found_config_ = *config;
    std::error_code error;
    fs::directory_iterator it(folder.empty() ? "." : folder, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      std::string name = it->path().filename().string();
      if (!name.empty() && name.front() != '.') names.push_back(std::move(name));
    }
    if (error) {
      return fail(fmt::format("cannot read the folder {}: {}", shown(folder), error.message()));
    }
    std::sort(names.begin(), names.end());
    return true;
  }

  static std::string joined(const std::string& folder, const std::string& name) {
    if (folder.empty()) return name;
    return folder.back() == '/' ? folder + name : folder + '/' + name;
  }

  /// False when this folder was entered before, through a link or a loop of links.
  bool first_visit(const struct stat& status) {
    return entered_.emplace(status.st_dev, status.st_ino).second;
  }

  bool folder(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !first_visit(status)) return true;
    std::vector<std::string> names;
    if (!list(path, names)) return false;
    const std::shared_ptr<const FoundConfig> here = found_config_;
    for (const std::string& name : names) {
      found_config_ = here;  // a folder below may have had its own
      const std::string entry = joined(path, name);
      if (excluded(entry)) continue;
      if (::stat(entry.c_str(), &status) != 0) {
        // A link to nowhere named like a file of ours is one that was not fetched: the reader says
        // so.
        if (known(name)) keep(entry);
        continue;
      }
      if (S_ISDIR(status.st_mode)) {
        if (!folder(entry)) return false;
      } else if (S_ISREG(status.st_mode) && known(name)) {
        keep(entry);
      }
    }
    return true;
  }

  bool glob(const std::string& pattern) {
    std::vector<std::string> parts;
    std::string base = pattern.front() == '/' ? "/" : "";
    for (std::size_t at = 0; at < pattern.size();) {
      const std::size_t end = std::min(pattern.find('/', at), pattern.size());
      if (end > at) parts.push_back(pattern.substr(at, end - at));
      at = end + 1;
    }
    entered_.clear();
    starred_.clear();
    const std::size_t before = found_;
    if (!match(base, parts, 0)) return false;
    return found_ > before || nothing("no file with a known extension ({}) matches {}", pattern);
  }

  /// Everything below `folder` that parts[at...] name. Folders that match are searched like ones
  /// that are given.
  bool match(const std::string& folder, const std::vector<std::string>& parts, std::size_t at) {
    if (at == parts.size()) return true;
    const std::string& part = parts[at];
    const bool last = at + 1 == parts.size();
    struct stat status {};
    if (part == "**") {
      if (last) return this->folder(folder.empty() ? "." : folder);
      if (!match(folder, parts, at + 1)) return false;  // no folder between
      // Each folder is entered once for each `**`, so loops of links end.
      if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0) return true;
      if (!starred_.insert({at, {status.st_dev, status.st_ino}}).second) return true;
      std::vector<std::string> names;
      if (!list(folder, names)) return false;
      for (const std::string& name : names) {
        const std::string entry = joined(folder, name);
        if (::stat(entry.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
            !match(entry, parts, at)) {
          return false;
        }
      }
      return true;
    }
    if (part.find_first_of("*?[") == std::string::npos) {
      return accept(joined(folder, part), part, parts, at);
    }
    if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      return true;
    }
    std::vector<std::string> names;
    if (!list(folder, names)) return false;
    const std::shared_ptr<const FoundConfig> here = found_config_;
    for (const std::string& name : names) {
      if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
      found_config_ = here;
      if (excluded(joined(folder, name))) continue;
      if (!accept(joined(folder, name), name, parts, at)) return false;
    }
    return true;
  }

  bool accept(const std::string& entry, const std::string& name,
              const std::vector<std::string>& parts, std::size_t at) {
    struct stat status {};
    if (::stat(entry.c_str(), &status) != 0) return true;
    if (at + 1 < parts.size()) return !S_ISDIR(status.st_mode) || match(entry, parts, at + 1);
    if (S_ISDIR(status.st_mode)) return folder(entry);
    return !S_ISREG(status.st_mode) || !known(name) || keep(entry);
  }

  bool allow_empty_;
  Configurations& configurations_;
  std::shared_ptr<const FoundConfig> found_config_;
  std::size_t found_ = 0;
  std::vector<std::string> files_;
  std::unordered_set<std::string> seen_;
  std::set<std::pair<dev_t, ino_t>> entered_;
  std::set<std::pair<std::size_t, std::pair<dev_t, ino_t>>> starred_;
  std::string error_;
};

}  // namespace

FileList collect_files(const std::vector<std::string>& paths, bool allow_empty,
                       Configurations& configurations) {
  Collector collector(allow_empty, configurations);
  for (const std::string& path : paths) {
    if (!(path == "-" ? collector.add_list(std::cin) : collector.add(path, true))) break;
  }
  return collector.take();
}

}  // namespace skinlint::cli
