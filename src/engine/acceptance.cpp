#include "engine/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine/digest.h"
#include "engine/path_pattern.h"

namespace skinlint {
namespace {

constexpr std::string_view baseline_schema = "skinlint-baseline/1";

bool element_matches(const Waiver& waiver, const ReportedFinding& finding) {
  return waiver.element.empty() || waiver.element == finding.element.path ||
         path_matches(waiver.element, finding.element.path);
}

}  // namespace

void set_fingerprints(FileResult& result, const std::string& relative_path) {
  std::map<std::string, int> seen;
  for (ReportedFinding& f : result.findings) {
    const std::string key = std::string(f.finding.rule) + '\n' + relative_path + '\n' +
                            f.element.kind + '\n' + f.element.path;
    const int occurrence = seen[key]++;
    f.fingerprint = sha256_hex(key + '\n' + std::to_string(occurrence)).substr(0, 32);
  }
}

std::string today() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr && *fixed != '\0') {
    now = static_cast<std::time_t>(std::strtoll(fixed, nullptr, 10));
  }
  std::tm parts{};
  if (::gmtime_r(&now, &parts) == nullptr) return "1970-01-01";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Result<Baseline, std::string> Baseline::parse(const std::string& text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("schema", nlohmann::json()) != baseline_schema ||
      !document.contains("findings") || !document["findings"].is_array()) {
    return std::string("is no baseline; --write-baseline writes one");
  }
  Baseline baseline;
  for (const nlohmann::json& item : document["findings"]) {
    const auto text_at = [&item](const char* key) {
      return item.is_object() && item.contains(key) && item[key].is_string()
                 ? item[key].get<std::string>()
                 : std::string();
    };
    const std::string fingerprint = text_at("fingerprint");
    if (fingerprint.empty()) return std::string("holds a finding without a fingerprint");
    baseline.fingerprints_[fingerprint] = {text_at("rule"), text_at("path"), text_at("element")};
  }
  return baseline;
}

void Baseline::add(const FileResult& result, const std::string& relative_path) {
  for (const ReportedFinding& f : result.findings) {
    if (f.waived) continue;
    fingerprints_[f.fingerprint] = {std::string(f.finding.rule), relative_path, f.element.path};
  }
}

std::string Baseline::text() const {
  std::vector<std::pair<std::string, Entry>> sorted(fingerprints_.begin(), fingerprints_.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.path, a.second.rule, a.second.element) <
           std::tie(b.second.path, b.second.rule, b.second.element);
  });
  nlohmann::ordered_json document = {{"schema", baseline_schema},
                                     {"findings", nlohmann::ordered_json::array()}};
  for (const auto& [fingerprint, entry] : sorted) {
    document["findings"].push_back({{"fingerprint", fingerprint},
                                    {"rule", entry.rule},
                                    {"path", entry.path},
                                    {"element", entry.element}});
  }
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void WaiverBook::apply(const EffectiveConfig& config, FileResult& result) {
  if (config.found == nullptr) return;
  const std::vector<Waiver>& waivers = config.found->file.waivers;
  if (waivers.empty()) return;
  const std::string relative = relative_path(result.path, config.found->folder);
  for (std::size_t i = 0; i < waivers.size(); ++i) {
    if (!path_matches(waivers[i].path, relative)) continue;
    const auto [use, fresh] = uses_.try_emplace({config.found.get(), i});
    if (fresh) kept_.push_back(config.found);
    if (result.status == FileResult::Status::checked) use->second.file_seen = true;
    for (ReportedFinding& f : result.findings) {
      if (f.waived || f.finding.rule != waivers[i].rule || !element_matches(waivers[i], f)) {
        continue;
      }
      use->second.matched = true;
      const bool expired = !waivers[i].expires.empty() && waivers[i].expires < date_;
      if (!expired) f.waived = ReportedFinding::Waived{waivers[i].reason, waivers[i].expires};
    }
  }
}

void WaiverBook::summarise(RunSummary& summary) const {
  for (const auto& [key, use] : uses_) {
    const auto& [found, index] = key;
    const Waiver& waiver = found->file.waivers[index];
    const std::string line = fmt::format("{} waivers[{}] ({} in {}): {}", found->path, index,
                                         waiver.rule, waiver.path, waiver.reason);
    if (!waiver.expires.empty() && waiver.expires < date_) {
      summary.expired_waivers.push_back(fmt::format("{}; expired {}", line, waiver.expires));
    } else if (use.file_seen && !use.matched) {
      summary.unused_waivers.push_back(line);
    } else if (use.matched && summary.shard) {
      summary.shard->used_waivers.push_back(line);
    }
  }
  std::sort(summary.expired_waivers.begin(), summary.expired_waivers.end());
  std::sort(summary.unused_waivers.begin(), summary.unused_waivers.end());
  if (summary.shard) {
    std::sort(summary.shard->used_waivers.begin(), summary.shard->used_waivers.end());
  }
}

}  // namespace skinlint
