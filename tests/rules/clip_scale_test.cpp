#include "fbx_breaks.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "clip-scale";

/// The chain with a clip that scales one node.
Rig scaled(const std::vector<double>& values, const std::string& name = "joint3",
           const Vec3& rest = Vec3::Ones()) {
  Rig rig = chain_rig(6);
  node(rig, name).scale = rest;
  rig.bind_at_rest();
  rig.clips.push_back(clip_of("squash", rig.node(name), ChannelPath::scale, values));
  return rig;
}
}  // namespace

TEST_CASE("clip-scale: clean assets are silent", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
  CHECK(silent(scaled({1, 1, 1, 1, 1, 1}), rule));
  CHECK(silent(scaled({1, 1, 1, 1.5, 1.5, 1.5}), rule));
}
TEST_CASE("clip-scale: an uneven key above other joints", "[rules]") {
  const Finding found = only(scaled({1, 1, 1, 1, 1.3, 1}), rule);
  CHECK(found.severity == Severity::warning);
  CHECK(found.element == ElementRef{ElementKind::clip, 0, 0});
  CHECK(found.related == std::vector<ElementRef>{{ElementKind::node, 3, 0}});
  CHECK(number(found, "uneven") == 1);
  CHECK(number(found, "worst_uneven") == Approx(0.3).margin(1e-6));
  CHECK(found.samples.at(0).index == 1);
  CHECK(found.samples.at(0).label == "joint3");
}
TEST_CASE("clip-scale: a negative key is an error, one of nothing a warning", "[rules]") {
  const Finding mirrored = only(scaled({1, 1, 1, -1, 1, 1}), rule);
  CHECK(mirrored.severity == Severity::error);
  CHECK(number(mirrored, "negative") == 1);
  CHECK(number(mirrored, "uneven") == 0);
  const Finding nothing = only(scaled({1, 1, 1, 0, 0, 0}), rule);
  CHECK(nothing.severity == Severity::warning);
  CHECK(number(nothing, "zero") == 1);
}
TEST_CASE("clip-scale: a constant scale unlike the rest pose's is a note", "[rules]") {
  const Finding found = only(scaled({1.5, 1.5, 1.5, 1.5, 1.5, 1.5}), rule);
  CHECK(found.severity == Severity::note);
  CHECK(number(found, "constant") == 1);
}
TEST_CASE("clip-scale: limits, just inside and outside", "[rules]") {
  CHECK(silent(scaled({1, 1, 1, 1, 1.0009, 1}), rule));
  CHECK(severity(scaled({1, 1, 1, 1, 1.0011, 1}), rule) == Severity::warning);
  CHECK(silent(scaled({1, 1, 1, 1.1e-6, 1.1e-6, 1.1e-6}), rule));
  CHECK(severity(scaled({1, 1, 1, 0.9e-6, 0.9e-6, 0.9e-6}), rule) == Severity::warning);
  CHECK(silent(scaled({1.0009, 1.0009, 1.0009}), rule));
  CHECK(severity(scaled({1.0011, 1.0011, 1.0011}), rule) == Severity::note);
}
TEST_CASE("clip-scale: parameters change the outcome", "[rules]") {
  CHECK(silent(scaled({1, 1, 1, 1, 1.3, 1}), rule, with_param(rule, "uneven", 0.5)));
  CHECK(silent(scaled({1.5, 1.5, 1.5}), rule, with_param(rule, "one", 0.9)));
  CHECK(severity(scaled({1, 1, 1, 0.01, 0.01, 0.01}), rule, with_param(rule, "zero", 0.1)) ==
        Severity::warning);
}
TEST_CASE("clip-scale: no other rule warns of it", "[rules]") {
  CHECK(reporting(to_asset(scaled({1, 1, 1, 1, 1.3, 1}))) == Ids{rule});
  CHECK(reporting(to_asset(scaled({1, 1, 1, -1, 1, 1}))) == Ids{rule});
}
TEST_CASE("clip-scale: keys that repeat the scale at rest are no fault", "[rules]") {
  CHECK(silent(scaled({0.01, 0.01, 0.01, 0.01, 0.01, 0.01}, "joint0", Vec3::Constant(0.01)), rule));
  CHECK(silent(scaled({1, 1.3, 1, 1, 1.3, 1}, "joint3", Vec3(1, 1.3, 1)), rule));
  CHECK(silent(scaled({-1, -1, -1, -1, -1, -1}, "joint0", Vec3(-1, -1, -1)), rule));
  CHECK(severity(scaled({1, 1, 1}, "joint0", Vec3(-1, 1, 1)), rule) == Severity::error);
}
TEST_CASE("clip-scale: squash of a joint without joints below", "[rules]") {
  CHECK(silent(scaled({1, 1, 1, 1, 1.3, 1}, "joint5"), rule));
}
TEST_CASE("clip-scale: FBX joints below that do not inherit the scale as usual", "[rules]") {
  Asset asset = to_fbx_asset(scaled({1, 1, 1, 1, 1.3, 1}));
  CHECK(severity(asset, rule) == Severity::warning);
  for (const InheritType type : {InheritType::Rrs, InheritType::RrSs}) {
    node(asset, "joint4").fbx->inherit_type = type;
    CHECK(silent(asset, rule));
  }
}
TEST_CASE("clip-scale: tangents of cubic keys are no scales", "[rules]") {
  Rig rig = scaled({1, 1, 1});
  rig.clips[0].channels[0].interpolation = Interpolation::cubic;
  rig.clips[0].channels[0].values = {0, 0, 0, 1, 1, 1, -3, 2, 0, 0, 7, 0, 2, 2, 2, -1, -1, -1};
  rig.clips[0].channels[0].times = {0, 1};
  CHECK(silent(rig, rule));
  rig.clips[0].channels[0].values[13] = -2;
  const Finding found = only(rig, rule);
  CHECK(found.severity == Severity::error);
  CHECK(found.samples.at(0).index == 1);
}
TEST_CASE("clip-scale: a node that moves no skinned vertices may vanish", "[rules]") {
  Rig rig = chain_rig(6);
  RigNode prop;
  prop.name = "prop";
  rig.nodes.push_back(prop);
  rig.clips.push_back(clip_of("hide", rig.node("prop"), ChannelPath::scale, {1, 1, 1, 0, 0, 0}));
  CHECK(silent(rig, rule));
}
