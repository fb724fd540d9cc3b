#include "reports/rule_docs.h"

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

using namespace skinlint;

namespace {

constexpr std::array<std::string_view, 2> exceptions = {"it is a prop", "the file says so"};
constexpr std::array<ParamInfo, 1> params = {
    ParamInfo{"limit", 0.25, 0.0, 1.0, "m", "how far", "a | measured b"}};
const Rule example = {
    RuleInfo{"bind-example", Severity::warning, Stage::semantics, ElementKind::binding,
             "a <b> is off", "because", exceptions,
             Remedy{"jitter", "freeze it", "in Maya", "", "in Blender"}, "section 1", params,
             /*on_by_default=*/false},
    nullptr};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the rules' page has an index line and a section for each rule", "[reports]") {
  const std::array<const Rule*, 1> rules = {&example};
  const std::string page = rules_markdown(rules);
  CHECK(has(page,
            "| [bind-example](#bind-example) | warning (off by default) | semantics | "
            "binding | a \\<b\\> is off |\n"));
  CHECK(has(page, "\n## bind-example\n\na \\<b\\> is off\n\n- **Why:** because\n"));
  CHECK(has(page,
            "- **Not a fault when:** it is a prop\n- **Not a fault when:** the file says so\n"));
  CHECK(has(page, "- **Maya:** in Maya\n- **Blender:** in Blender\n"));
  CHECK_FALSE(has(page, "3ds Max"));  // nothing to say, no line
  CHECK(has(page, "| `limit` | 0.25 | 0 … 1 | m | how far | a \\| measured b |\n"));
  CHECK(page.back() == '\n');
}

TEST_CASE("the rules' page without rules is the index's heading", "[reports]") {
  const std::string page = rules_markdown({});
  CHECK(has(page, "| rule | severity |"));
  CHECK_FALSE(has(page, "## "));
}

TEST_CASE("docs/rules.md is what the rules say", "[reports][project]") {
  std::ifstream stream(std::string(SKINLINT_SOURCE_DIR) + "/docs/rules.md", std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream page;
  page << stream.rdbuf();
  INFO("./run rules --markdown >docs/rules.md writes it anew");
  CHECK((page.str() == rules_markdown(all_rules())));
}

TEST_CASE("docs/profiles.md is what the profiles set", "[reports][project]") {
  std::ifstream stream(std::string(SKINLINT_SOURCE_DIR) + "/docs/profiles.md", std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream page;
  page << stream.rdbuf();
  INFO("./run rules --profiles >docs/profiles.md writes it anew");
  CHECK((page.str() == profiles_markdown(all_profiles())));
}
