#include "support/testdata.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace skinlint::test {
namespace {

nlohmann::ordered_json manifest_entry(const TestdataFile& file) {
  nlohmann::ordered_json entry = {{"path", file.path},
                                  {"origin", "made by skinlint_make_testdata"},
                                  {"licence", "same as the project"}};
  if (file.companion) {
    entry["companion"] = true;
    return entry;
  }
  if (file.second_opinion) entry["second_opinion"] = true;
  if (!file.select.empty()) entry["select"] = file.select;
  if (!file.reference.empty()) entry["reference"] = file.reference;
  if (!file.read_error.empty()) entry["read_error"] = file.read_error;
  entry["expected"] = nlohmann::ordered_json::array();
  for (const ExpectedFinding& finding : file.expected) {
    nlohmann::ordered_json item = {{"rule", finding.rule}, {"severity", finding.severity}};
    if (finding.count) item["count"] = *finding.count;
    entry["expected"].push_back(std::move(item));
  }
  return entry;
}

}  // namespace

std::vector<TestdataFile> all_testdata() {
  std::vector<TestdataFile> files;
  for (std::vector<TestdataFile>& some :
       std::vector{valid_testdata(), broken_testdata(), broken_importer_testdata(),
                   corrupt_testdata(), pair_testdata()})
    std::move(some.begin(), some.end(), std::back_inserter(files));
  std::sort(files.begin(), files.end(),
            [](const TestdataFile& a, const TestdataFile& b) { return a.path < b.path; });
  nlohmann::ordered_json manifest = {{"files", nlohmann::ordered_json::array()}};
  for (const TestdataFile& file : files) manifest["files"].push_back(manifest_entry(file));
  for (const char* tool : {"blender_fbx.py", "blender_rig.py", "compare_fbx2gltf.py"}) {
    manifest["files"].push_back({{"path", std::string("tools/") + tool},
                                 {"origin", "written for the project"},
                                 {"licence", "same as the project"},
                                 {"companion", true}});
  }
  const std::string text = manifest.dump(2) + "\n";
  TestdataFile file;
  file.path = "manifest.json";
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  file.bytes.assign(data, data + text.size());
  files.push_back(std::move(file));
  return files;
}

}  // namespace skinlint::test
