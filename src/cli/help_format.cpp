#include "cli/help_format.h"

#include <fmt/format.h>

#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

constexpr std::size_t kLeft = 28;  // columns of names

}  // namespace

std::string HelpFormat::row(const std::string& left, const std::string& text) const {
  std::string out = "  " + left;
  bool same_line = left.size() + 4 <= kLeft;
  if (!same_line) out += '\n';
  const std::size_t room = width_ - kLeft;
  for (const std::string& line : wrap_words(text, room, room)) {
    out += fmt::format("{:{}}{}\n", "", same_line ? kLeft - left.size() - 2 : kLeft, line);
    same_line = false;  // only the first line stands beside the name
  }
  return out;
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  std::string out;
  for (const std::string& line : wrap_words(app->get_description(), width_, width_)) {
    out += line + '\n';
  }
  return out + '\n';
}

std::string HelpFormat::make_usage(const CLI::App* app, std::string) const {
  std::string out = "Usage: ";
  if (app->get_parent() != nullptr) out += app->get_parent()->get_name() + ' ';
  out += app->get_name();
  if (!app->get_subcommands(nullptr).empty()) out += " COMMAND";
  for (const CLI::Option* option : app->get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    out += option->get_required() ? ' ' + name : " [" + name + ']';
  }
  return out + " [OPTIONS]\n";
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = is_positional ? option->get_name(true) : option->get_name(false, true);
  std::string text = option->get_description();
  if (!is_positional && option->get_type_size() != 0) {
    left += ' ' + option->get_type_name();
    if (!option->get_default_str().empty()) {
      text += fmt::format(" (default: {})", option->get_default_str());
    }
  }
  return row(left, text);
}

std::string HelpFormat::make_subcommand(const CLI::App* subcommand) const {
  return row(subcommand->get_name(), subcommand->get_description());
}

}  // namespace skinlint::cli
