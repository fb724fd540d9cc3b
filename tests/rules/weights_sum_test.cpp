#include <catch2/catch.hpp>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {
const std::string rule = "weights-sum";
std::vector<VertexFault> off_by(double difference) {
  return {{12, {{0, 0.5}, {1, 0.5 + difference}}}};
}
}  // namespace

TEST_CASE("weights-sum: clean assets are silent", "[rules]") {
  CHECK(findings_of(to_asset(chain_rig()), rule).empty());
  CHECK(findings_of(to_asset(humanoid_rig()), rule).empty());
  CHECK(findings_of(to_fbx_asset(humanoid_rig()), rule).empty());
}

TEST_CASE("weights-sum: one finding, the worst vertex decides", "[rules]") {
  const std::vector<Finding> found = findings_of(
      gltf_with({{3, {{0, 0.9}}}, {4, {{0, 1.005}}}, {5, {{0, 0.5}, {1, 0.50005}}}}), rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].element == first_binding);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].count == 3);
  CHECK(number(found[0], "error_vertices") == 1);
  CHECK(number(found[0], "warning_vertices") == 1);
  CHECK(number(found[0], "note_vertices") == 1);
  CHECK(number(found[0], "worst_sum") == Approx(0.9));
  CHECK(number(found[0], "lowest_sum") == Approx(0.9));
  CHECK(number(found[0], "highest_sum") == Approx(1.005));
  REQUIRE(found[0].samples.size() == 3);
  CHECK(found[0].samples[0].index == 3);
  CHECK(found[0].samples[2].index == 5);
}

TEST_CASE("weights-sum: the limits, just inside and outside", "[rules]") {
  struct Row {
    double off;
    Severity gltf, normalize, total_one;
  };
  const std::vector<Row> table = {{0.8e-5, Severity::off, Severity::off, Severity::off},
                                  {-1.2e-5, Severity::note, Severity::off, Severity::off},
                                  {0.9e-3, Severity::note, Severity::off, Severity::off},
                                  {-1.1e-3, Severity::warning, Severity::note, Severity::warning},
                                  {0.9e-2, Severity::warning, Severity::note, Severity::warning},
                                  {-1.1e-2, Severity::error, Severity::note, Severity::warning},
                                  {0.4, Severity::error, Severity::note, Severity::warning}};
  for (const Row& row : table) {
    INFO("sum off by " << row.off);
    CHECK(only_severity(gltf_with(off_by(row.off)), rule) == row.gltf);
    CHECK(only_severity(fbx_with(off_by(row.off)), rule) == row.normalize);
    CHECK(only_severity(fbx_with(off_by(row.off), LinkMode::total_one), rule) == row.total_one);
  }
}

TEST_CASE("weights-sum: parameters change the outcome", "[rules]") {
  const Asset gltf = gltf_with(off_by(0.005));
  CHECK(only_severity(gltf, rule, with_param(rule, "warning", 0.008)) == Severity::note);
  CHECK(only_severity(gltf, rule, with_param(rule, "error", 0.004)) == Severity::error);
  CHECK(findings_of(fbx_with(off_by(0.005)), rule, with_param(rule, "fbx", 0.01)).empty());
}

TEST_CASE("weights-sum: FBX Additive need not sum to one", "[rules]") {
  CHECK(findings_of(fbx_with(off_by(0.4), LinkMode::additive), rule).empty());
}

TEST_CASE("weights-sum: integer weights belong to weights-quantised-sum", "[rules]") {
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  CHECK(findings_of(gltf_with(off_by(-0.1), bytes), rule).empty());
}

TEST_CASE("weights-sum: a sum over several sets is one sum", "[rules]") {
  std::vector<RigInfluence> six;
  for (std::uint32_t joint = 0; joint < 6; ++joint) six.push_back({joint, 1.0 / 6.0});
  CHECK(findings_of(gltf_with({{12, six}}), rule).empty());
  six[5].weight = 0.0;
  CHECK(only_severity(gltf_with({{12, six}}), rule) == Severity::error);
}

TEST_CASE("weights-sum: a set that cannot be used leaves the sum unknown", "[rules]") {
  EncodeOptions two_sets;
  two_sets.sets = 2;
  Asset asset = gltf_with(off_by(-0.1), two_sets);
  CHECK(only_severity(asset, rule) == Severity::error);
  asset.influences[0].sets[1].weights.count -= 1;
  CHECK(findings_of(asset, rule).empty());
}

TEST_CASE("weights-sum: no other rule reports the break", "[rules]") {
  CHECK(reporting(gltf_with(off_by(-0.1)), Severity::note) == std::set<std::string>{rule});
  // The link mode itself is skin-method's.
  CHECK(reporting(fbx_with(off_by(-0.1), LinkMode::total_one)) ==
        std::set<std::string>{"skin-method", rule});
}
