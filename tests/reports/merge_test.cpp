#include "reports/merge.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "reports/report.h"
#include "sample_results.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

/// A JSON report of these results, as part `index` of `count`.
std::string part(const std::vector<FileResult>& results,
                 std::optional<RunSummary::Shard> shard = std::nullopt) {
  std::ostringstream out;
  for (const ReportFormat& format : report_formats()) {
    if (format.name != "json") continue;
    const auto writer = format.make(out, {});
    writer->begin({});
    RunSummary summary;
    for (const FileResult& result : results) {
      writer->file(result);
      summary.add(result);
    }
    summary.shard = std::move(shard);
    writer->end(summary);
  }
  return out.str();
}
RunSummary::Shard shard(std::uint64_t index, std::uint64_t count,
                        std::vector<std::uint64_t> positions) {
  return {index, count, std::move(positions), {}};
}
FileResult at(FileResult result, const std::string& path) {
  result.path = path;
  return result;
}

}  // namespace

TEST_CASE("parts joined give the bytes of the whole run", "[reports]") {
  const std::vector<FileResult> all = {at(result_with_finding(), "a"), at(clean_result("b"), "b"),
                                       at(unreadable_result(), "c"), at(hostile_result(), "d")};
  const std::string first = part({all[1], all[3]}, shard(1, 3, {1, 3}));
  const std::string second = part({all[0], all[2]}, shard(2, 3, {0, 2}));
  const std::string empty = part({}, shard(3, 3, {}));
  const auto merged = merge_reports({{"2", second}, {"3", empty}, {"1", first}});
  INFO((merged ? std::string() : merged.error()));
  REQUIRE(merged.has_value());
  CHECK(merged->text == part(all));
  CHECK(exit_status(merged->summary) == 3);
}

TEST_CASE("whole runs are joined in the order given", "[reports]") {
  const auto merged = merge_reports(
      {{"1", part({at(result_with_finding(), "z")})}, {"2", part({clean_result("a")})}});
  REQUIRE(merged.has_value());
  CHECK(merged->text == part({at(result_with_finding(), "z"), clean_result("a")}));
}

TEST_CASE("reports that do not fit are refused", "[reports]") {
  const std::string one = part({clean_result("a")}, shard(1, 2, {0}));
  const std::string two = part({clean_result("b")}, shard(2, 2, {1}));
  const std::string whole = part({clean_result("a")});
  CHECK(merge_reports({{"1", one}, {"2", two}}).has_value());
  CHECK_FALSE(merge_reports({}).has_value());
  CHECK_FALSE(merge_reports({{"1", one}}).has_value());              // a part is missing
  CHECK_FALSE(merge_reports({{"1", one}, {"1", one}}).has_value());  // twice
  CHECK_FALSE(merge_reports({{"1", one}, {"w", whole}}).has_value());
  CHECK_FALSE(merge_reports({{"w", whole}, {"w", whole}}).has_value());  // one file in both
  CHECK_FALSE(merge_reports({{"x", "{}"}}).has_value());
  CHECK_FALSE(merge_reports({{"x", ""}}).has_value());
  CHECK_FALSE(merge_reports({{"1", one}, {"2", part({clean_result("b")}, shard(2, 2, {}))}})
                  .has_value());  // positions and files differ
  CHECK_FALSE(
      merge_reports({{"1", one}, {"2", part({clean_result("b")}, shard(2, 3, {1}))}}).has_value());
}

TEST_CASE("an unused waiver of one part may hold in another", "[reports]") {
  RunSummary summary;
  const auto with = [&](std::uint64_t index, std::vector<std::string> unused,
                        std::vector<std::string> used) {
    std::string text = part({}, RunSummary::Shard{index, 2, {}, std::move(used)});
    std::string list;
    for (const std::string& line : unused) list += (list.empty() ? "\"" : ",\"") + line + "\"";
    const std::size_t at = text.find("\"unused\": []");
    REQUIRE(at != std::string::npos);
    return text.replace(at, 12, "\"unused\": [" + list + "]");
  };
  const auto merged = merge_reports({{"1", with(1, {"w1", "w2"}, {})}, {"2", with(2, {}, {"w1"})}});
  REQUIRE(merged.has_value());
  CHECK(merged->summary.unused_waivers == std::vector<std::string>{"w2"});
}
