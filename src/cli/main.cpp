// The command line: parses, runs one command, maps everything to an exit status.

#include <fmt/format.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/command.h"
#include "cli/help_format.h"
#include "cli/output_file.h"
#include "engine/suggest.h"
#include "readers/reader.h"
#include "reports/unicode.h"
#include "rules/rule.h"

namespace skinlint::cli {

void complain(std::string_view message) {
  const std::string line = fmt::format("skinlint: {}\n", message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int usage_error(std::string_view command, std::string_view message) {
  complain(message);
  const std::string hint =
      fmt::format("Try \"skinlint {}{}--help\".\n", command, command.empty() ? "" : " ");
  std::fwrite(hint.data(), 1, hint.size(), stderr);
  return kUsage;
}

std::size_t terminal_width() {
  struct winsize size {};
  std::size_t width = 100;
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col != 0) {
    width = size.ws_col;
  }
  return std::clamp<std::size_t>(width, 60, 140);
}

bool wants_color(std::string_view when, bool is_terminal) {
  if (when == "always") return true;
  if (when == "never" || !is_terminal) return false;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

namespace {

constexpr std::string_view kAbout =
    "Checks skinned FBX and glTF files: says which joint's matrix or which vertex's weight is "
    "wrong, "
    "why, how far it moves the mesh, and what to do about it in Maya, 3ds Max or Blender.";
constexpr std::string_view kFooter =
    "Examples:\n"
    "  skinlint check hero.fbx                      one file\n"
    "  skinlint check assets/                       every file below a folder\n"
    "  skinlint check a.glb --report json=out.json  a report for programs\n"
    "  skinlint explain weights-zero-sum            what a rule means and how to fix it\n"
    "  skinlint inspect hero.glb --joint spine      the matrices of one joint\n"
    "\n"
    "Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage,\n"
    "3 a file could not be read, 4 internal error.";

std::string version_text() {
  std::string text = fmt::format("skinlint {}\n", SKINLINT_VERSION);
  for (const LibraryVersion& library : reader_libraries()) {
    text += fmt::format("  {} {}\n", library.name,
                        library.version.empty() ? "not in this build" : library.version);
  }
  return text;
}

int print(const std::string& text) {
  const auto out = OutputFile::standard_output();
  out->stream() << text;
  const std::string error = out->close();
  if (error.empty()) return kOk;
  if (!out->broken_pipe()) complain(error);
  return kUsage;
}

/// "--slect" is near "--select": the options a command has, as typed on the command line.
std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

int parse_error(const CLI::App& app, const std::vector<Command>& commands,
                const CLI::ParseError& error) {
  const CLI::App* parser = &app;
  for (const Command& command : commands) {
    if (command.parser->parsed()) parser = command.parser;
  }
  const std::string name = parser == &app ? std::string() : parser->get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const std::string& extra : app.remaining(true)) {
      const std::string typed = extra.substr(0, extra.find('='));
      if (typed.size() < 2 || typed.front() != '-') {
        return usage_error(name, fmt::format("\"{}\" is one argument too many", printable(extra)));
      }
      const std::string near = nearest(typed, option_names(*parser));
      return usage_error(
          name,
          fmt::format("unknown option {}{}", printable(typed),
                      near.empty() ? std::string() : fmt::format(" (did you mean {}?)", near)));
    }
  }
  return usage_error(name, printable(error.what(), 1000));
}

int run(int argc, char** argv) {
  CLI::App app{std::string(kAbout), "skinlint"};
  app.footer(std::string(kFooter));
  app.formatter(std::make_shared<HelpFormat>(std::min<std::size_t>(terminal_width(), 100)));
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("Subcommands", "Commands");
  app.get_formatter()->label("SUBCOMMANDS", "COMMANDS");
  app.set_help_flag("-h,--help", "Print this help");
  bool version = false;
  app.add_flag("--version", version,
               "Print the versions of skinlint and the libraries it reads with");
  const std::vector<Command> commands = {add_check(app), add_inspect(app), add_trace(app),
                                         add_rules(app), add_explain(app), add_config(app),
                                         add_merge(app), add_pose(app)};
  app.require_subcommand(0, 1);

  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.parser->get_name());
    const std::string given = argv[1];
    if (std::find(names.begin(), names.end(), given) == names.end()) {
      // A file in the place of a command is the likeliest slip of all.
      const bool path = nearest(given, names).empty() && ::access(argv[1], F_OK) == 0;
      return usage_error(
          "",
          fmt::format("unknown command \"{}\"{}", printable(given),
                      path ? fmt::format(" (did you mean \"skinlint check {}\"?)", printable(given))
                           : suggestion(given, names)));
    }
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* parser = &app;
    for (const Command& command : commands) {
      if (command.parser->parsed()) parser = command.parser;
    }
    return print(parser->help());
  } catch (const CLI::ParseError& error) {
    return parse_error(app, commands, error);
  }
  if (version) return print(version_text());
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.run();
  }
  complain("no command given\n");
  const std::string help = app.help();
  std::fwrite(help.data(), 1, help.size(), stderr);
  return kUsage;
}

}  // namespace
}  // namespace skinlint::cli

int main(int argc, char** argv) {
  // Keep what one file's check gave back for the next file's: handing it to the system and fetching
  // it again took a sixth of the time of small files, most of all in worker processes.
  ::mallopt(M_TRIM_THRESHOLD, 32 << 20);
  ::mallopt(M_TOP_PAD, 512 << 10);
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  try {
    skinlint::cli::install_signal_handlers();
    return skinlint::cli::run(argc, argv);
  } catch (const std::exception& error) {
    skinlint::cli::complain(fmt::format("internal error: {}", error.what()));
  } catch (...) {
    skinlint::cli::complain("internal error");
  }
  return skinlint::cli::kInternal;
}
