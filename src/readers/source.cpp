#include "readers/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace skinlint {
namespace {

class MappedSource : public Source {
 public:
  MappedSource(void* data, std::size_t size) : data_(data), size_(size) {}
  ~MappedSource() override { ::munmap(data_, size_); }
  MappedSource(const MappedSource&) = delete;
  MappedSource& operator=(const MappedSource&) = delete;
  std::span<const std::byte> bytes() const override {
    return {static_cast<const std::byte*>(data_), size_};
  }

 private:
  void* data_;
  std::size_t size_;
};

/// Below this a file is read, not mapped: taking a mapping away interrupts every processor that a
/// thread of ours runs on, which costs more than the copy (measured with two threads over files of
/// 3 to 80 KB).
constexpr std::uint64_t read_below = std::uint64_t{256} << 10;

class ReadSource : public Source {
 public:
  ReadSource(std::unique_ptr<std::byte[]> data, std::size_t size)
      : data_(std::move(data)), size_(size) {}
  std::span<const std::byte> bytes() const override { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

ReadError error(ReadError::Kind kind, std::string message) {
  ReadError e;
  e.kind = kind;
  e.message = std::move(message);
  return e;
}

ReadError system_error(int code) {
  const bool absent = code == ENOENT || code == ENOTDIR;
  return error(absent ? ReadError::Kind::not_found : ReadError::Kind::io,
               absent ? "no such file" : std::generic_category().message(code));
}

/// The file's first `size` bytes, or fewer when it has become shorter meanwhile.
Result<std::shared_ptr<const Source>> read_whole(const FileDescriptor& file, std::size_t size) {
  auto data = std::make_unique_for_overwrite<std::byte[]>(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(file.get(), data.get() + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return std::shared_ptr<const Source>(std::make_shared<ReadSource>(std::move(data), done));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// "scheme" of "scheme:rest" by RFC 3986, lower case; empty when there is none. One letter is taken
/// as a drive name, which is a path of its own kind and never relative.
std::string scheme_of(std::string_view uri) {
  std::string scheme;
  for (const char c : uri) {
    const auto u = static_cast<unsigned char>(c);
    if (c == ':') return scheme;
    const bool legal =
        std::isalpha(u) != 0 ||
        (!scheme.empty() && (std::isdigit(u) != 0 || c == '+' || c == '-' || c == '.'));
    if (!legal) return {};
    scheme += static_cast<char>(std::tolower(u));
  }
  return {};
}

bool climbs_out(std::string_view path) {
  if (!path.empty() && (path.front() == '/' || path.front() == '\\')) return true;
  int depth = 0;
  while (!path.empty()) {
    const std::size_t end = path.find_first_of("/\\");
    const std::string_view step = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
    if (step == "..") {
      if (--depth < 0) return true;
    } else if (!step.empty() && step != ".") {
      ++depth;
    }
  }
  return false;
}

}  // namespace

Result<std::shared_ptr<const Source>> map_file(const std::string& path, const Limits& limits) {
  // Without O_NONBLOCK the open of a named pipe would wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error(errno);
  if (!S_ISREG(status.st_mode)) return error(ReadError::Kind::not_found, "not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limits.max_file_bytes) {
    return error(ReadError::Kind::too_large, "the file has " + std::to_string(size) +
                                                 " bytes; the limit is " +
                                                 std::to_string(limits.max_file_bytes));
  }
  if (size < read_below) return read_whole(file, static_cast<std::size_t>(size));
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return system_error(errno);
  return std::shared_ptr<const Source>(std::make_shared<MappedSource>(data, size));
}

std::shared_ptr<const Source> memory_source(std::vector<std::byte> bytes) {
  return std::make_shared<MemorySource>(std::move(bytes));
}

bool percent_decode(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

Result<std::string> companion_path(std::string_view uri, bool allow_outside) {
  const std::string shown(uri.substr(0, 200));
  if (const std::string scheme = scheme_of(uri); !scheme.empty()) {
    if (scheme.size() > 1 && scheme != "file") {
      return error(ReadError::Kind::not_fetched,
                   "\"" + shown + "\" is not a file: nothing is fetched");
    }
    return error(ReadError::Kind::forbidden, "\"" + shown + "\" is not relative to the asset");
  }
  std::string path;
  if (!percent_decode(uri, path)) {
    return error(ReadError::Kind::malformed, "\"" + shown + "\" has a broken percent escape");
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    return error(ReadError::Kind::malformed, "\"" + shown + "\" names no file");
  }
  if (!allow_outside && climbs_out(path)) {
    return error(ReadError::Kind::forbidden, "\"" + shown + "\" lies outside the asset's folder");
  }
  return path;
}

OpenCompanion companions_beside(const std::string& asset_path, const ReadOptions& options) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(asset_path).parent_path();
  const bool allow_outside = options.allow_outside;
  const Limits limits = options.limits;
  return [folder, allow_outside,
          limits](const std::string& relative) -> Result<std::shared_ptr<const Source>> {
    std::error_code code;
    fs::path target = folder / fs::path(relative);
    if (!allow_outside) {
      const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, code);
      if (code) return system_error(code.value());
      target = fs::canonical(target, code);
      if (code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory) {
        return error(ReadError::Kind::not_fetched, "\"" + relative + "\" is not there");
      }
      if (code) return system_error(code.value());
      const fs::path inside = target.lexically_relative(root);
      if (inside.empty() || *inside.begin() == "..") {
        return error(ReadError::Kind::forbidden,
                     "\"" + relative + "\" leads outside the asset's folder");
      }
    }
    Result<std::shared_ptr<const Source>> source = map_file(target.string(), limits);
    if (!source) {
      ReadError e = source.error();
      if (e.kind == ReadError::Kind::not_found) {
        return error(ReadError::Kind::not_fetched, "\"" + relative + "\" is not there");
      }
      e.message = "\"" + relative + "\": " + e.message;
      return e;
    }
    return source;
  };
}

bool is_lfs_pointer(std::span<const std::byte> bytes) {
  constexpr std::string_view start = "version https://git-lfs";
  return bytes.size() >= start.size() && bytes.size() < 1024 &&
         std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

std::shared_ptr<DecodedBlock> DecodedBlock::make(std::size_t size) {
  auto* data = static_cast<std::byte*>(std::calloc(size == 0 ? 1 : size, 1));
  if (data == nullptr) return nullptr;
  return std::shared_ptr<DecodedBlock>(new DecodedBlock(data, size));
}

DecodedBlock::~DecodedBlock() { std::free(data_); }

}  // namespace skinlint
