#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "skinning/bind_parts.h"
#include "skinning/hierarchy.h"

namespace skinlint::bind_detail {
namespace {

// The vote compares everyone with everyone; past this many joints the heaviest stand for election
// and all vote.
constexpr std::size_t max_election = 512;
// A declared space with this share beats the vote: a pose of most joints must not become the space.
constexpr double declared_share = 0.25;
constexpr double vote_majority = 0.5;
// Beyond this mean displacement (of L) no declared space explains the joints either.
constexpr double no_consensus_fit = 0.5;
constexpr double vote_tolerances = 10.0;  // shares are counted within 10 tau L

const Skin& skin_of(const BindInput& input) {
  const Asset& asset = *input.asset;
  return asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
}

JointBind::Use matrix_use(const Mat4& m) {
  if (!m.allFinite()) return JointBind::Use::not_finite;
  if (bottom_row_error(m) > 1e-6) return JointBind::Use::not_affine;
  if (!affine_inverse(m)) return JointBind::Use::singular;
  return JointBind::Use::usable;
}

/// Share of the weight that `space` puts where the joint's own matrix does, and the mean distance
/// of the centroids.
struct Fit {
  double share = 0.0;
  double mean_distance = 0.0;
};
Fit fit(const Mat4& space, const std::vector<JointMatrix>& joints, double tolerance) {
  double total = 0.0;
  Fit out;
  for (const JointMatrix& joint : joints) {
    if (joint.use != JointBind::Use::usable || !joint.weighted) continue;
    const double distance =
        (transform_point(space, joint.centroid) - transform_point(joint.vote, joint.centroid))
            .norm();
    total += joint.weight;
    out.mean_distance += joint.weight * distance;
    // The centroid alone cannot tell a mirror about the plane it lies in, nor a turn about itself;
    // most joints differ there already, which spares them the corners.
    if (distance < tolerance && largest_distance(space, joint.vote, joint.reach) < tolerance)
      out.share += joint.weight;
  }
  if (total > 0.0) {
    out.share /= total;
    out.mean_distance /= total;
  }
  return out;
}

/// Weighted joints with none above them: a pose turns what is below a joint, so these are the last
/// to leave the bind.
std::vector<std::size_t> top_joints(const Asset& asset, const Skin& skin,
                                    const std::vector<JointMatrix>& joints) {
  std::vector<bool> carries(asset.nodes.size(), false), covered(asset.nodes.size(), false);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use == JointBind::Use::usable && joints[j].weighted)
      carries[static_cast<std::size_t>(skin.joints[j])] = true;
  }
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (asset.nodes[n].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(asset.nodes[n].parent);
    covered[n] = covered[parent] || carries[parent];
  }
  std::vector<std::size_t> tops;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use != JointBind::Use::usable || !joints[j].weighted) continue;
    if (!covered[static_cast<std::size_t>(skin.joints[j])]) tops.push_back(j);
  }
  return tops;
}

double largest_coordinate(const Mat4& space, const Box& box) {
  double largest = 0.0;
  for (int c = 0; c < 8; ++c) {
    largest = std::max(
        largest,
        transform_point(space, box.corner(static_cast<Box::CornerType>(c))).cwiseAbs().maxCoeff());
  }
  return largest;
}

double vote_tolerance(const Mat4& space, const Box& box) {
  const double size = image_diagonal(space, box);
  return vote_tolerances * relative_tolerance(largest_coordinate(space, box), size) * size;
}

/// Of the spaces that the vote cannot tell apart (it counts within several tau) the one that most
/// weight agrees with within tau itself: else one joint slightly off its place, being first, would
/// put all others off theirs. Declared spaces first, then as the vote ordered them.
void settle(const std::vector<DeclaredSpace>& spaces, const std::vector<std::size_t>& running,
            const std::vector<JointMatrix>& joints, const Box& box, BindAnalysis& out) {
  const double loose = vote_tolerance(out.consensus, box), tight = loose / vote_tolerances;
  double best = fit(out.consensus, joints, tight).share;
  if (best > out.consensus_share - 1e-12) return;
  const Mat4 voted = out.consensus;
  const auto stand = [&](const Mat4& space) {
    if (largest_distance(space, voted, box) > loose) return;
    const double share = fit(space, joints, tight).share;
    if (share <= best + 1e-12) return;
    best = share;
    out.consensus = space;
  };
  for (const DeclaredSpace& space : spaces) stand(space.world_from_mesh);
  for (const std::size_t j : running) stand(joints[j].vote);
}

bool integer_positions(const BindInput& input) {
  const Asset& asset = *input.asset;
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[input.binding].mesh)];
  bool any = false;
  for (const MeshPart& part : mesh.parts) {
    if (!part.positions.declared()) continue;
    if (!is_integer(part.positions.type)) return false;
    any = true;
  }
  return any;
}

/// S as `space` after a positive scale (per axis) and a translation: what dequantisation folds into
/// the bind.
bool is_dequantisation(const Mat4& space, const Mat4& consensus) {
  const std::optional<Mat4> inverse = affine_inverse(space);
  if (!inverse) return false;
  const Mat3 a = linear(*inverse * consensus);
  const double largest = a.cwiseAbs().maxCoeff();
  for (int i = 0; i < 3; ++i) {
    if (!(a(i, i) > 0.0)) return false;
    for (int j = 0; j < 3; ++j) {
      if (i != j && std::abs(a(i, j)) > 1e-4 * largest) return false;
    }
  }
  return true;
}

std::string joined(std::string_view first, std::string_view second) {
  if (first.empty() || second.empty()) return std::string(first) + std::string(second);
  return std::string(first) + " and " + std::string(second);
}

/// Names what separates S from the nearest declared space, where a user has a word for it.
void name_offset(const BindInput& input, const std::vector<DeclaredSpace>& spaces,
                 const Mat4& consensus, double tolerance, CommonOffset& offset) {
  const Box& box = input.influences->box;
  for (const DeclaredSpace& space : spaces) {
    if (integer_positions(input) && is_dequantisation(space.world_from_mesh, consensus)) {
      offset.is_dequantisation = true;
      offset.named = "dequantisation of the positions";
      return;
    }
  }
  for (const DeclaredSpace& space : spaces) {
    if (space.candidate != Candidate::mesh_node) continue;
    const std::optional<Mat4> inverse = affine_inverse(space.world_from_mesh);
    if (inverse && largest_distance(consensus, *inverse, box) <= tolerance) {
      offset.named = "the inverse of the mesh node's transform";
      return;
    }
    if (largest_distance(consensus, space.world_from_mesh * space.world_from_mesh, box) <=
        tolerance) {
      offset.named = "the mesh node's transform applied twice";
      return;
    }
  }
  if (!offset.parts.valid) return;
  std::string turn, scale;
  // An axis turn is named only when it is all there is besides a translation and a uniform scale.
  if (const auto axis = nearest_axis_turn(linear(offset.offset), 0.1); axis && !axis->is_identity) {
    offset.is_axis_turn = true;
    turn = axis_turn_name(*axis);
  } else if (offset.parts.mirrored) {
    turn = "a mirror";
  }
  const double factor = offset.parts.uniform_scale();
  if (offset.parts.non_uniformity() < 1e-3) {
    if (const auto unit = named_unit_factor(factor)) {
      offset.is_unit_factor = true;
      scale = fmt::format("scaled x{:.4g} ({})", factor, unit->name);
    }
  }
  offset.named = joined(turn, scale);
}

}  // namespace

std::vector<JointMatrix> joint_matrices(const BindInput& input) {
  const Skin& skin = skin_of(input);
  const Mat4& node_from_geometry = input.asset->bindings[input.binding].node_from_geometry;
  std::vector<JointMatrix> joints(skin.joints.size());
  // glTF 2.0 section 3.7.3.1: no inverseBindMatrices means identity for all.
  const bool implied_identity = !skin.matrix_count.has_value() && skin.clusters.empty();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointMatrix& out = joints[j];
    const JointInfluence* influence =
        j < input.influences->joints.size() ? &input.influences->joints[j] : nullptr;
    // Weights may be finite and yet so large that their centroid is not.
    out.weighted =
        influence != nullptr && influence->weighted() && influence->centroid().allFinite();
    out.weight = out.weighted ? influence->positive_weight : 0.0;
    if (skin.joints[j] < 0) {
      out.use = JointBind::Use::no_node;
      continue;
    }
    if (!implied_identity && !skin.joint_from_mesh[j]) {
      out.use = JointBind::Use::no_matrix;
      continue;
    }
    const Mat4 joint_from_mesh =
        implied_identity ? Mat4(Mat4::Identity()) : *skin.joint_from_mesh[j];
    const Mat4& world = (*input.world_from_node)[static_cast<std::size_t>(skin.joints[j])];
    out.use = matrix_use(joint_from_mesh);
    if (out.use == JointBind::Use::usable && !world.allFinite())
      out.use = JointBind::Use::not_finite;
    if (out.use == JointBind::Use::usable && !(relative_determinant(linear(world)) >= 1e-12))
      out.use = JointBind::Use::singular;
    if (out.use != JointBind::Use::usable) continue;
    out.rest_from_mesh = world * joint_from_mesh;
    if (!out.rest_from_mesh.allFinite()) {  // two finite matrices may overflow together
      out.use = JointBind::Use::not_finite;
      continue;
    }
    out.vote = out.rest_from_mesh;
    if (j < skin.clusters.size() && skin.clusters[j].transform_link && skin.clusters[j].transform) {
      out.vote =
          *skin.clusters[j].transform_link * *skin.clusters[j].transform * node_from_geometry;
      if (const JointBind::Use use = matrix_use(out.vote); use != JointBind::Use::usable) {
        out.use = use;
        continue;
      }
    }
    // For a joint without weight: the joint's own origin, B_j * 0.
    out.centroid =
        out.weighted ? influence->centroid() : translation(*affine_inverse(joint_from_mesh));
    if (influence != nullptr) out.reach = influence->heavy_box;
    out.reach.extend(out.centroid);
  }
  return joints;
}

std::vector<DeclaredSpace> declared_spaces(const BindInput& input) {
  const Asset& asset = *input.asset;
  const Binding& binding = asset.bindings[input.binding];
  const std::vector<Mat4>& world = *input.world_from_node;
  std::vector<DeclaredSpace> spaces;
  const auto add = [&](Candidate candidate, const Mat4& m) {
    if (affine_inverse(m)) spaces.push_back({candidate, m});
  };
  const Mat4 mesh_space =
      world[static_cast<std::size_t>(binding.node)] * binding.node_from_geometry;
  if (is_fbx(asset.format)) {
    add(mesh_space.isApprox(Mat4::Identity(), 1e-9) ? Candidate::identity : Candidate::mesh_node,
        mesh_space);
    return spaces;
  }
  add(Candidate::identity, Mat4::Identity());
  add(Candidate::mesh_node, mesh_space);
  const std::int32_t ancestor = common_ancestor(asset, *input.depth, skin_of(input).joints);
  if (ancestor >= 0) {
    add(Candidate::ancestor, world[static_cast<std::size_t>(ancestor)]);
    const std::int32_t parent = asset.nodes[static_cast<std::size_t>(ancestor)].parent;
    if (parent >= 0) add(Candidate::ancestor_parent, world[static_cast<std::size_t>(parent)]);
  }
  return spaces;
}

double image_diagonal(const Mat4& m, const Box& box) {
  if (box.isEmpty()) return 0.0;
  Box image;
  for (int c = 0; c < 8; ++c)
    image.extend(transform_point(m, box.corner(static_cast<Box::CornerType>(c))));
  return image.diagonal().norm();
}

double relative_tolerance(double largest_coordinate_met, double size) {
  return std::max(1e-4, size > 0.0 ? 4e-7 * largest_coordinate_met / size : 0.0);
}

void find_consensus(const BindInput& input, const std::vector<JointMatrix>& joints,
                    BindAnalysis& out) {
  const Box& box = input.influences->box;
  const Skin& skin = skin_of(input);
  const std::vector<DeclaredSpace> spaces = declared_spaces(input);
  const auto depth = [&](std::size_t j) {
    return (*input.depth)[static_cast<std::size_t>(skin.joints[j])];
  };

  std::vector<std::size_t> running;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].use == JointBind::Use::usable && joints[j].weighted) running.push_back(j);
  }
  if (running.size() > max_election) {
    std::stable_sort(running.begin(), running.end(), [&](std::size_t a, std::size_t b) {
      return joints[a].weight > joints[b].weight;
    });
    running.resize(max_election);
  }
  // Ties go to the shallower joint, then the lower slot.
  std::sort(running.begin(), running.end(), [&](std::size_t a, std::size_t b) {
    return depth(a) != depth(b) ? depth(a) < depth(b) : a < b;
  });
  std::size_t winner = running.front();
  double winner_share = -1.0;
  for (const std::size_t k : running) {
    const double share = fit(joints[k].vote, joints, vote_tolerance(joints[k].vote, box)).share;
    if (share > winner_share + 1e-12) {
      winner = k;
      winner_share = share;
    }
    if (share > 1.0 - 1e-12) break;
  }
  out.consensus = joints[winner].vote;
  out.consensus_share = winner_share;

  const DeclaredSpace* best = nullptr;  // by share, then by distance
  Fit best_fit;
  for (const DeclaredSpace& space : spaces) {
    const Fit f = fit(space.world_from_mesh, joints, vote_tolerance(space.world_from_mesh, box));
    if (best == nullptr || f.share > best_fit.share + 1e-12 ||
        (f.share > best_fit.share - 1e-12 &&
         f.mean_distance < best_fit.mean_distance * (1.0 - 1e-9))) {
      best = &space;
      best_fit = f;
    }
  }
  const double tolerance = vote_tolerance(out.consensus, box);
  const bool same_space =
      best != nullptr && largest_distance(best->world_from_mesh, out.consensus, box) <= tolerance;
  const bool alone = out.weighted_joints < 2;
  if (best != nullptr && !same_space && !alone && !is_fbx(input.asset->format)) {
    if (best_fit.share >= declared_share || winner_share < vote_majority) {
      out.consensus = best->world_from_mesh;
      out.consensus_share = best_fit.share;
      out.consensus_from_declared = true;
    }
  }
  if (!alone && !is_fbx(input.asset->format) && !out.consensus_from_declared &&
      std::none_of(spaces.begin(), spaces.end(), [&](const DeclaredSpace& space) {
        return largest_distance(space.world_from_mesh, out.consensus, box) <= tolerance;
      })) {
    // Nothing in the file names the space that most joints share, but the top joints stand where a
    // declared one puts them: what is below was turned with one of the joints.
    const std::vector<std::size_t> tops = top_joints(*input.asset, skin, joints);
    for (const DeclaredSpace& space : spaces) {
      const double near = vote_tolerance(space.world_from_mesh, box);
      if (!std::all_of(tops.begin(), tops.end(), [&](std::size_t j) {
            return largest_distance(space.world_from_mesh, joints[j].vote, joints[j].reach) < near;
          }))
        continue;
      out.consensus = space.world_from_mesh;
      out.consensus_share = fit(space.world_from_mesh, joints, near).share;
      out.consensus_from_declared = true;
      break;
    }
  }
  settle(spaces, running, joints, box, out);

  // Part 2: which declared space is S, within tau; else what separates it from the nearest one.
  const double size = image_diagonal(out.consensus, box);
  out.no_consensus = !alone && !is_fbx(input.asset->format) && best != nullptr &&
                     out.consensus_share < declared_share && best_fit.share < declared_share &&
                     best_fit.mean_distance > no_consensus_fit * size;
  const double tight = relative_tolerance(largest_coordinate(out.consensus, box), size) * size;
  // The offset is told from the space that it is only moved from, else from the nearest: a turn or
  // scale that one space spares is none.
  const DeclaredSpace* nearest = nullptr;
  double nearest_distance = 0.0;
  bool nearest_is_moved = false;
  for (const DeclaredSpace& space : spaces) {
    const double distance = largest_distance(space.world_from_mesh, out.consensus, box);
    const Mat3 change = linear(space.world_from_mesh) - linear(out.consensus);
    const bool moved = change.norm() <= 1e-4 * linear(out.consensus).norm();
    if (nearest == nullptr || moved > nearest_is_moved ||
        (moved == nearest_is_moved && distance < nearest_distance)) {
      nearest = &space;
      nearest_distance = distance;
      nearest_is_moved = moved;
    }
    if (distance <= tight) {
      out.candidate = space.candidate;
      return;
    }
  }
  if (nearest == nullptr) return;
  CommonOffset offset;
  offset.offset = out.consensus * *affine_inverse(nearest->world_from_mesh);
  offset.parts = decompose(offset.offset);
  offset.displacement_over_size = size > 0.0 ? nearest_distance / size : 0.0;
  name_offset(input, spaces, out.consensus, tolerance, offset);
  out.unexplained = offset;
}

}  // namespace skinlint::bind_detail
