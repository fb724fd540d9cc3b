#include <catch2/catch.hpp>
#include <sstream>
#include <streambuf>

#include "reports/report.h"
#include "reports/sample_results.h"
#include "reports/unicode.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Line breaks of wrapping undone, so that a sentence can be looked for.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a finding names element, rule, numbers, cause and what to do", "[reports]") {
  const std::string text = unwrapped(report_text("text", {result_with_finding()}));
  for (const char* part : {"characters/hero.glb",
                           "1 error",
                           "error",
                           "bind-matrix-singular",
                           "joint chain:Armature/hips/spine",
                           "cannot be inverted",
                           "heaviest weight 0.75",
                           "condition number infinity",
                           "vertices 12;",
                           "smallest determinant 1e-12",
                           "vertex 41: NaN (part 0)",
                           "vertex 7: 0.25",
                           "and 10 more",
                           "chain:Armature/hips",
                           "A parent's scale was baked twice.",
                           "scale-inherited",
                           "spine, chest",
                           "posed-after-bind",
                           "The mesh collapses to a point.",
                           "Freeze the joint's scale and bind again.",
                           "Maya Modify > Freeze Transformations",
                           "3ds Max Reset Scale",
                           "Blender Apply Scale",
                           "draco is not in this build",
                           "1 check left out",
                           "1 file: 1 with findings. 1 error, 0 warnings, 0 notes."}) {
    CAPTURE(part);
    CHECK(holds(text, part));
  }
}

TEST_CASE("clean files take one line, unreadable ones say where and why", "[reports]") {
  const std::string text =
      report_text("text", {clean_result("a.glb"), clean_result("b.glb"), unreadable_result()});
  const auto lines = lines_of(text);
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0].find("a.glb: clean") == 0);
  CHECK(holds(lines[0], "1 skin, 6 joints"));
  CHECK(lines[1].find("b.glb: clean") == 0);
  CHECK(holds(text, "broken.glb: unreadable"));
  CHECK(holds(unwrapped(text), "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)"));
  CHECK(holds(text, "3 files: 2 clean, 1 unreadable."));
}

TEST_CASE("quiet leaves findings and unreadable files alone", "[reports]") {
  CHECK(report_text("text", {clean_result("a.glb")}, {}, 100, false, true).empty());
  const std::string text =
      report_text("text", {clean_result("a.glb"), result_with_finding(), unreadable_result()}, {},
                  100, false, true);
  CHECK_FALSE(holds(text, "a.glb"));
  CHECK_FALSE(holds(text, "files:"));
  CHECK(holds(text, "bind-matrix-singular"));
  CHECK(holds(text, "broken.glb: unreadable"));
}

TEST_CASE("text wraps to the width it is given", "[reports]") {
  FileResult result = result_with_finding();
  for (int i = 0; i < 40; ++i) result.findings[0].finding.message += " and more words follow";
  for (const std::size_t width : {60u, 100u, 140u}) {
    for (const std::string& line : lines_of(report_text("text", {result}, {}, width))) {
      CAPTURE(width, line);
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("colour adds codes and nothing else", "[reports]") {
  const std::vector<FileResult> results = {result_with_finding(), clean_result("a.glb"),
                                           unreadable_result()};
  const std::string plain = report_text("text", results);
  const std::string coloured = report_text("text", results, {}, 100, true);
  CHECK_FALSE(holds(plain, "\x1b"));
  CHECK(holds(coloured, "\x1b[1;31merror\x1b[0m"));
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      stripped += coloured[i];
    }
  }
  CHECK(stripped == plain);
}

TEST_CASE("hostile names cannot reach the terminal", "[reports]") {
  const std::string text = report_text("text", {hostile_result(), unreadable_result()});
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = next_code_point(text, at);
    CHECK(c.valid);
    CHECK((c.value == '\n' || !is_unsafe(c.value)));
  }
  CHECK(holds(text, "ev\\x1b[31mil\\x00x\\n"));
  CHECK(holds(text, "\\u{202e}"));
}

TEST_CASE("many findings of one rule are capped with exact counts", "[reports]") {
  FileResult result = clean_result("crowd.glb");
  for (int i = 0; i < 250; ++i) {
    ReportedFinding f = full_finding();
    f.element.path = "joint_number_" + std::to_string(i) + "_";
    result.findings.push_back(f);
  }
  const std::string text = report_text("text", {result});
  CHECK(holds(text, "250 errors"));
  CHECK(holds(text, "joint_number_9_"));
  CHECK_FALSE(holds(text, "joint_number_10_"));
  // The first three in full, the others with their sentence.
  std::size_t in_full = 0;
  for (std::size_t at = text.find("measured"); at != std::string::npos;
       at = text.find("measured", at + 1)) {
    ++in_full;
  }
  CHECK(in_full == 3);
  CHECK(holds(text, "240 more findings of bind-matrix-singular"));
  // The advice stands once.
  const std::size_t first = text.find("Freeze the joint's scale");
  CHECK(text.find("Freeze the joint's scale", first + 1) == std::string::npos);
  CHECK(text.size() < 16000);
}

TEST_CASE("notes of one rule take a line, without numbers and advice", "[reports]") {
  FileResult result = clean_result("crowd.glb");
  for (int i = 0; i < 30; ++i) {
    ReportedFinding f = full_finding();
    f.finding.severity = i < 5 ? Severity::error : Severity::note;
    f.element.path = "joint_number_" + std::to_string(i) + "_";
    result.findings.push_back(f);
  }
  const std::string text = report_text("text", {result});
  CHECK(holds(text, "joint_number_4_"));
  CHECK(holds(unwrapped(text), "note bind-matrix-singular joint joint_number_5_: The inverse"));
  CHECK(holds(unwrapped(text),
              "; also joint joint_number_6_, joint joint_number_7_, joint "
              "joint_number_8_ and 21 more"));
  CHECK_FALSE(holds(text, "joint_number_9_"));

  result.findings.erase(result.findings.begin(), result.findings.begin() + 5);
  const std::string notes = report_text("text", {result});
  CHECK_FALSE(holds(notes, "measured"));
  CHECK_FALSE(holds(notes, "do first"));
  CHECK(lines_of(notes).size() < 10);
}

TEST_CASE("a file that names its tool gets that tool's steps alone", "[reports]") {
  struct Row {
    const char* generator;
    bool maya, max, blender;
  };
  const Row rows[] = {
      {"Khronos glTF Blender I/O v3.2.43", false, false, true},
      {"babylon.js glTF exporter for maya 2018 v1.2.30", true, false, false},
      {"Skeleton@Cocos glTF exporter for 3ds max v1.0", false, true, false},
      {"FBX2glTF", true, true, true},
      {"Blender, from Maya", true, true, true},
      {"", true, true, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.generator);
    FileResult result = result_with_finding();
    result.generator = row.generator;
    const std::string text = report_text("text", {result});
    CHECK(holds(text, "\n    Maya ") == row.maya);
    CHECK(holds(text, "\n    3ds Max ") == row.max);
    CHECK(holds(text, "\n    Blender ") == row.blender);
    CHECK(holds(text, "do first"));
  }
}

TEST_CASE("numbers are few, short and in words", "[reports]") {
  FileResult result = result_with_finding();
  Finding& f = result.findings[0].finding;
  f.measured = {{"largest", 0.123456789, "m"},
                {"problem", std::string("no-common-root"), ""},
                {"weighted", std::int64_t{1}, "joints"},
                {"animated", std::int64_t{0}, "keys"},
                {"shift_percent", 7397.7134, "%"},
                {"joints", std::int64_t{8}, "joints"},
                {"fifth", 5.0, ""}};
  f.limits = {{"displacement", 0.01, "of size"}};
  const std::string text = unwrapped(report_text("text", {result}));
  CHECK(holds(text,
              "measured largest 0.1235 m, weighted 1 joint, shift 7398 %, joints 8; limit: "
              "displacement 1 % of the size"));
  f.measured.clear();
  CHECK_FALSE(holds(report_text("text", {result}), "limit"));
}

TEST_CASE("a path too long for the line keeps its end", "[reports]") {
  FileResult result = result_with_finding();
  std::string path = "chain:root";
  for (int i = 0; i < 60; ++i) path += "/bone_" + std::to_string(i);
  result.findings[0].element.path = path;
  const std::string text = report_text("text", {result}, {}, 80);
  CHECK(holds(text, "joint .../bone_"));
  CHECK(holds(text, "/bone_58/bone_59\n"));
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 80);
}

TEST_CASE("joints that the samples name are not named again", "[reports]") {
  FileResult result = result_with_finding();
  ReportedFinding& f = result.findings[0];
  f.finding.cause.reset();
  f.finding.samples = {{4, 0.5, "hips"}};
  f.finding.sample_of = "joint";
  f.finding.sample_unit = "m";
  CHECK(holds(report_text("text", {result}), "worst      hips 0.5 m and 11 more"));
  CHECK_FALSE(holds(report_text("text", {result}), "joints  "));
  f.finding.sample_unit = "none";
  CHECK(holds(report_text("text", {result}), "where      hips and 11 more"));
  // All that are at fault are named, whatever follows them.
  f.finding.related.assign(1, ElementRef{ElementKind::joint, 0, 4});
  CHECK(holds(report_text("text", {result}), "where      hips\n"));
  // The sentence names the only one.
  f.finding.count = 1;
  f.finding.message = "1 joint is mirrored (hips)";
  CHECK_FALSE(holds(report_text("text", {result}), "where"));
}

TEST_CASE("related elements are capped with the number the finding knows", "[reports]") {
  FileResult result = result_with_finding();
  ReportedFinding& f = result.findings[0];
  f.related.assign(64, f.related.front());
  f.finding.related.assign(300, ElementRef{ElementKind::joint, 0, 1});
  CHECK(holds(unwrapped(report_text("text", {result})), "and 294 more"));
}

TEST_CASE("accepted findings are counted and not shown", "[reports]") {
  const std::string text = report_text("text", {accepted_result(), partly_accepted_result()});
  const auto lines = lines_of(text);
  REQUIRE(lines.size() > 5);
  CHECK(lines[0] == "known.glb: clean (GLB 2.0, 1 skin, 6 joints); 1 waived, 1 in the baseline");
  CHECK(holds(text, "partly.glb: 1 warning (GLB 2.0, 1 skin, 6 joints)"));
  CHECK(holds(text, "  1 waived, 1 in the baseline, not shown.\n"));
  CHECK(holds(text, "new_joint"));
  CHECK_FALSE(holds(text, "spine0"));
  CHECK(holds(text,
              "2 files: 1 clean, 1 with findings. 0 errors, 1 warning, 0 notes. 2 waived, 2 in "
              "the baseline."));
}

TEST_CASE("waivers that hold no longer are named before the total", "[reports]") {
  const std::string text =
      report_text("text", {clean_result("a.glb")}, {}, 140, false, false, waiver_summary());
  const auto lines = lines_of(text);
  const auto begins = [&lines](const std::string& start) {
    return std::find_if(lines.begin(), lines.end(),
                        [&start](const std::string& line) { return line.find(start) == 0; });
  };
  const auto expired = begins("expired waiver: art/.skinlint.json waivers[0]");
  const auto unused = begins("unused waiver: art/.skinlint.json waivers[1]");
  const auto total = begins("1 file:");
  REQUIRE(total != lines.end());
  CHECK(expired < unused);
  CHECK(unused < total);
}

TEST_CASE("a hundred thousand bad vertices stay a small report", "[reports]") {
  FileResult result = result_with_finding();
  Finding& f = result.findings[0].finding;
  f.count = 100000;
  f.samples.clear();
  for (int i = 0; i < 5; ++i) f.samples.push_back({i, 0.5, ""});
  CHECK(holds(unwrapped(report_text("text", {result})), "and 99995 more"));
  CHECK(report_text("text", {result}).size() < 64u * 1024u);
  CHECK(report_text("json", {result}).size() < 64u * 1024u);
}

TEST_CASE("a report writes once per file", "[reports]") {
  struct Counter : std::streambuf {
    int writes = 0;
    std::streamsize xsputn(const char*, std::streamsize n) override {
      ++writes;
      return n;
    }
    int_type overflow(int_type c) override {
      ++writes;
      return c;
    }
  };
  for (const ReportFormat& format : report_formats()) {
    CAPTURE(format.name);
    Counter counter;
    std::ostream out(&counter);
    const auto writer = format.make(out, {});
    writer->begin({});
    const int before = counter.writes;
    for (int i = 0; i < 50; ++i)
      writer->file(i % 2 == 0 ? clean_result("a") : result_with_finding());
    // Formats that keep the worst write at the end alone.
    const bool at_the_end = format.name == "sarif" || format.name == "github";
    CHECK(counter.writes - before == (at_the_end ? 0 : 50));
  }
}
