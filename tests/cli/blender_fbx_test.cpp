// A rig exported as FBX by Blender itself, with every option that moves axes, units or transforms
// about: what is legal stays clean, what is posed or squashed is found and nothing else, and one
// scene exported in several ways is one rig. Where FBX2glTF is there too (built on the FBX SDK; the
// environment variable SKINLINT_FBX2GLTF names it), it must put every joint where we do. Skipped
// where Blender is not installed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "blender_run.h"
#include "engine/check.h"
#include "readers/reader.h"
#include "skinning/hierarchy.h"
#include "support/matchers.h"
#include "support/read_bytes.h"

using namespace skinlint;

namespace {

using Findings = std::set<std::pair<std::string, std::string>>;  // rule and severity

Findings serious_findings(const FileResult& result) {
  Findings out;
  for (const ReportedFinding& f : result.findings) {
    if (f.finding.severity < Severity::warning) continue;
    out.emplace(f.finding.rule, severity_name(f.finding.severity));
  }
  return out;
}

std::string text_of(const FileResult& result) {
  std::string out;
  for (const ReportedFinding& f : result.findings) {
    out += std::string(severity_name(f.finding.severity)) + " " + std::string(f.finding.rule) +
           " " + f.element.path + ": " + f.finding.message + "\n";
  }
  if (result.error) out += "read error: " + result.error->message + "\n";
  return out;
}

Asset read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return test::read_bytes({first, first + text.size()});
}

/// Where the joints are, at rest and bound, by name: free of the frames that an export gives bones.
std::map<std::string, std::pair<Vec3, Vec3>> joint_places(const Asset& asset) {
  std::map<std::string, std::pair<Vec3, Vec3>> places;
  const std::vector<Mat4> worlds = world_from_nodes(asset);
  for (const Skin& skin : asset.skins) {
    for (std::size_t s = 0; s < skin.joints.size(); ++s) {
      REQUIRE(skin.joints[s] >= 0);
      REQUIRE(skin.clusters[s].transform_link.has_value());
      const auto node = static_cast<std::size_t>(skin.joints[s]);
      places[asset.nodes[node].name] = {translation(worlds[node]),
                                        translation(*skin.clusters[s].transform_link)};
    }
  }
  return places;
}

/// The box around all meshes where their nodes put them.
std::pair<Vec3, Vec3> mesh_box(const Asset& asset) {
  const std::vector<Mat4> worlds = world_from_nodes(asset);
  Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
  for (const Binding& b : asset.bindings) {
    const Mat4 world = worlds[static_cast<std::size_t>(b.node)] * b.node_from_geometry;
    const auto& part = asset.meshes[static_cast<std::size_t>(b.mesh)].parts.at(0);
    const std::vector<double> p = test::values_of(part.positions);
    for (std::size_t v = 0; v + 2 < p.size(); v += 3) {
      const Vec3 at = transform_point(world, Vec3(p[v], p[v + 1], p[v + 2]));
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    }
  }
  return {low, high};
}

void require_same_rig(const Asset& one, const Asset& other, double scale) {
  const auto places = joint_places(one), wanted = joint_places(other);
  REQUIRE(places.size() == wanted.size());
  REQUIRE(!places.empty());
  const auto [low, high] = mesh_box(other);
  const double limit = 1e-5 * scale * (high - low).norm();
  for (const auto& [name, at] : places) {
    CAPTURE(name);
    REQUIRE(wanted.count(name) == 1);
    CHECK((at.first - scale * wanted.at(name).first).norm() < limit);
    CHECK((at.second - scale * wanted.at(name).second).norm() < limit);
  }
  const auto [own_low, own_high] = mesh_box(one);
  CHECK((own_low - scale * low).norm() < limit);
  CHECK((own_high - scale * high).norm() < limit);
}

}  // namespace

TEST_CASE("a rig exported as FBX by Blender is judged as it was made", "[cli][blender]") {
  const auto made = test::export_from_blender("blender_fbx.py", "expected.json");
  if (!made) return;
  const auto& [folder, expected] = *made;
  const std::string tools = SKINLINT_SOURCE_DIR "/testdata/tools/";
  std::size_t clean = 0, faults = 0, same = 0;
  for (const auto& entry : expected["files"]) {
    const std::string name = entry["file"];
    const FileResult result = check_file((folder / name).string(), CheckConfig{});
    INFO(name << "\n" << text_of(result));
    CHECK(result.status == FileResult::Status::checked);
    Findings wanted;
    if (entry["kind"] == "fault") {
      for (const auto& f : entry["findings"]) wanted.emplace(f[0], f[1]);
      ++faults;
    } else {
      ++clean;
    }
    CHECK(serious_findings(result) == wanted);
    if (!entry.contains("same_as")) continue;
    ++same;
    require_same_rig(read(folder / name), read(folder / entry["same_as"].get<std::string>()),
                     entry["scale"]);
  }
  CHECK(clean >= 46);
  CHECK(faults >= 5);
  CHECK(same >= 37);

  const char* converter = std::getenv("SKINLINT_FBX2GLTF");
  if (converter == nullptr || std::system("python3 --version >/dev/null 2>&1") != 0) {
    WARN("skipped in part: SKINLINT_FBX2GLTF does not name FBX2glTF, or there is no python3");
  } else {
    const std::string compare = "python3 '" + tools + "compare_fbx2gltf.py' --skinlint '" +
                                SKINLINT_BINARY + "' --fbx2gltf '" + converter + "' '" +
                                folder.string() + "' >'" + (folder / "compared.txt").string() +
                                "' 2>&1";
    const int status = std::system(compare.c_str());
    std::ifstream lines(folder / "compared.txt");
    INFO(std::string(std::istreambuf_iterator<char>(lines), {}));
    CHECK(status == 0);
  }
  std::filesystem::remove_all(folder);
}
