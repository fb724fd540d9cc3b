#include "engine/profiles.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "engine/check.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

TEST_CASE("every profile sets what exists, in range, once, with its source", "[engine]") {
  std::set<std::string> names;
  for (const Profile& profile : all_profiles()) {
    INFO(profile.name);
    CHECK(names.insert(std::string(profile.name)).second);
    CHECK_FALSE(profile.summary.empty());
    std::set<std::string> settings;
    for (const ProfileSetting& setting : profile.settings) {
      INFO(setting.rule << '.' << setting.param);
      CHECK(settings.insert(std::string(setting.rule) + '.' + std::string(setting.param)).second);
      CHECK(setting.source.size() > 10);
    }
    CheckConfig config;
    apply_profile(profile, config);
    CHECK(validate(config).empty());
    CHECK(config.profile == profile.name);
  }
  CHECK(names ==
        std::set<std::string>{"default", "gltf", "unity", "unreal", "godot", "web", "film"});
}

TEST_CASE("a parameter of unit level ranges from off to error", "[engine]") {
  for (const Rule* rule : all_rules()) {
    for (const ParamInfo& param : rule->info.params) {
      if (param.unit != "level") continue;
      INFO(rule->info.id << '.' << param.name);
      CHECK(param.min == 0.0);
      CHECK(param.max == 3.0);
    }
  }
}

TEST_CASE("the default profile changes nothing, an unknown name is none", "[engine]") {
  CheckConfig config;
  apply_profile(*find_profile("default"), config);
  CHECK(config.severities.empty());
  CHECK(config.params.empty());
  CHECK(find_profile("unrael") == nullptr);
}

TEST_CASE("a clean asset is clean in every profile", "[engine]") {
  const Asset asset = to_asset(humanoid_rig());
  for (const Profile& profile : all_profiles()) {
    INFO(profile.name);
    CheckConfig config;
    apply_profile(profile, config);
    const FileResult result = check_asset(asset, "clean.glb", config);
    for (const ReportedFinding& f : result.findings) {
      INFO(f.finding.rule << ": " << f.finding.message);
      CHECK(f.finding.severity < Severity::warning);
    }
  }
}
