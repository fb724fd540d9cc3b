// A vertex that fails one weights rule is reported by that rule alone: over every pair of faults
// that one vertex can have, only the rule that judges first reports. glTF with float and with
// integer weights, and FBX.

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "vertex_faults.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Fault {
  std::string rule;
  std::vector<RigInfluence> influences;  // of joints and weights as wrong as the rule needs
};

struct Form {
  std::string name;
  std::function<Asset(const std::vector<VertexFault>&)> asset;
  /// In the order in which a vertex is judged. Each list is wrong by itself for its own rule, and
  /// the lists of two of them together for both.
  std::vector<Fault> faults;
};

std::vector<Form> forms() {
  const double nan = std::numeric_limits<double>::quiet_NaN(), step = 1.0 / 255.0;
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  return {
      {"glTF",
       [](const std::vector<VertexFault>& faults) { return gltf_with(faults); },
       {{"weights-joint-out-of-range", {{40, 0.5}, {0, 0.5}}},
        {"weights-non-finite", {{1, nan}}},
        {"weights-negative", {{2, -0.25}}},
        {"weights-above-one", {{3, 1.5}}},
        {"weights-duplicate-joint", {{4, 0.5}, {4, 0.5}}},
        {"weights-sum", {{5, 0.75}}}}},
      {"glTF, bytes",
       [bytes](const std::vector<VertexFault>& faults) { return gltf_with(faults, bytes); },
       {{"weights-joint-out-of-range", {{40, 50 * step}, {0, 50 * step}}},
        {"weights-duplicate-joint", {{4, 40 * step}, {4, 30 * step}}},
        {"weights-quantised-sum", {{5, 60 * step}}}}},
      // FBX leaves out control points that are not there, so no vertex has a joint out of range.
      {"FBX",
       [](const std::vector<VertexFault>& faults) { return fbx_with(faults); },
       {{"weights-non-finite", {{1, nan}}},
        {"weights-negative", {{2, -0.25}}},
        {"weights-above-one", {{3, 1.5}}},
        {"weights-duplicate-joint", {{4, 0.5}, {4, 0.5}}},
        {"weights-sum", {{5, 0.75}}}}}};
}

std::vector<RigInfluence> joined(std::vector<RigInfluence> a, const std::vector<RigInfluence>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::set<std::string> weight_rules(const Asset& asset) {
  std::set<std::string> ids;
  for (const std::string& id : reporting(asset, Severity::note)) {
    if (id.rfind("weights-", 0) == 0) ids.insert(id);
  }
  return ids;
}

}  // namespace

TEST_CASE("weights: each single fault is reported by its rule alone", "[rules]") {
  for (const Form& form : forms()) {
    CHECK(reporting(form.asset({}), Severity::note).empty());
    for (const Fault& fault : form.faults) {
      INFO(form.name << ": " << fault.rule);
      CHECK(reporting(form.asset({{12, fault.influences}}), Severity::note) ==
            std::set<std::string>{fault.rule});
    }
  }
}

TEST_CASE("weights: of two faults in one vertex the first rule alone reports", "[rules]") {
  for (const Form& form : forms()) {
    const std::vector<Fault>& all = form.faults;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        INFO(form.name << ": " << all[a].rule << " with " << all[b].rule);
        const Asset asset = form.asset({{12, joined(all[a].influences, all[b].influences)}});
        CHECK(reporting(asset, Severity::note) == std::set<std::string>{all[a].rule});
      }
    }
  }
}

TEST_CASE("weights: two faults in two vertices are two findings", "[rules]") {
  for (const Form& form : forms()) {
    const std::vector<Fault>& all = form.faults;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        INFO(form.name << ": " << all[a].rule << " and " << all[b].rule);
        CHECK(reporting(form.asset({{12, all[a].influences}, {70, all[b].influences}}),
                        Severity::note) == std::set<std::string>{all[a].rule, all[b].rule});
      }
    }
  }
}

TEST_CASE("weights: a vertex without weight that fails otherwise is reported once", "[rules]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // Sums of zero that come of each other fault that allows one.
  const std::vector<Fault> gltf = {{"weights-zero-sum", {}},
                                   {"weights-zero-sum", {{1, 0.0}, {2, 0.0}}},
                                   {"weights-negative", {{0, 0.5}, {1, -0.5}}},
                                   {"weights-non-finite", {{0, 0.0}, {1, nan}}},
                                   {"weights-joint-out-of-range", {{40, 0.25}, {1, -0.25}}}};
  for (const Fault& fault : gltf) {
    INFO("glTF: " << fault.rule);
    CHECK(weight_rules(gltf_with({{12, fault.influences}})) == std::set<std::string>{fault.rule});
  }
  for (const Fault& fault : gltf) {
    if (fault.rule == "weights-joint-out-of-range") continue;
    INFO("FBX: " << fault.rule);
    CHECK(weight_rules(fbx_with({{12, fault.influences}})) == std::set<std::string>{fault.rule});
  }
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  CHECK(weight_rules(gltf_with({{12, {{1, 0.0}}}}, bytes)) ==
        std::set<std::string>{"weights-zero-sum"});
}

TEST_CASE("weights: too many influences and another fault are reported once", "[rules]") {
  for (const Form& form : forms()) {
    for (const Fault& fault : form.faults) {
      // A note in FBX: no failure that would hide what else is wrong.
      if (form.name == "FBX" && fault.rule == "weights-sum") continue;
      INFO(form.name << ": " << fault.rule);
      std::vector<RigInfluence> wide = fault.influences;
      for (std::uint32_t joint = 0; joint < 6; ++joint) {
        const bool there = std::any_of(wide.begin(), wide.end(),
                                       [joint](const RigInfluence& i) { return i.joint == joint; });
        if (!there) wide.push_back({joint, 4.0 / 255.0});
      }
      CHECK(weight_rules(form.asset({{12, wide}})) == std::set<std::string>{fault.rule});
    }
  }
}
