// docs/importer-differences.md: what Assimp makes of testdata, written by running the tool over it.
// SKINLINT_UPDATE_IMPORTER_DOCS=1 writes it anew. Compared where the linked Assimp is the
// documented one.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "readers/reader.h"
#include "rules/importer_gaps.h"
#include "run_tool.h"

using namespace skinlint;
using namespace skinlint::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const fs::path source_dir = SKINLINT_SOURCE_DIR;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string assimp_version() {
  for (const LibraryVersion& library : reader_libraries())
    if (library.name == "assimp") return library.version;
  return {};
}

Json report_on(const Workplace& place, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"check",
                                        (source_dir / "testdata").string(),
                                        "--second-opinion",
                                        "--select",
                                        "importer-disagrees",
                                        "--report",
                                        "json",
                                        "--jobs",
                                        "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ToolInput input;
  input.seconds = 120;
  const ToolRun run = run_tool(place, arguments, input);
  INFO(run.err);
  CHECK(run.status != 4);  // whatever Assimp does, the tool stands
  return Json::parse(run.out);
}

std::string measured(const Json& finding, const char* name) {
  const auto it = finding["measured"].find(name);
  return it == finding["measured"].end() ? std::string() : (*it)["value"].get<std::string>();
}

std::string row_of(const Json& file, const Json& finding) {
  std::string path = file["path"];
  path = path.substr(path.find("testdata/"));
  std::string message = finding["message"];
  if (const std::size_t known = message.find("; known: "); known != std::string::npos)
    message.resize(known);
  // It writes beyond its own memory there: whether that kills it is chance.
  if (measured(finding, "gap") == "vertex-out-of-range") message = "crashes, or drops the weights";
  std::string escaped;
  for (const char c : message) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return "| `" + path.substr(std::string("testdata/").size()) + "` | " + escaped + " |\n";
}

/// The page, from the report alone.
std::string page(const Json& report, const std::string& version) {
  std::map<std::string, std::string> known;  // gap: rows
  std::string unknown;
  std::size_t files = 0, agreed = 0;
  for (const Json& file : report["files"]) {
    if (file["status"] != "checked" || file["format"] == "collada") continue;
    ++files;
    agreed += file["findings"].empty() ? 1U : 0U;
    for (const Json& finding : file["findings"]) {
      const std::string gap = measured(finding, "gap");
      (gap == "unknown" ? unknown : known[gap]) += row_of(file, finding);
    }
  }
  std::string out =
      "# What Assimp sees otherwise\n\n"
      "Made by running `skinlint check --second-opinion` over `testdata/` with the Assimp that "
      "calls "
      "itself " +
      version +
      " (release 5.2.5, Debian 12); a test compares this page with what the tool says. Each file "
      "is "
      "imported without post-processing steps in a process of its own and compared with what "
      "skinlint's own readers found: bones, weights, bind matrices, places of joints, vertices "
      "posed "
      "at rest. What is only another form (a vertex for each polygon corner, a mesh for each "
      "material, helper nodes, unit and axes left to the caller) is undone first.\n\n"
      "Of " +
      std::to_string(files) + " files that skinlint reads, Assimp sees " + std::to_string(agreed) +
      " as they are.\n\n## Known gaps\n\nBy the name that a finding gives them.\n";
  for (const auto& [gap, rows] : known) {
    for (int g = 0; g <= static_cast<int>(ImporterGap::skinning_type); ++g) {
      const rules::GapText text = rules::gap_text(static_cast<ImporterGap>(g));
      if (text.id != gap) continue;
      out += "\n### " + gap + "\n\nAssimp " + std::string(text.name) + ". " +
             (text.legal ? "The file is within its format: mend or replace the importer, or export "
                           "another form."
                         : "The file is at fault: mend it.") +
             "\n\n| file | finding |\n|---|---|\n" + rows;
    }
  }
  if (!unknown.empty()) {
    out +=
        "\n## Other differences\n\nIn files that are broken in some other way, mostly.\n\n"
        "| file | finding |\n|---|---|\n" +
        unknown;
  }
  return out;
}

}  // namespace

TEST_CASE("docs/importer-differences.md is what Assimp does today", "[cli][project][assimp]") {
  const std::string version = assimp_version();
  if (version.empty()) {
    WARN("skipped: built without Assimp");
    return;
  }
  const Workplace place;
  const Json report = report_on(place);
  const fs::path path = source_dir / "docs/importer-differences.md";
  const std::string made = page(report, version);
  if (std::getenv("SKINLINT_UPDATE_IMPORTER_DOCS") != nullptr)
    std::ofstream(path, std::ios::binary) << made;
  const std::string kept = content(path);
  if (kept.find("calls itself " + version + " ") == std::string::npos) {
    WARN("skipped: the page is of another Assimp than " << version);
    return;
  }
  INFO("SKINLINT_UPDATE_IMPORTER_DOCS=1 writes it anew");
  CHECK((kept == made));

  // Each small file shows its gap by name.
  std::map<std::string, std::set<std::string>> gaps;
  for (const Json& file : report["files"]) {
    const fs::path name = file["path"].get<std::string>();
    if (name.parent_path().filename() != "importer-disagrees") continue;
    for (const Json& finding : file["findings"])
      gaps[name.stem().string()].insert(measured(finding, "gap"));
  }
  const std::pair<const char*, const char*> expected[] = {
      {"no_inverse_bind_matrices", "no-inverse-bind-matrices"},
      {"negative_weight", "drops-negative-weights"},
      {"nan_weight", "drops-nan-weights"},
      {"u8_weights", "integer-weights"},
      {"u16_weights", "integer-weights"},
      {"weights_without_joints", "weights-without-joints"},
      {"joint_out_of_range", "joint-out-of-range"},
      {"two_joints_of_one_name", "names-for-identity"},
      {"two_skins_on_one_mesh", "one-skin-per-mesh"},
      {"two_bones_of_one_name", "bones-of-one-name"},
      {"index_minus_one", "negative-vertex-index"},
      {"index_99999", "vertex-out-of-range"},
      {"no_transform_link", "no-transform-link"},
      {"geometric_transform", "geometric-transform"},
      {"nan_translation", "transform-not-finite"},
      {"dual_quaternion", "skinning-type"},
      {"u16_positions", "integer-positions"}};
  for (const auto& [file, gap] : expected) {
    INFO(file);
    CHECK(gaps[file].count(gap) == 1);
  }
}

TEST_CASE("a chain of nodes that exhausts Assimp's stack is its crash, not ours", "[cli][assimp]") {
  if (assimp_version().empty()) return;
  const Workplace place;
  Json nodes = Json::array();
  constexpr int depth = 60000;
  for (int n = 0; n + 1 < depth; ++n) nodes.push_back({{"children", {n + 1}}});
  nodes.push_back(Json::object());
  place.write("deep.gltf", Json{{"asset", {{"version", "2.0"}}},
                                {"scene", 0},
                                {"scenes", {{{"nodes", {0}}}}},
                                {"nodes", nodes}}
                               .dump());
  ToolInput input;
  input.seconds = 120;
  const ToolRun run = run_tool(place,
                               {"check", "deep.gltf", "--second-opinion", "--select",
                                "importer-disagrees", "--report", "json"},
                               input);
  CHECK(run.status == 0);
  const Json report = Json::parse(run.out);
  REQUIRE(report["files"][0]["findings"].size() == 1);
  const Json& finding = report["files"][0]["findings"][0];
  CHECK(measured(finding, "outcome") == "crashed");
  CHECK(measured(finding, "gap") == "deep-nodes");
}
