// testdata/ read with the whole engine and compared with its manifest.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/check.h"
#include "support/testdata.h"

using namespace skinlint;

namespace {

const std::filesystem::path folder = std::filesystem::path(SKINLINT_SOURCE_DIR) / "testdata";

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

nlohmann::json manifest() {
  std::ifstream in(folder / "manifest.json");
  return nlohmann::json::parse(in)["files"];
}

bool has_assimp() {
  for (const LibraryVersion& library : reader_libraries())
    if (library.name == "assimp") return !library.version.empty();
  return false;
}

FileResult check(const nlohmann::json& entry) {
  CheckConfig config;
  for (const auto& rule : entry.value("select", nlohmann::json::array()))
    config.select.push_back(rule);
  config.second_opinion = entry.value("second_opinion", false);
  if (entry.contains("reference")) {
    config.reference_path = entry["reference"];
    config.reference = read_reference((folder / config.reference_path).string(), config).value();
  }
  return check_file((folder / entry["path"].get<std::string>()).string(), config);
}

/// "error bind-rest-differs" ..., sorted: what two results must have in common.
std::vector<std::string> names(const FileResult& result, bool notes) {
  std::vector<std::string> out;
  for (const ReportedFinding& f : result.findings)
    if (notes || f.finding.severity >= Severity::warning)
      out.push_back(std::string(severity_name(f.finding.severity)) + " " +
                    std::string(f.finding.rule));
  std::sort(out.begin(), out.end());
  return out;
}

std::string messages(const FileResult& result) {
  std::string out;
  for (const ReportedFinding& f : result.findings)
    out += std::string(severity_name(f.finding.severity)) + " " + std::string(f.finding.rule) +
           " " + f.element.path + ": " + f.finding.message + "\n";
  for (const SkippedCheck& s : result.skipped)
    out += "skipped " + s.rule + " because " + s.because + "\n";
  if (result.error) out += "read error: " + result.error->message + "\n";
  return out;
}

}  // namespace

TEST_CASE("every file of testdata gives the findings its manifest lists", "[engine][testdata]") {
  const nlohmann::json files = manifest();
  REQUIRE(files.size() > 60);
  for (const auto& entry : files) {
    const std::string path = entry["path"];
    if (entry.contains("companion")) continue;
    if (entry.contains("second_opinion") && !has_assimp()) continue;
    const FileResult result = check(entry);
    INFO(path << "\n" << messages(result));
    if (entry.contains("read_error")) {
      CHECK(result.status == FileResult::Status::unreadable);
      REQUIRE(result.error.has_value());
      CHECK(std::string(read_error_kind_name(result.error->kind)) == entry["read_error"]);
      CHECK(!result.error->message.empty());
      continue;
    }
    CHECK(result.status == FileResult::Status::checked);
    std::vector<std::string> expected, expected_notes;
    for (const auto& finding : entry["expected"]) {
      const std::string name =
          finding["severity"].get<std::string>() + " " + finding["rule"].get<std::string>();
      (finding["severity"] == "note" ? expected_notes : expected).push_back(name);
      if (!finding.contains("count")) continue;
      const auto same =
          std::find_if(result.findings.begin(), result.findings.end(),
                       [&](const ReportedFinding& f) { return f.finding.rule == finding["rule"]; });
      REQUIRE(same != result.findings.end());
      CHECK(same->finding.count == finding["count"].get<std::uint64_t>());
    }
    std::sort(expected.begin(), expected.end());
    CHECK(names(result, false) == expected);
    const std::vector<std::string> all = names(result, true);
    for (const std::string& note : expected_notes)
      CHECK(std::find(all.begin(), all.end(), note) != all.end());
  }
}

TEST_CASE("every rule that judges glTF has a broken file", "[engine][testdata]") {
  std::set<std::string> tested;
  for (const auto& entry : manifest()) {
    const std::filesystem::path path = entry["path"].get<std::string>();
    if (*path.begin() != "broken") continue;
    const std::string rule = std::next(path.begin())->string();
    tested.insert(rule);
    CHECK(find_rule(rule) != nullptr);
    CHECK(entry["expected"][0]["rule"] == rule);
  }
  for (const Rule* rule : all_rules()) {
    CAPTURE(rule->info.id);
    CHECK(tested.count(std::string(rule->info.id)) == 1);
  }
}

TEST_CASE("one asset in several encodings gives the same findings", "[engine][testdata]") {
  std::map<std::string, std::vector<std::string>> first;
  for (const auto& entry : manifest()) {
    const std::filesystem::path path = entry["path"].get<std::string>();
    if (*path.begin() != "pairs" || entry.contains("companion")) continue;
    const FileResult result = check(entry);
    INFO(path << "\n" << messages(result));
    const auto [known, is_new] =
        first.try_emplace(path.parent_path().string(), names(result, true));
    if (!is_new) CHECK(names(result, true) == known->second);
  }
  CHECK(first.size() >= 2);
}

TEST_CASE("the committed test files are what their program makes", "[engine][testdata]") {
  std::set<std::string> made;
  std::size_t total = 0;
  for (const test::TestdataFile& file : test::all_testdata()) {
    CAPTURE(file.path);
    CHECK(made.insert(file.path).second);
    CHECK((bytes_of(folder / file.path) == file.bytes));
    total += file.bytes.size();
  }
  CHECK(total < 1500000);
  for (const char* sub : {"valid", "broken", "corrupt", "pairs"})
    for (const auto& item : std::filesystem::recursive_directory_iterator(folder / sub))
      if (item.is_regular_file())
        CHECK(made.count(std::filesystem::relative(item.path(), folder).string()) == 1);
}
