#include "engine/worker_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>

#include "engine/result_codec.h"
#include "readers/signal_text.h"

namespace skinlint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t largest_reply = std::uint64_t{1} << 30;

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

FileResult failed(const std::string& path, FileResult::Status status, std::string message) {
  FileResult result;
  result.path = path;
  result.status = status;
  result.error = ReadError{ReadError::Kind::malformed, std::move(message), std::nullopt, {}};
  return result;
}

std::string seconds(double s) { return fmt::format("{:g} s", s); }

/// CPU time left for the next file; the kernel ends the worker with SIGXCPU.
void limit_cpu(double timeout_s) {
  if (timeout_s <= 0.0) return;
  struct rusage used {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto allowed = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       static_cast<rlim_t>(std::ceil(timeout_s)) + 2;
  struct rlimit limit {};
  ::getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? allowed : std::min(allowed, limit.rlim_max);
  ::setrlimit(RLIMIT_CPU, &limit);
}

/// Heap and private maps; files are mapped shared with the page cache and do not count.
void limit_memory(std::uint64_t mib) {
  if (mib == 0) return;
  struct rlimit limit {};
  ::getrlimit(RLIMIT_DATA, &limit);
  const auto wanted = static_cast<rlim_t>(mib) << 20;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Set when an allocation failed in this worker: whatever was made of it, the limit is the reason.
std::atomic<bool> out_of_memory{false};

[[noreturn]] void tell_out_of_memory() {
  out_of_memory.store(true);
  throw std::bad_alloc();
}

[[noreturn]] void serve(int fd, const std::vector<BatchJob>& jobs, const BatchOptions& options,
                        const CheckOne& check_one) {
  // The interrupt is the parent's to answer; a worker goes when its parent is gone.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGHUP, SIG_DFL);
  // A crash ends the worker; the parent tells of it.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit no_core {};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(options.memory_limit_mib);
  std::set_new_handler(tell_out_of_memory);
  std::uint64_t index = 0;
  while (read_all(fd, reinterpret_cast<char*>(&index), sizeof index) && index < jobs.size()) {
    limit_cpu(options.timeout_s);
    out_of_memory.store(false);
    FileResult result = check_one(jobs[index]);
    if (options.memory_limit_mib > 0 && out_of_memory.load()) {
      result = failed(jobs[index].path, FileResult::Status::crashed,
                      fmt::format("more memory than {} MiB", options.memory_limit_mib));
    }
    // Length and result in one piece: each piece wakes the parent.
    const std::string bytes = encode_result(result);
    const auto size = static_cast<std::uint64_t>(bytes.size());
    std::string reply(reinterpret_cast<const char*>(&size), sizeof size);
    reply += bytes;
    if (!write_all(fd, reply.data(), reply.size())) break;
  }
  ::_exit(0);
}

struct Worker {
  pid_t pid = -1;
  int fd = -1;
  std::optional<std::size_t> job;
  Clock::time_point deadline;
  std::string reply;  // what has come of it
};

class Pool {
 public:
  Pool(const std::vector<BatchJob>& jobs, const BatchOptions& options, const CheckOne& check_one)
      : jobs_(jobs), options_(options), check_one_(check_one), results_(jobs.size()) {}
  ~Pool() {
    for (Worker& worker : workers_) stop(worker, /*kill=*/worker.job.has_value());
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::size_t run(const std::vector<std::size_t>& schedule, unsigned count,
                  const OnResult& on_result) {
    workers_.resize(count);
    for (Worker& worker : workers_) start(worker);
    while (handed_ < jobs_.size()) {
      for (Worker& worker : workers_) {
        if (!worker.job) give(worker, schedule);
      }
      wait();
      while (handed_ < jobs_.size() && results_[handed_] && !stopped()) {
        FileResult result = std::move(*results_[handed_]);
        results_[handed_].reset();
        if (!on_result(handed_++, std::move(result))) return handed_;
      }
      if (handed_ < jobs_.size() && stopped()) {
        if (options_.on_stop) options_.on_stop(handed_);
        return handed_;
      }
    }
    return handed_;
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  void start(Worker& worker) {
    int ends[2];
    worker = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      for (const Worker& other : workers_) {
        if (other.fd >= 0) ::close(other.fd);
      }
      serve(ends[1], jobs_, options_, check_one_);
    }
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      return;
    }
    worker.pid = pid;
    worker.fd = ends[0];
    ::fcntl(worker.fd, F_SETFL, ::fcntl(worker.fd, F_GETFL) | O_NONBLOCK);
  }

  /// The worker's exit status, as waitpid gives it.
  static int stop(Worker& worker, bool kill) {
    if (worker.fd >= 0) ::close(worker.fd);
    int status = 0;
    if (worker.pid > 0) {
      if (kill) ::kill(worker.pid, SIGKILL);
      while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
      }
    }
    worker = {};
    return status;
  }

  void give(Worker& worker, const std::vector<std::size_t>& schedule) {
    if (next_ == schedule.size()) return;
    if (!may_start(schedule, next_, handed_)) return;
    const std::size_t index = schedule[next_];
    if (worker.pid < 0) start(worker);
    if (worker.pid < 0) {
      ++next_;
      results_[index] = failed(jobs_[index].path, FileResult::Status::crashed,
                               fmt::format("no worker process: {}", std::strerror(errno)));
      return;
    }
    const auto request = static_cast<std::uint64_t>(index);
    if (!write_all(worker.fd, reinterpret_cast<const char*>(&request), sizeof request)) {
      // It died between two files; this one has not been begun.
      stop(worker, true);
      return;
    }
    ++next_;
    worker.job = index;
    worker.reply.clear();
    worker.deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(
                                         std::min(options_.timeout_s, 1e9) * 1000.0));
    if (options_.progress) options_.progress(handed_, jobs_[index].path);
  }

  void wait() {
    std::vector<pollfd> polls;
    std::vector<Worker*> owners;
    int patience = 100;
    for (Worker& worker : workers_) {
      if (!worker.job) continue;
      polls.push_back({worker.fd, POLLIN, 0});
      owners.push_back(&worker);
      if (options_.timeout_s > 0.0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(worker.deadline - Clock::now())
                .count();
        patience = std::clamp(static_cast<int>(std::min<std::int64_t>(left + 1, 100)), 0, patience);
      }
    }
    if (polls.empty()) return;
    ::poll(polls.data(), polls.size(), patience);
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents != 0) receive(*owners[i]);
      Worker& worker = *owners[i];
      if (worker.job && options_.timeout_s > 0.0 && Clock::now() > worker.deadline) {
        const std::size_t index = *worker.job;
        stop(worker, true);
        results_[index] = failed(jobs_[index].path, FileResult::Status::timeout,
                                 "no result within " + seconds(options_.timeout_s));
      }
    }
  }

  void receive(Worker& worker) {
    char buffer[1 << 16];
    while (true) {
      const ssize_t n = ::read(worker.fd, buffer, sizeof buffer);
      if (n > 0) {
        worker.reply.append(buffer, static_cast<std::size_t>(n));
        continue;
      }
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      return died(worker);
    }
    std::uint64_t size = 0;
    if (worker.reply.size() < sizeof size) return;
    std::memcpy(&size, worker.reply.data(), sizeof size);
    const std::size_t index = *worker.job;
    if (size > largest_reply) return died(worker);
    if (worker.reply.size() < sizeof size + size) return;
    auto result = decode_result(std::string_view(worker.reply).substr(sizeof size));
    worker.job.reset();
    results_[index] = result ? std::move(*result)
                             : failed(jobs_[index].path, FileResult::Status::crashed,
                                      "internal error: the worker's answer is damaged");
  }

  void died(Worker& worker) {
    const std::size_t index = *worker.job;
    const int status = stop(worker, false);
    const std::string& path = jobs_[index].path;
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGXCPU) {
        results_[index] = failed(path, FileResult::Status::timeout,
                                 "more CPU time than " + seconds(options_.timeout_s));
        return;
      }
      results_[index] = failed(path, FileResult::Status::crashed,
                               "internal error: the check ended with " + signal_text(signal));
      return;
    }
    results_[index] =
        failed(path, FileResult::Status::crashed,
               fmt::format("internal error: the worker left with status {}", WEXITSTATUS(status)));
  }

  const std::vector<BatchJob>& jobs_;
  const BatchOptions& options_;
  const CheckOne& check_one_;
  std::vector<std::optional<FileResult>> results_;
  std::vector<Worker> workers_;
  std::size_t next_ = 0, handed_ = 0;
};

}  // namespace

std::size_t run_in_processes(const std::vector<BatchJob>& jobs,
                             const std::vector<std::size_t>& schedule, unsigned workers,
                             const BatchOptions& options, const CheckOne& check_one,
                             const OnResult& on_result) {
  return Pool(jobs, options, check_one).run(schedule, workers, on_result);
}

}  // namespace skinlint
