#include "engine/batch.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "engine/worker_pool.h"

namespace skinlint {
namespace {

constexpr std::size_t window = 256;
constexpr std::size_t most_early = 16;
constexpr std::uint64_t early_bytes = std::uint64_t{4} << 20;
constexpr auto tick = std::chrono::milliseconds(100);

std::vector<std::uint64_t> sizes_of(const std::vector<BatchJob>& jobs) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(jobs.size());
  for (const BatchJob& job : jobs) {
    struct stat status {};
    sizes.push_back(::stat(job.path.c_str(), &status) == 0 && status.st_size > 0
                        ? static_cast<std::uint64_t>(status.st_size)
                        : 0);
  }
  return sizes;
}

bool stopped(const BatchOptions& options) {
  return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

std::size_t run_inline(const std::vector<BatchJob>& jobs, const BatchOptions& options,
                       const CheckOne& check_one, const OnResult& on_result) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (stopped(options)) {
      if (options.on_stop) options.on_stop(i);
      return i;
    }
    if (options.progress) options.progress(i, jobs[i].path);
    if (!on_result(i, check_one(jobs[i]))) return i + 1;
  }
  return jobs.size();
}

/// Threads take jobs in the order of the schedule; the caller's thread hands results over.
class ThreadBatch {
 public:
  ThreadBatch(const std::vector<BatchJob>& jobs, const BatchOptions& options,
              const CheckOne& check_one)
      : jobs_(jobs),
        options_(options),
        check_one_(check_one),
        schedule_(batch_schedule(sizes_of(jobs))),
        results_(jobs.size()) {}

  std::size_t run(unsigned workers, const OnResult& on_result) {
    std::vector<std::thread> threads;
    threads.reserve(workers);
    for (unsigned t = 0; t < workers; ++t) threads.emplace_back([this] { work(); });
    const std::size_t done = hand_over(on_result);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads) thread.join();
    return done;
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      // The oldest unfinished file always starts: it is at the front of what is left, or running.
      room_.wait(lock, [this] {
        return ended_ || next_ == schedule_.size() || may_start(schedule_, next_, handed_);
      });
      if (ended_ || next_ == schedule_.size()) return;
      const std::size_t index = schedule_[next_++];
      running_ = index;
      lock.unlock();
      FileResult result = check_one_(jobs_[index]);
      lock.lock();
      results_[index] = std::move(result);
      if (index == handed_) ready_.notify_one();
    }
  }

  std::size_t hand_over(const OnResult& on_result) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (handed_ < jobs_.size()) {
      const bool ready =
          ready_.wait_for(lock, tick, [this] { return results_[handed_].has_value(); });
      if (stopped(options_)) {
        if (options_.on_stop) options_.on_stop(handed_);
        return handed_;
      }
      if (options_.progress) {
        const std::string current = jobs_[running_].path;
        const std::size_t done = handed_;
        lock.unlock();
        options_.progress(done, current);
        lock.lock();
      }
      if (!ready) continue;
      FileResult result = std::move(*results_[handed_]);
      results_[handed_].reset();
      const std::size_t index = handed_++;
      lock.unlock();
      room_.notify_all();
      const bool go_on = on_result(index, std::move(result));
      lock.lock();
      if (!go_on) return handed_;
    }
    return handed_;
  }

  const std::vector<BatchJob>& jobs_;
  const BatchOptions& options_;
  const CheckOne& check_one_;
  const std::vector<std::size_t> schedule_;
  std::vector<std::optional<FileResult>> results_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::size_t next_ = 0, handed_ = 0, running_ = 0;
  bool ended_ = false;
};

}  // namespace

std::vector<std::size_t> batch_schedule(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto larger = [&sizes](std::size_t a, std::size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  };
  for (std::size_t first = 0; first < order.size(); first += window) {
    const std::size_t last = std::min(first + window, order.size());
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first),
              order.begin() + static_cast<std::ptrdiff_t>(last), larger);
  }
  if (order.size() <= window) return order;
  std::vector<std::size_t> giants;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= early_bytes) giants.push_back(i);
  }
  std::sort(giants.begin(), giants.end(), larger);
  if (giants.size() > most_early) giants.resize(most_early);
  std::vector<bool> early(sizes.size(), false);
  for (const std::size_t i : giants) early[i] = true;
  std::vector<std::size_t> out = giants;
  for (const std::size_t i : order) {
    if (!early[i]) out.push_back(i);
  }
  return out;
}

bool may_start(const std::vector<std::size_t>& schedule, std::size_t position, std::size_t oldest) {
  return position < most_early || schedule[position] < oldest + 4 * window;
}

std::size_t run_batch(const std::vector<BatchJob>& jobs, const BatchOptions& options,
                      const CheckOne& check_one, const OnResult& on_result) {
  unsigned workers =
      options.workers != 0 ? options.workers : std::max(1u, std::thread::hardware_concurrency());
  if (workers > jobs.size()) workers = std::max(1u, static_cast<unsigned>(jobs.size()));
  const bool limited = options.timeout_s > 0.0 || options.memory_limit_mib > 0;
  if (options.isolation == Isolation::always ||
      (options.isolation == Isolation::automatic && limited)) {
    return run_in_processes(jobs, batch_schedule(sizes_of(jobs)), workers, options, check_one,
                            on_result);
  }
  if (jobs.size() <= 1) return run_inline(jobs, options, check_one, on_result);
  return ThreadBatch(jobs, options, check_one).run(workers, on_result);
}

}  // namespace skinlint
