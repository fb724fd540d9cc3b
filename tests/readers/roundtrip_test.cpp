// The same rig in memory and through every glTF encoding must read the same: [twins].

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>

#include "readers/reader.h"
#include "skinning/hierarchy.h"
#include "support/gltf_writer.h"
#include "support/matchers.h"
#include "support/rig.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

constexpr double float_step = 6e-8;  // half a unit in the last place of a float near 1

Result<std::shared_ptr<const Source>> no_companion(const std::string& path) {
  return ReadError{ReadError::Kind::not_fetched, "no companion " + path, {}, {}};
}

Asset read_bytes(std::vector<std::byte> bytes, const OpenCompanion& open = no_companion) {
  Result<Asset> result = read_asset(memory_source(std::move(bytes)), open, ReadOptions{});
  if (!result) FAIL("read_asset: " << result.error().message);
  return std::move(*result);
}

/// What the encoding may change.
struct Tolerance {
  Mat4 mesh_from_stored = Mat4::Identity();
  double position = 0.0;  // per coordinate, mesh space
  double normal = 0.0;
  double offset = 0.0;
  double weight = 0.0;
  bool rotated_triangles = false;
};

/// Index in `asset.nodes` by the file's own index.
std::map<std::int64_t, std::size_t> nodes_by_id(const Asset& asset) {
  std::map<std::int64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) by_id[asset.nodes[i].id] = i;
  return by_id;
}

std::int64_t id_of(const Asset& asset, std::int32_t node) {
  return node < 0 ? -1 : asset.nodes.at(static_cast<std::size_t>(node)).id;
}

std::vector<std::int64_t> ids_of(const Asset& asset, const std::vector<std::int32_t>& nodes) {
  std::vector<std::int64_t> ids;
  for (const std::int32_t node : nodes) ids.push_back(id_of(asset, node));
  return ids;
}

void compare_nodes(const Asset& expected, const Asset& actual) {
  const auto twins = nodes_by_id(actual);
  REQUIRE(twins.size() == expected.nodes.size());
  const std::vector<Mat4> expected_world = world_from_nodes(expected);
  const std::vector<Mat4> actual_world = world_from_nodes(actual);
  for (std::size_t i = 0; i < expected.nodes.size(); ++i) {
    const Node& a = expected.nodes[i];
    const Node& b = actual.nodes.at(twins.at(a.id));
    CAPTURE(a.id);
    CHECK(a.name == b.name);
    CHECK(id_of(expected, a.parent) == id_of(actual, b.parent));
    CHECK(ids_of(expected, a.children) == ids_of(actual, b.children));
    CHECK(a.mesh == b.mesh);
    CHECK(a.skin == b.skin);
    CHECK(a.is_joint == b.is_joint);
    CHECK(a.local.has_matrix == b.local.has_matrix);
    CHECK(worst_difference(a.local.translation, b.local.translation) == 0.0);
    CHECK(worst_difference(a.local.rotation, b.local.rotation) == 0.0);
    CHECK(worst_difference(a.local.scale, b.local.scale) == 0.0);
    CHECK(worst_difference(a.local.matrix, b.local.matrix) == 0.0);
    CHECK(worst_difference(a.parent_from_node, b.parent_from_node) < 1e-14);
    CHECK(worst_difference(expected_world[i], actual_world[twins.at(a.id)]) < 1e-12);
  }
  REQUIRE(expected.scenes.size() == actual.scenes.size());
  CHECK(expected.default_scene == actual.default_scene);
  for (std::size_t s = 0; s < expected.scenes.size(); ++s)
    CHECK(ids_of(expected, expected.scenes[s].roots) == ids_of(actual, actual.scenes[s].roots));
}

void compare_skins(const Asset& expected, const Asset& actual, const Tolerance& tolerance) {
  REQUIRE(expected.skins.size() == actual.skins.size());
  for (std::size_t s = 0; s < expected.skins.size(); ++s) {
    const Skin& a = expected.skins[s];
    const Skin& b = actual.skins[s];
    CAPTURE(s);
    CHECK(a.name == b.name);
    CHECK(a.id == b.id);
    CHECK(a.joint_ids == b.joint_ids);
    CHECK(ids_of(expected, a.joints) == ids_of(actual, b.joints));
    CHECK(a.matrix_count == b.matrix_count);
    CHECK(b.matrices_readable);
    CHECK(a.declared_skeleton == b.declared_skeleton);
    CHECK(id_of(expected, a.skeleton) == id_of(actual, b.skeleton));
    REQUIRE(a.joint_from_mesh.size() == b.joint_from_mesh.size());
    for (std::size_t j = 0; j < a.joint_from_mesh.size(); ++j) {
      CAPTURE(j);
      REQUIRE(a.joint_from_mesh[j].has_value() == b.joint_from_mesh[j].has_value());
      if (!a.joint_from_mesh[j]) continue;
      if (tolerance.mesh_from_stored.isIdentity(0.0)) {  // a product would turn Inf into NaN
        CHECK(worst_difference(*a.joint_from_mesh[j], *b.joint_from_mesh[j]) == 0.0);
        continue;
      }
      // Both were rounded to float, one before the product and one after.
      const Mat4 stored = *a.joint_from_mesh[j] * tolerance.mesh_from_stored;
      const double limit = 16 * float_step * std::max(1.0, stored.cwiseAbs().maxCoeff());
      CHECK(worst_difference(stored, *b.joint_from_mesh[j]) <= limit);
    }
  }
}

/// Stored points brought to the rig's mesh space; `direction`: without the translation.
std::vector<double> in_mesh_space(std::vector<double> xyz, const Mat4& mesh_from_stored,
                                  bool direction) {
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    const Vec3 p(xyz[i], xyz[i + 1], xyz[i + 2]);
    const Vec3 q =
        direction ? Vec3(linear(mesh_from_stored) * p) : transform_point(mesh_from_stored, p);
    std::copy(q.data(), q.data() + 3, xyz.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return xyz;
}

/// Triangles with their smallest corner first: what a codec that rotates them keeps.
std::vector<double> canonical_triangles(std::vector<double> indices) {
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const auto first = indices.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(first, std::min_element(first, first + 3), first + 3);
  }
  return indices;
}

/// One offset per vertex, whether the shape stores all or only those that move.
std::vector<double> dense_offsets(const MorphTarget::Shape& shape, std::size_t part,
                                  std::size_t vertex_count) {
  const Stream& indices = shape.indices.at(part);
  const std::vector<double> stored = values_of(shape.positions.at(part));
  if (!indices.declared()) return stored;
  std::vector<std::uint32_t> vertices(indices.count);
  read_indices(indices, 0, indices.count, vertices.data());
  std::vector<double> dense(vertex_count * 3, 0.0);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) dense.at(vertices[i] * 3 + c) = stored.at(i * 3 + c);
  return dense;
}

void compare_meshes(const Asset& expected, const Asset& actual, const Tolerance& tolerance) {
  REQUIRE(expected.meshes.size() == actual.meshes.size());
  for (std::size_t m = 0; m < expected.meshes.size(); ++m) {
    const Mesh& a = expected.meshes[m];
    const Mesh& b = actual.meshes[m];
    CAPTURE(m);
    CHECK(a.name == b.name);
    REQUIRE(a.parts.size() == b.parts.size());
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      const MeshPart& x = a.parts[p];
      const MeshPart& y = b.parts[p];
      CAPTURE(p);
      CHECK(x.vertex_count == y.vertex_count);
      CHECK(x.declared_vertex_count == y.declared_vertex_count);
      CHECK(x.mode == y.mode);
      CHECK(x.influence_sets_declared == y.influence_sets_declared);
      CHECK(x.morph_target_count == y.morph_target_count);
      CHECK(worst_difference(values_of(x.positions),
                             in_mesh_space(values_of(y.positions), tolerance.mesh_from_stored,
                                           false)) <= tolerance.position);
      CHECK(worst_difference(x.normals, y.normals) <= tolerance.normal);
      CHECK(worst_difference(x.tangents, y.tangents) == 0.0);
      CHECK(x.indices.declared() == y.indices.declared());
      if (tolerance.rotated_triangles)
        CHECK(canonical_triangles(values_of(x.indices)) ==
              canonical_triangles(values_of(y.indices)));
      else
        CHECK(values_of(x.indices) == values_of(y.indices));
    }
    REQUIRE(a.morphs.size() == b.morphs.size());
    for (std::size_t t = 0; t < a.morphs.size(); ++t) {
      CAPTURE(t);
      CHECK(a.morphs[t].name == b.morphs[t].name);
      CHECK(a.morphs[t].default_weight == b.morphs[t].default_weight);
      REQUIRE(b.morphs[t].shapes.size() == 1);
      REQUIRE(b.morphs[t].shapes[0].positions.size() == a.parts.size());
      for (std::size_t p = 0; p < a.parts.size(); ++p)
        CHECK(worst_difference(
                  values_of(a.morphs[t].shapes[0].positions[p]),
                  in_mesh_space(dense_offsets(b.morphs[t].shapes[0], p, a.parts[p].vertex_count),
                                tolerance.mesh_from_stored, true)) <= tolerance.offset);
    }
  }
}

void compare_bindings(const Asset& expected, const Asset& actual, const Tolerance& tolerance) {
  REQUIRE(expected.bindings.size() == actual.bindings.size());
  for (const Binding& a : expected.bindings) {
    const auto found = std::find_if(
        actual.bindings.begin(), actual.bindings.end(),
        [&](const Binding& b) { return id_of(actual, b.node) == id_of(expected, a.node); });
    REQUIRE(found != actual.bindings.end());
    CHECK(found->mesh == a.mesh);
    CHECK(found->skin == a.skin);
    CHECK(found->morph_weights == a.morph_weights);
    REQUIRE(found->influences.size() == a.influences.size());
    for (std::size_t p = 0; p < a.influences.size(); ++p) {
      CAPTURE(p);
      REQUIRE((a.influences[p] < 0) == (found->influences[p] < 0));
      if (a.influences[p] < 0) continue;
      const InfluenceTable& x = expected.influences.at(static_cast<std::size_t>(a.influences[p]));
      const InfluenceTable& y =
          actual.influences.at(static_cast<std::size_t>(found->influences[p]));
      CHECK(x.vertex_count == y.vertex_count);
      CHECK(x.entries_explicit == y.entries_explicit);
      CHECK(x.quantisation_step() == y.quantisation_step());
      REQUIRE(x.sets.size() == y.sets.size());
      CHECK(x.usable_sets() == y.usable_sets());
      for (std::size_t s = 0; s < x.sets.size(); ++s) {
        CAPTURE(s);
        CHECK(x.sets[s].number == y.sets[s].number);
        CHECK(x.sets[s].weights.type == y.sets[s].weights.type);
        CHECK(x.sets[s].joints.type == y.sets[s].joints.type);
        CHECK(x.sets[s].weights.normalized == y.sets[s].weights.normalized);
        CHECK(worst_difference(x.sets[s].joints, y.sets[s].joints) == 0.0);
        CHECK(worst_difference(x.sets[s].weights, y.sets[s].weights) <= tolerance.weight);
      }
    }
  }
}

void compare_clips(const Asset& expected, const Asset& actual) {
  REQUIRE(expected.clips.size() == actual.clips.size());
  for (std::size_t c = 0; c < expected.clips.size(); ++c) {
    const Clip& a = expected.clips[c];
    const Clip& b = actual.clips[c];
    CHECK(a.name == b.name);
    CHECK(a.duration == b.duration);
    REQUIRE(a.channels.size() == b.channels.size());
    for (std::size_t k = 0; k < a.channels.size(); ++k) {
      CAPTURE(c, k);
      CHECK(id_of(expected, a.channels[k].node) == id_of(actual, b.channels[k].node));
      CHECK(a.channels[k].path == b.channels[k].path);
      CHECK(a.channels[k].interpolation == b.channels[k].interpolation);
      CHECK(worst_difference(a.channels[k].times, b.channels[k].times) == 0.0);
      CHECK(worst_difference(values_of(a.channels[k].values), values_of(b.channels[k].values)) ==
            0.0);
    }
  }
}

void compare(const Asset& expected, const Asset& actual, const Tolerance& tolerance = {}) {
  CHECK(check_invariants(actual) == "");
  for (const Repair& repair : actual.repairs) {
    CAPTURE(repair.detail, repair.locator);
    CHECK(false);
  }
  CHECK(actual.unsupported.empty());
  CHECK(actual.version == expected.version);
  CHECK(actual.generator == expected.generator);
  compare_nodes(expected, actual);
  compare_skins(expected, actual, tolerance);
  compare_meshes(expected, actual, tolerance);
  compare_bindings(expected, actual, tolerance);
  compare_clips(expected, actual);
}

Tolerance tolerance_of(const Rig& rig, const GltfWriteOptions& options) {
  Tolerance tolerance;
  if (options.position_type != ComponentType::f32) {
    tolerance.mesh_from_stored = rig_from_stored(rig, options);
    const double size = tolerance.mesh_from_stored(0, 0);
    const double steps = options.position_type == ComponentType::u16 ? 65535.0 : 32767.0;
    tolerance.position = size * (0.5 / steps + 1e-6);
    tolerance.offset = size * 0.51 / 32767.0;
    tolerance.normal = 0.51 / 32767.0;
  }
  if (options.meshopt_exponential) {
    // 23 bits of mantissa shared by a vector: the largest component gives the step.
    tolerance.position = 64.0 / 8388608.0;
    tolerance.offset = tolerance.normal = tolerance.weight = 1.0 / 8388608.0;
  }
  tolerance.rotated_triangles = options.meshopt;
  return tolerance;
}

std::vector<std::pair<std::string, Rig>> some_rigs() {
  std::vector<std::pair<std::string, Rig>> rigs;
  rigs.emplace_back("chain", chain_rig());
  rigs.emplace_back("humanoid", humanoid_rig());
  for (std::uint32_t seed = 1; seed <= 12; ++seed)
    rigs.emplace_back("random " + std::to_string(seed), random_rig(seed));
  return rigs;
}

void check_twins(const GltfWriteOptions& options) {
  for (const auto& [name, rig] : some_rigs()) {
    INFO("rig: " << name);
    compare(to_asset(rig, options), read_bytes(write_glb(rig, options)),
            tolerance_of(rig, options));
  }
}

GltfWriteOptions with(const std::function<void(GltfWriteOptions&)>& change) {
  GltfWriteOptions options;
  change(options);
  return options;
}

}  // namespace

TEST_CASE("a GLB reads as the rig it was written from", "[readers][twins]") { check_twins({}); }

TEST_CASE("integer weights and joints read as written", "[readers][twins]") {
  const auto weight_type = GENERATE(ComponentType::u8, ComponentType::u16, ComponentType::f32);
  const auto joint_type = GENERATE(ComponentType::u8, ComponentType::u16);
  check_twins(with([&](auto& o) {
    o.weight_type = weight_type;
    o.joint_type = joint_type;
  }));
}

TEST_CASE("more influence sets than needed and parts without indices read the same",
          "[readers][twins]") {
  check_twins(with([](auto& o) { o.sets = 3; }));
  check_twins(with([](auto& o) { o.indexed = false; }));
}

TEST_CASE("quantised positions read as stored, with matrices that take them back",
          "[readers][twins]") {
  const auto type = GENERATE(ComponentType::u16, ComponentType::i16);
  const bool interleaved = GENERATE(false, true);
  check_twins(with([&](auto& o) {
    o.position_type = type;
    o.interleaved = interleaved;
  }));
}

TEST_CASE("sparse accessors and interleaved views read as written", "[readers][twins]") {
  using Sparse = GltfWriteOptions::Sparse;
  const auto sparse = GENERATE(Sparse::none, Sparse::without_base, Sparse::with_base);
  const bool interleaved = GENERATE(false, true);
  check_twins(with([&](auto& o) {
    o.sparse = sparse;
    o.interleaved = interleaved;
  }));
}

TEST_CASE("Draco parts read as written", "[readers][twins]") {
  if (!have_draco()) {
    WARN("skipped: built without Draco");
    return;
  }
  check_twins(with([](auto& o) { o.draco = true; }));
  check_twins(with([](auto& o) {
    o.draco = true;
    o.weight_type = ComponentType::u8;
    o.joint_type = ComponentType::u8;
  }));
}

TEST_CASE("meshopt views read as written", "[readers][twins]") {
  if (!have_meshopt()) {
    WARN("skipped: built without meshoptimizer");
    return;
  }
  check_twins(with([](auto& o) { o.meshopt = true; }));
  check_twins(with([](auto& o) { o.meshopt = o.interleaved = true; }));
  check_twins(with([](auto& o) {
    o.meshopt = true;
    o.position_type = ComponentType::u16;
    o.weight_type = ComponentType::u8;
  }));
  check_twins(with([](auto& o) { o.meshopt = o.meshopt_exponential = true; }));
}

TEST_CASE("a glTF with a companion or a data URI reads as the GLB", "[readers][twins]") {
  for (const auto& [name, rig] : some_rigs()) {
    INFO("rig: " << name);
    const Asset expected = to_asset(rig);
    compare(expected, read_bytes(write_gltf(rig, {}, BufferPlace::data_uri).gltf));
    const GltfFiles files = write_gltf(rig, {}, BufferPlace::file, "a%20body.bin");
    std::vector<std::string> asked;
    compare(expected,
            read_bytes(files.gltf,
                       [&](const std::string& path) -> Result<std::shared_ptr<const Source>> {
                         asked.push_back(path);
                         return memory_source(files.bin);
                       }));
    CHECK(asked == std::vector<std::string>{"a body.bin"});
  }
}

TEST_CASE("faulty values survive the encoding", "[readers][twins]") {
  Rig rig = chain_rig();
  auto& influences = rig.meshes[0].parts[0].influences;
  influences[3] = {{1, std::numeric_limits<double>::quiet_NaN()}, {2, 0.5}};
  influences[4] = {{1, -0.25}, {1, 1.25}};
  influences[5] = {{900, 1.0}, {2, 0.0}};
  influences[6] = {};
  influences[7] = {{0, 0.2}, {1, 0.2}, {2, 0.2}, {3, 0.2}, {4, 0.1}, {5, 0.1}};
  rig.skins[0].joint_from_mesh->pop_back();
  (*rig.skins[0].joint_from_mesh)[2](3, 1) = 0.5;
  (*rig.skins[0].joint_from_mesh)[3](0, 0) = std::numeric_limits<double>::infinity();
  rig.nodes[2].rotation = Vec4(0, 0, 0, 3);
  rig.nodes[3].scale = Vec3(-1, 1, 0);
  const Asset expected = to_asset(rig);
  const Asset actual = read_bytes(write_glb(rig));
  compare(expected, actual);
  CHECK(actual.skins[0].matrix_count == 5u);
  CHECK(!actual.skins[0].joint_from_mesh[5].has_value());
  CHECK(actual.influences[0].sets.size() == 2);
}

TEST_CASE("a skin without stored matrices and several scenes read the same", "[readers][twins]") {
  Rig rig = chain_rig();
  rig.skins[0].joint_from_mesh.reset();
  rig.skins[0].skeleton = 0;
  rig.scenes = {{0, 6}, {6}};
  rig.instances.push_back({2, 0, -1});
  compare(to_asset(rig), read_bytes(write_glb(rig)));
}

TEST_CASE("clips of every path and interpolation read the same", "[readers][twins]") {
  Rig rig = chain_rig();
  RigPart& part = rig.meshes[0].parts[0];
  part.morphs = {{"wide", 0.25, std::vector<Vec3>(part.positions.size(), Vec3(0.1, 0, 0))},
                 {"tall", 0.0, std::vector<Vec3>(part.positions.size(), Vec3(0, 0.5, 0))}};
  rig.clips = {
      {"all",
       {{1, ChannelPath::translation, Interpolation::step, {0, 1.5}, {0, 1, 0, 0, 2, 0}},
        {2, ChannelPath::rotation, Interpolation::linear, {0, 2}, {0, 0, 0, 1, 0, 1, 0, 0}},
        {3, ChannelPath::scale, Interpolation::cubic, {0.5}, {0, 0, 0, 1, 2, 1, 0, 0, 0}},
        {6, ChannelPath::weights, Interpolation::linear, {0, 1}, {0, 0.5, 1, 0.25}}}}};
  compare(to_asset(rig), read_bytes(write_glb(rig)));
}
