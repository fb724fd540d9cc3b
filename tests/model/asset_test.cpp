#include "model/asset.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace skinlint;

namespace {

Asset chain(std::size_t length) {
  Asset asset;
  for (std::size_t n = 0; n < length; ++n) {
    Node node;
    node.id = static_cast<std::int64_t>(n);
    node.name = "n" + std::to_string(n);
    node.parent = static_cast<std::int32_t>(n) - 1;
    if (n + 1 < length) node.children = {static_cast<std::int32_t>(n) + 1};
    asset.nodes.push_back(node);
  }
  return asset;
}

/// A mesh on node 1, bound to a skin over nodes 0 and 2.
Asset bound() {
  Asset asset = chain(3);
  asset.nodes[2].name.clear();
  Mesh mesh;
  mesh.name = "body";
  mesh.parts.resize(1);
  asset.meshes.push_back(mesh);
  Skin skin;
  skin.name = "rig";
  skin.joints = {0, 2};
  skin.joint_ids = {0, 2};
  skin.joint_from_mesh.resize(2);
  asset.skins.push_back(skin);
  Binding binding;
  binding.node = 1;
  binding.mesh = 0;
  binding.skin = 0;
  binding.influences = {-1};
  asset.bindings.push_back(binding);
  return asset;
}

std::size_t names_in(const std::string& path) {
  return 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

}  // namespace

TEST_CASE("every element has a path", "[model]") {
  Asset asset = bound();
  CHECK(asset.path({ElementKind::node, 1, 0}) == "n0/n1");
  CHECK(asset.path({ElementKind::node, 2, 0}) == "n0/n1/node[2]");
  CHECK(asset.path({ElementKind::node, 9, 0}) == "node[9]");
  CHECK(asset.path({ElementKind::joint, 0, 0}) == "rig:n0");
  CHECK(asset.path({ElementKind::joint, 0, 7}) == "rig:joint[7]");
  CHECK(asset.path({ElementKind::part, 0, 0}) == "body");
  CHECK(asset.path({ElementKind::binding, 0, 0}) == "n0/n1");
  // FBX may hang several skins on one node: then their names tell the bindings apart.
  asset.format = Format::fbx_binary;
  CHECK(asset.path({ElementKind::binding, 0, 0}) == "n0/n1");
  asset.bindings.push_back(asset.bindings[0]);
  CHECK(asset.path({ElementKind::binding, 1, 0}) == "n0/n1:rig");
}

TEST_CASE("the path of a long chain leaves out its middle, that of a longer one its root",
          "[model]") {
  const Asset whole = chain(48);
  CHECK(names_in(whole.path({ElementKind::node, 47, 0})) == 48);
  const Asset longer = chain(5000);
  const std::string cut = longer.path({ElementKind::node, 99, 0});
  CHECK(cut.compare(0, 6, "n0/n1/") == 0);
  CHECK(cut.find("/.../") != std::string::npos);
  CHECK(cut.substr(cut.size() - 8) == "/n98/n99");
  CHECK(names_in(cut) == 49);
  const std::string deepest = longer.path({ElementKind::node, 4999, 0});
  CHECK(deepest.compare(0, 5, ".../n") == 0);
  CHECK(deepest.substr(deepest.size() - 6) == "/n4999");
  CHECK(names_in(deepest) == 25);
}

TEST_CASE("locators name the place in the file", "[model]") {
  Asset asset = bound();
  asset.nodes[1].id = 7;
  CHECK(asset.locator({ElementKind::binding, 0, 0}) == "/nodes/7");
  CHECK(asset.locator({ElementKind::joint, 0, 1}) == "/skins/0/joints/1");
  asset.format = Format::fbx_ascii;
  CHECK(asset.locator({ElementKind::node, 1, 0}) == "Model 7 \"n1\"");
}

TEST_CASE("a broken invariant is named", "[model]") {
  const auto broken = [](void (*change)(Asset&)) {
    Asset asset = bound();
    change(asset);
    return check_invariants(asset).substr(0, 2);
  };
  CHECK(check_invariants(bound()).empty());
  CHECK(broken([](Asset& a) { a.nodes[0].parent = 1; }) == "I1");
  CHECK(broken([](Asset& a) { a.nodes[2].parent = 0; }) == "I1");
  CHECK(broken([](Asset& a) { a.nodes[1].mesh = 3; }) == "I2");
  CHECK(broken([](Asset& a) { a.skins[0].joints[1] = 9; }) == "I2");
  CHECK(broken([](Asset& a) { a.bindings[0].skin = -1; }) == "I2");
  CHECK(broken([](Asset& a) { a.bindings[0].influences.clear(); }) == "I3");
  CHECK(broken([](Asset& a) { a.skins[0].joint_ids.pop_back(); }) == "I3");
}

TEST_CASE("parts: the uniform scale of extreme matrices neither over- nor underflows", "[model]") {
  for (const double scale : {1e-150, 1e-3, 1.0, 1e150}) {
    const TransformParts parts =
        decompose(compose_trs(Vec3::Zero(), Quat::Identity(), Vec3::Constant(scale)));
    CAPTURE(scale);
    REQUIRE(parts.valid);
    CHECK(parts.uniform_scale() == Approx(scale).epsilon(1e-12));
  }
}
