// skinlint inspect FILE

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/one_file.h"
#include "cli/output_file.h"
#include "engine/suggest.h"
#include "reports/inspect.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

struct Options {
  std::string path, space = "canonical", convention = "column";
  InspectOptions shown;
  bool json = false;
};

/// Names that --skin and --joint may mean.
std::vector<std::string> skin_names(const Asset& asset) {
  std::vector<std::string> names;
  for (const Skin& skin : asset.skins) names.push_back(skin.name);
  return names;
}
std::vector<std::string> joint_names(const Asset& asset) {
  std::vector<std::string> names;
  for (const Node& node : asset.nodes) {
    if (node.is_joint) names.push_back(node.name);
  }
  return names;
}

std::string check_name(const std::string& name, const std::vector<std::string>& names,
                       std::string_view what) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return {};
  std::vector<std::string> shown;
  for (const std::string& candidate : names) shown.push_back(printable(candidate, 120));
  return fmt::format("the file has no {} named \"{}\"{}", what, printable(name),
                     suggestion(name, shown));
}

int run_inspect(Options options) {
  ReadOptions read;
  read.clip_curves = false;
  if (options.space == "file") {
    read.space = Space::file;
  } else if (options.space != "canonical") {
    return usage_error("inspect",
                       fmt::format("--space: unknown space \"{}\"{}", printable(options.space),
                                   suggestion(options.space, {"canonical", "file"})));
  }
  if (options.convention == "row") {
    options.shown.convention = Convention::row;
  } else if (options.convention == "unity") {
    options.shown.convention = Convention::unity;
  } else if (options.convention != "column") {
    return usage_error(
        "inspect",
        fmt::format("--convention: unknown convention \"{}\"{}", printable(options.convention),
                    suggestion(options.convention, {"column", "row", "unity"})));
  }
  if (options.shown.convention == Convention::unity && read.space == Space::file) {
    return usage_error("inspect", "--convention unity shows canonical space, not --space file");
  }
  const Result<Asset, int> asset = read_one_file("inspect", options.path, read);
  if (!asset) return asset.error();
  std::string wrong = check_name(options.shown.skin, skin_names(*asset), "skin");
  if (wrong.empty()) wrong = check_name(options.shown.joint, joint_names(*asset), "joint");
  if (!wrong.empty()) return usage_error("inspect", wrong);

  const Facts facts(*asset);
  const auto out = OutputFile::standard_output();
  (options.json ? write_inspect_json : write_inspect_text)(out->stream(), facts, options.path,
                                                           options.shown);
  const std::string failed = out->close();
  if (failed.empty()) return kOk;
  if (!out->broken_pipe()) complain(failed);
  return kUsage;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* inspect =
      app.add_subcommand("inspect", "Show what a file holds: nodes, joints, matrices, weights");
  inspect->add_option("FILE", options->path, "The file")->required()->type_name("");
  inspect->add_flag("--json", options->json, "For programs: schema skinlint-inspect/1");
  inspect
      ->add_option("--space", options->space,
                   "canonical: right-handed, +Y up, +Z front, metres; file: numbers as stored")
      ->type_name("SPACE")
      ->capture_default_str();
  inspect->add_option("--skin", options->shown.skin, "Only bindings of the skin of this name")
      ->type_name("NAME");
  inspect->add_option("--joint", options->shown.joint, "Only joints of this name")
      ->type_name("NAME");
  inspect->add_flag("--vertices", options->shown.vertices,
                    "Positions, weights and (JSON) morph offsets as well");
  inspect
      ->add_option("--convention", options->convention,
                   "How matrices are printed: column vectors, row vectors, or as unity shows them")
      ->type_name("WHICH")
      ->capture_default_str();
  inspect->footer("Exit status: 0 shown, 2 wrong usage, 3 the file could not be read.");
  return {inspect, [options] { return run_inspect(*options); }};
}

}  // namespace skinlint::cli
