#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "reports/sample_results.h"
#include "reports/unicode.h"
#include "support/xml_tree.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

/// The page is written so that it is XML as well: every tag closed, every attribute quoted.
XmlElement page(const std::vector<FileResult>& results, const RunSummary& summary = {},
                const CheckConfig& config = {}) {
  const std::string text = report_text("html", results, config, 100, false, false, summary);
  CHECK(text.compare(0, 16, "<!DOCTYPE html>\n") == 0);
  return parse_xml(text);
}

std::vector<const XmlElement*> of_class(const XmlElement& root, const std::string& element,
                                        const std::string& name) {
  std::vector<const XmlElement*> found;
  for (const XmlElement* one : root.all(element)) {
    const std::string classes = " " + one->at("class") + " ";
    if (classes.find(" " + name + " ") != std::string::npos) found.push_back(one);
  }
  return found;
}

std::string whole_text(const XmlElement& element) {
  std::string text = element.text;
  for (const XmlElement& child : element.children) text += ' ' + whole_text(child);
  return text;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the page stands alone: no scripts, nothing to fetch", "[reports]") {
  const XmlElement root = page(every_result(), waiver_summary());
  static const std::set<std::string> fetching = {"script", "link",  "img",   "iframe", "object",
                                                 "embed",  "video", "audio", "a",      "form"};
  for (const std::string& name : fetching) {
    CAPTURE(name);
    CHECK(root.all(name).empty());
  }
  std::vector<const XmlElement*> all = {&root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const XmlElement& child : all[i]->children) all.push_back(&child);
    for (const auto& [key, value] : all[i]->attributes) {
      CHECK(key != "src");
      CHECK(key != "href");
      CHECK(key != "style");
      CHECK(key.compare(0, 2, "on") != 0);
    }
  }
  REQUIRE(root.all("style").size() == 1);
  const std::string& style = root.all("style")[0]->text;
  CHECK_FALSE(holds(style, "url("));
  CHECK_FALSE(holds(style, "@import"));
  CHECK(holds(style, "prefers-color-scheme: dark"));
  bool policy = false;
  for (const XmlElement* meta : root.all("meta")) {
    policy = policy || holds(meta->at("content"), "default-src 'none'");
  }
  CHECK(policy);
}

TEST_CASE("every class and every box of the style sheet is used", "[reports]") {
  const XmlElement root = page(every_result(), waiver_summary());
  const std::string style = root.all("style")[0]->text;
  for (const XmlElement* input : root.all("input")) {
    CHECK(holds(style, "#" + input->at("id") + ":not(:checked)"));
  }
  CHECK(root.all("input").size() == 4);
  CHECK(root.all("label").size() == 4);
}

TEST_CASE("a finding on the page has its numbers, cause and steps", "[reports]") {
  const XmlElement root = page({result_with_finding()});
  const auto findings = of_class(root, "details", "finding");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0]->at("class") == "finding error");
  CHECK(findings[0]->at("open") == "open");
  const std::string text = whole_text(*findings[0]);
  for (const char* part :
       {"bind-matrix-singular", "joint chain:Armature/hips/spine", "cannot be inverted",
        "heaviest weight 0.75", "A parent's scale was baked twice.", "Freeze the joint's scale",
        "Modify > Freeze Transformations", "Reset Scale", "Apply Scale", "/skins/0/joints/3"}) {
    CAPTURE(part);
    CHECK(holds(text, part));
  }
  CHECK(findings[0]->all("dt").size() == findings[0]->all("dd").size());
  const std::string whole = whole_text(root);
  CHECK(holds(whole, "1 check left out until the errors of bind-matrix-singular are gone."));
  CHECK(holds(whole, "draco is not in this build"));
}

TEST_CASE("failed, clean and accepted files have their place on the page", "[reports]") {
  const XmlElement root =
      page({unreadable_result(), crashed_result(), timeout_result(), accepted_result()},
           waiver_summary());
  const auto failed = of_class(root, "section", "failed");
  REQUIRE(failed.size() == 3);
  CHECK(holds(whole_text(*failed[0]), "unreadable"));
  CHECK(holds(whole_text(*failed[0]), "the JSON chunk ends inside a string (at /nodes/3"));
  CHECK(holds(whole_text(*failed[1]), "crashed"));
  CHECK(holds(whole_text(*failed[2]), "timeout"));
  const auto clean = of_class(root, "section", "clean");
  REQUIRE(clean.size() == 1);
  CHECK(holds(whole_text(*clean[0]), "1 waived, 1 in the baseline"));
  CHECK(holds(whole_text(*clean[0]), "waived: posed on purpose (until 2027-03-01)"));
  CHECK(of_class(root, "details", "finding").empty());
  std::string total;
  for (const XmlElement* section : root.all("section")) {
    if (section->at("id") == "total") total = whole_text(*section);
  }
  CHECK(holds(total, "4 files"));
  CHECK(holds(total, "1 clean, 0 with findings, 1 unreadable, 2 crashed"));
  CHECK(holds(total, "1 waived, 1 in the baseline"));
  CHECK(holds(total, "art/.skinlint.json waivers[0]"));
  CHECK(holds(total, "art/.skinlint.json waivers[1]"));
}

TEST_CASE("a crowd stays a page that can be read", "[reports]") {
  const std::vector<FileResult> results = {crowded_result("crowd.glb", Severity::error, 2000)};
  const XmlElement root = page(results);
  CHECK(of_class(root, "details", "finding").size() == 50);
  std::size_t open = 0;
  for (const XmlElement* one : of_class(root, "details", "finding"))
    open += one->has("open") ? 1U : 0U;
  CHECK(open == 3);
  CHECK(holds(whole_text(root), "and 1950 more findings of"));
  CHECK(holds(whole_text(root), "(the JSON report lists all 2000)"));
  CHECK(report_text("html", results).size() < 200u * 1024u);
}

TEST_CASE("hostile names cannot break out of the page", "[reports]") {
  FileResult result = hostile_result();
  const std::string script = "\"><script>alert(1)</script><!--";
  result.path += script;
  result.findings[0].element.path = script;
  result.findings[0].element.locator = script;
  result.findings[0].finding.message = script;
  result.findings[0].waived = ReportedFinding::Waived{script, script};
  FileResult other = hostile_result();
  other.findings[0].finding.message = script;
  other.findings[0].finding.cause->text = script;
  RunSummary summary;
  summary.expired_waivers = {script};
  CheckConfig config;
  config.profile = script;
  const std::string text = report_text("html", {result, other}, config, 100, false, false, summary);
  CHECK_FALSE(holds(text, "<script"));
  CHECK_FALSE(holds(text, "<!--"));
  CHECK(page({result, other}, summary, config).all("script").empty());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = next_code_point(text, at);
    CHECK(c.valid);
    CHECK((c.value == '\n' || !is_unsafe(c.value)));
  }
}
