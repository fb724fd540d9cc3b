// A rig built and exported by Blender itself: clean files stay clean, every fault is found. Skipped
// where Blender is not installed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "blender_run.h"
#include "engine/check.h"

using namespace skinlint;

namespace {

std::string findings_of(const FileResult& result) {
  std::string out;
  for (const ReportedFinding& f : result.findings)
    out += std::string(severity_name(f.finding.severity)) + " " + std::string(f.finding.rule) +
           " " + f.element.path + ": " + f.finding.message + "\n";
  if (result.error) out += "read error: " + result.error->message + "\n";
  return out;
}

}  // namespace

TEST_CASE("a rig from Blender is judged as it was made", "[cli][blender]") {
  const auto made = test::export_from_blender("blender_rig.py", "expected.json");
  if (!made) return;
  const auto& [folder, expected] = *made;
  std::size_t clean = 0, faults = 0;
  for (const auto& entry : expected["files"]) {
    const std::string name = entry["file"];
    const FileResult result = check_file((folder / name).string(), CheckConfig{});
    INFO(name << "\n" << findings_of(result));
    CHECK(result.status == FileResult::Status::checked);
    if (entry["kind"] == "clean") {
      ++clean;
      CHECK(std::none_of(
          result.findings.begin(), result.findings.end(),
          [](const ReportedFinding& f) { return f.finding.severity >= Severity::warning; }));
      continue;
    }
    ++faults;
    for (const auto& finding : entry["findings"])
      CHECK(std::any_of(result.findings.begin(), result.findings.end(),
                        [&](const ReportedFinding& f) {
                          return f.finding.rule == finding[0].get<std::string>() &&
                                 severity_name(f.finding.severity) == finding[1];
                        }));
  }
  CHECK(clean >= 9);
  CHECK(faults >= 28);
  std::filesystem::remove_all(folder);
}
