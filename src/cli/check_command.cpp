// skinlint check PATH...

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/file_list.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/report_set.h"
#include "engine/acceptance.h"
#include "engine/cache.h"
#include "engine/path_pattern.h"
#include "reports/unicode.h"

namespace skinlint::cli {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The baseline of the run: what is known, and what is written.
struct Baselines {
  std::optional<Baseline> known;
  Baseline written;
  std::string known_folder, written_folder;
};

std::string read_baseline(const std::string& path, Baselines& out) {
  if (path.empty()) return {};
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) return fmt::format("--baseline: cannot read {}", printable(path));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto baseline = Baseline::parse(text);
  if (!baseline) return fmt::format("--baseline: {} {}", printable(path), baseline.error());
  out.known = std::move(*baseline);
  out.known_folder = folder_of(path);
  return {};
}

/// One run of check: from the options to the exit status.
class CheckRun {
 public:
  explicit CheckRun(const CheckOptions& options) : options_(options) {}

  int run() {
    std::string error = prepare();
    if (!error.empty()) return usage_error("check", error);
    error = reports_.open(destinations_, options_.color, options_.quiet);
    if (!error.empty()) {
      complain(error);
      return kUsage;
    }
    Progress progress(progress_style(), jobs_.size());
    progress_ = &progress;
    check_all();
    progress_ = nullptr;
    progress.clear();
    return finish();
  }

 private:
  /// Options, configuration files and the list of files; one sentence when something is wrong.
  std::string prepare() {
    CommandLineConfig line;
    std::string error = parse_check_options(options_, line);
    if (error.empty()) error = parse_isolation(options_.isolate, batch_.isolation);
    if (error.empty()) error = parse_shard(options_.shard, shard_);
    if (error.empty()) error = parse_reports(options_.reports, destinations_);
    if (error.empty()) error = read_baseline(options_.baseline, baselines_);
    if (error.empty() && !options_.cache.empty()) {
      auto cache = ResultCache::open(options_.cache);
      if (!cache) return fmt::format("--cache {}: {}", printable(options_.cache), cache.error());
      cache_ = *cache;
    }
    if (!error.empty()) return error;
    batch_.workers = options_.jobs;
    batch_.timeout_s = options_.timeout_s;
    batch_.memory_limit_mib = options_.memory_limit_mib;
    if (!options_.write_baseline.empty()) {
      baselines_.written_folder = folder_of(options_.write_baseline);
    }
    for (const Destination& destination : destinations_) {
      if (destination.format->needs_sha256) line.fixed.want_sha256 = true;
    }
    Configurations configurations(std::move(line), options_.rules.config);
    FileList list = collect_files(options_.paths, options_.allow_empty, configurations);
    if (!list.error.empty()) return list.error;
    if (!options_.shard.empty()) {
      summary_.shard = RunSummary::Shard{shard_.index, shard_.count, {}, {}};
    }
    // Reports show the configuration of the first file: of all files, so that all parts agree on
    // it.
    auto shown = configurations.for_file(list.files.empty() ? "./none" : list.files.front());
    if (!shown) return shown.error();
    shown_config_ = (*shown)->check;
    for (std::size_t i = 0; i < list.files.size(); ++i) {
      std::string& path = list.files[i];
      if (!shard_.has(path)) continue;
      if (summary_.shard) summary_.shard->positions.push_back(i);
      auto config = configurations.for_file(path);
      if (!config) return config.error();
      jobs_.push_back({std::move(path), {*config, &(*config)->check}});
      configs_.push_back(*config);
    }
    if (jobs_.empty() && !list.files.empty() && !options_.allow_empty) {
      return fmt::format("--shard {}: no file falls into it (--allow-empty accepts that)",
                         options_.shard);
    }
    return {};
  }

  Progress::Style progress_style() const {
    if (options_.quiet || options_.no_progress) return Progress::Style::none;
    return ::isatty(STDERR_FILENO) == 1 ? Progress::Style::terminal : Progress::Style::log;
  }

  void check_all() {
    reports_.begin(shown_config_);
    start_ = std::chrono::steady_clock::now();
    batch_.progress = [this](std::size_t done, const std::string& current) {
      progress_->update(done, current);
    };
    if (jobs_.size() > 1) batch_.stop = &stop_gracefully();
    batch_.on_stop = [this](std::size_t done) { interrupted(done); };
    run_batch(
        jobs_, batch_,
        [this](const BatchJob& job) {
          return cache_ != nullptr ? cache_->check(job) : check_file(job.path, *job.config);
        },
        [this](std::size_t index, FileResult&& result) {
          take(index, std::move(result));
          return !reports_.all_failed();
        });
  }

  void take(std::size_t index, FileResult&& result) {
    const EffectiveConfig& config = *configs_[index];
    result.path = jobs_[index].path;
    result.fail_on = config.check.fail_on;
    if (config.found != nullptr) result.config_path = config.found->path;
    const std::string base = baselines_.known                     ? baselines_.known_folder
                             : !baselines_.written_folder.empty() ? baselines_.written_folder
                             : config.found != nullptr            ? config.found->folder
                                                                  : ".";
    set_fingerprints(result, relative_path(result.path, base));
    waivers_.apply(config, result);
    if (baselines_.known) {
      for (ReportedFinding& f : result.findings) {
        f.baselined = !f.waived && baselines_.known->contains(f.fingerprint);
      }
    }
    if (!options_.write_baseline.empty()) {
      FileResult as_written = result;
      const std::string relative = relative_path(result.path, baselines_.written_folder);
      set_fingerprints(as_written, relative);
      baselines_.written.add(as_written, relative);
    }
    bytes_ += result.bytes;
    summary_.add(result);
    if (reports_.on_terminal()) progress_->clear();
    reports_.file(result);
  }

  /// Files keep the reports they had; what standard output has stays whole.
  [[noreturn]] void interrupted(std::size_t done) {
    progress_->clear();
    reports_.abandon();
    complain(fmt::format("interrupted after {} of {} files; no report file was changed", done,
                         jobs_.size()));
    std::fflush(nullptr);
    ::_exit(128 + stop_signal());
  }

  int finish() {
    waivers_.summarise(summary_);
    reports_.end(summary_);
    if (options_.stats) print_stats();
    if (reports_.write_failed()) return kUsage;
    if (!options_.write_baseline.empty()) {
      std::string error;
      const auto out = OutputFile::create(options_.write_baseline, error);
      if (out != nullptr) {
        out->stream() << baselines_.written.text();
        error = out->close();
      }
      if (!error.empty()) {
        complain(error);
        return kUsage;
      }
      summary_.failed = 0;
    }
    return exit_status(summary_);
  }

  void print_stats() const {
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double mib = static_cast<double>(bytes_) / 1048576.0;
    const std::string text = fmt::format(
        "skinlint: {} files, {:.1f} MiB in {:.3f} s ({:.0f} files/s, {:.0f} MiB/s)\n",
        summary_.files, mib, elapsed, static_cast<double>(summary_.files) / elapsed, mib / elapsed);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }

  const CheckOptions& options_;
  BatchOptions batch_;
  std::shared_ptr<const ResultCache> cache_;
  Shard shard_;
  std::vector<Destination> destinations_;
  std::vector<BatchJob> jobs_;
  std::vector<std::shared_ptr<const EffectiveConfig>> configs_;  // parallel to jobs_
  CheckConfig shown_config_;
  Baselines baselines_;
  WaiverBook waivers_{today()};
  ReportSet reports_;
  Progress* progress_ = nullptr;
  RunSummary summary_;
  std::uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

Command add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* check = app.add_subcommand("check", "Check files, folders and patterns");
  add_check_options(*check, *options);
  check->footer(
      "Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage, a wrong "
      "configuration\n"
      "or a report that could not be written, 3 a file could not be read, 4 internal error or a "
      "file\n"
      "that crashed the check or ran out of time, 130 interrupted.");
  return {check, [options] { return CheckRun(*options).run(); }};
}

}  // namespace skinlint::cli
