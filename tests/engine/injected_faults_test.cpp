// Faults of every kind, put into built rigs, are found outside their limits, silent inside, and
// named. tests/bench/diagnosis.cpp does the same over published files.

#include <catch2/catch.hpp>
#include <set>

#include "support/diagnosis_score.h"
#include "support/fbx_form.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Base {
  std::string name;
  Asset asset;
};

const std::vector<Base>& bases() {
  static const std::vector<Base> all = [] {
    std::vector<Base> out;
    out.push_back({"humanoid glTF", to_asset(humanoid_rig())});
    out.push_back({"humanoid FBX", to_fbx_asset(humanoid_rig())});
    out.push_back({"chain glTF", to_asset(chain_rig(8))});
    out.push_back({"chain FBX", to_fbx_asset(chain_rig(8))});
    EncodeOptions bytes;
    bytes.weight_type = ComponentType::u8;
    out.push_back({"chain of bytes", to_asset(chain_rig(8), bytes)});
    return out;
  }();
  return all;
}

FileResult report_of(const Asset& asset) {
  CheckConfig config;
  config.want_statistics = false;
  return check_asset(asset, "clean", config);
}

struct Score {
  std::map<std::string, int> tried;
  void operator()(const Base& base, bool encoded) {
    const FileResult clean = report_of(base.asset);
    const FaultSite site(base.asset, 0);
    REQUIRE(is_whole(site));
    for (const FaultKind& kind : fault_kinds()) {
      if (!fits_format(kind, base.asset.format)) continue;
      for (const double size : sizes_of(kind)) {
        // Some places make a fault meaningless: the first of a few where it is none.
        std::optional<Verdict> verdict;
        for (std::uint32_t seed = 1; seed <= 6 && !verdict; ++seed)
          verdict = try_fault(site, clean, kind, seed, size, encoded);
        if (!verdict) continue;
        ++tried[std::string(kind.id)];
        CAPTURE(base.name, kind.id, size, encoded, verdict->cause);
        const bool speak = size >= 1.0 && !kind.harmless;
        CHECK(verdict->outcome == (speak ? Verdict::Outcome::detected : Verdict::Outcome::silent));
        CHECK(verdict->others.empty());
        if (speak && !kind.causes.empty()) CHECK(verdict->cause_right);
        if (verdict->slots_judged) CHECK(verdict->slots_right);
      }
    }
  }
};

}  // namespace

TEST_CASE("injected faults are found, named, and silent inside their limits", "[engine][cause]") {
  Score score;
  for (const Base& base : bases()) score(base, false);
  // Every kind is put in somewhere: an injector that never applies would prove nothing.
  for (const FaultKind& kind : fault_kinds()) {
    INFO(kind.id);
    CHECK(score.tried[std::string(kind.id)] > 0);
  }
}

TEST_CASE("injected faults are the same after writing and reading", "[engine][cause]") {
  Score score;
  for (const Base& base : bases()) {
    if (base.name.rfind("humanoid", 0) == 0) score(base, true);
  }
  CHECK(score.tried.size() > 25);
}

TEST_CASE("a fault that is not there is judged a miss", "[engine][cause]") {
  const Asset asset = to_asset(humanoid_rig());
  const FileResult clean = report_of(asset);
  Injected untouched{asset, {}};
  for (const FaultKind& kind : fault_kinds()) {
    const Verdict verdict = judge(clean, clean, kind, 1.0, untouched, 0);
    CHECK(verdict.outcome == (kind.harmless ? Verdict::Outcome::silent : Verdict::Outcome::missed));
    CHECK_FALSE(verdict.cause_right);
  }
}
