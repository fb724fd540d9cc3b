#include "reports/finding_text.h"

#include <catch2/catch.hpp>

#include "reports/sample_results.h"

using namespace skinlint;
using namespace skinlint::test;

TEST_CASE("a finding in one paragraph: message, cause, first action", "[reports]") {
  ReportedFinding f = full_finding();
  CHECK(
      finding_paragraph(f, 1000) ==
      "The inverse bind matrix of joint spine cannot be inverted (determinant 0). Likely cause: A "
      "parent's scale was baked twice. Do first: Freeze the joint's scale and bind again.");
  f.finding.message = "3 joints moved";
  f.finding.cause->confidence = Cause::Confidence::certain;
  CHECK(
      finding_paragraph(f, 1000) ==
      "3 joints moved. Cause: A parent's scale was baked twice. Do first: Freeze the joint's scale "
      "and bind again.");
  // No cause is better than one that does not fit.
  f.finding.cause->confidence = Cause::Confidence::none;
  f.remedy.action = {};
  CHECK(finding_paragraph(f, 1000) == "3 joints moved");
  CHECK(finding_paragraph(f, 8) == "3 joints...");
}

TEST_CASE("rows hold what a finding has, in reading order", "[reports]") {
  std::string labels;
  for (const auto& [label, text] : finding_rows(full_finding())) {
    CHECK_FALSE(text.empty());
    labels += std::string(label) + ';';
  }
  CHECK(labels ==
        "measured;worst;joints;cause;cause;cause;in engine;do first;Maya;3ds Max;Blender;");
  CHECK(finding_rows(ReportedFinding{}).empty());
}

TEST_CASE("files that could not be judged have a rule, a reason and a fingerprint", "[reports]") {
  CHECK(failure_of(FileResult::Status::checked) == nullptr);
  CHECK(failure_of(FileResult::Status::unreadable)->id == "file-unreadable");
  CHECK(failure_of(FileResult::Status::crashed)->id == "check-crashed");
  CHECK(failure_of(FileResult::Status::timeout)->id == "check-timeout");
  for (const FileFailure& failure : file_failures()) CHECK(find_rule(failure.id) == nullptr);

  CHECK(failure_text(unreadable_result()) ==
        "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)");
  FileResult silent = timeout_result();
  silent.error.reset();
  CHECK(failure_text(silent) == failure_of(FileResult::Status::timeout)->summary);

  FileResult other = unreadable_result();
  CHECK(failure_fingerprint(other) == failure_fingerprint(unreadable_result()));
  other.error->message = "something else";
  CHECK(failure_fingerprint(other) == failure_fingerprint(unreadable_result()));
  other.path = "other.glb";
  CHECK(failure_fingerprint(other) != failure_fingerprint(unreadable_result()));
}

TEST_CASE("accepted findings are counted as the summary counts them", "[reports]") {
  FileResult result = partly_accepted_result();
  result.findings[0].baselined = true;  // waived and known: waived
  const AcceptedCount count = count_accepted(result);
  RunSummary summary;
  summary.add(result);
  CHECK(count.waived == summary.waived);
  CHECK(count.baselined == summary.baselined);
  CHECK(accepted_text(count) == "1 waived, 1 in the baseline");
  CHECK(accepted_text({0, 3}) == "3 in the baseline");
  CHECK(accepted_text({}).empty());
  CHECK(acceptance_reason(result.findings[0]) == "waived: posed on purpose (until 2027-03-01)");
  CHECK(acceptance_reason(result.findings[1]) == "in the baseline");
  CHECK(acceptance_reason(result.findings[2]).empty());
}

TEST_CASE("a waiver's line names its file", "[reports]") {
  CHECK(waiver_file(waiver_summary().expired_waivers[0]) == "art/.skinlint.json");
  CHECK(waiver_file("no such form") == "no such form");
}
