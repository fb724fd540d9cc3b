#include "skinning/influence_analysis.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "rules/facts.h"
#include "support/rig.h"

using namespace skinlint;

namespace {

test::Rig rig_with(const std::vector<std::vector<test::RigInfluence>>& influences) {
  test::Rig rig = test::chain_rig(4);
  auto& all = rig.meshes[0].parts[0].influences;
  for (auto& v : all) v = {{0, 1.0}};
  std::copy(influences.begin(), influences.end(), all.begin());
  return rig;
}

}  // namespace

TEST_CASE("each fault of a vertex is counted and marks the vertex", "[skinning]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Asset asset = test::to_asset(rig_with({{{0, nan}, {1, 1.0}},
                                               {{0, 1.2}, {1, -0.2}},
                                               {{0, 1.5}},
                                               {{0, 0.5}, {0, 0.5}},
                                               {{9, 1.0}},
                                               {},
                                               {{0, 0.5}, {1, 0.49}},
                                               {{2, 0.0}, {0, 1.0}}}));
  const Facts facts(asset);
  const InfluenceAnalysis& a = facts.influences(0);
  CHECK(a.non_finite == 1);
  CHECK(a.negative == 1);
  CHECK(a.duplicate_vertices == 1);
  CHECK(a.out_of_range == 1);
  CHECK(a.unweighted_vertices == 1);
  CHECK(a.max_influences == 2);
  CHECK(a.sum_min == Approx(0.99));
  CHECK(a.sum_max == Approx(1.5));
  CHECK(a.zero_weight_with_joint >= 1);
  REQUIRE(a.suspects.size() == 7);
  CHECK((a.suspects[0].flags & suspect_non_finite) != 0);
  CHECK((a.suspects[1].flags & suspect_negative) != 0);
  CHECK((a.suspects[1].flags & suspect_sum) == 0);
  CHECK((a.suspects[2].flags & suspect_above_one) != 0);
  CHECK(a.suspects[3].flags == suspect_duplicate);
  CHECK((a.suspects[4].flags & suspect_out_of_range) != 0);
  CHECK((a.suspects[5].flags & suspect_zero) != 0);
  CHECK(a.suspects[6].flags == suspect_sum);
}

TEST_CASE("a clean rig has no suspects, and joints know their centroids and boxes", "[skinning]") {
  const Asset asset = test::to_asset(test::chain_rig());
  const Facts facts(asset);
  const InfluenceAnalysis& a = facts.influences(0);
  CHECK(a.suspects.empty());
  CHECK(a.sum_min == Approx(1.0).epsilon(1e-6));
  double total = 0;
  for (const JointInfluence& joint : a.joints) {
    total += joint.weight_sum;
    if (joint.weighted()) CHECK(a.box.squaredExteriorDistance(joint.centroid()) < 1e-12);
  }
  CHECK(total == Approx(static_cast<double>(a.vertices)));
}

TEST_CASE("integer weights are suspects at the first step off", "[skinning]") {
  test::EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  const Asset good = test::to_asset(rig_with({{{0, 128.0 / 255}, {1, 127.0 / 255}}}), bytes);
  CHECK(Facts(good).influences(0).suspects.empty());
  const Asset off = test::to_asset(rig_with({{{0, 128.0 / 255}, {1, 126.0 / 255}}}), bytes);
  REQUIRE(Facts(off).influences(0).suspects.size() == 1);
  CHECK(Facts(off).influences(0).suspects[0].flags == suspect_sum);
}

TEST_CASE("lists count every stored entry, zero weights included", "[skinning]") {
  Asset asset = test::to_asset(test::chain_rig(3));
  InfluenceTable lists;
  lists.vertex_count = asset.meshes[0].parts[0].vertex_count;
  lists.entries_explicit = true;
  lists.first.assign(lists.vertex_count + 1, 3);
  lists.first[0] = 0;
  lists.joint = {0, 1, 2};
  lists.weight = {0.5, 0.5, 0.0};
  asset.influences[0] = lists;
  const Facts facts(asset);
  const InfluenceAnalysis& a = facts.influences(0);
  CHECK(a.max_influences == 3);
  CHECK(a.joints[2].weight_count == 1);
  CHECK(a.joints[2].weight_sum == 0.0);
  CHECK(a.unweighted_vertices == lists.vertex_count - 1);
}

TEST_CASE("a vertex of very many influences finds its duplicate without quadratic work",
          "[skinning]") {
  Asset asset = test::to_asset(test::chain_rig(3));
  InfluenceTable lists;
  lists.vertex_count = asset.meshes[0].parts[0].vertex_count;
  lists.entries_explicit = true;
  constexpr std::uint32_t many = 200000;
  lists.first.assign(lists.vertex_count + 1, many);
  lists.first[0] = 0;
  for (std::uint32_t i = 0; i < many; ++i) {
    lists.joint.push_back(i % 2);
    lists.weight.push_back(1.0 / many);
  }
  asset.influences[0] = lists;
  CHECK(Facts(asset).influences(0).duplicate_vertices == 1);
}

TEST_CASE("used vertices: indexed, polygons and neither", "[skinning]") {
  const std::vector<std::uint16_t> indices = {0, 2, 9};
  const std::vector<std::int32_t> polygons = {0, 1, -4};
  MeshPart part;
  part.vertex_count = 4;
  CHECK(used_vertices(part) == std::vector<bool>(4, true));
  part.indices = {
      reinterpret_cast<const std::byte*>(indices.data()), 3, 2, ComponentType::u16, 1, false, -1};
  CHECK(used_vertices(part) == std::vector<bool>{true, false, true, false});
  part.indices = {
      reinterpret_cast<const std::byte*>(polygons.data()), 3, 4, ComponentType::i32, 1, false, -1};
  part.mode = -1;
  CHECK(used_vertices(part) == std::vector<bool>{true, true, false, true});
}
