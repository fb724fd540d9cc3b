// docs/examples: what the text report says of ten faulty files of different kinds, kept as it is
// printed. SKINLINT_UPDATE_EXAMPLES=1 writes them anew.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "run_tool.h"

using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

struct Example {
  const char* name;  // docs/examples/NAME.txt
  const char* file;  // below testdata/
  const char* rule;  // what it is about
};

constexpr Example examples[] = {
    {"01-exported-in-a-pose", "broken/bind-rest-differs/posed.glb", "bind-rest-differs"},
    {"02-bones-in-another-unit", "broken/bind-rest-differs/bones_a_hundred_times_longer.glb",
     "bind-rest-differs"},
    {"03-matrices-not-inverted", "broken/bind-rest-differs/not_inverted.glb", "bind-rest-differs"},
    {"04-matrices-transposed", "broken/bind-matrix-not-affine/all_transposed.glb",
     "bind-matrix-not-affine"},
    {"05-mesh-beside-its-skeleton", "broken/bind-skeleton-misplaced/vertices_aside.glb",
     "bind-skeleton-misplaced"},
    {"06-vertex-without-weight", "broken/weights-zero-sum/one_vertex.glb", "weights-zero-sum"},
    {"07-weights-for-a-joint-that-is-not-there",
     "broken/weights-joint-out-of-range/slot_200_of_6.glb", "weights-joint-out-of-range"},
    {"08-reset-xform-not-collapsed", "broken/transform-geometric-residue/turned.fbx",
     "transform-geometric-residue"},
    {"09-bind-pose-against-clusters", "broken/bind-pose-cluster-mismatch/one_joint.fbx",
     "bind-pose-cluster-mismatch"},
    {"10-mirrored-joint", "broken/bind-matrix-mirrored/one_joint.glb", "bind-matrix-mirrored"},
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string report_on(const Example& example) {
  const Workplace place;
  const fs::path source = fs::path(SKINLINT_SOURCE_DIR) / "testdata" / example.file;
  place.write(source.filename().string(), content(source));
  return run_tool(place, {"check", source.filename().string(), "--color", "never"}).out;
}

/// docs/examples/trace.txt: the worst vertex of the first example.
std::string trace_example() {
  const Workplace place;
  place.write("posed.glb", content(fs::path(SKINLINT_SOURCE_DIR) /
                                   "testdata/broken/bind-rest-differs/posed.glb"));
  return run_tool(place, {"trace", "posed.glb", "--vertex", "worst"}).out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("docs/examples shows what the tool prints today", "[cli][project]") {
  const fs::path folder = fs::path(SKINLINT_SOURCE_DIR) / "docs/examples";
  std::set<std::string> names;
  for (const Example& example : examples) {
    const std::string name = std::string(example.name) + ".txt";
    names.insert(name);
    const std::string report = report_on(example);
    if (std::getenv("SKINLINT_UPDATE_EXAMPLES") != nullptr) {
      fs::create_directories(folder);
      std::ofstream(folder / name, std::ios::binary) << report;
    }
    INFO(name << "; SKINLINT_UPDATE_EXAMPLES=1 writes it anew");
    CHECK((content(folder / name) == report));
  }
  names.insert("trace.txt");
  const std::string trace = trace_example();
  if (std::getenv("SKINLINT_UPDATE_EXAMPLES") != nullptr)
    std::ofstream(folder / "trace.txt", std::ios::binary) << trace;
  CHECK((content(folder / "trace.txt") == trace));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK((name == "README.md" || names.count(name) == 1));
  }
}

TEST_CASE("each example says where, what, why and what to do in every tool", "[cli][project]") {
  for (const Example& example : examples) {
    const std::string report = report_on(example);
    INFO(report);
    CHECK(has(report, example.rule));
    for (const char* part : {"measured", "in engine", "do first", "Maya", "3ds Max", "Blender"})
      CHECK(has(report, std::string("\n    ") + part));
  }
}
