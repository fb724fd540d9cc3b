// A vertex that fails one weights rule is reported by that rule alone: over every pair of faults,
// put into one vertex, only the rule that judges first reports.

#include <catch2/catch.hpp>
#include <limits>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Fault {
  std::string rule;
  std::vector<RigInfluence> influences;  // of joints and weights as wrong as the rule needs
};

/// In the order in which a vertex is judged. Each list is wrong by itself for its own rule.
std::vector<Fault> faults() {
  return {{"weights-joint-out-of-range", {{40, 0.5}, {0, 0.5}}},
          {"weights-non-finite", {{1, std::numeric_limits<double>::quiet_NaN()}}},
          {"weights-negative", {{2, -0.25}}},
          {"weights-above-one", {{3, 1.5}}},
          {"weights-duplicate-joint", {{4, 0.5}, {4, 0.5}}},
          {"weights-sum", {{5, 0.75}}}};
}

}  // namespace

TEST_CASE("weights: each single fault is reported by its rule alone", "[rules]") {
  for (const Fault& fault : faults()) {
    INFO(fault.rule);
    CHECK(reporting(gltf_with({{12, fault.influences}}), Severity::note) ==
          std::set<std::string>{fault.rule});
  }
}

TEST_CASE("weights: of two faults in one vertex the first rule alone reports", "[rules]") {
  const std::vector<Fault> all = faults();
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      INFO(all[a].rule << " with " << all[b].rule);
      std::vector<RigInfluence> both = all[a].influences;
      both.insert(both.end(), all[b].influences.begin(), all[b].influences.end());
      CHECK(reporting(gltf_with({{12, both}}), Severity::note) ==
            std::set<std::string>{all[a].rule});
    }
  }
}

TEST_CASE("weights: two faults in two vertices are two findings", "[rules]") {
  const std::vector<Fault> all = faults();
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      INFO(all[a].rule << " and " << all[b].rule);
      CHECK(reporting(gltf_with({{12, all[a].influences}, {70, all[b].influences}}),
                      Severity::note) == std::set<std::string>{all[a].rule, all[b].rule});
    }
  }
}

TEST_CASE("weights: a zero sum by cancelling is the negative weight's fault alone", "[rules]") {
  CHECK(reporting(gltf_with({{12, {{0, 0.5}, {1, -0.5}}}}), Severity::note) ==
        std::set<std::string>{"weights-negative"});
}

TEST_CASE("weights: too wide and wrong in sum is reported once", "[rules]") {
  std::vector<RigInfluence> wide;
  for (std::uint32_t joint = 0; joint < 6; ++joint) wide.push_back({joint, 0.1});
  CHECK(reporting(gltf_with({{12, wide}}), Severity::note) == std::set<std::string>{"weights-sum"});
}

TEST_CASE("weights: integer faults in pairs", "[rules]") {
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  const double step = 1.0 / 255.0;
  const std::vector<RigInfluence> short_sum = {{0, 200 * step}};
  const std::vector<RigInfluence> twice = {{1, 100 * step}, {1, 50 * step}};
  const std::vector<RigInfluence> outside = {{40, 100 * step}, {0, 50 * step}};
  CHECK(reporting(gltf_with({{12, short_sum}}, bytes), Severity::note) ==
        std::set<std::string>{"weights-quantised-sum"});
  CHECK(reporting(gltf_with({{12, twice}}, bytes), Severity::note) ==
        std::set<std::string>{"weights-duplicate-joint"});
  CHECK(reporting(gltf_with({{12, outside}}, bytes), Severity::note) ==
        std::set<std::string>{"weights-joint-out-of-range"});
  CHECK(reporting(gltf_with({{12, {{1, 0.0}}}}, bytes), Severity::note) ==
        std::set<std::string>{"weights-zero-sum"});
}
