#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "reports/sample_results.h"
#include "reports/unicode.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Annotation {
  std::string level, message;
  std::map<std::string, std::string> properties;
};

std::string unescaped(std::string text) {
  // The order in which the runner does it: % last.
  const std::pair<const char*, const char*> table[] = {
      {"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}};
  for (const auto& [token, plain] : table) {
    for (std::size_t at = text.find(token); at != std::string::npos;
         at = text.find(token, at + 1)) {
      text.replace(at, 3, plain);
    }
  }
  return text;
}

/// The lines as the runner takes them: up to the second "::" the command, properties between
/// commas.
std::vector<Annotation> annotations(const std::string& text) {
  std::vector<Annotation> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    REQUIRE(line.compare(0, 2, "::") == 0);
    const std::size_t end = line.find("::", 2);
    REQUIRE(end != std::string::npos);
    Annotation a;
    const std::string info = line.substr(2, end - 2);
    const std::size_t space = info.find(' ');
    REQUIRE(space != std::string::npos);
    a.level = info.substr(0, space);
    a.message = unescaped(line.substr(end + 2));
    std::istringstream properties(info.substr(space + 1));
    for (std::string one; std::getline(properties, one, ',');) {
      const std::size_t equals = one.find('=');
      REQUIRE(equals != std::string::npos);
      REQUIRE(equals + 1 < one.size());
      a.properties[one.substr(0, equals)] = unescaped(one.substr(equals + 1));
    }
    all.push_back(a);
  }
  return all;
}

std::size_t of_level(const std::vector<Annotation>& all, const std::string& level) {
  std::size_t n = 0;
  for (const Annotation& a : all) n += a.level == level ? 1U : 0U;
  return n;
}

}  // namespace

TEST_CASE("an annotation names file, rule, element and message", "[reports]") {
  const auto all = annotations(report_text("github", {result_with_finding()}));
  REQUIRE(all.size() == 1);
  CHECK(all[0].level == "error");
  CHECK(all[0].properties.at("file") == "characters/hero.glb");
  CHECK(all[0].properties.at("title") == "bind-matrix-singular");
  CHECK(all[0].message.find("joint chain:Armature/hips/spine: The inverse bind matrix") == 0);
  CHECK(all[0].message.find("Do first: Freeze the joint's scale") != std::string::npos);
  CHECK(report_text("github", {clean_result("a.glb")}).empty());
}

TEST_CASE("properties and messages survive the runner", "[reports]") {
  FileResult result = result_with_finding();
  result.path = "./100%, a:b/hero%0A.glb";
  result.findings[0].finding.message = "50 %, a::b %25";
  const auto all = annotations(report_text("github", {result}));
  REQUIRE(all.size() == 1);
  CHECK(all[0].properties.at("file") == "100%, a:b/hero%0A.glb");
  CHECK(all[0].message.find("50 %, a::b %25") != std::string::npos);
}

TEST_CASE("hostile names make no command of their own", "[reports]") {
  FileResult result = hostile_result();
  result.findings[0].finding.message = "x\n::error::forged\r\n##[error]forged";
  const std::string text = report_text("github", {result});
  CHECK(times(text, "\n") == 1);
  CHECK(annotations(text).size() == 1);
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = next_code_point(text, at);
    CHECK(c.valid);
    CHECK((c.value == '\n' || !is_unsafe(c.value)));
  }
}

TEST_CASE("ten of each level at most, the worst first, and the rest is told", "[reports]") {
  std::vector<FileResult> results = {crowded_result("n.glb", Severity::note, 12),
                                     crowded_result("w.glb", Severity::warning, 11),
                                     crowded_result("e.glb", Severity::error, 30)};
  for (int i = 0; i < 3; ++i) results.push_back(unreadable_result());
  const auto all = annotations(report_text("github", results));
  REQUIRE(all.size() == 30);
  CHECK(of_level(all, "error") == 10);
  CHECK(of_level(all, "warning") == 10);
  CHECK(of_level(all, "notice") == 10);
  // Files that could not be judged come before findings.
  CHECK(all[0].properties.at("title") == "file-unreadable");
  CHECK(all[2].properties.at("title") == "file-unreadable");
  CHECK(all[3].properties.at("file") == "e.glb");
  CHECK(all[10].level == "warning");
  CHECK(all[20].level == "notice");
  CHECK(all[29].message.find("23 errors, 1 warning, 3 notices more") == 0);
  CHECK(all[29].properties.count("file") == 0);
}

TEST_CASE("ten of each level need no notice of more; the tenth notice does", "[reports]") {
  const auto none =
      annotations(report_text("github", {crowded_result("e.glb", Severity::error, 10),
                                         crowded_result("n.glb", Severity::note, 9)}));
  CHECK(none.size() == 19);
  const auto more =
      annotations(report_text("github", {crowded_result("n.glb", Severity::note, 10)}));
  REQUIRE(more.size() == 10);
  CHECK(more.back().message.find("1 notice more") == 0);
}

TEST_CASE("annotations for unreadable, crashed and timed-out files; none for accepted findings",
          "[reports]") {
  const auto all = annotations(report_text(
      "github", {crashed_result(), timeout_result(), unreadable_result(), accepted_result()}));
  REQUIRE(all.size() == 3);
  CHECK(all[0].properties.at("title") == "check-crashed");
  CHECK(all[1].properties.at("title") == "check-timeout");
  CHECK(all[2].properties.at("title") == "file-unreadable");
  CHECK(all[2].message == "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)");
  for (const Annotation& a : all) CHECK(a.level == "error");
}

TEST_CASE("expired waivers are a warning on the configuration, unused ones a notice", "[reports]") {
  const auto all = annotations(
      report_text("github", {partly_accepted_result()}, {}, 100, false, false, waiver_summary()));
  REQUIRE(all.size() == 3);
  CHECK(all[0].properties.at("file") == "partly.glb");
  CHECK(all[1].level == "warning");
  CHECK(all[1].properties.at("file") == "art/.skinlint.json");
  CHECK(all[1].properties.at("title") == "expired waiver");
  CHECK(all[2].level == "notice");
}
