#include "support/asset_edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "readers/reader.h"
#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/rig_layout.h"

namespace skinlint::test {
namespace {

template <class T>
void put(std::byte* at, double value, bool normalized) {
  T out{};
  if constexpr (std::is_integral_v<T>) {
    const double scaled =
        normalized ? value * static_cast<double>(std::numeric_limits<T>::max()) : value;
    out = static_cast<T>(std::llround(scaled));
  } else {
    out = static_cast<T>(value);
  }
  std::memcpy(at, &out, sizeof out);
}

void put_component(std::byte* at, double value, ComponentType type, bool normalized) {
  switch (type) {
    case ComponentType::i8:
      return put<std::int8_t>(at, value, normalized);
    case ComponentType::u8:
      return put<std::uint8_t>(at, value, normalized);
    case ComponentType::i16:
      return put<std::int16_t>(at, value, normalized);
    case ComponentType::u16:
      return put<std::uint16_t>(at, value, normalized);
    case ComponentType::i32:
      return put<std::int32_t>(at, value, normalized);
    case ComponentType::u32:
      return put<std::uint32_t>(at, value, normalized);
    case ComponentType::i64:
      return put<std::int64_t>(at, value, normalized);
    case ComponentType::f32:
      return put<float>(at, value, normalized);
    case ComponentType::f64:
    case ComponentType::none:
      return put<double>(at, value, normalized);
  }
}

std::vector<double> values_of(const Stream& stream) {
  std::vector<double> values(stream.count * stream.components);
  if (stream.data != nullptr && !values.empty())
    read_values(stream, 0, stream.count, values.data());
  return values;
}

Skin& skin_of(Asset& asset, std::size_t binding) {
  return asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
}
const Skin& skin_of(const Asset& asset, std::size_t binding) {
  return asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
}

bool in_another_skin(const Asset& asset, std::int32_t skin, std::int32_t node) {
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const std::vector<std::int32_t>& joints = asset.skins[s].joints;
    if (static_cast<std::int32_t>(s) != skin &&
        std::find(joints.begin(), joints.end(), node) != joints.end())
      return true;
  }
  return false;
}

struct Trs {
  Vec3 translation, scale;
  Mat3 rotation;
  bool exact = false;
};
Trs trs_of(const Mat4& m) {
  Trs out{translation(m), Vec3::Ones(), linear(m), false};
  for (int k = 0; k < 3; ++k) {
    out.scale[k] = out.rotation.col(k).norm();
    if (out.scale[k] > 0.0) out.rotation.col(k) /= out.scale[k];
  }
  if (out.rotation.determinant() < 0.0) {
    out.scale[0] = -out.scale[0];
    out.rotation.col(0) = -out.rotation.col(0);
  }
  out.exact = out.rotation.allFinite() && out.scale.cwiseAbs().minCoeff() > 0.0 &&
              (out.rotation.transpose() * out.rotation - Mat3::Identity()).norm() < 1e-6;
  return out;
}

}  // namespace

Stream own_stream(Asset& asset, const std::vector<double>& values, ComponentType type,
                  std::uint8_t components, bool normalized) {
  const std::size_t width = component_size(type);
  std::vector<std::byte> bytes(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i)
    put_component(bytes.data() + i * width, values[i], type, normalized);
  auto kept = std::make_shared<Bytes>(std::move(bytes));
  Stream stream;
  stream.data = kept->data();
  stream.count = values.size() / components;
  stream.stride = width * components;
  stream.type = type;
  stream.components = components;
  stream.normalized = normalized;
  asset.storage.push_back(std::move(kept));
  return stream;
}

std::vector<Vec3> positions_of(const MeshPart& part) {
  std::vector<Vec3> out;
  if (part.positions.data == nullptr || part.positions.components != 3) return out;
  const std::vector<double> values = values_of(part.positions);
  for (std::size_t i = 0; i + 2 < values.size(); i += 3)
    out.emplace_back(values[i], values[i + 1], values[i + 2]);
  return out;
}

void set_positions(Asset& asset, std::size_t mesh, std::size_t part, const std::vector<Vec3>& to) {
  std::vector<double> values;
  for (const Vec3& v : to) values.insert(values.end(), {v[0], v[1], v[2]});
  const ComponentType type = is_gltf(asset.format) ? ComponentType::f32 : ComponentType::f64;
  asset.meshes[mesh].parts[part].positions = own_stream(asset, values, type, 3);
}

std::vector<std::vector<RigInfluence>> influences_of(const InfluenceTable& table) {
  std::vector<std::vector<RigInfluence>> out(table.vertex_count);
  InfluenceReader reader(table);
  InfluenceBlock block;
  while (reader.next(block)) {
    for (std::size_t i = 0; i < block.count; ++i) {
      const std::span<const std::uint32_t> joints = block.joints_of(i);
      const std::span<const double> weights = block.weights_of(i);
      for (std::size_t k = 0; k < joints.size(); ++k) {
        if (table.uses_lists() || joints[k] != 0 || weights[k] != 0.0)
          out[block.first_vertex + i].push_back({joints[k], weights[k]});
      }
    }
  }
  return out;
}

bool set_influences(Asset& asset, std::size_t index, std::size_t vertex,
                    const std::vector<RigInfluence>& to) {
  InfluenceTable& table = asset.influences[index];
  if (table.uses_lists()) {
    const auto begin = static_cast<std::ptrdiff_t>(table.first[vertex]);
    const auto end = static_cast<std::ptrdiff_t>(table.first[vertex + 1]);
    table.joint.erase(table.joint.begin() + begin, table.joint.begin() + end);
    table.weight.erase(table.weight.begin() + begin, table.weight.begin() + end);
    for (std::size_t k = 0; k < to.size(); ++k) {
      const auto at = begin + static_cast<std::ptrdiff_t>(k);
      table.joint.insert(table.joint.begin() + at, to[k].joint);
      table.weight.insert(table.weight.begin() + at, to[k].weight);
    }
    const auto grown = static_cast<std::ptrdiff_t>(to.size()) - (end - begin);
    for (std::size_t v = vertex + 1; v < table.first.size(); ++v)
      table.first[v] =
          static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(table.first[v]) + grown);
    return true;
  }
  const std::vector<std::size_t> usable = table.usable_sets();
  if (to.size() > 4 * usable.size()) return false;
  for (std::size_t s = 0; s < usable.size(); ++s) {
    InfluenceTable::Set& set = table.sets[usable[s]];
    std::vector<double> joints = values_of(set.joints), weights = values_of(set.weights);
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t from = 4 * s + k, at = 4 * vertex + k;
      joints[at] = from < to.size() ? static_cast<double>(to[from].joint) : 0.0;
      weights[at] = from < to.size() ? to[from].weight : 0.0;
      // A joint that does not fit its type would be written as another.
      if (set.joints.type == ComponentType::u8 && joints[at] > 255.0) return false;
    }
    const std::int32_t joint_source = set.joints.source, weight_source = set.weights.source;
    set.joints = own_stream(asset, joints, set.joints.type, 4);
    set.weights = own_stream(asset, weights, set.weights.type, 4, set.weights.normalized);
    set.joints.source = joint_source;
    set.weights.source = weight_source;
  }
  return true;
}

void set_local(Asset& asset, std::size_t index, const Mat4& m) {
  Node& node = asset.nodes[index];
  node.parent_from_node = m;
  const Trs parts = trs_of(m);
  if (!node.local.has_matrix && parts.exact) {
    const Quat q(parts.rotation);
    node.local.translation = parts.translation;
    node.local.rotation = Vec4(q.x(), q.y(), q.z(), q.w());
    node.local.scale = parts.scale;
  } else {
    node.local = LocalTransform{};
    node.local.has_matrix = true;
    node.local.matrix = m;
  }
  if (!node.fbx) return;
  const Mat4& c = asset.canonical_from_file;
  const std::optional<Mat4> back = affine_inverse(c);
  const Trs stored = trs_of(back ? Mat4(*back * m * c) : m);
  FbxTransform t;
  t.translation = stored.translation;
  t.rotation = euler_of(stored.rotation, 0);
  t.scaling = stored.scale;
  t.inherit_type = node.fbx->inherit_type;
  t.geometric_translation = node.fbx->geometric_translation;
  t.geometric_rotation = node.fbx->geometric_rotation;
  t.geometric_scaling = node.fbx->geometric_scaling;
  node.fbx = t;
}

Mat4 bind_world(const Asset& asset, std::size_t binding, std::size_t slot, const Mat4& consensus) {
  const Skin& skin = skin_of(asset, binding);
  if (!skin.clusters.empty()) return skin.clusters[slot].transform_link.value_or(Mat4::Identity());
  return consensus * affine_inverse(skin.joint_from_mesh[slot].value_or(Mat4::Identity()))
                         .value_or(Mat4::Identity());
}

void set_bind_world(Asset& asset, std::size_t binding, std::size_t slot, const Mat4& consensus,
                    const Mat4& world) {
  Skin& skin = skin_of(asset, binding);
  const Mat4 joint_from_world = affine_inverse(world).value_or(Mat4::Identity());
  if (skin.clusters.empty()) {
    skin.joint_from_mesh[slot] = Mat4(joint_from_world * consensus);
    return;
  }
  ClusterRecord& cluster = skin.clusters[slot];
  const Mat4 node_at_bind = cluster.transform_link.value_or(Mat4::Identity()) *
                            cluster.transform.value_or(Mat4::Identity());
  cluster.transform_link = world;
  cluster.transform = Mat4(joint_from_world * node_at_bind);
  skin.joint_from_mesh[slot] =
      Mat4(*cluster.transform * asset.bindings[binding].node_from_geometry);
  const std::int32_t node = skin.joints[slot];
  if (in_another_skin(asset, asset.bindings[binding].skin, node)) return;
  for (BindPose& pose : asset.bind_poses) {
    for (BindPose::Entry& entry : pose.entries) {
      if (entry.node == node) entry.world_from_node = world;
    }
  }
}

void set_joint_from_mesh(Asset& asset, std::size_t binding, std::size_t slot, const Mat4& m) {
  Skin& skin = skin_of(asset, binding);
  skin.joint_from_mesh[slot] = m;
  if (skin.clusters.empty()) return;
  const std::optional<Mat4> back = affine_inverse(asset.bindings[binding].node_from_geometry);
  skin.clusters[slot].transform = back ? Mat4(m * *back) : m;
}

std::vector<bool> subtree_of(const Asset& asset, std::int32_t node) {
  std::vector<bool> below(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    below[n] = static_cast<std::int32_t>(n) == node ||
               (parent >= 0 && below[static_cast<std::size_t>(parent)]);
  }
  return below;
}

namespace {

RigPart part_of(const Asset& asset, const Mesh& mesh, std::size_t p, std::int32_t table) {
  const MeshPart& part = mesh.parts[p];
  RigPart out;
  out.positions = positions_of(part);
  const std::vector<double> normals = values_of(part.normals);
  for (std::size_t i = 0; i + 2 < normals.size(); i += 3)
    out.normals.emplace_back(normals[i], normals[i + 1], normals[i + 2]);
  for (const double index : values_of(part.indices))  // FBX: the polygons are triangles
    out.triangles.push_back(static_cast<std::uint32_t>(index < 0 ? -index - 1 : index));
  if (table >= 0) out.influences = influences_of(asset.influences[static_cast<std::size_t>(table)]);
  for (const MorphTarget& morph : mesh.morphs) {
    RigMorph target;
    target.name = morph.name;
    target.default_weight = morph.default_weight;
    const std::vector<double> offsets = values_of(morph.shapes.at(0).positions.at(p));
    for (std::size_t i = 0; i + 2 < offsets.size(); i += 3)
      target.offsets.emplace_back(offsets[i], offsets[i + 1], offsets[i + 2]);
    if (target.offsets.size() == out.positions.size()) out.morphs.push_back(std::move(target));
  }
  return out;
}

RigChannel channel_of(const Asset& asset, const Channel& from) {
  RigChannel out;
  out.node = from.node;
  out.path = from.path;
  out.interpolation = from.interpolation;
  out.times = values_of(from.times);
  out.values = values_of(from.values);
  if (is_gltf(asset.format) || from.path != ChannelPath::rotation) return out;
  std::vector<double> turns;  // FBX: Euler angles
  for (std::size_t i = 0; i + 2 < out.values.size(); i += 3) {
    const Quat q(fbx_euler({out.values[i], out.values[i + 1], out.values[i + 2]}, 0));
    turns.insert(turns.end(), {q.x(), q.y(), q.z(), q.w()});
  }
  out.values = std::move(turns);
  return out;
}

}  // namespace

Rig rig_of(const Asset& asset) {
  Rig rig;
  rig.generator = asset.generator;
  for (const Node& from : asset.nodes) {
    RigNode node;
    node.name = from.name;
    node.parent = from.parent;
    if (from.local.has_matrix || from.fbx) {
      node.matrix = from.parent_from_node;
    } else {
      node.translation = from.local.translation;
      node.rotation = from.local.rotation;
      node.scale = from.local.scale;
    }
    rig.nodes.push_back(std::move(node));
  }
  for (std::size_t m = 0; m < asset.meshes.size(); ++m) {
    RigMesh mesh;
    mesh.name = asset.meshes[m].name;
    for (std::size_t p = 0; p < asset.meshes[m].parts.size(); ++p) {
      std::int32_t table = -1;
      for (const Binding& binding : asset.bindings) {
        if (binding.mesh == static_cast<std::int32_t>(m)) table = binding.influences[p];
      }
      mesh.parts.push_back(part_of(asset, asset.meshes[m], p, table));
    }
    rig.meshes.push_back(std::move(mesh));
  }
  for (const Skin& from : asset.skins) {
    RigSkin skin;
    skin.name = from.name;
    skin.joints.assign(from.joints.begin(), from.joints.end());
    if (from.matrix_count || !from.clusters.empty()) {
      skin.joint_from_mesh.emplace();
      for (const std::optional<Mat4>& m : from.joint_from_mesh) {
        if (m) skin.joint_from_mesh->push_back(*m);
      }
    }
    rig.skins.push_back(std::move(skin));
  }
  for (const Binding& binding : asset.bindings)
    rig.instances.push_back({binding.node, binding.mesh, binding.skin});
  for (const Clip& from : asset.clips) {
    RigClip clip;
    clip.name = from.name;
    for (const Channel& channel : from.channels)
      clip.channels.push_back(channel_of(asset, channel));
    rig.clips.push_back(std::move(clip));
  }
  return rig;
}

namespace {

void write_records(const Asset& asset, const FbxWriteOptions& options, FbxTree& tree) {
  const Mat4 c = canonical_from_file(options);
  const Mat4 back = *affine_inverse(c);
  const auto numbers = [&](const Mat4& m) {
    const Mat4 stored = back * m * c;
    return std::vector<double>(stored.data(), stored.data() + 16);
  };
  std::vector<const ClusterRecord*> records;
  for (const Binding& binding : asset.bindings) {
    for (const ClusterRecord& cluster :
         asset.skins[static_cast<std::size_t>(binding.skin)].clusters)
      records.push_back(&cluster);
  }
  std::size_t next = 0;
  FbxRecord& objects = tree.at("Objects");
  for (FbxRecord* deformer : objects.all("Deformer")) {
    if (std::get<std::string>(deformer->values.at(2)) != "Cluster") continue;
    const ClusterRecord& cluster = *records.at(next++);
    deformer->remove("Transform");
    deformer->remove("TransformLink");
    if (cluster.transform) deformer->add("Transform", {numbers(*cluster.transform)});
    if (cluster.transform_link) deformer->add("TransformLink", {numbers(*cluster.transform_link)});
  }
  objects.remove("Pose");
  for (std::size_t p = 0; p < asset.bind_poses.size(); ++p) {
    const BindPose& from = asset.bind_poses[p];
    FbxRecord& pose = objects.add("Pose", {static_cast<std::int64_t>(9'000'000 + p),
                                           FbxName{from.name, "Pose"}, std::string("BindPose")});
    pose.add("Type", {std::string("BindPose")});
    pose.add("Version", {std::int32_t{100}});
    pose.add("NbPoseNodes", {static_cast<std::int32_t>(from.entries.size())});
    for (const BindPose::Entry& entry : from.entries) {
      FbxRecord& node = pose.add("PoseNode");
      node.add("Node", {fbx_model_id(entry.node)});
      node.add("Matrix", {numbers(entry.world_from_node)});
    }
  }
}

}  // namespace

Result<Asset> written_and_read(const Asset& asset) {
  const Rig rig = rig_of(asset);
  std::vector<std::byte> bytes;
  if (is_gltf(asset.format)) {
    GltfWriteOptions options;
    for (const InfluenceTable& table : asset.influences) {
      for (const InfluenceTable::Set& set : table.sets) options.weight_type = set.weights.type;
    }
    bytes = write_glb(rig, options);
  } else {
    FbxWriteOptions options;
    options.edit = [&](FbxTree& tree) { write_records(asset, options, tree); };
    bytes = write_fbx(rig, options);
  }
  const OpenCompanion none = [](const std::string&) -> Result<std::shared_ptr<const Source>> {
    ReadError error;
    error.kind = ReadError::Kind::not_found;
    return error;
  };
  return read_asset(memory_source(std::move(bytes)), none, {});
}

}  // namespace skinlint::test
