#include "engine/acceptance.h"

#include <catch2/catch.hpp>

#include "reports/sample_results.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

EffectiveConfig with_waivers(std::vector<Waiver> waivers) {
  auto found = std::make_shared<FoundConfig>();
  found->path = ".skinlint.json";
  found->folder = ".";
  found->file.waivers = std::move(waivers);
  EffectiveConfig config;
  config.found = std::move(found);
  return config;
}
FileResult finding_in(const std::string& path) {
  FileResult result = result_with_finding();
  result.path = path;
  return result;
}
std::string rule_of(const FileResult& result) {
  return std::string(result.findings.at(0).finding.rule);
}

}  // namespace

TEST_CASE("fingerprints stay when numbers change and differ by file, element and occurrence",
          "[engine]") {
  FileResult result = finding_in("a.glb");
  result.findings.push_back(result.findings[0]);
  set_fingerprints(result, "a.glb");
  const std::string first = result.findings[0].fingerprint;
  CHECK(first.size() == 32);
  CHECK(result.findings[1].fingerprint != first);
  FileResult again = finding_in("elsewhere/a.glb");
  again.findings[0].finding.message = "another";
  again.findings[0].finding.count = 99;
  set_fingerprints(again, "a.glb");
  CHECK(again.findings[0].fingerprint == first);
  set_fingerprints(again, "b.glb");
  CHECK(again.findings[0].fingerprint != first);
  again.findings[0].element.path = "other";
  set_fingerprints(again, "a.glb");
  CHECK(again.findings[0].fingerprint != first);
}

TEST_CASE("a waiver accepts what it names, until it ends", "[engine]") {
  const std::string rule = rule_of(finding_in("hero/a.glb"));
  const std::string element = finding_in("hero/a.glb").findings[0].element.path;
  struct Row {
    Waiver waiver;
    bool holds;
  };
  for (const Row& row : {
           Row{{"hero/*.glb", rule, "", "known", ""}, true},
           Row{{"hero/*.glb", rule, element, "known", ""}, true},
           Row{{"hero/*.glb", rule, "something else", "known", ""}, false},
           Row{{"props/*.glb", rule, "", "known", ""}, false},
           Row{{"hero/*.glb", "file-legacy", "", "known", ""}, false},
           Row{{"hero/*.glb", rule, "", "known", "2026-11-30"}, true},  // the last day
           Row{{"hero/*.glb", rule, "", "known", "2026-11-29"}, false},
       }) {
    WaiverBook book("2026-11-30");
    FileResult result = finding_in("hero/a.glb");
    book.apply(with_waivers({row.waiver}), result);
    INFO(row.waiver.path << ' ' << row.waiver.element << ' ' << row.waiver.expires);
    CHECK(result.findings[0].waived.has_value() == row.holds);
    CHECK(result.findings[0].counts() != row.holds);
    if (row.holds) CHECK(result.findings[0].waived->reason == "known");
  }
}

TEST_CASE("waivers that no longer hold or match nothing are told", "[engine]") {
  const std::string rule = rule_of(finding_in("a.glb"));
  const EffectiveConfig config = with_waivers({{"a.glb", rule, "", "holds", ""},
                                               {"a.glb", rule, "", "ended", "2020-01-01"},
                                               {"a.glb", "file-legacy", "", "matches nothing", ""},
                                               {"b.glb", "file-legacy", "", "not checked", ""}});
  WaiverBook book("2026-11-30");
  FileResult result = finding_in("a.glb");
  book.apply(config, result);
  RunSummary summary;
  book.summarise(summary);
  REQUIRE(summary.expired_waivers.size() == 1);
  CHECK(summary.expired_waivers[0].find("ended") != std::string::npos);
  REQUIRE(summary.unused_waivers.size() == 1);
  CHECK(summary.unused_waivers[0].find("matches nothing") != std::string::npos);
}

TEST_CASE("a baseline knows what was written, whatever the numbers", "[engine]") {
  FileResult result = finding_in("a.glb");
  set_fingerprints(result, "a.glb");
  FileResult waived = finding_in("w.glb");
  set_fingerprints(waived, "w.glb");
  waived.findings[0].waived = ReportedFinding::Waived{"known", ""};
  Baseline written;
  written.add(result, "a.glb");
  written.add(waived, "w.glb");
  CHECK(written.size() == 1);
  const auto read = Baseline::parse(written.text());
  REQUIRE(read.has_value());
  CHECK(read->contains(result.findings[0].fingerprint));
  CHECK_FALSE(read->contains(waived.findings[0].fingerprint));
  CHECK(read->text() == written.text());
  for (const char* bad : {"", "{}", "[]", R"({"schema":"skinlint-baseline/1"})",
                          R"({"schema":"skinlint-baseline/1","findings":[{}]})"}) {
    INFO(bad);
    CHECK_FALSE(Baseline::parse(bad).has_value());
  }
}
