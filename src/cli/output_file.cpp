#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <streambuf>

namespace skinlint::cli {
namespace {

// Paths that the signal handler unlinks. Only async-signal-safe things may be used there, hence
// plain pointers to memory that is never freed while it is listed.
constexpr std::size_t kMaxTemporaries = 16;
std::array<std::atomic<const char*>, kMaxTemporaries> temporaries{};

void remember(const std::string& path) {
  char* copy = ::strdup(path.c_str());
  for (auto& slot : temporaries) {
    const char* expected = nullptr;
    if (slot.compare_exchange_strong(expected, copy)) return;
  }
  std::free(copy);
}

void forget(const std::string& path) {
  for (auto& slot : temporaries) {
    const char* listed = slot.load();
    if (listed != nullptr && path == listed) {
      slot.store(nullptr);
      std::free(const_cast<char*>(listed));
      return;
    }
  }
}

// The first signal only asks a running batch to stop; 0: none came.
std::atomic<bool> graceful{false};
std::atomic<bool> stop_asked{false};
std::atomic<int> stop_by{0};

extern "C" void clean_up_and_die(int signal) {
  if (graceful.load() && !stop_asked.exchange(true)) {
    stop_by.store(signal);
    return;
  }
  for (auto& slot : temporaries) {
    const char* path = slot.load();
    if (path != nullptr) ::unlink(path);
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What the caller had ignored (nohup) stays ignored.
    if (std::signal(signal, clean_up_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

const std::atomic<bool>& stop_gracefully() {
  graceful.store(true);
  return stop_asked;
}

int stop_signal() { return stop_by.load(); }

class OutputFile::Buffer final : public std::streambuf {
 public:
  explicit Buffer(int descriptor) : descriptor_(descriptor) { reset(); }
  int descriptor() const { return descriptor_; }
  int error_number() const { return error_; }
  bool flush() {
    const char* data = pbase();
    std::size_t left = static_cast<std::size_t>(pptr() - pbase());
    while (left > 0 && error_ == 0) {
      const ssize_t n = ::write(descriptor_, data, left);
      if (n < 0) {
        if (errno != EINTR) error_ = errno;
        continue;
      }
      data += n;
      left -= static_cast<std::size_t>(n);
    }
    reset();
    return error_ == 0;
  }

 protected:
  int_type overflow(int_type c) override {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(c);
      pbump(1);
    }
    return traits_type::not_eof(c);
  }
  int sync() override { return flush() ? 0 : -1; }

 private:
  void reset() { setp(memory_.data(), memory_.data() + memory_.size()); }
  int descriptor_;
  int error_ = 0;
  std::array<char, std::size_t{1} << 16> memory_{};
};

OutputFile::OutputFile(int descriptor, std::string path, std::string temporary)
    : buffer_(std::make_unique<Buffer>(descriptor)),
      stream_(buffer_.get()),
      path_(std::move(path)),
      temporary_(std::move(temporary)) {}

OutputFile::~OutputFile() {
  if (closed_) return;
  if (is_standard_output()) {
    buffer_->flush();
    return;
  }
  ::close(buffer_->descriptor());
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget(temporary_);
  }
}

std::unique_ptr<OutputFile> OutputFile::standard_output() {
  return std::unique_ptr<OutputFile>(new OutputFile(STDOUT_FILENO, {}, {}));
}

std::unique_ptr<OutputFile> OutputFile::create(const std::string& path, std::string& error) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    error = "cannot write " + path + ": it is a folder";
    return nullptr;
  }
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
      error = "cannot write " + path + ": " + std::strerror(errno);
      return nullptr;
    }
    return std::unique_ptr<OutputFile>(new OutputFile(descriptor, path, {}));
  }
  std::string target = path;
  if (exists) {
    // A link stays a link: what it points at is replaced.
    if (char* resolved = ::realpath(path.c_str(), nullptr)) {
      target = resolved;
      std::free(resolved);
    }
  }
  std::string temporary = target + '.' + std::string(6, 'X');  // what mkostemp fills in
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    error = "cannot write " + path + ": " + std::strerror(errno);
    return nullptr;
  }
  // mkostemp makes it private; a report gets the rights an ordinary new file would, or had.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor, exists ? (status.st_mode & 07777u) : (0666u & ~mask)) != 0) {
    // Some file systems keep no rights; the report is worth having all the same.
    errno = 0;
  }
  remember(temporary);
  return std::unique_ptr<OutputFile>(new OutputFile(descriptor, target, temporary));
}

bool OutputFile::is_terminal() const { return ::isatty(buffer_->descriptor()) == 1; }

bool OutputFile::flush() {
  stream_.flush();
  return buffer_->error_number() == 0;
}

bool OutputFile::broken_pipe() const { return buffer_->error_number() == EPIPE; }

std::string OutputFile::reason(int error_number) const {
  return "cannot write " + (is_standard_output() ? "standard output" : path_) + ": " +
         std::strerror(error_number);
}

std::string OutputFile::close() {
  flush();
  int error_number = buffer_->error_number();
  if (is_standard_output()) {
    closed_ = true;
    return error_number == 0 ? std::string() : reason(error_number);
  }
  if (error_number != 0) return reason(error_number);  // the destructor tidies up
  closed_ = true;
  if (::close(buffer_->descriptor()) != 0) error_number = errno;
  if (!temporary_.empty()) {
    if (error_number == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) error_number = errno;
    if (error_number != 0) ::unlink(temporary_.c_str());
    forget(temporary_);
  }
  return error_number == 0 ? std::string() : reason(error_number);
}

}  // namespace skinlint::cli
