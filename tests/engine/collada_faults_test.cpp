// Faults put into a COLLADA file are judged as they are in glTF, as far as Assimp shows them.

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/check.h"
#include "readers/reader.h"
#include "support/collada_writer.h"
#include "support/diagnosis_score.h"

using namespace skinlint;
using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

bool has_assimp() {
  for (const LibraryVersion& library : reader_libraries())
    if (library.name == "assimp") return !library.version.empty();
  return false;
}

class File {
 public:
  explicit File(const std::string& text)
      : path_(fs::temp_directory_path() /
              ("skinlint_collada_" + std::to_string(::getpid()) + ".dae")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { fs::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

FileResult check_rig(const Rig& rig) {
  ColladaWriteOptions options;
  options.unit_meters = 0.01;
  const File file(write_collada(rig, options));
  CheckConfig config;
  config.want_statistics = false;
  return check_file(file.path(), config);
}

}  // namespace

TEST_CASE("a clean COLLADA file is clean", "[engine][assimp]") {
  if (!has_assimp()) return;
  for (const Rig& rig : {chain_rig(), humanoid_rig()}) {
    const FileResult result = check_rig(rig);
    REQUIRE(result.status == FileResult::Status::checked);
    CHECK(result.format == "collada");
    for (const ReportedFinding& f : result.findings) {
      INFO(f.finding.rule << ": " << f.finding.message);
      CHECK(f.finding.severity < Severity::warning);
    }
  }
}

TEST_CASE("rules that would be wrong about COLLADA are not run and say so", "[engine][assimp]") {
  if (!has_assimp()) return;
  const FileResult result = check_rig(chain_rig());
  std::set<std::string> not_run;
  for (const NotChecked& entry : result.not_checked) not_run.insert(entry.what);
  for (const char* rule : {"weights-negative", "weights-unused-joint", "skeleton-gap"}) {
    INFO(rule);
    CHECK(find_rule(rule) != nullptr);
    CHECK(not_run.count(rule) == 1);
    CHECK(std::find(result.rules.begin(), result.rules.end(), rule) == result.rules.end());
  }
  CHECK(not_run.count("transform-unit-mismatch") == 0);  // COLLADA declares its unit
}

TEST_CASE("faults in COLLADA files are found and named", "[engine][assimp][cause]") {
  if (!has_assimp()) return;
  const Rig rig = humanoid_rig();
  const Asset asset = to_asset(rig);
  const FileResult clean = check_rig(rig_of(asset));
  REQUIRE(clean.status == FileResult::Status::checked);
  const FaultSite site(asset, 0);
  std::size_t found = 0;
  for (const std::string_view id :
       {"matrix-transposed", "matrix-not-inverted", "joint-order/all", "posed-after-bind/one",
        "mirrored-joint", "bind-matrix-singular", "bind-matrix-sheared/axes",
        "unit-converted/vertices", "unit-converted/nodes", "axis-converted/vertices",
        "transform-non-uniform-scale", "weights-zero-sum", "weights-sum/error",
        "one-joint-stale/warning"}) {
    const auto& kinds = fault_kinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& k) { return k.id == id; });
    REQUIRE(kind != kinds.end());
    const double size = kind->graded ? 10.0 : 1.0;
    std::optional<Injected> injected;
    for (std::uint64_t seed = 1; seed <= 6 && !injected; ++seed) {
      Random random(seed);
      injected = kind->inject(site, random, size);
    }
    REQUIRE(injected);
    const FileResult faulty = check_rig(rig_of(injected->asset));
    const Verdict verdict = judge(clean, faulty, *kind, size, *injected, 0);
    CAPTURE(id, verdict.cause, faulty.error ? faulty.error->message : "");
    CHECK(faulty.status == FileResult::Status::checked);
    CHECK(verdict.outcome == Verdict::Outcome::detected);
    CHECK(verdict.others.empty());
    // Assimp drops the bottom row that would tell a transposed matrix.
    if (!kind->causes.empty() && id != "matrix-transposed") CHECK(verdict.cause_right);
    found += verdict.outcome == Verdict::Outcome::detected ? 1 : 0;
  }
  CHECK(found >= 10);
}
