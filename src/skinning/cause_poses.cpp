// The rest pose left the bind: posed, saved at a clip's frame, mirrored, scaled through, or one
// joint's bind is stale.

#include <algorithm>
#include <cmath>

#include "skinning/cause_parts.h"
#include "skinning/clip_rest.h"

namespace skinlint::cause_detail {
namespace {

constexpr std::size_t max_stale = 3;
constexpr double max_root_share = 0.5;  // more changed joints than that are no pose of a few joints
constexpr double kept_length = 0.02;    // of size: how far a pose may move a joint in its parent
constexpr double kept_share = 0.8;

const JointBind& bind_of(const System& system, std::size_t j) {
  return system.input->bind->joints[static_cast<std::size_t>(system.joints[j].slot)];
}

/// Joints whose own local transform changed, worst first.
std::vector<std::size_t> changed(const System& system) {
  std::vector<std::size_t> roots;
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    if (bind_of(system, j).subtree_root) roots.push_back(j);
  }
  std::stable_sort(roots.begin(), roots.end(), [&](std::size_t a, std::size_t b) {
    return bind_of(system, a).own.displacement > bind_of(system, b).own.displacement;
  });
  return roots;
}

std::vector<std::int32_t> slots_of(const System& system, const std::vector<std::size_t>& joints) {
  std::vector<std::int32_t> slots;
  for (const std::size_t j : joints) slots.push_back(system.joints[j].slot);
  return slots;
}

/// Drift of the nearest changed joint at or above each joint; identity where there is none.
std::vector<Mat4> inherited_drift(const System& system) {
  std::vector<Mat4> drift(system.joints.size(), Mat4::Identity());
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    // A joint that stands where it was bound, below one that does not, was put back: it follows
    // nothing.
    if (bind_of(system, j).subtree_root) {
      drift[j] = bind_of(system, j).drift;
    } else if (bind_of(system, j).drifts && system.joints[j].parent >= 0) {
      drift[j] = drift[static_cast<std::size_t>(system.joints[j].parent)];
    }
  }
  return drift;
}

/// What remains when everything below a changed joint is taken to follow it.
double following_residual(const System& system) {
  const std::vector<Mat4> drift = inherited_drift(system);
  const Mat4& space = system.spaces.front();
  return residual(
      system,
      [&](std::size_t j) -> std::optional<Mat4> {
        const std::optional<Mat4> inverse = affine_inverse(system.joints[j].place);
        if (!inverse) return std::nullopt;
        return Mat4(*inverse * drift[j] * space);
      },
      fit_limit(system));
}

/// Worlds of all nodes when a joint does not take on its parent joint's own scale (Maya's segment
/// scale compensate).
struct Compensated {
  std::vector<Mat4> world;
  bool differs = false;
};
Compensated compensated_worlds(const Asset& asset) {
  struct Parts {
    Mat3 rotation = Mat3::Identity();
    Vec3 scale = Vec3::Ones(), local_scale = Vec3::Ones(), place = Vec3::Zero();
  };
  Compensated out;
  std::vector<Parts> parts(asset.nodes.size());
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    const Mat3 a = linear(node.parent_from_node);
    Parts& own = parts[n];
    own.local_scale = a.colwise().norm().transpose();
    Mat3 turn = Mat3::Identity();
    if (own.local_scale.minCoeff() > 0.0) turn = a * own.local_scale.cwiseInverse().asDiagonal();
    const Parts parent = node.parent >= 0 ? parts[static_cast<std::size_t>(node.parent)] : Parts{};
    Vec3 inherited = parent.scale;
    if (node.is_joint && node.parent >= 0 &&
        asset.nodes[static_cast<std::size_t>(node.parent)].is_joint &&
        parent.local_scale.minCoeff() > 0.0) {
      inherited = parent.scale.cwiseQuotient(parent.local_scale);
      if ((parent.local_scale - Vec3::Ones()).cwiseAbs().maxCoeff() > 1e-3) out.differs = true;
    }
    own.rotation = parent.rotation * turn;
    own.scale = inherited.cwiseProduct(own.local_scale);
    own.place = parent.place +
                parent.rotation * parent.scale.cwiseProduct(translation(node.parent_from_node));
    Mat4 world = Mat4::Identity();
    world.topLeftCorner<3, 3>() = own.rotation * own.scale.asDiagonal();
    world.topRightCorner<3, 1>() = own.place;
    out.world.push_back(world);
  }
  return out;
}

void try_scale_inherited(const System& system, const std::vector<std::size_t>& roots,
                         std::vector<CauseFit>& fits) {
  const Compensated compensated = compensated_worlds(*system.input->asset);
  if (!compensated.differs) return;
  const double limit = fit_limit(system);
  for (const Mat4& space : system.spaces) {
    const double r = residual(
        system,
        [&](std::size_t j) -> std::optional<Mat4> {
          const std::optional<Mat4> inverse =
              affine_inverse(compensated.world[static_cast<std::size_t>(system.joints[j].node)]);
          if (!inverse) return std::nullopt;
          return Mat4(*inverse * space);
        },
        limit);
    if (r > limit) continue;
    fits.push_back(
        {CauseId::scale_inherited, std::max(r, system.tau), 0, false, slots_of(system, roots), {}});
    return;
  }
}

void try_mirrored(const System& system, const std::vector<std::size_t>& roots,
                  std::vector<CauseFit>& fits) {
  if (roots.empty()) return;
  for (const std::size_t j : roots) {
    const RelativeTransform& own = bind_of(system, j).own;
    if (!own.mirrored || own.non_uniformity > 1e-2 || std::abs(own.log_scale) > 1e-2) return;
  }
  const double r = following_residual(system);
  if (r > fit_limit(system)) return;
  // Unlike a pose, a mirror is wrong on all that follows: the joints to mend first, then those.
  CauseFit fit{
      CauseId::mirrored_joint, std::max(r, system.tau), 0, false, slots_of(system, roots), {}};
  for (const std::int32_t slot : slots_off(system, system.spaces.front())) {
    if (std::find(fit.slots.begin(), fit.slots.end(), slot) == fit.slots.end())
      fit.slots.push_back(slot);
  }
  fits.push_back(std::move(fit));
}

/// A pose turns joints in their parents and moves few of them: bone lengths survive it. Wrongly
/// stored matrices do not keep them, so a clip that keys the rest pose is no excuse for those.
bool keeps_bone_lengths(const System& system) {
  const Mat4& space = system.spaces.front();
  std::size_t kept = 0, judged = 0;
  for (const CauseJoint& joint : system.joints) {
    if (joint.parent < 0 || !joint.invertible) continue;
    const CauseJoint& parent = system.joints[static_cast<std::size_t>(joint.parent)];
    if (!parent.invertible) continue;
    const std::optional<Mat4> bind = affine_inverse(joint.stored),
                              parent_place = affine_inverse(parent.place),
                              space_inverse = affine_inverse(space);
    if (!bind || !parent_place || !space_inverse) continue;
    const Vec3 at_bind = translation(parent.stored * *bind);
    const Vec3 at_rest = translation(*parent_place * joint.place);
    const double unit = std::cbrt(std::abs(linear(parent.place).determinant()));
    ++judged;
    if ((at_bind - at_rest).norm() * unit <= kept_length * system.size) ++kept;
  }
  return judged == 0 || static_cast<double>(kept) >= kept_share * static_cast<double>(judged);
}

void try_clip_key(const System& system, const std::vector<std::size_t>& roots,
                  std::vector<CauseFit>& fits) {
  const Asset& asset = *system.input->asset;
  if (asset.clips.empty() || roots.empty() || !keeps_bone_lengths(system)) return;
  std::vector<JointSegment> segments;
  std::vector<ChangedParts> changed_of;
  for (const std::size_t j : roots) {
    segments.push_back(joint_segment(asset, system.joints[j].node));
    changed_of.push_back(changed_parts(bind_of(system, j).own));
  }
  const std::optional<RestKey> key = find_rest_key(asset, segments, changed_of);
  // The frame explains the joints it keys and what follows them, not a matrix that nothing does.
  if (!key || following_residual(system) > fit_limit(system)) return;
  fits.push_back({CauseId::saved_at_clip_key, system.tau, 0, true, slots_of(system, roots),
                  asset.clips[static_cast<std::size_t>(key->clip)].name});
}

void try_stale(const System& system, std::vector<CauseFit>& fits) {
  const Mat4& space = system.spaces.front();
  std::vector<bool> off(system.joints.size(), false);
  std::vector<std::int32_t> slots = slots_off(system, space);
  if (slots.empty() || slots.size() > max_stale) return;
  std::size_t weighted = 0;
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    const CauseJoint& joint = system.joints[j];
    if (joint.weight <= 0.0) continue;
    ++weighted;
    off[j] = std::find(slots.begin(), slots.end(), joint.slot) != slots.end();
  }
  if (weighted <= 2 * slots.size()) return;
  // Each stale joint needs a child that agrees: a pose would have carried the child along.
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    if (!off[j]) continue;
    bool child_agrees = false;
    for (std::size_t c = 0; c < system.joints.size(); ++c) {
      if (system.joints[c].parent == static_cast<std::int32_t>(j) &&
          system.joints[c].weight > 0.0 && !off[c])
        child_agrees = true;
    }
    if (!child_agrees) return;
  }
  // All others are within tau, so nothing is left.
  fits.push_back({CauseId::one_joint_stale, system.tau, 0, false, std::move(slots), {}});
}

/// FBX keeps a second record of the bind: the pose of type BindPose. Where it says of every changed
/// joint what its cluster says, the bind is no mistake and the rest pose is what changed.
bool bind_pose_agrees(const System& system, const std::vector<std::size_t>& roots) {
  const Asset& asset = *system.input->asset;
  if (!is_fbx(asset.format) || asset.bind_poses.empty()) return false;
  std::vector<const Mat4*> recorded(asset.nodes.size(), nullptr);
  for (const BindPose& pose : asset.bind_poses) {
    for (const BindPose::Entry& entry : pose.entries) {
      if (entry.node >= 0) recorded[static_cast<std::size_t>(entry.node)] = &entry.world_from_node;
    }
  }
  return std::all_of(roots.begin(), roots.end(), [&](std::size_t j) {
    const CauseJoint& joint = system.joints[j];
    const Mat4* world = recorded[static_cast<std::size_t>(joint.node)];
    return world != nullptr && world->allFinite() &&
           distance_beyond_tau(system, joint, *world * joint.stored, system.spaces.front()) == 0.0;
  });
}

/// Few local transforms changed, or more that only turned and moved: a pose of most joints is told
/// from wrong matrices by the bones' lengths, which it keeps, or by a second record of the bind.
bool is_a_pose(const System& system, const std::vector<std::size_t>& roots) {
  if (static_cast<double>(roots.size()) <=
      max_root_share * static_cast<double>(system.joints.size()))
    return true;
  const bool rigid = std::all_of(roots.begin(), roots.end(), [&](std::size_t j) {
    const RelativeTransform& own = bind_of(system, j).own;
    return std::abs(own.log_scale) < 1e-3 && own.non_uniformity < 1e-2 && !own.mirrored;
  });
  return rigid && (keeps_bone_lengths(system) || bind_pose_agrees(system, roots));
}

void try_posed(const System& system, const std::vector<std::size_t>& roots,
               std::vector<CauseFit>& fits) {
  if (roots.empty() || !is_a_pose(system, roots)) return;
  const double r = following_residual(system);
  if (r > fit_limit(system)) return;
  fits.push_back({CauseId::posed_after_bind,
                  std::max(r, system.tau),
                  static_cast<int>(6 * roots.size()),
                  false,
                  slots_of(system, roots),
                  {}});
}

}  // namespace

void try_poses(const System& system, std::vector<CauseFit>& fits) {
  if (!system.rest_side) {
    try_stale(system, fits);
    return;
  }
  const std::vector<std::size_t> roots = changed(system);
  try_scale_inherited(system, roots, fits);
  try_mirrored(system, roots, fits);
  try_stale(system, fits);
  // That a clip starts in the rest pose is common, and no pose by chance is what a wrong matrix
  // would be. Only a turn of the whole skeleton is as likely a frame as a conversion.
  const auto weighted = static_cast<std::size_t>(
      std::count_if(system.joints.begin(), system.joints.end(),
                    [](const CauseJoint& joint) { return joint.weight > 0.0; }));
  const bool whole_skeleton = 2 * slots_off(system, system.spaces.front()).size() > weighted &&
                              std::all_of(roots.begin(), roots.end(), [&](std::size_t j) {
                                return system.joints[j].parent < 0;
                              });
  if (fits.empty() || whole_skeleton) try_clip_key(system, roots, fits);
  try_posed(system, roots, fits);
}

}  // namespace skinlint::cause_detail
