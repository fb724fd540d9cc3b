#include "skinning/mesh_evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skinning/blend_kernel.h"

namespace skinlint {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Skin& skin_of(const Asset& asset, std::size_t binding) {
  return asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
}

bool has_vectors(const Stream& stream, std::size_t count) {
  return stream.declared() && stream.data != nullptr && stream.components == 3 &&
         stream.count >= count;
}

/// The heaviest `most` influences, in the order in which they are stored.
void keep_heaviest(std::size_t most, std::vector<std::uint32_t>& joints,
                   std::vector<double>& weights) {
  if (weights.size() <= most) return;
  std::vector<double> sorted(weights);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most) - 1,
                   sorted.end(), std::greater<>());
  const double least = sorted[most - 1];
  std::size_t kept = 0;
  std::size_t ties =
      most - static_cast<std::size_t>(std::count_if(weights.begin(), weights.end(),
                                                    [&](double w) { return w > least; }));
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] < least || (weights[k] == least && ties == 0)) continue;
    if (weights[k] == least) --ties;
    joints[kept] = joints[k];
    weights[kept++] = weights[k];
  }
  joints.resize(kept);
  weights.resize(kept);
}

}  // namespace

std::optional<Mat4> stored_joint_from_mesh(const Skin& skin, std::size_t slot) {
  // glTF 2.0 section 3.7.3.1: no inverseBindMatrices means identity for all.
  if (!skin.matrix_count && skin.clusters.empty()) return Mat4(Mat4::Identity());
  return slot < skin.joint_from_mesh.size() ? skin.joint_from_mesh[slot] : std::nullopt;
}

SkinMatrices skin_matrices(const Asset& asset, std::size_t binding,
                           const std::vector<Mat4>& world_from_node) {
  const Skin& skin = skin_of(asset, binding);
  SkinMatrices out;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t node = skin.joints[slot];
    const std::optional<Mat4> stored = stored_joint_from_mesh(skin, slot);
    const Mat4 m = node >= 0 && stored
                       ? Mat4(world_from_node[static_cast<std::size_t>(node)] * *stored)
                       : Mat4(Mat4::Identity());
    out.world_from_mesh.push_back(m);
    out.usable.push_back(node >= 0 && stored && is_finite(m));
  }
  return out;
}

SkinMatrices bind_pose_matrices(const Asset& asset, std::size_t binding, const Mat4& bind) {
  const Skin& skin = skin_of(asset, binding);
  SkinMatrices out;
  out.world_from_mesh.assign(skin.joints.size(), bind);
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot)
    out.usable.push_back(skin.joints[slot] >= 0 && is_finite(bind));
  return out;
}

MeshPose mesh_pose(const Asset& asset, std::size_t binding, SkinMatrices skin, const Mat4& bind,
                   std::vector<double> morphs) {
  MeshPose pose;
  pose.bind = bind;
  pose.morphs = std::move(morphs);
  const Skin& rig = skin_of(asset, binding);
  for (std::size_t slot = 0; slot < skin.world_from_mesh.size(); ++slot) {
    const std::optional<Mat4> stored = stored_joint_from_mesh(rig, slot);
    const std::optional<Mat4> mesh_from_joint = stored ? affine_inverse(*stored) : std::nullopt;
    pose.pivots.push_back(
        transform_point(bind, mesh_from_joint ? translation(*mesh_from_joint) : Vec3::Zero()));
  }
  pose.skin = std::move(skin);
  return pose;
}

/// Vertices [first, first + count) of a part: where they are stored and what moves them.
struct MeshEvaluator::Block {
  InfluenceBlock influences;
  const Vec3* positions = nullptr;  // mesh space, morphs added unless after skinning
  const Vec3* offsets = nullptr;    // morph offsets to add after skinning; null: none
  const double* normals = nullptr;  // three per vertex; null: none
};

MeshEvaluator::MeshEvaluator(const Asset& asset, std::size_t binding, const MeshPose& pose,
                             const EvaluateOptions& options)
    : asset_(asset),
      binding_(asset.bindings[binding]),
      pose_(pose),
      options_(options),
      method_(options.method.value_or(skin_of(asset, binding).method)) {
  all_usable_ =
      std::all_of(pose.skin.usable.begin(), pose.skin.usable.end(), [](bool u) { return u; });
  if (method_ == SkinningMethod::blend) shares_ = options_.quaternion_shares;
  for (const Mat4& m : pose.skin.world_from_mesh) matrices_.emplace_back(m.topRows<3>());
  quaternions_ = method_ == SkinningMethod::dual_quaternion || !shares_.empty();
  if (!quaternions_) return;
  const std::optional<Mat4> mesh_from_world = affine_inverse(pose.bind);
  for (std::size_t slot = 0; slot < pose.skin.world_from_mesh.size(); ++slot) {
    motions_.push_back(
        mesh_from_world && pose.skin.usable[slot]
            ? split_rigid(pose.skin.world_from_mesh[slot] * *mesh_from_world, pose.pivots[slot])
            : RigidAndStretch{});
  }
}

double MeshEvaluator::share_of(std::size_t vertex) const {
  if (method_ == SkinningMethod::dual_quaternion) return 1.0;
  return vertex < shares_.size() ? static_cast<double>(std::clamp(shares_[vertex], 0.0F, 1.0F))
                                 : 0.0;
}

/// Nothing in the block needs a decision per vertex: the plain sum is right.
bool MeshEvaluator::is_clean(const Block& block) const {
  if (!all_usable_ || quaternions_ || options_.max_influences != 0 || options_.normals ||
      block.offsets != nullptr) {
    return false;
  }
  const InfluenceBlock& b = block.influences;
  const std::size_t begin = b.offsets != nullptr ? b.offsets[0] - b.base : 0;
  const std::size_t end = b.offsets != nullptr ? b.offsets[b.count] - b.base : b.count * b.width;
  std::uint32_t joint = 0;
  double least = 0.0, sum = 0.0;
  for (std::size_t k = begin; k < end; ++k) {
    joint = std::max(joint, b.joints[k]);
    least = std::min(least, b.weights[k]);
    sum += b.weights[k];  // NaN and infinity stay visible
  }
  return joint < pose_.skin.world_from_mesh.size() && least >= 0.0 && std::isfinite(sum);
}

void MeshEvaluator::skin_linear(const Block& block, PosedPart& out) const {
  const InfluenceBlock& b = block.influences;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::span<const std::uint32_t> joints = b.joints_of(i);
    const std::span<const double> weights = b.weights_of(i);
    double sum = 0.0;
    const skin_detail::Affine<double> m = skin_detail::blend_matrices(
        joints.data(), weights.data(), weights.size(), matrices_.data(), sum);
    const Vec3& v = block.positions[i];
    if (sum > options_.zero_weight.eps && std::isfinite(v.sum())) {
      out.positions[b.first_vertex + i] = skin_detail::blended_point(m, sum, v);
      continue;
    }
    const SkinnedVertex slow = skin_vertex(v, joints, weights, pose_.skin, options_.zero_weight);
    if (slow.state == SkinnedVertex::State::fell_back) {
      ++out.fell_back;
      out.positions[b.first_vertex + i] = slow.position;
    } else {
      ++(slow.state == SkinnedVertex::State::rejected ? out.rejected : out.not_finite);
    }
  }
}

void MeshEvaluator::skin_checked(const Block& block, PosedPart& out) const {
  const InfluenceBlock& b = block.influences;
  std::vector<std::uint32_t> joints;
  std::vector<double> weights;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t vertex = b.first_vertex + i;
    joints.clear();
    weights.clear();
    bool valid = true;
    for (std::size_t k = 0; k < b.weights_of(i).size(); ++k) {
      const double w = b.weights_of(i)[k];
      const std::uint32_t joint = b.joints_of(i)[k];
      if (w == 0.0) continue;
      valid = valid && w > 0.0 && std::isfinite(w) && joint < matrices_.size() &&
              pose_.skin.usable[joint];
      joints.push_back(joint);
      weights.push_back(w);
    }
    const Vec3& v = block.positions[i];
    if (!valid || !v.allFinite()) {
      ++out.not_finite;
      continue;
    }
    if (options_.max_influences != 0) keep_heaviest(options_.max_influences, joints, weights);
    double sum = 0.0;
    const skin_detail::Affine<double> m = skin_detail::blend_matrices(
        joints.data(), weights.data(), weights.size(), matrices_.data(), sum);
    const bool moves = sum > options_.zero_weight.eps;
    Vec3 position = moves ? skin_detail::blended_point(m, sum, v) : v;
    Mat3 linear_part = moves ? Mat3(m.leftCols<3>() / sum) : Mat3(Mat3::Zero());
    if (!std::isfinite(sum)) {
      ++out.not_finite;
      continue;
    }
    if (!moves) {
      const SkinnedVertex alone = skin_vertex(v, joints, weights, pose_.skin, options_.zero_weight);
      if (alone.state != SkinnedVertex::State::fell_back) {
        ++(alone.state == SkinnedVertex::State::rejected ? out.rejected : out.not_finite);
        continue;
      }
      ++out.fell_back;
      position = alone.position;
      linear_part = blended_linear(joints, weights, pose_.skin, options_.zero_weight);
    }
    const double share = quaternions_ && moves ? share_of(vertex) : 0.0;
    if (share > 0.0) {
      bool whole = true, stretched = false;
      for (const std::uint32_t joint : joints) {
        whole = whole && motions_[joint].valid;
        stretched = stretched || motions_[joint].stretched;
      }
      if (!whole) {  // a collapsed joint has no rotation to blend
        ++out.not_finite;
        continue;
      }
      Mat4 before = pose_.bind;
      if (stretched) {
        Mat4 stretch = Mat4::Zero();
        for (std::size_t k = 0; k < weights.size(); ++k)
          stretch += weights[k] / sum * motions_[joints[k]].stretch;
        before = stretch * pose_.bind;
      }
      const DualQuaternion motion = blend_motions(joints, weights, motions_);
      const Vec3 rigid = transform_point(motion, transform_point(before, v));
      position = (1.0 - share) * position + share * rigid;
      linear_part = (1.0 - share) * linear_part + share * rotation_matrix(motion) * linear(before);
    }
    if (block.offsets != nullptr) position += linear(pose_.bind) * block.offsets[i];
    out.positions[vertex] = position;
    if (block.normals == nullptr) continue;
    const Vec3 normal(block.normals[3 * i], block.normals[3 * i + 1], block.normals[3 * i + 2]);
    if (const std::optional<Vec3> turned = skin_normal(normal, linear_part))
      out.normals[vertex] = *turned;
  }
}

PosedPart MeshEvaluator::evaluate(std::size_t part_index) const {
  const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(binding_.mesh)];
  const MeshPart& part = mesh.parts[part_index];
  PosedPart out;
  out.positions.assign(part.vertex_count, Vec3::Constant(kNaN));
  const std::int32_t table_index = binding_.influences[part_index];
  if (table_index < 0 || !has_vectors(part.positions, part.vertex_count)) {
    out.rejected = part.vertex_count;
    return out;
  }
  const InfluenceTable& table = asset_.influences[static_cast<std::size_t>(table_index)];
  if (table.empty() || table.vertex_count != part.vertex_count) {
    out.rejected = part.vertex_count;
    return out;
  }
  const bool normals = options_.normals && has_vectors(part.normals, part.vertex_count);
  if (normals) out.normals.assign(part.vertex_count, Vec3::Constant(kNaN));
  const bool morphed = std::any_of(pose_.morphs.begin(), pose_.morphs.end(),
                                   [](double activation) { return activation != 0.0; });
  // Sparse targets (FBX) are cheapest added to the whole part at once.
  std::vector<Vec3> offsets;
  if (morphed) {
    offsets.assign(part.vertex_count, Vec3::Zero());
    add_morphs(mesh, part_index, pose_.morphs, 0, offsets);
  }
  InfluenceReader reader(table);
  Block block;
  std::vector<Vec3> positions;
  std::vector<double> normal_values;
  while (reader.next(block.influences)) {
    const std::size_t first = block.influences.first_vertex, n = block.influences.count;
    positions.resize(n);
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    read_values(part.positions, first, n, positions.data()->data());
    block.positions = positions.data();
    if (morphed && options_.morph_after_skin) {
      block.offsets = offsets.data() + first;
    } else if (morphed) {
      for (std::size_t i = 0; i < n; ++i) positions[i] += offsets[first + i];
    }
    if (normals) {
      normal_values.resize(3 * n);
      read_values(part.normals, first, n, normal_values.data());
      block.normals = normal_values.data();
    }
    if (is_clean(block)) {
      skin_linear(block, out);
    } else {
      skin_checked(block, out);
    }
  }
  return out;
}

std::vector<Eigen::Matrix4f> float_skin_matrices(const Asset& asset, std::size_t binding,
                                                 const std::vector<Mat4>& world_from_node) {
  std::vector<Eigen::Matrix4f> world(asset.nodes.size());
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    world[n] = world_from_node[n].cast<float>();
    const std::int32_t parent = asset.nodes[n].parent;
    if (parent < 0) continue;
    const auto above = static_cast<std::size_t>(parent);
    if (const std::optional<Mat4> inverse = affine_inverse(world_from_node[above])) {
      world[n] = world[above] * Mat4(*inverse * world_from_node[n]).cast<float>();
    }
  }
  const Skin& skin = skin_of(asset, binding);
  std::vector<Eigen::Matrix4f> out;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t node = skin.joints[slot];
    const std::optional<Mat4> stored = stored_joint_from_mesh(skin, slot);
    out.emplace_back(
        node >= 0 && stored
            ? Eigen::Matrix4f(world[static_cast<std::size_t>(node)] * stored->cast<float>())
            : Eigen::Matrix4f(Eigen::Matrix4f::Constant(std::numeric_limits<float>::quiet_NaN())));
  }
  return out;
}

std::vector<Eigen::Vector3f> evaluate_float(const Asset& asset, std::size_t binding,
                                            std::size_t part_index,
                                            const std::vector<Eigen::Matrix4f>& matrices,
                                            const std::vector<double>& morphs) {
  const Binding& bound = asset.bindings[binding];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(bound.mesh)];
  const MeshPart& part = mesh.parts[part_index];
  std::vector<Eigen::Vector3f> out(
      part.vertex_count, Eigen::Vector3f::Constant(std::numeric_limits<float>::quiet_NaN()));
  if (bound.influences[part_index] < 0 || !has_vectors(part.positions, part.vertex_count))
    return out;
  const InfluenceTable& table =
      asset.influences[static_cast<std::size_t>(bound.influences[part_index])];
  if (table.empty() || table.vertex_count != part.vertex_count) return out;
  std::vector<Vec3> offsets;
  if (std::any_of(morphs.begin(), morphs.end(), [](double a) { return a != 0.0; })) {
    offsets.assign(part.vertex_count, Vec3::Zero());
    add_morphs(mesh, part_index, morphs, 0, offsets);
  }
  std::vector<skin_detail::Affine<float>> rows;
  for (const Eigen::Matrix4f& m : matrices) rows.emplace_back(m.topRows<3>());
  InfluenceReader reader(table);
  InfluenceBlock block;
  std::vector<Vec3> positions;
  std::vector<float> weights;
  while (reader.next(block)) {
    positions.resize(block.count);
    read_values(part.positions, block.first_vertex, block.count, positions.data()->data());
    for (std::size_t i = 0; i < block.count; ++i) {
      const std::span<const std::uint32_t> joints = block.joints_of(i);
      const std::span<const double> stored = block.weights_of(i);
      weights.resize(stored.size());
      bool in_range = true;
      for (std::size_t k = 0; k < stored.size(); ++k) {
        weights[k] = static_cast<float>(stored[k]);
        in_range = in_range && joints[k] < matrices.size();
      }
      if (!in_range) continue;
      float sum = 0.0F;
      const skin_detail::Affine<float> m = skin_detail::blend_matrices(
          joints.data(), weights.data(), weights.size(), rows.data(), sum);
      Eigen::Vector3f v = positions[i].cast<float>();
      if (!offsets.empty()) v += offsets[block.first_vertex + i].cast<float>();
      if (!(sum > 0.0F)) continue;
      out[block.first_vertex + i] = skin_detail::blended_point(m, sum, v);
    }
  }
  return out;
}

}  // namespace skinlint
