// One rig as glTF and as FBX: skins, weights and posed vertices must come out the same: [twins].

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "readers/reader.h"
#include "skinning/evaluator.h"
#include "skinning/hierarchy.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/matchers.h"
#include "support/read_bytes.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

struct Posed {
  std::vector<Vec3> rest, shaped;  // world; without and with morphs at their default weights
  std::vector<std::map<std::string, double>> weights;  // per vertex, by joint; none of 0
};

/// Vertices of one binding, all parts in a row.
Posed pose(const Asset& asset, const Binding& binding) {
  const std::vector<Mat4> worlds = world_from_nodes(asset);
  const Skin& skin = asset.skins[static_cast<std::size_t>(binding.skin)];
  SkinMatrices matrices;
  for (std::size_t s = 0; s < skin.joints.size(); ++s) {
    REQUIRE(skin.joints[s] >= 0);
    REQUIRE(skin.joint_from_mesh[s].has_value());
    matrices.world_from_mesh.push_back(worlds[static_cast<std::size_t>(skin.joints[s])] *
                                       *skin.joint_from_mesh[s]);
    matrices.usable.push_back(true);
  }
  Posed posed;
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const InfluenceTable& table =
        asset.influences[static_cast<std::size_t>(binding.influences.at(p))];
    const std::vector<double> numbers = values_of(mesh.parts[p].positions);
    std::vector<Vec3> positions;
    for (std::size_t v = 0; 3 * v + 2 < numbers.size(); ++v) {
      positions.emplace_back(numbers[3 * v], numbers[3 * v + 1], numbers[3 * v + 2]);
    }
    std::vector<Vec3> shaped = positions;
    add_morphs(mesh, p, binding.morph_weights, 0, shaped);
    REQUIRE(table.vertex_count == positions.size());
    InfluenceReader reader(table);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const InfluenceBlock block = reader.at(v);
      const auto slots = block.joints_of(0);
      const auto stored = block.weights_of(0);
      std::vector<std::uint32_t> joints;
      std::vector<double> weights;
      posed.weights.emplace_back();
      for (std::size_t e = 0; e < slots.size(); ++e) {
        if (stored[e] == 0.0) continue;
        joints.push_back(slots[e]);
        weights.push_back(stored[e]);
        const std::int32_t node = skin.joints[slots[e]];
        posed.weights.back()[asset.nodes[static_cast<std::size_t>(node)].name] = stored[e];
      }
      posed.rest.push_back(skin_vertex(positions[v], joints, weights, matrices).position);
      posed.shaped.push_back(skin_vertex(shaped[v], joints, weights, matrices).position);
    }
  }
  return posed;
}

/// Single precision in glTF, double in FBX.
bool same_weights(const std::map<std::string, double>& one,
                  const std::map<std::string, double>& two) {
  if (one.size() != two.size()) return false;
  for (const auto& [name, weight] : one) {
    const auto twin = two.find(name);
    if (twin == two.end() || !(std::abs(twin->second - weight) <= 1e-6)) return false;
  }
  return true;
}

void require_twins(const Asset& gltf, const Asset& fbx, double reach) {
  REQUIRE(gltf.bindings.size() == fbx.bindings.size());
  for (std::size_t b = 0; b < gltf.bindings.size(); ++b) {
    const Skin& one = gltf.skins[static_cast<std::size_t>(gltf.bindings[b].skin)];
    const Skin& two = fbx.skins[static_cast<std::size_t>(fbx.bindings[b].skin)];
    REQUIRE(one.joints.size() == two.joints.size());
    const std::vector<Mat4> world_one = world_from_nodes(gltf), world_two = world_from_nodes(fbx);
    for (std::size_t s = 0; s < one.joints.size(); ++s) {
      const auto j = static_cast<std::size_t>(one.joints[s]);
      const auto k = static_cast<std::size_t>(two.joints[s]);
      CHECK(gltf.nodes[j].name == fbx.nodes[k].name);
      CHECK(worst_difference(world_one[j], world_two[k]) < 1e-6 * reach);
      CHECK(worst_difference(*one.joint_from_mesh[s], *two.joint_from_mesh[s]) < 1e-6 * reach);
    }
    const Posed first = pose(gltf, gltf.bindings[b]), second = pose(fbx, fbx.bindings[b]);
    REQUIRE(first.rest.size() == second.rest.size());
    double worst = 0.0, worst_shaped = 0.0;
    std::size_t unlike = 0;
    for (std::size_t v = 0; v < first.rest.size(); ++v) {
      worst = std::max(worst, (first.rest[v] - second.rest[v]).norm());
      worst_shaped = std::max(worst_shaped, (first.shaped[v] - second.shaped[v]).norm());
      unlike += static_cast<std::size_t>(!same_weights(first.weights[v], second.weights[v]));
    }
    CHECK(unlike == 0u);
    CHECK(worst < 1e-5 * reach);
    CHECK(worst_shaped < 1e-5 * reach);
  }
}

/// Bends a few joints after the bind, adds a shape that is half on: the pose moves every vertex.
Rig moved(Rig rig) {
  int turned = 0;
  for (const int joint : rig.skins[0].joints) {
    if (turned++ % 3 != 1) continue;
    rig.nodes[static_cast<std::size_t>(joint)].rotation = Vec4(0.2, -0.1, 0.3, 0.9).normalized();
  }
  for (RigPart& part : rig.meshes[0].parts) {
    RigMorph morph;
    morph.name = "swell";
    morph.default_weight = 0.5;
    for (std::size_t v = 0; v < part.positions.size(); ++v) {
      const double size = v % 3 == 0 ? 0.0 : 0.01 * static_cast<double>(v % 5);
      morph.offsets.emplace_back(size, -size, 2.0 * size);
    }
    part.morphs.push_back(std::move(morph));
  }
  return rig;
}

}  // namespace

TEST_CASE("a rig as glTF and as FBX poses its vertices alike", "[readers][twins]") {
  const int which = GENERATE(0, 1);
  const Rig rig = moved(which == 0 ? humanoid_rig() : chain_rig(6, 12, 6));
  FbxWriteOptions o;
  o.axes = GENERATE(std::array<int, 3>{0, 1, 2}, std::array<int, 3>{0, 2, 1},
                    std::array<int, 3>{1, 2, 0});
  // What the axes test varies in full, here one with the other.
  o.signs = o.axes[1] == 2 ? std::array<int, 3>{-1, 1, -1} : std::array<int, 3>{1, 1, 1};
  o.unit_meters = o.axes[0] == 1 ? 0.0254 : 0.01;
  o.ascii = which == 1;
  o.dress_transforms = GENERATE(false, true);
  const bool geometric = GENERATE(false, true);
  if (geometric) {
    FbxTransform g;
    g.geometric_translation = Vec3(3, -20, 7);
    g.geometric_rotation = Vec3(-90, 0, 30);
    g.geometric_scaling = Vec3(2.54, 2.54, 2.54);
    o.geometric = g;
  }
  Rig still = rig;
  still.clips.clear();
  const Asset gltf = read_bytes(write_glb(still)), fbx = read_bytes(write_fbx(still, o));
  if (o.geometric) {
    // It is really there, and the inverse bind matrices take it out again.
    for (const Binding& b : fbx.bindings) {
      CHECK(worst_difference(b.node_from_geometry, Mat4::Identity()) > 0.1);
    }
  }
  require_twins(gltf, fbx, 4.0);
}
