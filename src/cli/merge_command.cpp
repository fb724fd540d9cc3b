// skinlint merge REPORT...

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "reports/merge.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> reports;
  std::string output;
};

int run_merge(const MergeOptions& options) {
  std::vector<NamedReport> reports;
  for (const std::string& path : options.reports) {
    std::ifstream in(path, std::ios::binary);
    if (!in.is_open()) {
      return usage_error("merge", fmt::format("cannot read {}", printable(path)));
    }
    reports.push_back({printable(path), {std::istreambuf_iterator<char>(in), {}}});
  }
  const auto merged = merge_reports(reports);
  if (!merged) return usage_error("merge", merged.error());
  std::string error;
  const auto out = options.output.empty() ? OutputFile::standard_output()
                                          : OutputFile::create(options.output, error);
  if (out != nullptr) {
    out->stream() << merged->text;
    error = out->close();
  }
  if (!error.empty()) {
    if (out == nullptr || !out->broken_pipe()) complain(error);
    return kUsage;
  }
  return exit_status(merged->summary);
}

}  // namespace

Command add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* merge = app.add_subcommand("merge", "Join JSON reports, such as those of shards");
  merge
      ->add_option("REPORT", options->reports,
                   "JSON reports: all parts of a --shard run, in any order, or whole runs")
      ->required()
      ->type_name("");
  merge->add_option("-o,--output", options->output, "Where the joined report goes")
      ->type_name("FILE");
  merge->footer("Exit status: that of one run over all files; 2 when the reports do not fit.");
  return {merge, [options] { return run_merge(*options); }};
}

}  // namespace skinlint::cli
