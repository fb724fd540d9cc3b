#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "skin-method";

Asset of_method(SkinningMethod method) {
  Asset asset = fbx_chain();
  asset.skins[0].method = method;
  return asset;
}
}  // namespace

TEST_CASE("skin-method: clean assets are silent", "[rules]") { CHECK(clean_fbx_is_silent(rule)); }
TEST_CASE("skin-method: methods other than linear are a note", "[rules]") {
  for (const SkinningMethod method :
       {SkinningMethod::rigid, SkinningMethod::dual_quaternion, SkinningMethod::blend}) {
    const Finding found = only(of_method(method), rule);
    CHECK(found.severity == Severity::note);
    CHECK(found.element == ElementRef{ElementKind::skin, 0, 0});
    CHECK(words_of(found, "method") == skinning_method_name(method));
  }
  CHECK(silent(of_method(SkinningMethod::linear), rule));
}
TEST_CASE("skin-method: link modes other than Normalize are a warning", "[rules]") {
  const Finding total = only(to_fbx_asset(chain_rig(6), LinkMode::total_one), rule);
  CHECK(total.severity == Severity::warning);
  CHECK(number(total, "total_one_clusters") == 6);
  CHECK(number(total, "additive_clusters") == 0);
  CHECK(severity(to_fbx_asset(chain_rig(6), LinkMode::additive), rule) == Severity::warning);
}
TEST_CASE("skin-method: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::off;
  CHECK(silent(of_method(SkinningMethod::rigid), rule, config));
}
TEST_CASE("skin-method: no other rule reports the break", "[rules]") {
  CHECK(reporting(to_fbx_asset(chain_rig(6), LinkMode::total_one)) == Ids{rule});
  CHECK(reporting(of_method(SkinningMethod::rigid), Severity::note) == Ids{rule});
}
TEST_CASE("skin-method: a cluster of no vertices in another mode is silent", "[rules]") {
  Asset asset = fbx_chain();
  cluster(asset, 3).mode = LinkMode::additive;
  CHECK(severity(asset, rule) == Severity::warning);
  cluster(asset, 3).index_count = 0;
  CHECK(silent(asset, rule));
}
