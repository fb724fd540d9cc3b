#pragma once
// Results kept between runs. A result is found by what it depends on: the content of the file and
// of the files beside it that it names, the tool's version, and the configuration; never by a
// promise that nothing changed. Several runs may share one folder: entries appear whole or not at
// all, and one that is damaged is made anew. The folder may be deleted at any time.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/batch.h"

namespace skinlint {

class ResultCache {
 public:
  /// One sentence when the folder can neither be used nor made.
  static Result<std::shared_ptr<ResultCache>, std::string> open(const std::string& folder);

  /// The kept result, or that of check_file(), which is then kept. What could not be read, crashed
  /// or ran out of time is not kept. Safe to call from several threads and processes.
  FileResult check(const BatchJob& job) const;

 private:
  explicit ResultCache(std::string folder) : folder_(std::move(folder)) {}

  /// SHA-256 of the file's content; empty when it cannot be read. Known from an earlier run as
  /// long as size, times and inode are those of then.
  std::string content_hash(const std::string& path) const;

  std::string key_of(const std::shared_ptr<const CheckConfig>& config) const;

  std::string folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::shared_ptr<const CheckConfig>, std::string> keys_;  // few
};

/// What a result depends on besides content: version, libraries and everything a CheckConfig says.
std::string config_key(const CheckConfig& config);

}  // namespace skinlint
