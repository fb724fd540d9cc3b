// The repository's own rules: which room may include which, where libraries may be seen, how long a
// file may be, what must be listed where. Each is stated once, in the tables below.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;
using StringSet = std::set<std::string>;

const fs::path& root() {
  static const fs::path path = fs::path(SKINLINT_SOURCE_DIR);
  return path;
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  INFO("reading " << path.string());
  REQUIRE(stream.good());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Strings lines_of(const std::string& text) {
  Strings lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Path relative to the repository, with forward slashes.
std::string relative_name(const fs::path& path) {
  return path.lexically_relative(root()).generic_string();
}

/// Regular files below `folder`, sorted, without hidden folders, build trees and caches. Empty when
/// the folder does not exist.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator();
       ++it) {
    const std::string name = it->path().filename().string();
    const bool kept_out = name == ".git" || name == ".cache" || name == "__pycache__" ||
                          (name == "build" && it.depth() == 0 && folder == root());
    if (kept_out) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".inc";
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> files = files_below(folder);
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const fs::path& path) { return !is_source(path); }),
              files.end());
  return files;
}

/// Targets of a file's include lines, without quotes or brackets.
Strings includes_of(const fs::path& path) {
  static const std::regex include_line(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  Strings targets;
  for (const std::string& line : lines_of(read_text(path))) {
    std::smatch match;
    if (std::regex_search(line, match, include_line)) targets.push_back(match[1].str());
  }
  return targets;
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// Which rooms a room's files may include, besides its own. Reports reach readers only through
/// engine/check.h; skinning and rules never see them at all.
const std::map<std::string, StringSet>& rooms() {
  static const std::map<std::string, StringSet> table = {
      {"model", {}},
      {"readers", {"model"}},
      {"skinning", {"model"}},
      {"rules", {"model", "skinning"}},
      {"engine", {"model", "readers", "skinning", "rules"}},
      {"reports", {"model", "skinning", "rules", "engine"}},
      {"cli", {"model", "readers", "skinning", "rules", "engine", "reports"}},
  };
  return table;
}

/// Libraries by how their include lines begin, and the rooms that may hold them.
struct Library {
  std::string prefix;
  StringSet rooms;
};
const std::vector<Library>& libraries() {
  static const std::vector<Library> table = {
      {"simdjson", {"readers"}},
      {"draco/", {"readers"}},
      {"meshoptimizer", {"readers"}},
      {"zlib.h", {"readers"}},
      {"libdeflate.h", {"readers"}},
      {"assimp/", {"readers"}},
      {"nettle/", {"readers", "engine"}},
      {"nlohmann/", {"readers", "engine", "reports", "cli"}},
      {"CLI/", {"cli"}},
      {"Eigen/", {"model", "readers", "skinning", "rules", "reports"}},
  };
  return table;
}

/// Every breach of the two tables above by a file of `room` that includes `targets`.
Strings include_breaches(const std::string& room, const Strings& targets) {
  Strings breaches;
  for (const std::string& target : targets) {
    const std::string first = target.substr(0, target.find('/'));
    if (first != room && rooms().count(first) != 0 && rooms().at(room).count(first) == 0) {
      breaches.push_back("includes " + target + ", a room it must not see");
    }
    for (const Library& library : libraries()) {
      if (starts_with(target, library.prefix) && library.rooms.count(room) == 0) {
        breaches.push_back("includes " + target + ", a library of another room");
      }
    }
  }
  return breaches;
}

}  // namespace

TEST_CASE("the include check itself sees breaches", "[project]") {
  CHECK(include_breaches("rules", {"readers/reader.h"}).size() == 1);
  CHECK(include_breaches("reports", {"readers/reader.h"}).size() == 1);
  CHECK(include_breaches("model", {"CLI/CLI.hpp", "skinning/hierarchy.h"}).size() == 2);
  CHECK(include_breaches("readers", {"simdjson.h", "model/asset.h", "vector"}).empty());
}

TEST_CASE("a room includes only the rooms and libraries it may see", "[project]") {
  std::size_t files = 0;
  for (const fs::path& path : sources_below(root() / "src")) {
    const std::string room = (*path.lexically_relative(root() / "src").begin()).string();
    INFO(relative_name(path));
    REQUIRE(rooms().count(room) == 1);  // a new folder under src needs a row in the table
    for (const std::string& breach : include_breaches(room, includes_of(path))) {
      INFO(breach);
      CHECK(false);
    }
    ++files;
  }
  CHECK(files > 20);
}

TEST_CASE("files stay small enough to read", "[project]") {
  for (const char* folder : {"src", "tests"}) {
    for (const fs::path& path : sources_below(root() / folder)) {
      const bool is_rule =
          path.parent_path() == root() / "src" / "rules" && path.extension() == ".cpp";
      INFO(relative_name(path));
      CHECK(lines_of(read_text(path)).size() < (is_rule ? 250U : 800U));
    }
  }
}

TEST_CASE("headers guard themselves and names are snake_case", "[project]") {
  static const std::regex snake_case("[a-z0-9_]+\\.(cpp|h|inc)");
  for (const char* folder : {"src", "tests"}) {
    for (const fs::path& path : sources_below(root() / folder)) {
      INFO(relative_name(path));
      CHECK(std::regex_match(path.filename().string(), snake_case));
      if (path.extension() == ".h") {
        CHECK(starts_with(read_text(path), "#pragma once"));
      }
    }
  }
}

TEST_CASE("every source is listed in its folder's CMakeLists.txt", "[project]") {
  for (const char* folder : {"src", "tests"}) {
    for (const fs::path& path : sources_below(root() / folder)) {
      if (path.extension() != ".cpp") continue;
      INFO(relative_name(path));
      const std::string list = read_text(path.parent_path() / "CMakeLists.txt");
      // A folder of alike programs may name them by their stem, in a loop.
      CHECK(std::regex_search(list, std::regex("\\b" + path.stem().string() + "\\b")));
    }
  }
}

TEST_CASE("rule_list.inc and the rules' sources name each other", "[project]") {
  const std::string list = read_text(root() / "src" / "rules" / "rule_list.inc");
  static const std::regex listed_line(R"(^\s*SKINLINT_RULE\((\w+)\))");
  static const std::regex definition(R"(\bconst(?:init)?\s+(?:const\s+)?Rule\s+(\w+)\b)");
  StringSet listed;
  for (const std::string& line : lines_of(list)) {
    std::smatch match;
    if (!std::regex_search(line, match, listed_line)) continue;
    INFO("listed twice: " << match[1].str());
    CHECK(listed.insert(match[1].str()).second);
  }
  CHECK_FALSE(listed.empty());

  StringSet defined;
  for (const fs::path& path : sources_below(root() / "src" / "rules")) {
    if (path.extension() != ".cpp") continue;
    const std::string text = read_text(path);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), definition);
         it != std::sregex_iterator(); ++it) {
      // A table or lookup may name `const Rule` too; a rule is defined in a file of its name.
      if ((*it)[1].str() == path.stem().string()) defined.insert((*it)[1].str());
    }
  }
  CHECK(listed == defined);

  for (const std::string& rule : listed) {
    INFO("no test names the rule " << rule);
    std::string id = rule;
    std::replace(id.begin(), id.end(), '_', '-');
    bool tested = false;
    for (const fs::path& path : sources_below(root() / "tests" / "rules")) {
      tested = tested || read_text(path).find('"' + id + '"') != std::string::npos;
    }
    CHECK(tested);
  }
}

TEST_CASE("the repository speaks of the project alone", "[project]") {
  // Built from parts, so that this file does not find itself.
  const std::string slash = "/";
  const Strings everywhere = {
      slash + "work" + slash,    slash + "home" + slash,       slash + "root" + slash,
      slash + "wt" + slash,      ".." + slash + "shared",      "work" + slash + "shared",
      "FIX" + std::string("ME"), "<<<<<<" + std::string("< "), ">>>>>>" + std::string("> ")};
  const Strings in_src = {slash + "tmp" + slash, "TO" + std::string("DO"), "XX" + std::string("X")};
  for (const fs::path& path : files_below(root())) {
    const std::string name = relative_name(path);
    if (starts_with(name, "testdata/") && path.extension() != ".json" &&
        path.extension() != ".py") {
      continue;  // bytes
    }
    const std::string text = read_text(path);
    const auto refuse = [&](const Strings& words) {
      for (const std::string& word : words) {
        INFO(name << " holds " << word);
        CHECK(text.find(word) == std::string::npos);
      }
    };
    refuse(everywhere);
    if (starts_with(name, "src/")) refuse(in_src);
  }
}

TEST_CASE("links between documents lead somewhere", "[project]") {
  static const std::regex link(R"(\]\(([^)#\s]+)(?:#[^)\s]*)?\))");
  std::size_t links = 0;
  for (const fs::path& path : files_below(root())) {
    if (path.extension() != ".md") continue;
    const std::string text = read_text(path);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), link);
         it != std::sregex_iterator(); ++it) {
      const std::string target = (*it)[1].str();
      if (target.find("://") != std::string::npos) continue;
      INFO(relative_name(path) << " links to " << target);
      CHECK(fs::exists(path.parent_path() / target));
      ++links;
    }
  }
  CHECK(links > 3);
}

TEST_CASE("every test file is in testdata/manifest.json and the other way round", "[project]") {
  const fs::path folder = root() / "testdata";
  const fs::path manifest_path = folder / "manifest.json";
  const nlohmann::json manifest = nlohmann::json::parse(read_text(manifest_path));
  StringSet listed;
  for (const nlohmann::json& entry : manifest.at("files")) {
    const std::string path = entry.at("path").get<std::string>();
    INFO(path);
    CHECK(listed.insert(path).second);
    CHECK(fs::is_regular_file(folder / path));
    CHECK_FALSE(entry.value("origin", "").empty());
    CHECK_FALSE(entry.value("licence", "").empty());
  }
  for (const fs::path& path : files_below(folder)) {
    const std::string name = path.lexically_relative(folder).generic_string();
    if (path == manifest_path || starts_with(name, "tools/")) continue;
    INFO(name << " is not in the manifest");
    // A .gltf speaks for its buffer of the same name.
    const fs::path owner =
        fs::path(name).replace_extension(path.extension() == ".bin" ? ".gltf" : path.extension());
    CHECK(listed.count(owner.generic_string()) == 1);
  }
}
