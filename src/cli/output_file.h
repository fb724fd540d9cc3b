#pragma once
// Where a report goes: standard output, or a file that appears complete or not at all.

#include <atomic>
#include <memory>
#include <ostream>
#include <string>

namespace skinlint::cli {

/// A stream on a file descriptor that remembers why a write failed.
class OutputFile {
 public:
  /// Standard output.
  static std::unique_ptr<OutputFile> standard_output();
  /// A temporary file beside `path`, renamed over it by close(); an existing path that is no
  /// regular file (a pipe, a device) is written as it is. Nullptr with `error` set when it cannot
  /// be opened.
  static std::unique_ptr<OutputFile> create(const std::string& path, std::string& error);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without a successful close() the temporary file is removed and `path` stays as it was.
  ~OutputFile();

  std::ostream& stream() { return stream_; }
  bool is_standard_output() const { return path_.empty(); }
  bool is_terminal() const;
  /// Pushes everything to the system. False after any failed write.
  bool flush();
  /// The reader of standard output has gone away.
  bool broken_pipe() const;
  /// Flushes, closes and renames. Empty on success, else the reason with the path.
  std::string close();

 private:
  class Buffer;
  OutputFile(int descriptor, std::string path, std::string temporary);
  std::string reason(int error_number) const;

  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_;
  std::string path_;       // empty: standard output
  std::string temporary_;  // empty: written in place
  bool closed_ = false;
};

/// Temporary files do not survive Ctrl-C, and a closed pipe is an error of write(), not a signal.
void install_signal_handlers();

/// From now on the first Ctrl-C (or SIGTERM, SIGHUP) sets the flag that is returned, and a second
/// one ends the program at once.
const std::atomic<bool>& stop_gracefully();
/// The signal that set it.
int stop_signal();

}  // namespace skinlint::cli
