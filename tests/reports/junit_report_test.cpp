#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "cli/run_tool.h"
#include "reports/sample_results.h"
#include "support/xml_tree.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

/// What the xUnit schema junit-10 allows of what we use: element -> attributes (required with !).
const std::map<std::string, std::set<std::string>>& allowed_attributes() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"testsuites", {"name", "time", "tests", "failures", "errors"}},
      {"testsuite", {"!name", "!tests", "!failures", "!errors", "skipped"}},
      {"testcase", {"!name", "classname", "time", "group"}},
      {"failure", {"type", "message"}},
      {"error", {"type", "message"}},
      {"skipped", {"type", "message"}},
      {"system-out", {}},
  };
  return table;
}
const std::map<std::string, std::set<std::string>>& allowed_children() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"testsuites", {"testsuite"}},
      {"testsuite", {"testcase", "system-out"}},
      {"testcase", {"failure", "error", "skipped", "system-out"}},
      {"failure", {}},
      {"error", {}},
      {"skipped", {}},
      {"system-out", {}},
  };
  return table;
}

void check_form(const XmlElement& element) {
  INFO("element " << element.name);
  REQUIRE(allowed_attributes().count(element.name) == 1);
  const std::set<std::string>& attributes = allowed_attributes().at(element.name);
  for (const auto& [key, value] : element.attributes) {
    INFO("attribute " << key);
    CHECK(attributes.count(key) + attributes.count("!" + key) == 1);
  }
  for (const std::string& key : attributes) {
    if (key[0] == '!') CHECK(element.has(key.substr(1)));
  }
  for (const XmlElement& child : element.children) {
    INFO("child " << child.name);
    CHECK(allowed_children().at(element.name).count(child.name) == 1);
    check_form(child);
  }
}

XmlElement report(const std::vector<FileResult>& results, const RunSummary& summary = {}) {
  XmlElement root = parse_xml(report_text("junit", results, {}, 100, false, false, summary));
  CHECK(root.name == "testsuites");
  check_form(root);
  for (const XmlElement& suite : root.children) {
    // Numbers that readers trust must be those of the cases.
    std::map<std::string, std::size_t> n;
    for (const XmlElement* one : suite.all("testcase")) {
      ++n["tests"];
      n["failures"] += one->all("failure").size();
      n["errors"] += one->all("error").size();
      n["skipped"] += one->all("skipped").size();
      CHECK(one->all("failure").size() + one->all("error").size() + one->all("skipped").size() <=
            1);
    }
    for (const char* key : {"tests", "failures", "errors", "skipped"}) {
      CHECK(suite.at(key) == std::to_string(n[key]));
    }
  }
  return root;
}

const XmlElement& case_of(const XmlElement& suite, const std::string& rule) {
  for (const XmlElement* one : suite.all("testcase")) {
    if (one->at("name") == rule) return *one;
  }
  FAIL("no case " << rule);
  return suite;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a suite is a file and a case a rule, passed ones too", "[reports]") {
  const XmlElement root = report({clean_result("a.glb"), result_with_finding()});
  REQUIRE(root.children.size() == 2);
  const XmlElement& clean = root.children[0];
  CHECK(clean.at("name") == "a.glb");
  CHECK(clean.at("tests") == "3");
  for (const XmlElement* one : clean.all("testcase")) {
    CHECK(one->children.empty());
    CHECK(one->at("classname") == "a.glb");
  }
  const XmlElement& hero = root.children[1];
  CHECK(hero.at("failures") == "1");
  const XmlElement& failed = case_of(hero, "bind-matrix-singular");
  REQUIRE(failed.all("failure").size() == 1);
  const XmlElement& failure = *failed.all("failure")[0];
  CHECK(failure.at("type") == "error");
  CHECK(holds(failure.at("message"), "joint chain:Armature/hips/spine: The inverse bind matrix"));
  for (const char* part : {"measured: ", "cause: A parent's scale", "do first: Freeze the joint's",
                           "Maya: Modify > Freeze", "Blender: Apply Scale"}) {
    CAPTURE(part);
    CHECK(holds(failure.text, part));
  }
  CHECK(case_of(hero, "weights-sum").children.empty());
  // Not judged because of the error is not passed.
  const auto skipped = case_of(hero, "bind-rest-differs").all("skipped");
  REQUIRE(skipped.size() == 1);
  CHECK(skipped[0]->at("message") ==
        "not judged on 1 element until the errors of bind-matrix-singular are gone");
  CHECK(holds(hero.all("system-out").back()->text, "draco is not in this build"));
}

TEST_CASE("rules that are off have no case", "[reports]") {
  FileResult result = clean_result("a.glb");
  result.rules = {"weights-sum"};
  const XmlElement root = report({result});
  REQUIRE(root.all("testcase").size() == 1);
  CHECK(root.all("testcase")[0]->at("name") == "weights-sum");
}

TEST_CASE("a case fails by the file's own fail_on", "[reports]") {
  struct Row {
    Severity severity, fail_on;
    bool fails;
  };
  const Row rows[] = {
      {Severity::error, Severity::error, true},     {Severity::warning, Severity::error, false},
      {Severity::warning, Severity::warning, true}, {Severity::note, Severity::warning, false},
      {Severity::note, Severity::note, true},       {Severity::error, Severity::off, false},
  };
  for (const Row& row : rows) {
    CAPTURE(severity_name(row.severity), severity_name(row.fail_on));
    FileResult result = crowded_result("a.glb", row.severity, 1);
    result.fail_on = row.fail_on;
    const XmlElement root = report({result});
    const XmlElement& one = case_of(root, "bind-matrix-singular");
    CHECK(one.all("failure").size() == (row.fails ? 1 : 0));
    // Below it, the finding is still told.
    CHECK(one.all("system-out").size() == (row.fails ? 0 : 1));
    if (!row.fails) CHECK(holds(one.all("system-out")[0]->text, "joint_number_0_"));
  }
}

TEST_CASE("findings of one rule are one case, capped with the exact number", "[reports]") {
  const XmlElement root = report({crowded_result("a.glb", Severity::error, 250)});
  const XmlElement& failure = *root.all("failure").at(0);
  CHECK(holds(failure.at("message"), "(and 249 more)"));
  CHECK(times(failure.text, "error: joint joint_number_") == 20);
  CHECK(holds(failure.text, "and 230 more findings"));
}

TEST_CASE("accepted findings skip a case, or stand beside what fails", "[reports]") {
  const XmlElement root = report({accepted_result(), partly_accepted_result()});
  const XmlElement& known = case_of(root.children[0], "bind-matrix-singular");
  REQUIRE(known.all("skipped").size() == 1);
  CHECK(known.all("skipped")[0]->at("message") ==
        "2 findings; waived: posed on purpose (until 2027-03-01)");
  CHECK(holds(known.all("system-out")[0]->text, "in the baseline: joint chain:"));
  const XmlElement& partly = case_of(root.children[1], "bind-matrix-singular");
  CHECK(partly.all("skipped").empty());  // a warning that counts, below fail_on
  CHECK(holds(partly.all("system-out")[0]->text, "warning: joint new_joint"));
  CHECK(holds(partly.all("system-out")[0]->text, "waived: posed on purpose"));
}

TEST_CASE("unreadable, crashed and timed-out files are errors", "[reports]") {
  const XmlElement root = report({unreadable_result(), crashed_result(), timeout_result()});
  const char* const names[] = {"file-unreadable", "check-crashed", "check-timeout"};
  const char* const types[] = {"unreadable", "crashed", "timeout"};
  REQUIRE(root.children.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const XmlElement& suite = root.children[i];
    CHECK(suite.at("errors") == "1");
    CHECK(case_of(suite, names[i]).all("error").at(0)->at("type") == types[i]);
  }
  CHECK(root.all("error")[0]->at("message") ==
        "the JSON chunk ends inside a string (at /nodes/3, at byte 4711)");
}

TEST_CASE("waivers that hold no longer are a suite of their own", "[reports]") {
  const XmlElement root = report({clean_result("a.glb")}, waiver_summary());
  REQUIRE(root.children.size() == 2);
  const XmlElement& suite = root.children[1];
  CHECK(suite.at("name") == "waivers");
  CHECK(case_of(suite, "waiver-expired").at("classname") == "art/.skinlint.json");
  CHECK(holds(case_of(suite, "waiver-expired").all("skipped")[0]->at("message"), "2026-01-01"));
  CHECK(case_of(suite, "waiver-unused").all("skipped").size() == 1);
}

TEST_CASE("hostile names leave the XML whole", "[reports]") {
  FileResult result = hostile_result();
  result.path += "\"><testsuite>&]]>\xEF\xBF\xBF";
  const XmlElement root = report({result});
  REQUIRE(root.children.size() == 1);
  CHECK(holds(root.children[0].at("name"), "\"><testsuite>&]]>\xEF\xBF\xBD"));
  CHECK(report({}).children.empty());
}

TEST_CASE("xmllint accepts the JUnit report, by its schema where that is at hand", "[reports]") {
  if (std::system("command -v xmllint >/dev/null 2>&1") != 0) {
    WARN("xmllint is not installed: not checked with it");
    return;
  }
  const Workplace place;
  place.write("report.xml",
              report_text("junit", every_result(), {}, 100, false, false, waiver_summary()));
  const std::string file = " '" + (place.path() / "report.xml").string() + "'";
  CHECK(std::system(("xmllint --noout" + file).c_str()) == 0);
  const std::string schema = official_schema("junit-10.xsd");
  if (schema.empty()) return;
  CHECK(std::system(
            ("xmllint --noout --nonet --schema '" + schema + "'" + file + " 2>&1").c_str()) == 0);
}
