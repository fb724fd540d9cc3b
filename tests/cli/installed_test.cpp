// What is installed beside the tool: completions and the manual page know every command and option,
// and cmake --install puts everything in its place.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/run_tool.h"
#include "engine/profiles.h"
#include "reports/report.h"

using namespace skinlint;
using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

const fs::path& root() {
  static const fs::path path = fs::path(SKINLINT_SOURCE_DIR);
  return path;
}

std::string content(const std::string& name) {
  std::ifstream in(root() / name, std::ios::binary);
  INFO(name);
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Names matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Names names;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
       it != std::sregex_iterator(); ++it) {
    names.insert((*it)[1].str());
  }
  return names;
}

/// Options of each command, from its help; "" holds those before a command.
const std::map<std::string, Names>& options() {
  static const std::map<std::string, Names> table = [] {
    std::map<std::string, Names> out;
    const Workplace place;
    const auto read = [&](const std::string& command, std::vector<std::string> arguments) {
      for (const std::string& line : lines_of(run_tool(place, std::move(arguments)).out)) {
        if (line.compare(0, 3, "  -") != 0) continue;
        const std::string names = line.substr(0, line.find(' ', 2));
        for (const std::string& name : matches(names, "(--?[a-z][a-z-]*)")) {
          out[command].insert(name);
        }
      }
    };
    read("", {"--help"});
    bool commands = false;
    for (const std::string& line : lines_of(run_tool(place, {"--help"}).out)) {
      if (line.empty()) commands = false;
      if (commands) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        read(name, {name, "--help"});
      }
      if (line == "Commands:" || line == "Subcommands:") commands = true;
    }
    return out;
  }();
  return table;
}

Names long_options(const std::string& command) {
  Names names;
  for (const std::string& name : options().at(command)) {
    if (name.compare(0, 2, "--") == 0) names.insert(name);
  }
  return names;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  INFO(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

bool installed(const std::string& program) {
  const bool found = run_program(Workplace(), {"sh", "-c", "command -v " + program}).status == 0;
  if (!found) WARN("skipped in part: " << program << " is not installed");
  return found;
}

/// skinlint on PATH, for completions that ask it for rules.
ToolInput with_tool(const Workplace& place) {
  fs::create_directory_symlink(fs::path(SKINLINT_BINARY).parent_path(), place.path() / "bin");
  const char* path = std::getenv("PATH");
  ToolInput input;
  input.seconds = 60;
  input.environment = {"PATH=" + (place.path() / "bin").string() + ":" +
                       (path == nullptr ? "" : path)};
  return input;
}

}  // namespace

TEST_CASE("the help lists commands and options as these tests read them", "[cli]") {
  Names commands;
  for (const auto& [command, names] : options()) {
    commands.insert(command);
    INFO(command);
    CHECK(names.count("-h") == 1);
    CHECK(names.count("--help") == 1);
  }
  CHECK(commands ==
        Names{"", "check", "inspect", "trace", "rules", "explain", "config", "merge", "pose"});
  CHECK(options().at("check").size() > 20);
  CHECK(options().at("merge") == Names{"-h", "--help", "-o", "--output"});
}

TEST_CASE("bash completes every option of every command, and values", "[cli]") {
  if (!installed("bash")) return;
  const Workplace place;
  const ToolInput input = with_tool(place);
  const std::string script = (root() / "completions/skinlint.bash").string();
  /// `words`: the line as bash divides it; the last is completed.
  const auto complete = [&](const std::string& words) {
    const ToolRun run =
        run_program(place,
                    {"bash", "-c",
                     "source \"$1\"; COMP_WORDS=(skinlint " + words +
                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _skinlint 2>/dev/null\n"
                         "((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"; :",
                     "bash", script},
                    input);
    const std::vector<std::string> lines = lines_of(run.out);
    return Names(lines.begin(), lines.end());
  };
  Names commands;
  for (const auto& [command, names] : options()) {
    if (command.empty()) continue;
    commands.insert(command);
    INFO(command);
    CHECK(complete(command + " -") == long_options(command));
  }
  commands.insert("--help");
  commands.insert("--version");
  CHECK(complete("''") == commands);

  place.write("some.json", "{}");
  CHECK(complete("check --prof") == Names{"--profile"});
  CHECK(complete("check --profile un") == Names{"unity", "unreal"});
  CHECK(complete("check --report s") == Names{"sarif"});
  CHECK(complete("check --report json = so") == Names{"some.json"});
  CHECK(complete("check so") == Names{"some.json"});
  CHECK(complete("merge -o so") == Names{"some.json"});
  CHECK(complete("explain weights-neg") == Names{"weights-negative"});
  CHECK(complete("check --select weights-sum,weights-neg") ==
        Names{"weights-sum,weights-negative"});
  CHECK(complete("check --severity weights-neg") == Names{"weights-negative="});
  CHECK(complete("check --severity weights-negative = w") == Names{"warning"});
  CHECK(complete("check --severity weights-negative =").empty() == false);
  CHECK(complete("check --set weights-influence-limit.li") ==
        Names{"weights-influence-limit.limit="});
}

TEST_CASE("fish completes every option of every command", "[cli]") {
  const std::string script = content("completions/skinlint.fish");
  // The conditions by name, then which commands a line's condition names.
  std::map<std::string, std::string> conditions;
  for (const std::string& line : lines_of(script)) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex("set -l ([a-z]+) '(.*)'"))) {
      conditions["$" + match[1].str()] = match[2].str();
    }
  }
  std::map<std::string, Names> found;
  for (const std::string& line : lines_of(script)) {
    if (line.compare(0, 9, "complete ") != 0) continue;
    std::smatch match;
    std::string condition;
    if (std::regex_search(line, match, std::regex("-n ('[^']*'|[^ ]+)"))) {
      condition =
          conditions.count(match[1].str()) > 0 ? conditions[match[1].str()] : match[1].str();
    }
    const Names names = matches(line, "(?: -l ([a-z-]+))");
    for (const auto& [command, known] : options()) {
      const bool applies =
          condition.empty() ||
          (command.empty() ? condition == "__fish_use_subcommand"
                           : std::regex_search(condition, std::regex("\\b" + command + "\\b")));
      if (!applies) continue;
      for (const std::string& name : names) found[command].insert("--" + name);
    }
  }
  for (const auto& [command, names] : options()) {
    INFO(command);
    CHECK(found[command] == long_options(command));
  }

  if (!installed("fish")) return;
  const Workplace place;
  ToolInput input = with_tool(place);
  input.environment.push_back("HOME=" + place.path().string());
  const auto complete = [&](const std::string& line) {
    const ToolRun run = run_program(
        place,
        {"fish", "--no-config", "-c", "source $argv[1]; complete --do-complete $argv[2]",
         (root() / "completions/skinlint.fish").string(), line},
        input);
    INFO(run.err);
    CHECK(run.status == 0);
    Names names;
    for (const std::string& shown : lines_of(run.out))
      names.insert(shown.substr(0, shown.find('\t')));
    return names;
  };
  for (const auto& [command, names] : options()) {
    if (command.empty()) continue;
    INFO(command);
    CHECK(complete("skinlint " + command + " --") == long_options(command));
  }
  CHECK(complete("skinlint explain weights-neg") == Names{"weights-negative"});
  CHECK(complete("skinlint check --profile un") == Names{"unity", "unreal"});
}

TEST_CASE("zsh completes every option of every command", "[cli]") {
  const std::string script = content("completions/skinlint.zsh");
  const auto named = [](const std::string& text) {
    Names names = matches(text, "(?:\\)|'|\\*)(--[a-z][a-z-]*)\\[");
    const Names grouped = matches(text, "\\{-[a-z],(--[a-z-]+)\\}");
    names.insert(grouped.begin(), grouped.end());
    return names;
  };
  const Names judging = named(between(script, "  judging=(\n", "\n  )\n"));
  CHECK(judging.size() == 8);
  for (const auto& [command, names] : options()) {
    INFO(command);
    const std::string block = command.empty() ? between(script, "_arguments -C", "$state")
                                              : between(script, "\n    " + command + ")", ";;");
    Names found = named(block);
    if (has(block, "$judging")) found.insert(judging.begin(), judging.end());
    CHECK(found == long_options(command));
    if (!command.empty()) CHECK(has(script, command + "\\:\""));
  }
  if (!installed("zsh")) return;
  const std::string path = (root() / "completions/skinlint.zsh").string();
  const ToolRun run = run_program(
      Workplace(),
      {"zsh", "-f", "-c", "autoload -U compinit; compinit -D; source $1; echo $_comps[skinlint]",
       "zsh", path});
  CHECK(run.out == "_skinlint\n");
  CHECK(run.err.empty());
}

TEST_CASE("completions know every profile and report format", "[cli]") {
  for (const char* name : {"bash", "zsh", "fish"}) {
    const std::string script = content(std::string("completions/skinlint.") + name);
    std::string profiles, formats;
    for (const Profile& profile : all_profiles()) {
      profiles += (profiles.empty() ? "" : " ") + std::string(profile.name);
    }
    INFO(name);
    CHECK(has(script, profiles));
    for (const ReportFormat& format : report_formats()) {
      CHECK(std::regex_search(script, std::regex("\\b" + std::string(format.name) + "\\b")));
    }
  }
}

TEST_CASE("the manual page names every command and option, and is well formed", "[cli]") {
  std::string page = content("docs/skinlint.1");
  page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  for (const auto& [command, names] : options()) {
    INFO(command);
    std::string section;
    if (command.empty()) {
      section = between(page, ".SH OPTIONS\n", ".SS ");
    } else {
      CHECK(has(between(page, ".SH COMMANDS\n", ".SH "), "\n.B " + command + "\n"));
      CHECK(has(between(page, ".SH SYNOPSIS\n", ".SH "), ".B skinlint " + command + " "));
      if (command == "explain") continue;  // has no options of its own
      section = between(page, ".SS \"Options of " + command + "\"\n", "\n.S");
    }
    const Names found = matches(section, "(?:^|[ \n])(--?[a-z][a-z-]*)(?![a-z])");
    Names wanted = names;
    if (!command.empty()) {
      wanted.erase("-h");
      wanted.erase("--help");
    }
    Names missing;
    std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(),
                        std::inserter(missing, missing.end()));
    CHECK(missing == Names());
    // And none that does not exist.
    for (const std::string& name : found) {
      INFO(name);
      bool known = false;
      for (const auto& [other, all] : options()) known = known || all.count(name) == 1;
      CHECK(known);
    }
  }
  const std::string path = (root() / "docs/skinlint.1").string();
  if (installed("groff")) {
    const ToolRun run =
        run_program(Workplace(), {"groff", "-man", "-ww", "-z", "-K", "utf8", "-T", "utf8", path});
    CHECK(run.status == 0);
    CHECK(run.err == "");
  }
  if (installed("mandoc")) {
    const ToolRun run = run_program(Workplace(), {"mandoc", "-T", "lint", "-W", "warning", path});
    CHECK(run.out == "");
  }
}

TEST_CASE("cmake --install puts everything in its place", "[cli]") {
  const fs::path build = fs::path(SKINLINT_BINARY).parent_path().parent_path();
  if (!installed("cmake") || !fs::exists(build / "cmake_install.cmake")) return;
  const Workplace place;
  const std::string prefix = (place.path() / "usr").string();
  ToolInput patient;
  patient.seconds = 120;
  const ToolRun run =
      run_program(place, {"cmake", "--install", build.string(), "--prefix", prefix}, patient);
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK(run_program(place, {prefix + "/bin/skinlint", "--version"}).status == 0);
  const auto same = [&](const std::string& at, const std::string& source) {
    INFO(at);
    CHECK(place.exists("usr/share/" + at));
    CHECK((place.read("usr/share/" + at) == content(source)));
  };
  same("bash-completion/completions/skinlint", "completions/skinlint.bash");
  same("zsh/vendor-completions/_skinlint", "completions/skinlint.zsh");
  same("fish/vendor_completions.d/skinlint.fish", "completions/skinlint.fish");
  same("doc/skinlint/LICENSE", "LICENSE");
  same("doc/skinlint/README.md", "README.md");
  same("doc/skinlint/docs/cli.md", "docs/cli.md");
  same("doc/skinlint/docs/ci/pre-commit", "docs/ci/pre-commit");
  same("skinlint/config.schema.json", "docs/config.schema.json");
  same("skinlint/report.schema.json", "docs/report.schema.json");
  same("skinlint/inspect.schema.json", "docs/inspect.schema.json");
  same("skinlint/trace.schema.json", "docs/trace.schema.json");
  const std::string manual = "share/man/man1/skinlint.1";
  CHECK((place.exists("usr/" + manual) || place.exists("usr/" + manual + ".gz")));
  if (place.exists("usr/" + manual + ".gz")) {
    CHECK((run_program(place, {"gzip", "-dc", "usr/" + manual + ".gz"}).out ==
           content("docs/skinlint.1")));
  }

  // Links of the installed documents hold.
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(place.path() / "usr/share/doc/skinlint")) {
    if (entry.path().extension() != ".md") continue;
    const std::string text =
        place.read(entry.path().lexically_relative(place.path()).generic_string());
    for (const std::string& target : matches(text, R"(\]\(([^)#\s]+)(?:#[^)\s]*)?\))")) {
      INFO(entry.path().filename().string() << " links to " << target);
      CHECK((target.find("://") != std::string::npos ||
             fs::exists(entry.path().parent_path() / target)));
    }
  }
}
