#pragma once
// One asset through the rules: stages, poisoning, severities. And the result that every report is
// made from.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "readers/reader.h"
#include "rules/rule.h"

namespace skinlint {

/// Effective configuration of a run (issue: files, profiles and overrides fill this same struct).
struct CheckConfig {
  std::string profile = "default";  // its settings are in severities and params already
  std::map<std::string, Severity, std::less<>> severities;  // --severity RULE=LEVEL
  std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>>
      params;                               // --set RULE.PARAM=VALUE
  std::vector<std::string> select, ignore;  // rule ids; empty select: all that are on by default
  ZeroWeightPolicy::Kind zero_weight = ZeroWeightPolicy::Kind::reject;
  std::string fallback_joint;
  Severity fail_on = Severity::error;  // Severity::off means never
  std::size_t max_samples = 5;
  ReadOptions read;
  std::string reference_path;  // --reference, as given
  std::shared_ptr<const Skeleton> reference;
  bool second_opinion = false;  // ask the other importer, for importer-disagrees
  bool want_sha256 = false;     // a report needs it
  bool want_statistics = true;
};
/// One sentence with the nearest valid name when a rule or parameter does not exist or a value is
/// out of range; empty: fine.
std::string validate(const CheckConfig& config);
/// True when the configuration lets the rule judge: selected, or on by default or by a severity of
/// its own, and neither ignored nor off.
bool rule_runs(const Rule& rule, const CheckConfig& config);

/// A finding with its names resolved, so that reports never touch the asset.
struct ReportedElement {
  std::string kind, path, locator;
  std::int64_t index = 0;  // the file's own index or id
};
struct ReportedFinding {
  Finding finding;
  const RuleInfo* rule = nullptr;
  ReportedElement element;
  std::vector<ReportedElement> related;
  Remedy remedy;  // cause's, finding's or rule's, in this order
  std::string fingerprint;
  /// Accepted: reported, but not counted among errors, warnings and notes.
  struct Waived {
    std::string reason, expires;  // expires: "2027-03-01", may be empty
  };
  std::optional<Waived> waived;
  bool baselined = false;  // known to the baseline
  bool counts() const { return !waived && !baselined; }
};

struct BindingStatistics {
  std::string mesh_node, skin;
  std::uint64_t vertices = 0, joints = 0, unweighted_vertices = 0;
  std::uint32_t max_influences = 0;
  double weight_sum_min = 0, weight_sum_max = 0;  // NaN: no vertex with an influence
  BindAnalysis bind;  // without its joints: one row per joint and binding would outgrow the file
};

struct SkippedCheck {
  std::string rule;
  ReportedElement element;
  std::string because;  // rule id that found the error
};

struct FileResult {
  enum class Status : std::uint8_t { checked, unreadable, crashed, timeout };
  std::string path;  // as given on the command line or found below it
  Status status = Status::checked;
  std::optional<ReadError> error;
  std::string format, version, generator, sha256;
  std::uint64_t bytes = 0;
  std::vector<ReportedFinding>
      findings;  // severity, then stage order, then element; accepted ones in place
  std::vector<std::string_view> rules;  // ids of those that ran, in order; empty unless checked
  std::vector<SkippedCheck> skipped;
  std::vector<NotChecked> not_checked;
  std::vector<BindingStatistics> bindings;
  std::size_t skins = 0, meshes = 0, joints = 0;
  std::string config_path;             // the configuration file that ruled, as shown; may be empty
  Severity fail_on = Severity::error;  // by that configuration
  /// Files read beside the main one (glTF buffers), as named in it.
  std::vector<std::string> companions;
};
std::string_view status_name(FileResult::Status status);

/// Reads and judges one file. Never throws: our own bug inside one file gives Status::crashed.
FileResult check_file(const std::string& path, const CheckConfig& config);
/// The skeleton that all files must share, or why the file gives none.
Result<std::shared_ptr<const Skeleton>> read_reference(const std::string& path,
                                                       const CheckConfig& config);
/// The same for an asset in memory (tests). `importer`: what another importer saw in it, if asked.
FileResult check_asset(const Asset& asset, const std::string& path, const CheckConfig& config,
                       const ImporterView* importer = nullptr);

struct RunSummary {
  std::uint64_t files = 0, clean = 0, with_findings = 0, unreadable = 0, crashed = 0;
  std::uint64_t errors = 0, warnings = 0, notes = 0, waived = 0, baselined = 0;
  std::uint64_t failed = 0;  // files with a finding at or above their fail_on
  /// Waivers that no longer hold or match nothing, one line each, sorted.
  std::vector<std::string> expired_waivers, unused_waivers;
  /// Of a run over one part of the files (--shard): what joining the parts needs.
  struct Shard {
    std::uint64_t index = 1, count = 1;
    std::vector<std::uint64_t> positions;   // of this part's files in the whole list
    std::vector<std::string> used_waivers;  // as unused_waivers, those that held
  };
  std::optional<Shard> shard;
  void add(const FileResult& result);
};
/// 0, 1, 3 or 4 as docs/cli.md says: the highest of 1, 3, 4 wins.
int exit_status(const RunSummary& summary);

}  // namespace skinlint
