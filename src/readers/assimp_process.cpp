#include "readers/assimp_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include "readers/signal_text.h"

namespace skinlint::assimp {
namespace {

using Clock = std::chrono::steady_clock;

/// A process and the pipe that its answer comes from.
class Child {
 public:
  explicit Child(const std::vector<std::string>& args) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      error_ = errno;
      return;
    }
    fd_ = ends[0];
    std::vector<char*> argv;
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    // What Assimp or a broken file's importer prints is nobody's.
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    // Own signals as they are at start, and a group of its own: an interrupt is the tool's to
    // answer, and it kills what it started.
    sigset_t defaults, none;
    ::sigfillset(&defaults);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    error_ = ::posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
    if (error_ != 0) pid_ = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Child() {
    if (pid_ > 0) {
      kill();
      reap(true);
    }
    if (fd_ >= 0) ::close(fd_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return pid_ > 0; }
  int error() const { return error_; }
  int fd() const { return fd_; }
  void kill() const { ::kill(-pid_, SIGKILL); }
  /// The exit status, as waitpid gives it; empty while it runs and `wait` is false.
  std::optional<int> reap(bool wait) {
    int status = 0;
    pid_t got = 0;
    do {
      got = ::waitpid(pid_, &status, wait ? 0 : WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return std::nullopt;
    pid_ = -1;
    return got < 0 ? 0 : status;
  }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  int error_ = 0;
};

int milliseconds_left(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

enum class Heard : std::uint8_t { everything, late, too_much };

/// Reads until the pipe closes.
Heard listen(int fd, Clock::time_point deadline, std::uint64_t limit, std::string& bytes) {
  std::vector<char> buffer(std::size_t{1} << 16);
  while (true) {
    if (Clock::now() >= deadline) return Heard::late;
    pollfd poll{fd, POLLIN, 0};
    const int ready = ::poll(&poll, 1, milliseconds_left(deadline));
    if (ready < 0 && errno != EINTR) return Heard::everything;
    if (ready <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Heard::everything;
    if (bytes.size() + static_cast<std::uint64_t>(n) > limit) return Heard::too_much;
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", seconds);
  return text.data();
}

/// No path of this machine in a report: the folder goes, the file's own name stays.
std::string without_folder(std::string text, const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) return text;
  folder += '/';
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

}  // namespace

Outcome run_import(const Request& request) {
  const ImportLimits& limits = request.limits;
  const auto cpu = static_cast<std::uint64_t>(std::ceil(std::clamp(limits.seconds, 1.0, 1e9)));
  Outcome out;
  Child child({request.worker, request.path, request.extension, std::to_string(limits.memory_mib),
               std::to_string(cpu), request.whole ? "1" : "0", request.allow_outside ? "1" : "0"});
  if (!child.started()) {
    out.detail = std::strerror(child.error());
    return out;
  }
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(
                                           std::clamp(limits.seconds, 0.0, 1e9) * 1000.0));
  std::string bytes;
  const Heard heard = listen(child.fd(), deadline, limits.answer_bytes, bytes);
  std::optional<int> status;
  while (heard == Heard::everything && !(status = child.reap(false))) {
    // The pipe is closed; releasing the scene may still take its time.
    if (Clock::now() >= deadline) break;
    ::usleep(200);
  }
  if (!status) {
    child.kill();
    child.reap(true);
  }
  if (heard == Heard::late || (!status && bytes.empty())) {
    out.kind = Outcome::Kind::timed_out;
    out.detail = seconds_text(limits.seconds);
    return out;
  }
  if (heard == Heard::too_much) {
    out.kind = Outcome::Kind::over_memory;
    out.detail = std::to_string(limits.answer_bytes >> 20) + " MiB of answer";
    return out;
  }
  const bool signalled = status && WIFSIGNALED(*status);
  auto answer = decode_answer(bytes);
  if (!answer) {
    if (signalled && WTERMSIG(*status) == SIGXCPU) {
      out.kind = Outcome::Kind::timed_out;
      out.detail = seconds_text(static_cast<double>(cpu)) + " of processor time";
    } else {
      out.kind = Outcome::Kind::crashed;
      out.detail = signalled       ? signal_text(WTERMSIG(*status))
                   : bytes.empty() ? "it ended without an answer"
                                   : answer.error();
    }
    return out;
  }
  out.answer = std::move(*answer);
  switch (out.answer.outcome) {
    case Answer::Outcome::imported:
      out.kind = Outcome::Kind::imported;
      if (signalled) out.crash_on_release = signal_text(WTERMSIG(*status));
      break;
    case Answer::Outcome::refused:
      out.kind = Outcome::Kind::refused;
      out.detail = without_folder(out.answer.message, request.path);
      break;
    case Answer::Outcome::over_memory:
      out.kind = Outcome::Kind::over_memory;
      out.detail = std::to_string(limits.memory_mib) + " MiB";
      break;
  }
  return out;
}

const std::string& worker_path() {
  static const std::string path = [] {
#if SKINLINT_HAVE_ASSIMP
    std::error_code error;
    const std::filesystem::path folder =
        std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : {"skinlint-assimp", "../libexec/skinlint/skinlint-assimp"}) {
      std::string candidate = (folder / place).lexically_normal().string();
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
#endif
    return std::string();
  }();
  return path;
}

std::string library_version() {
#if SKINLINT_HAVE_ASSIMP
  if (!worker_path().empty()) return SKINLINT_ASSIMP_VERSION;
#endif
  return {};
}

}  // namespace skinlint::assimp
