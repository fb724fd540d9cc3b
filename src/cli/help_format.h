#pragma once
// --help for a newcomer: aligned, wrapped to the terminal, no parser jargon.

#include <CLI/CLI.hpp>
#include <string>

namespace skinlint::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width) : width_(width) {}
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* subcommand) const override;

 private:
  std::string row(const std::string& left, const std::string& text) const;
  std::size_t width_;
};

}  // namespace skinlint::cli
