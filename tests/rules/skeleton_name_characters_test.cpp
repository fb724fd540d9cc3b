#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skeleton-name-characters";

Rig named(const std::string& name) {
  Rig rig = chain_rig(6);
  node(rig, "joint3").name = name;
  return rig;
}
CheckConfig enabled() {
  CheckConfig config;
  config.severities[rule] = Severity::warning;
  return config;
}
}  // namespace

TEST_CASE("skeleton-name-characters: clean assets are silent", "[rules]") {
  CHECK(silent(chain_rig(), rule));
  CHECK(silent(fbx_chain(), rule));
  CHECK(silent(named("Left_Fore-Arm01"), rule));
}
TEST_CASE("skeleton-name-characters: it is off unless asked for", "[rules]") {
  CHECK(reporting(to_asset(named("arm.L")), Severity::note).empty());
}
TEST_CASE("skeleton-name-characters: a name that an engine changes", "[rules]") {
  const Finding found = only(named("arm.L"), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
  CHECK(found.count == 1);
  CHECK(slots(found) == std::vector<int>{3});
  CHECK(words_of(found, "characters") == ".");
  CHECK(number(found, "collisions") == 0);
}
TEST_CASE("skeleton-name-characters: each flag forbids its characters", "[rules]") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"spaces", "upper arm"}, {"dots", "arm.L"},      {"slashes", "body/arm"},
      {"colons", "rig:arm"},   {"brackets", "arm[0]"}, {"symbols", "arm%"},
      {"symbols", "arm,l"},    {"symbols", "arm`"},    {"symbols", "arm+"}};
  for (const auto& [flag, name] : table) {
    INFO(flag << " " << name);
    CHECK(severity(named(name), rule) == Severity::warning);
    CHECK(silent(named(name), rule, with_param(rule, flag, 0)));
  }
  const std::string umlaut = "Fu\xC3\x9F";
  CHECK(silent(named(umlaut), rule));
  CHECK(words_of(only(named(umlaut), rule, with_param(rule, "non_ascii", 1)), "characters") ==
        "non-ASCII");
  CHECK(words_of(only(named("arm\t"), rule), "characters") == "control");
}
TEST_CASE("skeleton-name-characters: length, just inside and outside", "[rules]") {
  CHECK(silent(named(std::string(1023, 'a')), rule));
  const Finding found = only(named(std::string(1024, 'a')), rule);
  CHECK(number(found, "too_long") == 1);
  CHECK(words_of(found, "characters").empty());
  // Characters are counted, not bytes.
  CHECK(silent(named("Fu\xC3\x9F"), rule, with_param(rule, "longest", 7)));
  CHECK(silent(named("\xE5\xB7\xA6\xE8\x85\x95"), rule, with_param(rule, "longest", 6)));
}
TEST_CASE("skeleton-name-characters: names that become equal are counted", "[rules]") {
  Rig rig = named("arm.L");
  node(rig, "joint4").name = "arm L";
  const Finding found = only(rig, rule);
  CHECK(found.count == 2);
  CHECK(number(found, "collisions") == 2);
  CHECK(words_of(found, "characters") == ". space");
}
TEST_CASE("skeleton-name-characters: no other rule reports it", "[rules]") {
  CHECK(reporting(to_asset(named("arm.L")), Severity::note, enabled()) == Ids{rule});
}
TEST_CASE("skeleton-name-characters: what the engine keeps is silent", "[rules]") {
  CHECK(silent(named("arm.L"), rule, with_param(rule, "dots", 0)));
}
TEST_CASE("skeleton-name-characters: other scripts are silent", "[rules]") {
  CHECK(silent(named("\xE5\xB7\xA6\xE8\x85\x95"), rule));
}
TEST_CASE("skeleton-name-characters: a mesh may have any name", "[rules]") {
  Rig rig = chain_rig(6);
  node(rig, "tube").name = "tube.001: a/b";
  CHECK(silent(rig, rule));
}
