#pragma once
// Many files through the check: in threads, or each in a worker process with limits. Results come
// back on the caller's thread in the order of the jobs, whatever finished first.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/check.h"

namespace skinlint {

struct BatchJob {
  std::string path;
  std::shared_ptr<const CheckConfig> config;
};

enum class Isolation : std::uint8_t {
  automatic,  // processes where a limit is asked for, or a reader that is not ours has to read
  always,
  never
};

struct BatchOptions {
  unsigned workers = 0;  // 0: one for each core
  Isolation isolation = Isolation::automatic;
  double timeout_s = 0.0;              // wall and CPU time for one file; 0: none
  std::uint64_t memory_limit_mib = 0;  // heap of one worker; 0: none
  /// Checked between files, and while waiting: true ends the batch. `on_stop` is called before
  /// running files are waited for; it need not return.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done)> on_stop;
  /// Called on the caller's thread, every 100 ms at most.
  std::function<void(std::size_t done, const std::string& current)> progress;
};

/// What to do with a finished file; false ends the batch.
using OnResult = std::function<bool(std::size_t index, FileResult&& result)>;
/// How one file is checked: check_file(), or a cache before it. Called from several threads.
using CheckOne = std::function<FileResult(const BatchJob& job)>;

/// How many results were handed over, in order from the first. Memory stays flat: workers run at
/// most a window ahead of the oldest unfinished file. Within a window the largest files start
/// first, and the largest of all before the rest, so that no giant is left for the end.
/// Limits hold in worker processes only; automatic isolation uses them when a limit is set.
std::size_t run_batch(const std::vector<BatchJob>& jobs, const BatchOptions& options,
                      const CheckOne& check_one, const OnResult& on_result);

/// The order in which jobs of these sizes start (indices).
std::vector<std::size_t> batch_schedule(const std::vector<std::uint64_t>& sizes);
/// Whether the job at `position` of the schedule may start while results before job `oldest` have
/// been handed over: what keeps memory flat.
bool may_start(const std::vector<std::size_t>& schedule, std::size_t position, std::size_t oldest);

}  // namespace skinlint
