#pragma once
// What the commands share: each adds its options to the parser and gives back what to run.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skinlint::cli {

/// Exit statuses that are not a verdict on files; see docs/cli.md.
inline constexpr int kOk = 0;
inline constexpr int kUsage = 2;
inline constexpr int kUnreadable = 3;
inline constexpr int kInternal = 4;

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

Command add_check(CLI::App& app);
Command add_config(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_pose(CLI::App& app);
Command add_rules(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_trace(CLI::App& app);

/// "skinlint: MESSAGE" on standard error.
void complain(std::string_view message);
/// The same, with where to read more; gives status 2.
int usage_error(std::string_view command, std::string_view message);
/// Columns of the terminal on standard output, within 60...140; 100 when it is none.
std::size_t terminal_width();
/// Whether to colour: `always`, `never`, or `auto`: a terminal, TERM not "dumb", NO_COLOR unset.
bool wants_color(std::string_view when, bool is_terminal);

}  // namespace skinlint::cli
