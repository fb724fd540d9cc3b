// Files broken in their normals, tangents, shapes and clips, and poses that break the deformation.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

using Json = nlohmann::ordered_json;
using Expected = std::vector<ExpectedFinding>;

Rig small_chain() { return chain_rig(6, 13, 6); }

Rig with(Rig rig, const std::function<void(Rig&)>& change) {
  change(rig);
  return rig;
}
RigPart& part(Rig& rig) { return rig.meshes[0].parts[0]; }

TestdataFile glb(const std::string& rule, const std::string& name, const std::string& severity,
                 const Rig& rig, const Expected& others = {},
                 const std::function<void(Json&)>& edit = {}) {
  GltfWriteOptions options;
  options.edit_json = edit;
  TestdataFile file;
  file.path = "broken/" + rule + "/" + name + ".glb";
  file.bytes = write_glb(rig, options);
  file.expected.push_back({rule, severity, {}});
  file.expected.insert(file.expected.end(), others.begin(), others.end());
  return file;
}
TestdataFile fbx(const std::string& rule, const std::string& name, const std::string& severity,
                 const Rig& rig, const std::function<void(FbxTree&)>& edit = {}) {
  FbxWriteOptions options;
  options.compress = false;  // the same bytes with every version of the compressor
  options.edit = edit;
  TestdataFile file;
  file.path = "broken/" + rule + "/" + name + ".fbx";
  file.bytes = write_fbx(rig, options);
  file.expected.push_back({rule, severity, {}});
  return file;
}

Rig with_shape(const std::function<Vec3(const Vec3&)>& offset, double weight = 0.0) {
  return with(small_chain(), [&](Rig& rig) {
    RigMorph shape;
    shape.name = "smile";
    shape.default_weight = weight;
    for (const Vec3& p : part(rig).positions) shape.offsets.push_back(offset(p));
    part(rig).morphs.push_back(std::move(shape));
  });
}
Rig with_shape(const Vec3& offset, double weight = 0.0) {
  return with_shape([offset](const Vec3&) { return offset; }, weight);
}

Rig with_clip(const std::string& name, int node, ChannelPath path, std::vector<double> values) {
  return with(small_chain(), [&](Rig& rig) {
    RigChannel channel;
    channel.node = node;
    channel.path = path;
    channel.times = {0, 1};
    channel.values = std::move(values);
    rig.clips.push_back({name, {channel}});
  });
}

/// Normals per corner, three of them short.
void list_by_corner(FbxTree& tree) {
  FbxRecord& geometry = tree.at("Objects").at("Geometry");
  const auto& corners =
      std::get<std::vector<std::int32_t>>(geometry.at("PolygonVertexIndex").values.at(0));
  FbxRecord& layer = geometry.at("LayerElementNormal");
  std::get<std::string>(layer.at("MappingInformationType").values.at(0)) = "ByPolygonVertex";
  auto& normals = std::get<std::vector<double>>(layer.at("Normals").values.at(0));
  const std::vector<double> by_vertex = normals;
  normals.clear();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const std::int32_t vertex = corners[k] < 0 ? ~corners[k] : corners[k];
    for (std::size_t c = 0; c < 3; ++c) {
      const double n = by_vertex[3 * static_cast<std::size_t>(vertex) + c];
      normals.push_back(k < 3 ? 0.7 * n : n);
    }
  }
}

void reach_beyond_mesh(FbxTree& tree) {
  for (FbxRecord* geometry : tree.at("Objects").all("Geometry")) {
    if (std::get<std::string>(geometry->values.at(2)) != "Shape") continue;
    std::get<std::vector<std::int32_t>>(geometry->at("Indexes").values.at(0)).back() = 5000;
  }
}

void add_surface(std::vector<TestdataFile>& files) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  files.push_back(glb("mesh-normals", "nan", "error",
                      with(small_chain(), [](Rig& rig) { part(rig).normals[7].y() = nan; })));
  files.back().expected[0].count = 1;
  files.push_back(glb("mesh-normals", "no_length", "warning",
                      with(small_chain(), [](Rig& rig) { part(rig).normals[7] = Vec3::Zero(); })));
  files.push_back(fbx("mesh-normals", "short_by_corner", "warning", small_chain(), list_by_corner));
  files.back().expected[0].count = 3;
  const auto tangents = [](const Vec4& one) {
    return with(small_chain(), [&](Rig& rig) {
      part(rig).tangents.assign(part(rig).positions.size(), Vec4(0, 1, 0, 1));
      part(rig).tangents[7] = one;
    });
  };
  files.push_back(glb("mesh-tangents", "long", "warning", tangents(Vec4(0, 1.3, 0, 1))));
  files.push_back(glb("mesh-tangents", "no_sign", "error", tangents(Vec4(0, 1, 0, 0))));
}

void add_morphs(std::vector<TestdataFile>& files) {
  const auto uneven = [](const Vec3& p) {
    return Vec3(p + 0.2 * Vec3(std::sin(9 * p.y()), std::cos(7 * p.x()), std::sin(5 * p.z())));
  };
  files.push_back(glb("morph-absolute", "positions", "warning", with_shape(uneven)));
  files.push_back(fbx("morph-absolute", "positions", "warning", with_shape(uneven)));
  files.push_back(glb("morph-space", "four_sizes_far", "warning", with_shape(Vec3(0, 0, 26.5))));
  files.push_back(glb("morph-rest-weights", "half_on", "note", with_shape(Vec3(0, 0, 0.2), 0.5)));
  files.push_back(glb("morph-topology", "three_vertices_less", "error", with_shape(Vec3(0, 0, 0.2)),
                      {}, [](Json& j) {
                        const std::size_t accessor =
                            j["meshes"][0]["primitives"][0]["targets"][0]["POSITION"];
                        j["accessors"][accessor]["count"] = 75;
                      }));
  files.push_back(fbx("morph-topology", "index_beyond_mesh", "error", with_shape(Vec3(0, 0, 0.2)),
                      reach_beyond_mesh));
  files.push_back(glb("morph-topology", "one_name_twice", "warning",
                      with(with_shape(Vec3(0, 0, 0.2)),
                           [](Rig& rig) { part(rig).morphs.push_back(part(rig).morphs[0]); })));
  files.push_back(glb("morph-topology", "moves_nothing", "note", with_shape(Vec3(Vec3::Zero()))));
}

void add_clips(std::vector<TestdataFile>& files) {
  const Vec4 turned(0, 0, std::sin(0.25), std::cos(0.25));
  files.push_back(glb("clip-rest-is-key", "walk", "note",
                      with(with_clip("walk", 3, ChannelPath::rotation,
                                     {turned[0], turned[1], turned[2], turned[3], 0, 0, 0, 1}),
                           [&](Rig& rig) { rig.nodes[3].rotation = turned; }),
                      {{"bind-rest-differs", "note", {}}, {"clip-bind-reset", "note", {}}}));
  files.push_back(glb("clip-scale", "negative", "error",
                      with_clip("flip", 3, ChannelPath::scale, {1, 1, 1, -1, 1, 1})));
  files.push_back(glb("clip-scale", "uneven", "warning",
                      with_clip("squash", 3, ChannelPath::scale, {1, 1, 1, 1, 1.3, 1})));
  files.push_back(glb("clip-bind-reset", "starts_in_a_pose", "note",
                      with_clip("walk", 3, ChannelPath::translation, {0, 1, 0.5, 0, 1, 0})));
  files.push_back(glb("clip-skinned-node", "slide", "warning",
                      with_clip("slide", 6, ChannelPath::translation, {0, 0, 0, 1, 0, 0})));
}

void add_deformations(std::vector<TestdataFile>& files) {
  files.push_back(glb("deform-singular", "half_turn", "error",
                      with(small_chain(),
                           [](Rig& rig) {
                             rig.nodes[3].rotation = Vec4(0, 1, 0, 0);
                             part(rig).influences[40] = {{2, 0.5}, {3, 0.5}};
                           }),
                      {{"bind-rest-differs", "warning", {}}}));
  files.push_back(glb("deform-explodes", "flown", "error",
                      with(small_chain(), [](Rig& rig) { rig.nodes[3].translation.x() += 100.0; }),
                      {{"bind-rest-differs", "error", {}}}));
}

}  // namespace

std::vector<TestdataFile> broken_shape_testdata() {
  std::vector<TestdataFile> files;
  add_surface(files);
  add_morphs(files);
  add_clips(files);
  add_deformations(files);
  return files;
}

}  // namespace skinlint::test
