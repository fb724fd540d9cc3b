#include "skinning/vertex_trace.h"

#include <algorithm>
#include <cmath>

#include "skinning/clip_pose.h"
#include "skinning/hierarchy.h"

namespace skinlint {
namespace {

constexpr double kSingular = 1e-9;  // relative determinant below which no normal can be turned
constexpr double kDegrees = 180.0 / 3.14159265358979323846;

const Skin& skin_of(const Asset& asset, const Binding& b) {
  return asset.skins[static_cast<std::size_t>(b.skin)];
}

/// Sum of w * (f_k) + kept * f_identity: Total1 beside the evaluator's normalised sum.
struct Blend {
  SkinnedVertex vertex;
  Mat3 linear = Mat3::Zero();
  double kept = 0.0;
};

Blend blend_vertex(const PosedBinding& posed, const Vec3& v, std::span<const std::uint32_t> joints,
                   std::span<const double> weights, const ZeroWeightPolicy& policy) {
  Blend out;
  out.vertex = skin_vertex(v, joints, weights, posed.skin, policy);
  out.linear = blended_linear(joints, weights, posed.skin, policy);
  if (posed.total_one && out.vertex.state == SkinnedVertex::State::moved) {
    const double sum = out.vertex.weight_sum;
    out.kept = 1.0 - sum;
    out.vertex.position = sum * out.vertex.position + out.kept * v;
    out.linear = sum * out.linear + out.kept * Mat3::Identity();
  }
  return out;
}

bool has_positions(const MeshPart& part) {
  return part.positions.data != nullptr && part.positions.components == 3;
}

/// Calls `use` with every vertex of the binding that the pose can place.
template <class Use>
void for_each_placed(const Asset& asset, const PosedBinding& posed, const ZeroWeightPolicy& policy,
                     Use use) {
  const Binding& b = asset.bindings[posed.binding];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(b.mesh)];
  std::vector<Vec3> positions;
  for (std::size_t p = 0; p < b.influences.size() && p < mesh.parts.size(); ++p) {
    if (b.influences[p] < 0 || !has_positions(mesh.parts[p])) continue;
    const InfluenceTable& table = asset.influences[static_cast<std::size_t>(b.influences[p])];
    if (table.empty()) continue;
    const Stream& stored = mesh.parts[p].positions;
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      if (block.first_vertex >= stored.count) break;
      const std::size_t n = std::min(block.count, stored.count - block.first_vertex);
      positions.resize(n);
      read_values(stored, block.first_vertex, n, positions.front().data());
      add_morphs(mesh, p, posed.activations, block.first_vertex, positions);
      for (std::size_t i = 0; i < n; ++i) {
        const SkinnedVertex moved =
            blend_vertex(posed, positions[i], block.joints_of(i), block.weights_of(i), policy)
                .vertex;
        if (moved.state != SkinnedVertex::State::moved &&
            moved.state != SkinnedVertex::State::fell_back) {
          continue;
        }
        use(p, block.first_vertex + i, positions[i],
            transform_point(posed.world_from_mesh, moved.position));
      }
    }
  }
}

std::string joint_names(const Asset& asset, const VertexTrace& trace) {
  std::string names;
  for (const TracedInfluence& i : trace.influences) {
    if (i.normalised == 0.0 && !(i.weight != 0.0)) continue;
    if (!names.empty()) names += ", ";
    names += i.node < 0 ? "slot " + std::to_string(i.slot) : asset.node_name(i.node);
  }
  return names.empty() ? "none" : names;
}

/// Position in the corner list of the first corner at a vertex; also which polygon it is of.
struct Corner {
  std::size_t corner = 0, polygon = 0;
};
std::optional<Corner> first_corner(const MeshPart& part, std::size_t vertex) {
  if (part.mode != -1 || part.indices.data == nullptr) return std::nullopt;
  constexpr std::size_t kBlock = 1024;
  std::vector<double> values(kBlock);
  std::size_t polygon = 0;
  for (std::size_t begin = 0; begin < part.indices.count; begin += kBlock) {
    const std::size_t n = std::min(kBlock, part.indices.count - begin);
    read_values(part.indices, begin, n, values.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double index = values[i] < 0.0 ? -values[i] - 1.0 : values[i];  // ~index ends one
      if (index == static_cast<double>(vertex)) return Corner{begin + i, polygon};
      if (values[i] < 0.0) ++polygon;
    }
  }
  return std::nullopt;
}

/// The vertex's normal as its mesh space has it; FBX may keep one per corner: the first counts.
std::optional<TracedNormal> find_normal(const Asset& asset, const MeshPart& part,
                                        std::size_t vertex) {
  TracedNormal normal;
  if (part.normals.data != nullptr && part.normals.components == 3 && vertex < part.normals.count) {
    read_values(part.normals, vertex, 1, normal.stored.data());
    normal.source = "vertex";
    return normal;
  }
  const ListedNormals& listed = part.listed_normals;
  if (listed.values.data == nullptr || listed.values.components != 3) return std::nullopt;
  std::size_t at = vertex;
  normal.source = "vertex";
  if (listed.per == ListedNormals::Per::corner || listed.per == ListedNormals::Per::polygon) {
    const std::optional<Corner> corner = first_corner(part, vertex);
    if (!corner) return std::nullopt;
    at = listed.per == ListedNormals::Per::corner ? corner->corner : corner->polygon;
    normal.source = listed.per == ListedNormals::Per::corner
                        ? "corner " + std::to_string(at) + ", the first at this vertex"
                        : "polygon " + std::to_string(at) + ", the first at this vertex";
  } else if (listed.per == ListedNormals::Per::mesh) {
    at = 0;
    normal.source = "mesh";
  } else if (listed.per != ListedNormals::Per::vertex) {
    return std::nullopt;
  }
  if (listed.indices.declared()) {
    if (listed.indices.data == nullptr || at >= listed.indices.count) return std::nullopt;
    double index = -1.0;
    read_values(listed.indices, at, 1, &index);
    if (!(index >= 0.0) || index >= static_cast<double>(listed.values.count)) return std::nullopt;
    at = static_cast<std::size_t>(index);
  }
  if (at >= listed.values.count) return std::nullopt;
  Vec3 stored;
  read_values(listed.values, at, 1, stored.data());
  // As stored: the file's axes. A direction takes the axes of the change and not its unit.
  const Mat3 change = linear(asset.canonical_from_file);
  const double unit = std::cbrt(std::abs(change.determinant()));
  normal.stored = unit > 0.0 ? Vec3(change / unit * stored) : stored;
  return normal;
}

std::optional<Vec3> unit(const Vec3& v) {
  const double length = v.norm();
  if (!(length > 0.0) || !std::isfinite(length)) return std::nullopt;
  return Vec3(v / length);
}

void turn_normal(const PosedBinding& posed, const VertexTrace& trace, TracedNormal& normal) {
  normal.by_inverse_transpose = skin_normal(normal.stored, trace.linear);
  normal.by_linear = unit(trace.linear * normal.stored);
  if (normal.by_inverse_transpose && normal.by_linear) {
    const Vec3& a = *normal.by_inverse_transpose;
    const Vec3& b = *normal.by_linear;
    normal.angle_deg = std::atan2(a.cross(b).norm(), a.dot(b)) * kDegrees;
  }
  if (normal.by_inverse_transpose)
    normal.world = skin_normal(*normal.by_inverse_transpose, linear(posed.world_from_mesh));
}

void name_problems(const Asset& asset, VertexTrace& trace) {
  const std::string who = "vertex " + std::to_string(trace.index);
  const std::string joints = "joints: " + joint_names(asset, trace);
  switch (trace.state) {
    case SkinnedVertex::State::rejected:
      trace.problems.push_back(who + " has no weight to go by (" + joints +
                               "): nothing binds it, and no fallback joint is named");
      return;
    case SkinnedVertex::State::not_finite:
      trace.problems.push_back(who + " cannot be evaluated (" + joints +
                               "): a position, weight or matrix is negative, not finite, singular "
                               "or missing");
      return;
    case SkinnedVertex::State::moved:
    case SkinnedVertex::State::fell_back:
      break;
  }
  const auto singular = [](const Mat3& m) { return !(relative_determinant(m) >= kSingular); };
  if (singular(trace.linear)) {
    trace.problems.push_back("L of " + who + " is singular (" + joints +
                             "): its surroundings are crushed flat and no normal can be turned");
  } else if (singular(trace.jacobian)) {
    trace.problems.push_back("J = (M_model)_3 L of " + who + " is singular (" + joints + ")");
  }
}

}  // namespace

std::vector<Mat4> world_in_pose(const Asset& asset, const PoseChoice& pose) {
  if (pose.kind != PoseChoice::Kind::clip) return world_from_nodes(asset);
  return world_at_time(asset, asset.clips[static_cast<std::size_t>(pose.clip)], pose.seconds);
}

PosedBinding pose_binding(const Asset& asset, std::size_t binding, const BindAnalysis& bind,
                          const PoseChoice& pose) {
  PosedBinding out;
  out.binding = binding;
  const Binding& b = asset.bindings[binding];
  const Skin& skin = skin_of(asset, b);
  const bool gltf = !is_fbx(asset.format);
  const Clip* clip = pose.kind == PoseChoice::Kind::clip
                         ? &asset.clips[static_cast<std::size_t>(pose.clip)]
                         : nullptr;
  const std::vector<Mat4> world = world_in_pose(asset, pose);
  out.activations =
      clip != nullptr ? morph_activations_at_time(asset, b, *clip, pose.seconds) : b.morph_weights;
  if (clip != nullptr) {
    for (const std::string& left : clip->left_out)
      out.notes.push_back("the clip is evaluated without " + left);
  }
  if (b.node >= 0) out.world_from_node = world[static_cast<std::size_t>(b.node)];
  if (bind.state == BindState::unknown) {
    out.notes.push_back("the bind space is not known (" + bind.unknown_because +
                        "); the identity stands for it");
  } else {
    out.world_from_mesh_bound = bind.consensus;
    if (bind.no_consensus)
      out.notes.push_back("the joints agree on no bind space; displacement means little");
  }
  const bool at_bind = pose.kind == PoseChoice::Kind::bind;
  out.world_from_mesh = gltf || at_bind ? out.world_from_mesh_bound
                                        : Mat4(out.world_from_node * b.node_from_geometry);
  std::optional<Mat4> mesh_from_world = affine_inverse(out.world_from_mesh);
  if (!mesh_from_world) {
    out.problems.push_back(
        "M_model (world_from_mesh) is singular or not finite; the chain is shown in world space");
    out.world_from_mesh = Mat4::Identity();
    mesh_from_world = Mat4::Identity();
  }
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t node = skin.joints[slot];
    const Mat4 joint_from_mesh = skin.joint_from_mesh[slot].value_or(Mat4::Identity());
    const std::optional<Mat4> mesh_from_joint = affine_inverse(joint_from_mesh);
    // glTF: no matrix means the identity. FBX: a cluster without one says nothing.
    bool usable = node >= 0 && (gltf || skin.joint_from_mesh[slot]) && joint_from_mesh.allFinite();
    Mat4 joint = node >= 0 ? world[static_cast<std::size_t>(node)] : Mat4(Mat4::Identity());
    if (at_bind) {
      const bool linked = slot < skin.clusters.size() && skin.clusters[slot].transform_link;
      if (linked) {
        joint = *skin.clusters[slot].transform_link;
      } else if (mesh_from_joint) {
        joint = out.world_from_mesh * *mesh_from_joint;
      } else {
        usable = false;
      }
    }
    usable = usable && joint.allFinite();
    out.world_from_joint.push_back(joint);
    out.mesh_from_posed_joint.push_back(*mesh_from_world * joint);
    out.skin.world_from_mesh.push_back(*mesh_from_world * joint * joint_from_mesh);
    out.skin.usable.push_back(usable);
  }
  if (!skin.clusters.empty() && skin.clusters.front().mode == LinkMode::total_one) {
    out.total_one = true;
    out.notes.push_back("link mode Total1: what the weights leave of 1 stays at v");
  } else if (!skin.clusters.empty() && skin.clusters.front().mode == LinkMode::additive) {
    out.notes.push_back("link mode Additive is not evaluated; weights are normalised");
  }
  if (skin.method == SkinningMethod::dual_quaternion || skin.method == SkinningMethod::blend) {
    out.notes.push_back("the skin asks for " + std::string(skinning_method_name(skin.method)) +
                        "; the chain shown is the linear blend");
  }
  return out;
}

VertexTrace trace_vertex(const Asset& asset, const PosedBinding& posed, std::size_t part,
                         std::size_t vertex, const ZeroWeightPolicy& policy) {
  VertexTrace out;
  out.part = part;
  out.vertex = vertex;
  const Binding& b = asset.bindings[posed.binding];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(b.mesh)];
  const Skin& skin = skin_of(asset, b);
  const MeshPart& p = mesh.parts[part];
  out.index = vertex;
  for (std::size_t k = 0; k < part; ++k) out.index += mesh.parts[k].vertex_count;
  out.stored = Vec3::Constant(std::nan(""));
  if (has_positions(p) && vertex < p.positions.count)
    read_values(p.positions, vertex, 1, out.stored.data());
  out.morphed = out.stored;
  std::vector<double> single(posed.activations.size(), 0.0);
  for (std::size_t t = 0; t < posed.activations.size(); ++t) {
    // One target at a time, so that each offset is seen; together they add up.
    single[t] = posed.activations[t];
    Vec3 offset = Vec3::Zero();
    add_morphs(mesh, part, single, vertex, std::span<Vec3>(&offset, 1));
    single[t] = 0.0;
    if (!offset.isZero(0.0)) out.morphs.push_back({t, posed.activations[t], offset});
    out.morphed += offset;
  }
  InfluenceReader reader(asset.influences[static_cast<std::size_t>(b.influences[part])]);
  const InfluenceBlock block = reader.at(vertex);
  const std::span<const std::uint32_t> joints = block.joints_of(0);
  const std::span<const double> weights = block.weights_of(0);
  const Blend blended = blend_vertex(posed, out.morphed, joints, weights, policy);
  out.state = blended.vertex.state;
  out.weight_sum = blended.vertex.weight_sum;
  if (!std::isfinite(out.weight_sum)) {  // the evaluator gives up; the sum is still a fact
    out.weight_sum = 0.0;
    for (const double w : weights) out.weight_sum += w;
  }
  out.kept = blended.kept;
  const auto add = [&](std::uint32_t slot, double weight, double normalised, bool is_fallback) {
    TracedInfluence i;
    i.slot = slot;
    i.weight = weight;
    i.normalised = normalised;
    i.is_fallback = is_fallback;
    i.moved = Vec3::Constant(std::nan(""));
    if (slot < skin.joints.size()) {
      i.node = skin.joints[slot];
      i.usable = posed.skin.usable[slot];
      i.joint_from_mesh = skin.joint_from_mesh[slot];
      if (!i.joint_from_mesh && is_gltf(asset.format)) i.joint_from_mesh = Mat4::Identity();
      if (i.joint_from_mesh) i.mesh_from_joint = affine_inverse(*i.joint_from_mesh);
      i.world_from_joint = posed.world_from_joint[slot];
      i.mesh_from_posed_joint = posed.mesh_from_posed_joint[slot];
      i.skin = posed.skin.world_from_mesh[slot];
      if (i.usable) i.moved = transform_point(i.skin, out.morphed);
    }
    out.influences.push_back(i);
  };
  const bool explicit_entries =
      asset.influences[static_cast<std::size_t>(b.influences[part])].entries_explicit;
  const bool fell_back = out.state == SkinnedVertex::State::fell_back;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    // Attribute sets always have slots; an empty one says nothing.
    if (weights[k] == 0.0 && !explicit_entries) continue;
    double normalised = std::nan("");
    if (out.state == SkinnedVertex::State::moved)
      normalised = posed.total_one ? weights[k] : weights[k] / out.weight_sum;
    add(joints[k], weights[k], fell_back ? 0.0 : normalised, false);
  }
  if (fell_back) add(static_cast<std::uint32_t>(policy.fallback_slot), 0.0, 1.0, true);
  const bool placed = out.state == SkinnedVertex::State::moved || fell_back;
  out.position = placed ? blended.vertex.position : Vec3(Vec3::Constant(std::nan("")));
  out.world = transform_point(posed.world_from_mesh, out.position);
  out.world_bound = transform_point(posed.world_from_mesh_bound, out.morphed);
  out.displacement = (out.world - out.world_bound).norm();
  out.linear = placed ? blended.linear : Mat3(Mat3::Constant(std::nan("")));
  out.determinant = out.linear.determinant();
  out.condition = condition_number(out.linear);
  out.jacobian = linear(posed.world_from_mesh) * out.linear;
  out.jacobian_determinant = out.jacobian.determinant();
  out.normal = find_normal(asset, p, vertex);
  if (out.normal && placed) turn_normal(posed, out, *out.normal);
  name_problems(asset, out);
  return out;
}

std::optional<FoundVertex> worst_vertex(const Asset& asset, const PosedBinding& posed,
                                        const ZeroWeightPolicy& policy) {
  std::optional<FoundVertex> found;
  for_each_placed(asset, posed, policy,
                  [&](std::size_t part, std::size_t vertex, const Vec3& v, const Vec3& world) {
                    const double moved =
                        (world - transform_point(posed.world_from_mesh_bound, v)).norm();
                    if (std::isfinite(moved) && (!found || moved > found->distance))
                      found = FoundVertex{part, vertex, moved};
                  });
  return found;
}

std::optional<FoundVertex> nearest_vertex(const Asset& asset, const PosedBinding& posed,
                                          const ZeroWeightPolicy& policy, const Vec3& world) {
  std::optional<FoundVertex> found;
  for_each_placed(asset, posed, policy,
                  [&](std::size_t part, std::size_t vertex, const Vec3&, const Vec3& placed) {
                    const double away = (placed - world).norm();
                    if (std::isfinite(away) && (!found || away < found->distance))
                      found = FoundVertex{part, vertex, away};
                  });
  return found;
}

}  // namespace skinlint
