#pragma once
// What a team has accepted: waivers with a reason and an end, and a baseline of known findings.
// Accepted findings stay in the report, marked, and do not count.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/configuration.h"

namespace skinlint {

/// Sets every finding's fingerprint: rule, `relative_path`, element and occurrence; never a
/// measured value, so that it stays when an asset is exported again.
void set_fingerprints(FileResult& result, const std::string& relative_path);

/// "2026-11-30" in UTC, or the day of SOURCE_DATE_EPOCH where that is set.
std::string today();

/// Known findings, by fingerprint. Paths and fingerprints are relative to the file's folder.
class Baseline {
 public:
  /// One sentence when the file cannot be used.
  static Result<Baseline, std::string> parse(const std::string& text);
  bool contains(const std::string& fingerprint) const {
    return fingerprints_.count(fingerprint) > 0;
  }
  /// Remembers every finding that no waiver accepts.
  void add(const FileResult& result, const std::string& relative_path);
  /// The file: sorted, the same bytes for the same findings.
  std::string text() const;
  std::size_t size() const { return fingerprints_.size(); }

 private:
  struct Entry {
    std::string rule, path, element;
  };
  std::map<std::string, Entry> fingerprints_;
};

/// Applies waivers and remembers which held.
class WaiverBook {
 public:
  explicit WaiverBook(std::string date) : date_(std::move(date)) {}

  /// Marks the findings of one result that a waiver of its configuration accepts. An expired
  /// waiver accepts nothing.
  void apply(const EffectiveConfig& config, FileResult& result);
  /// Expired and unused ones, as lines for the report. A waiver is unused when files that its path
  /// names were checked and none had the finding.
  void summarise(RunSummary& summary) const;

 private:
  struct Use {
    bool file_seen = false, matched = false;
  };
  std::string date_;
  std::map<std::pair<const FoundConfig*, std::size_t>, Use> uses_;
  std::vector<std::shared_ptr<const FoundConfig>> kept_;  // the keys above stay valid
};

}  // namespace skinlint
