#include "engine/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>

#include "engine/digest.h"
#include "engine/result_codec.h"
#include "rules/reference_skeleton.h"

namespace skinlint {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view magic = "skinlint cache 1\n";

/// The whole file; empty when it is not there or cannot be read.
std::string read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
      status.st_size < (off_t{1} << 30)) {
    text.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::read(fd, text.data() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    text.resize(done);
  }
  ::close(fd);
  return text;
}

/// Whole or not at all: written beside and renamed. Failure only costs the next run its time.
void write_entry(const std::string& path, std::string_view payload) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}.{}", path, ::getpid(), counter.fetch_add(1));
  const int fd =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // less the umask
  if (fd < 0) return;
  const std::uint64_t sum = stable_hash(payload);  // against torn and rotten entries
  std::string text(magic);
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  text.append(payload);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool whole = done == text.size();
  if ((::close(fd) != 0) || !whole || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
  }
}

/// The payload of an entry; empty when there is none or it is damaged.
std::string read_entry(const std::string& path) {
  std::string text = read_file(path);
  const std::size_t head = magic.size() + sizeof(std::uint64_t);
  if (text.size() < head || std::string_view(text).substr(0, magic.size()) != magic) return {};
  std::uint64_t sum = 0;
  std::memcpy(&sum, text.data() + magic.size(), sizeof sum);
  text.erase(0, head);
  return stable_hash(text) == sum ? text : std::string();
}

/// What a file's content stays the same with, as text.
std::string stamp(const struct stat& s) {
  return fmt::format("{} {}.{} {}.{} {} {}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
                     s.st_ctim.tv_sec, s.st_ctim.tv_nsec, s.st_ino, s.st_dev);
}

/// A file that changed just now may change again within the clock's grain.
bool settled(const struct stat& s) {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto nanoseconds = [](const struct timespec& t) {
    return static_cast<std::int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
  };
  constexpr std::int64_t grain = 50000000;
  return nanoseconds(now) - nanoseconds(s.st_mtim) > grain &&
         nanoseconds(now) - nanoseconds(s.st_ctim) > grain;
}

/// "ab/cdef…" below the folder.
std::string place(const std::string& folder, const char* kind, const std::string& key) {
  return fmt::format("{}/{}/{}/{}", folder, kind, key.substr(0, 2), key.substr(2));
}

void add_text(std::string& out, std::string_view text) {
  out += fmt::format("{}:", text.size());
  out += text;
}

}  // namespace

std::string config_key(const CheckConfig& config) {
  std::string text;
  add_text(text, SKINLINT_VERSION);
  add_text(text, magic);
  for (const LibraryVersion& library : reader_libraries()) {
    add_text(text, library.name);
    add_text(text, library.version);
  }
  for (const Rule* rule : all_rules()) add_text(text, rule->info.id);
  add_text(text, config.profile);
  for (const auto& [rule, severity] : config.severities) {
    add_text(text, rule);
    add_text(text, severity_name(severity));
  }
  for (const auto& [rule, params] : config.params) {
    add_text(text, rule);
    for (const auto& [name, value] : params) add_text(text, fmt::format("{}={:a}", name, value));
  }
  for (const auto* list : {&config.select, &config.ignore}) {
    add_text(text, std::to_string(list->size()));
    for (const std::string& id : *list) add_text(text, id);
  }
  add_text(text, fmt::format("{} {} {} {} {} {}", static_cast<int>(config.zero_weight),
                             config.max_samples, config.want_statistics, config.want_sha256,
                             config.read.allow_outside, static_cast<int>(config.read.space)));
  add_text(text, fmt::format("{} {} {}", config.second_opinion, config.read.import.seconds,
                             config.read.import.memory_mib));
  add_text(text, config.fallback_joint);
  if (config.reference != nullptr) {
    for (const Skeleton::Joint& joint : config.reference->joints) {
      add_text(text, joint.name);
      add_text(text, fmt::format("{} {} {}", joint.parent, joint.deforms, joint.bind.has_value()));
      for (const Mat4& m : {joint.rest, joint.bind.value_or(Mat4::Identity())}) {
        add_text(text, {reinterpret_cast<const char*>(m.data()), 16 * sizeof(double)});
      }
    }
  }
  return sha256_hex(text);
}

Result<std::shared_ptr<ResultCache>, std::string> ResultCache::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) return std::string("is no folder and cannot be made one");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return std::string("cannot be written");
  return std::shared_ptr<ResultCache>(new ResultCache(folder));
}

std::string ResultCache::content_hash(const std::string& path) const {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::error_code error;
  const std::string entry = place(folder_, "files", sha256_hex(fs::absolute(path, error).string()));
  const std::string now = stamp(status);
  const std::string known = read_entry(entry);
  constexpr std::size_t hash_size = 64;
  if (known.size() > hash_size && std::string_view(known).substr(hash_size) == now)
    return known.substr(0, hash_size);
  const auto source = map_file(path, {});
  if (!source) return {};
  std::string hash = sha256_hex((*source)->bytes());
  struct stat after {};
  if (::stat(path.c_str(), &after) == 0 && stamp(after) == now && settled(after)) {
    write_entry(entry, hash + now);
  }
  return hash;
}

std::string ResultCache::key_of(const std::shared_ptr<const CheckConfig>& config) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string& key = keys_[config];
  if (key.empty()) key = config_key(*config);
  return key;
}

FileResult ResultCache::check(const BatchJob& job) const {
  const std::string key = key_of(job.config);
  const std::string content = content_hash(job.path);
  if (content.empty()) return check_file(job.path, *job.config);
  const std::string entry = place(folder_, "results", sha256_hex(content + key));

  const auto companion_hashes = [&](const FileResult& result) {
    std::string hashes;
    for (const std::string& name : result.companions) {
      const std::string beside = (fs::path(job.path).parent_path() / name).string();
      add_text(hashes, content_hash(beside));
    }
    return hashes;
  };
  const std::string kept = read_entry(entry);
  if (kept.size() > sizeof(std::uint64_t)) {
    std::uint64_t size = 0;
    std::memcpy(&size, kept.data(), sizeof size);
    const std::string_view rest = std::string_view(kept).substr(sizeof size);
    if (size <= rest.size()) {
      auto result = decode_result(rest.substr(0, size));
      if (result && companion_hashes(*result) == rest.substr(size)) {
        result->path = job.path;
        return std::move(*result);
      }
    }
  }
  FileResult result = check_file(job.path, *job.config);
  if (result.status == FileResult::Status::checked) {
    const std::string bytes = encode_result(result);
    const auto size = static_cast<std::uint64_t>(bytes.size());
    std::string payload(reinterpret_cast<const char*>(&size), sizeof size);
    payload += bytes;
    payload += companion_hashes(result);
    // The content was hashed before it was read; a file that changed between must not be kept.
    if (content_hash(job.path) == content) write_entry(entry, payload);
  }
  return result;
}

}  // namespace skinlint
