#include "reports/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "reports/formats.h"
#include "reports/json_writer.h"

namespace skinlint {
namespace {

using Json = nlohmann::json;

/// Walks over JSON that is known to be valid, to hand out values as they were written.
class Slicer {
 public:
  explicit Slicer(std::string_view text) : text_(text) {}

  bool enter(char bracket) {
    space();
    if (at_ >= text_.size() || text_[at_] != bracket) return false;
    ++at_;
    return true;
  }
  /// The next member's key or element's value is there.
  bool more() {
    space();
    if (at_ < text_.size() && text_[at_] == ',') ++at_;
    space();
    return at_ < text_.size() && text_[at_] != '}' && text_[at_] != ']';
  }
  std::string_view key() {
    const std::string_view quoted = value();
    space();
    ++at_;  // the colon
    return quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : std::string_view();
  }
  std::string_view value() {
    space();
    const std::size_t start = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;
        --depth;
        ++at_;
      } else if (depth == 0 &&
                 (c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
        break;
      } else {
        ++at_;
        continue;
      }
      if (depth == 0) break;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ < text_.size()) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Part {
  const NamedReport* report = nullptr;
  std::string_view tool, config;
  std::vector<std::string_view> files;
  std::vector<std::string> paths;
  Json summary, waivers, shard;
};

std::vector<std::string> texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  if (!object.is_object() || !object.contains(key)) return out;
  for (const Json& item : object[key]) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

std::uint64_t count(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number_unsigned()) return 0;
  return object[key].get<std::uint64_t>();
}

Result<Part, std::string> read(const NamedReport& report) {
  const Json document = Json::parse(report.text, nullptr, false);
  if (!document.is_object() || document.value("schema", Json()) != "skinlint-report/1" ||
      !document.contains("files") || !document["files"].is_array()) {
    return fmt::format("{} is no JSON report of skinlint", report.name);
  }
  Part part;
  part.report = &report;
  Slicer slicer(report.text);
  for (slicer.enter('{'); slicer.more();) {
    const std::string_view key = slicer.key();
    const std::string_view value = slicer.value();
    if (key == "tool") part.tool = value;
    if (key == "config") part.config = value;
    if (key != "files") continue;
    Slicer files(value);
    for (files.enter('['); files.more();) part.files.push_back(files.value());
  }
  for (const Json& file : document["files"]) {
    part.paths.push_back(file.is_object() ? file.value("path", std::string()) : std::string());
  }
  part.summary = document.value("summary", Json());
  part.waivers = document.value("waivers", Json());
  part.shard = document.value("shard", Json());
  return part;
}

/// One sentence when the parts are not all parts of one run.
std::string check_shards(const std::vector<Part>& parts, bool& sharded) {
  const auto has_shard = [](const Part& part) { return part.shard.is_object(); };
  sharded = std::all_of(parts.begin(), parts.end(), has_shard);
  if (!sharded) {
    return std::any_of(parts.begin(), parts.end(), has_shard)
               ? std::string("reports of parts (--shard) and of whole runs do not go together")
               : std::string();
  }
  const std::uint64_t wanted = count(parts.front().shard, "count");
  std::set<std::uint64_t> seen;
  for (const Part& part : parts) {
    if (count(part.shard, "count") != wanted) {
      return fmt::format("{} is one of {} parts, {} one of {}", parts.front().report->name, wanted,
                         part.report->name, count(part.shard, "count"));
    }
    if (!seen.insert(count(part.shard, "index")).second) {
      return fmt::format("part {} is given twice, the second time as {}",
                         count(part.shard, "index"), part.report->name);
    }
    if (part.config != parts.front().config || part.tool != parts.front().tool) {
      return fmt::format("{} and {} were made by different versions or configurations",
                         parts.front().report->name, part.report->name);
    }
    if (part.shard.value("positions", Json::array()).size() != part.files.size()) {
      return fmt::format("{}: its files and their positions do not fit", part.report->name);
    }
  }
  for (std::uint64_t i = 1; i <= wanted; ++i) {
    if (seen.count(i) == 0) return fmt::format("part {} of {} is missing", i, wanted);
    if (seen.size() == wanted) break;
  }
  return {};
}

RunSummary total(const std::vector<Part>& parts) {
  RunSummary sum;
  std::set<std::string> expired, unused, used;
  for (const Part& part : parts) {
    const Json& s = part.summary;
    sum.files += count(s, "files");
    sum.clean += count(s, "clean");
    sum.with_findings += count(s, "with_findings");
    sum.unreadable += count(s, "unreadable");
    sum.crashed += count(s, "crashed");
    sum.errors += count(s, "errors");
    sum.warnings += count(s, "warnings");
    sum.notes += count(s, "notes");
    sum.waived += count(s, "waived");
    sum.baselined += count(s, "baselined");
    sum.failed += count(s, "failed");
    for (std::string& line : texts(part.waivers, "expired")) expired.insert(std::move(line));
    for (std::string& line : texts(part.waivers, "unused")) unused.insert(std::move(line));
    for (std::string& line : texts(part.shard, "used_waivers")) used.insert(std::move(line));
  }
  sum.expired_waivers.assign(expired.begin(), expired.end());
  std::set_difference(unused.begin(), unused.end(), used.begin(), used.end(),
                      std::back_inserter(sum.unused_waivers));
  return sum;
}

}  // namespace

Result<MergedReport, std::string> merge_reports(const std::vector<NamedReport>& reports) {
  std::vector<Part> parts;
  for (const NamedReport& report : reports) {
    auto part = read(report);
    if (!part) return part.error();
    parts.push_back(std::move(*part));
  }
  if (parts.empty()) return std::string("no report given");
  bool sharded = false;
  const std::string error = check_shards(parts, sharded);
  if (!error.empty()) return error;

  struct Placed {
    std::uint64_t position;
    std::string_view text;
  };
  std::vector<Placed> files;
  std::map<std::string_view, const Part*> seen;
  for (const Part& part : parts) {
    for (std::size_t i = 0; i < part.files.size(); ++i) {
      const auto [other, fresh] = seen.emplace(part.paths[i], &part);
      if (!fresh) {
        return fmt::format("{} is in {} and in {}", part.paths[i], other->second->report->name,
                           part.report->name);
      }
      std::uint64_t position = files.size();
      if (sharded) {
        const Json& stored = part.shard["positions"][i];
        position = stored.is_number_unsigned() ? stored.get<std::uint64_t>() : 0;
      }
      files.push_back({position, part.files[i]});
    }
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const Placed& a, const Placed& b) { return a.position < b.position; });

  MergedReport merged;
  merged.summary = total(parts);
  std::ostringstream out;
  JsonWriter w(out);
  w.begin_object();
  w.key("schema").string("skinlint-report/1");
  w.key("tool").raw(parts.front().tool);
  w.key("config").raw(parts.front().config);
  w.key("files").begin_array();
  for (const Placed& file : files) w.raw(file.text);
  w.end_array();
  write_summary(w, merged.summary);
  w.end_object();
  w.finish();
  merged.text = out.str();
  return merged;
}

}  // namespace skinlint
