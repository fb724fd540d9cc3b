// Skin deformers and clusters into skins, influences and bindings; poses into bind poses.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "readers/fbx_build.h"

namespace skinlint::fbx {

namespace {

// One mesh shown by many nodes and moved by many skins multiplies; no real rig comes near.
constexpr std::size_t kMaxBindings = 10'000;

/// A cluster's record, or a "Link" inside a model of a file older than 6.0.
struct ClusterSource {
  Record record;
  std::int32_t object = kNothing;
  std::int32_t bone = kNothing;  // object
  std::string name;
};

struct SkinSource {
  std::int32_t object = kNothing;  // the deformer, or the legacy model
  std::vector<ClusterSource> clusters;
  std::vector<std::int32_t> meshes;
};

std::optional<Mat4> read_matrix(const Build& b, const Record& owner, std::string_view name) {
  Record record;
  if (!b.records.child(owner, name, record)) return std::nullopt;
  std::vector<double> values;
  if (!b.records.read_doubles(record, values)) return std::nullopt;
  if (values.size() != 16) {
    b.records.note_damage(record.offset, Repair::Kind::count_mismatch,
                          "the matrix \"" + std::string(name) + "\" has " +
                              std::to_string(values.size()) + " numbers instead of 16");
    return std::nullopt;
  }
  // FBX writes row vectors' matrices row by row: column vectors' matrices column by column.
  return Eigen::Map<const Mat4>(values.data());
}

std::optional<Mat4> converted(const Build& b, const std::optional<Mat4>& m) {
  return m ? std::optional<Mat4>(b.converted(*m)) : m;
}

LinkMode link_mode(std::string_view word) {
  if (word == "Additive") return LinkMode::additive;
  if (word == "Total1" || word == "TotalOne") return LinkMode::total_one;
  return LinkMode::normalize;
}

SkinningMethod skinning_method(std::string_view word) {
  if (word == "Rigid") return SkinningMethod::rigid;
  if (word == "DualQuaternion") return SkinningMethod::dual_quaternion;
  if (word == "Blend") return SkinningMethod::blend;
  return SkinningMethod::linear;
}

/// Control-point indices of a cluster; entries beyond the mesh are counted and dropped by `fill`.
struct ClusterIndices {
  NumberArray numbers;
  bool readable = false;
  std::int64_t at(std::size_t k) const {
    std::int32_t v = 0;
    std::memcpy(&v, numbers.data.get() + k * sizeof(v), sizeof(v));
    return v;
  }
};

/// Influences of one skin on one mesh: lists per vertex, entries in cluster order. `unreadable`
/// marks clusters to leave out; false when more turn out to be unreadable, all of which are marked.
bool fill_influences(Build& b, const SkinSource& source, Skin& skin, std::size_t vertex_count,
                     std::vector<bool>& unreadable, InfluenceTable& table) {
  table = {};
  table.vertex_count = vertex_count;
  table.entries_explicit = true;
  table.first.assign(vertex_count + 1, 0);
  std::vector<ClusterIndices> indices(source.clusters.size());
  for (std::size_t slot = 0; slot < source.clusters.size(); ++slot) {
    const Record& cluster = source.clusters[slot].record;
    ClusterRecord& evidence = skin.clusters[slot];
    Record record, weights;
    const bool has_indices = b.records.child(cluster, "Indexes", record);
    const bool has_weights = b.records.child(cluster, "Weights", weights);
    evidence.index_count = has_indices ? b.records.array_length(record) : 0;
    evidence.weight_count = has_weights ? b.records.array_length(weights) : 0;
    if (!has_indices || !has_weights || evidence.index_count == 0 || unreadable[slot]) continue;
    ClusterIndices& mine = indices[slot];
    mine.readable = b.records.read_numbers(record, ComponentType::i32, mine.numbers);
    if (!mine.readable) continue;
    const std::size_t pairs = std::min<std::size_t>(mine.numbers.count, evidence.weight_count);
    for (std::size_t k = 0; k < pairs; ++k) {
      const std::int64_t vertex = mine.at(k);
      if (vertex >= 0 && static_cast<std::uint64_t>(vertex) < vertex_count) {
        ++table.first[static_cast<std::size_t>(vertex) + 1];
      }
    }
  }
  for (std::size_t v = 0; v < vertex_count; ++v) table.first[v + 1] += table.first[v];
  table.joint.resize(table.first.back());
  table.weight.resize(table.first.back());
  std::vector<std::uint32_t> next(table.first.begin(), table.first.end() - 1);
  bool complete = true;
  for (std::size_t slot = 0; slot < source.clusters.size(); ++slot) {
    ClusterIndices& mine = indices[slot];
    if (!mine.readable) continue;
    ClusterRecord& evidence = skin.clusters[slot];
    evidence.out_of_range = evidence.out_of_range_weighted = 0;
    Record record;
    NumberArray weights;
    if (!b.records.child(source.clusters[slot].record, "Weights", record) ||
        !b.records.read_numbers(record, ComponentType::f64, weights)) {
      unreadable[slot] = true;
      complete = false;  // its places are counted; on, to find the others in the same pass
      continue;
    }
    const std::size_t pairs = std::min(mine.numbers.count, weights.count);
    for (std::size_t k = 0; k < pairs; ++k) {
      double w = 0.0;
      std::memcpy(&w, weights.data.get() + k * sizeof(w), sizeof(w));
      const std::int64_t vertex = mine.at(k);
      if (vertex < 0 || static_cast<std::uint64_t>(vertex) >= vertex_count) {
        ++evidence.out_of_range;
        if (w != 0.0) ++evidence.out_of_range_weighted;
        // Farthest out: the most negative, else the largest.
        const bool worse = vertex < 0 ? vertex < std::min<std::int64_t>(evidence.worst_index, 0)
                                      : evidence.worst_index >= 0 && vertex > evidence.worst_index;
        if (worse || evidence.out_of_range == 1) evidence.worst_index = vertex;
        continue;
      }
      const std::size_t entry = next[static_cast<std::size_t>(vertex)]++;
      table.joint[entry] = static_cast<std::uint32_t>(slot);
      table.weight[entry] = w;
    }
    mine = {};
  }
  return complete;
}

/// World of every node in the first bind pose that has it; null where none does.
std::vector<const Mat4*> bind_pose_worlds(const Asset& asset) {
  std::vector<const Mat4*> worlds(asset.nodes.size(), nullptr);
  for (const BindPose& pose : asset.bind_poses) {
    for (const BindPose::Entry& entry : pose.entries) {
      if (entry.node < 0) continue;
      const Mat4*& world = worlds[static_cast<std::size_t>(entry.node)];
      if (world == nullptr) world = &entry.world_from_node;
    }
  }
  return worlds;
}

/// A cluster without its matrices, completed from the bind pose. True when something was taken.
bool complete_from_bind_pose(const Mat4* world_from_bone, const Mat4* world_from_mesh_node,
                             ClusterRecord& cluster) {
  if (!cluster.transform_link && world_from_bone != nullptr) {
    cluster.transform_link = *world_from_bone;
    cluster.from_bind_pose = true;
  }
  if (!cluster.transform && cluster.transform_link && world_from_mesh_node != nullptr) {
    if (const std::optional<Mat4> bone_from_world = affine_inverse(*cluster.transform_link)) {
      cluster.transform = *bone_from_world * *world_from_mesh_node;
      cluster.from_bind_pose = true;
    }
  }
  return cluster.from_bind_pose;
}

std::vector<SkinSource> find_skins(Build& b) {
  std::vector<SkinSource> skins;
  std::vector<bool> used(b.graph.objects().size(), false);
  std::uint64_t shared = 0;
  const auto& objects = b.graph.objects();
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const auto position = static_cast<std::int32_t>(k);
    if (objects[k].type == ObjectClass::skin) {
      SkinSource skin;
      skin.object = position;
      for (const Connection& c : b.graph.into(position)) {
        if (b.type(c.source) != ObjectClass::cluster) continue;
        if (used[static_cast<std::size_t>(c.source)]) {
          ++shared;
          continue;
        }
        used[static_cast<std::size_t>(c.source)] = true;
        ClusterSource cluster{b.object(c.source).record, c.source, kNothing, b.name(c.source)};
        for (const Connection& d : b.graph.into(c.source)) {
          if (b.type(d.source) == ObjectClass::model) {
            cluster.bone = d.source;
            break;
          }
        }
        skin.clusters.push_back(std::move(cluster));
      }
      for (const Connection& c : b.graph.out_of(position)) {
        if (c.destination < 0) continue;
        const std::int32_t mesh = b.mesh_of[static_cast<std::size_t>(c.destination)];
        if (mesh >= 0) skin.meshes.push_back(mesh);
      }
      skins.push_back(std::move(skin));
    } else if (b.mesh_of[k] >= 0 && objects[k].type == ObjectClass::model &&
               b.records.version() < 6000) {
      SkinSource skin;
      skin.object = position;
      Children walk = b.records.children(objects[k].record);
      Record link;
      while (walk.next(link)) {
        if (link.name != "Link") continue;
        const std::string_view bone = b.records.value(link).text;
        ClusterSource cluster{link, kNothing, b.graph.find(b.records.value(link)),
                              display_name(split_name(bone).name, b.records.binary())};
        if (cluster.bone < 0) cluster.bone = b.graph.find_model(split_name(bone).name);
        skin.clusters.push_back(std::move(cluster));
      }
      skin.meshes.push_back(b.mesh_of[k]);
      if (!skin.clusters.empty()) skins.push_back(std::move(skin));
    }
  }
  if (shared != 0) {
    b.repair(Repair::Kind::duplicate, true, {}, shared,
             "clusters are connected to more than one skin; the first was kept");
  }
  return skins;
}

}  // namespace

void build_skins(Build& b) {
  // Every skin needs a table over all control points of its mesh. Beyond one per mesh that is
  // memory which the file only claims.
  std::uint64_t allowance = b.options.limits.max_implied_bytes + b.position_bytes;
  b.skin_of.assign(b.graph.objects().size(), -1);
  b.joint_of.assign(b.graph.objects().size(), -1);
  std::uint64_t refused = 0;
  std::int32_t first_refused = -1;
  const std::vector<const Mat4*> bind_world = bind_pose_worlds(b.asset);
  const auto bind_world_of = [&](std::int32_t node) {
    return node < 0 ? nullptr : bind_world[static_cast<std::size_t>(node)];
  };
  for (const SkinSource& source : find_skins(b)) {
    const auto position = static_cast<std::int32_t>(b.asset.skins.size());
    b.skin_of[static_cast<std::size_t>(source.object)] = position;
    Skin skin;
    const Object& object = b.object(source.object);
    skin.id = object.id;
    skin.name = b.name(source.object);
    Record record;
    if (b.records.child(object.record, "SkinningType", record)) {
      skin.method = skinning_method(b.records.value(record).text);
    }
    Mat4 geometric = Mat4::Identity();
    std::int32_t mesh_node = -1;
    for (const std::int32_t mesh : source.meshes) {
      const auto& nodes = b.nodes_of_mesh[static_cast<std::size_t>(mesh)];
      if (nodes.empty()) continue;
      mesh_node = nodes.front();
      geometric = b.converted(
          fbx_geometric_matrix(*b.asset.nodes[static_cast<std::size_t>(mesh_node)].fbx));
      break;
    }
    std::uint64_t matrices = 0, completed = 0;
    for (const ClusterSource& cluster : source.clusters) {
      if (cluster.object >= 0) {
        b.skin_of[static_cast<std::size_t>(cluster.object)] = position;
        b.joint_of[static_cast<std::size_t>(cluster.object)] =
            static_cast<std::int32_t>(skin.joints.size());
      }
      const std::int32_t bone =
          cluster.bone < 0 ? -1 : b.node_of[static_cast<std::size_t>(cluster.bone)];
      skin.joints.push_back(bone);
      skin.joint_ids.push_back(cluster.bone < 0 ? 0 : b.object(cluster.bone).id);
      if (bone >= 0) b.asset.nodes[static_cast<std::size_t>(bone)].is_joint = true;
      ClusterRecord evidence;
      evidence.id = cluster.object < 0 ? 0 : b.object(cluster.object).id;
      evidence.name = cluster.name;
      evidence.transform = converted(b, read_matrix(b, cluster.record, "Transform"));
      if (evidence.transform) ++matrices;
      evidence.transform_link = converted(b, read_matrix(b, cluster.record, "TransformLink"));
      evidence.transform_associate =
          converted(b, read_matrix(b, cluster.record, "TransformAssociateModel"));
      if (b.records.child(cluster.record, "Mode", record)) {
        evidence.mode = link_mode(b.records.value(record).text);
      }
      if (complete_from_bind_pose(bind_world_of(bone), bind_world_of(mesh_node), evidence)) {
        ++completed;
      }
      if (evidence.transform) {
        skin.joint_from_mesh.push_back(*evidence.transform * geometric);
      } else {
        skin.joint_from_mesh.emplace_back();
      }
      skin.clusters.push_back(std::move(evidence));
    }
    skin.matrix_count = matrices;
    if (completed != 0) {
      b.repair(Repair::Kind::defaulted, false, {ElementKind::skin, position, 0}, completed,
               "clusters store no bind matrix; it was taken from the bind pose");
    }
    for (const std::int32_t mesh : source.meshes) {
      const MeshPart& part = b.asset.meshes[static_cast<std::size_t>(mesh)].parts.front();
      const auto table = static_cast<std::int32_t>(b.asset.influences.size());
      b.asset.influences.emplace_back();
      const std::uint64_t needed =
          (std::uint64_t{part.vertex_count} + 1) * 2 * sizeof(std::uint32_t);
      if (needed > allowance || b.asset.bindings.size() > kMaxBindings) {
        if (refused++ == 0) first_refused = position;
        continue;
      }
      allowance -= needed;
      std::vector<bool> unreadable(source.clusters.size(), false);
      while (!fill_influences(b, source, skin, part.vertex_count, unreadable,
                              b.asset.influences.back())) {
      }
      for (const std::int32_t node : b.nodes_of_mesh[static_cast<std::size_t>(mesh)]) {
        Node& shown_by = b.asset.nodes[static_cast<std::size_t>(node)];
        Binding binding;
        binding.node = node;
        binding.mesh = mesh;
        binding.skin = position;
        binding.influences.push_back(table);
        binding.node_from_geometry = b.converted(fbx_geometric_matrix(*shown_by.fbx));
        if (b.asset.bindings.size() > kMaxBindings) break;
        for (const MorphTarget& morph : b.asset.meshes[static_cast<std::size_t>(mesh)].morphs) {
          binding.morph_weights.push_back(morph.default_weight);
        }
        if (shown_by.skin < 0) shown_by.skin = position;
        b.asset.bindings.push_back(std::move(binding));
      }
    }
    b.asset.skins.push_back(std::move(skin));
  }
  if (refused != 0) {
    b.repair(Repair::Kind::limit, true, {ElementKind::skin, first_refused, 0}, refused,
             "skins' influences need more memory than the limit allows and were left out");
  }
}

void build_bind_poses(Build& b) {
  const auto& objects = b.graph.objects();
  for (const Object& object : objects) {
    if (object.type != ObjectClass::pose) continue;
    Record record;
    std::string_view type = object.subclass;
    if (b.records.child(object.record, "Type", record)) type = b.records.value(record).text;
    if (type != "BindPose") continue;
    BindPose pose;
    pose.id = object.id;
    pose.name = display_name(object.name, b.records.binary());
    Children walk = b.records.children(object.record);
    while (walk.next(record)) {
      if (record.name == "NbPoseNodes") {
        pose.declared_count = b.records.value(record).as_int64();
      }
      if (record.name != "PoseNode") continue;
      Record named;
      BindPose::Entry entry;
      if (b.records.child(record, "Node", named)) {
        const Value v = b.records.value(named);
        const std::int32_t model = b.graph.find(v);
        if (model >= 0) {
          entry.node = b.node_of[static_cast<std::size_t>(model)];
          entry.node_id = b.object(model).id;
        } else if (!b.graph.by_name()) {
          entry.node_id = v.as_int64().value_or(0);
        }
      }
      const std::optional<Mat4> matrix = read_matrix(b, record, "Matrix");
      if (!matrix) {
        b.repair(Repair::Kind::missing_data, true,
                 {ElementKind::bind_pose, static_cast<std::int32_t>(b.asset.bind_poses.size()), 0},
                 1, "an entry of the pose has no readable matrix and was left out");
        continue;
      }
      entry.world_from_node = b.converted(*matrix);
      pose.entries.push_back(entry);
    }
    b.asset.bind_poses.push_back(std::move(pose));
  }
}

}  // namespace skinlint::fbx
