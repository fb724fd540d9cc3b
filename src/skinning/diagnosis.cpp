#include "skinning/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "skinning/bind_parts.h"
#include "skinning/cause_parts.h"

namespace skinlint {
namespace cause_detail {
namespace {

// A prediction that fails on the heaviest joints by this much is not measured on the rest.
constexpr std::size_t scouts = 6;

bool affine(const Mat4& m) { return bottom_row_error(m) <= 1e-6; }

std::vector<Vec3> measuring_points(const JointInfluence& influence) {
  std::vector<Vec3> points = {influence.centroid()};
  if (!influence.heavy_box.isEmpty()) {
    for (int c = 0; c < 8; ++c)
      points.push_back(influence.heavy_box.corner(static_cast<Box::CornerType>(c)));
  }
  return points;
}

/// `place` and `stored` of a slot for one of the systems; empty where the file lacks one.
using Records = std::function<std::optional<std::pair<Mat4, Mat4>>(std::size_t slot)>;

System make_system(const DiagnosisInput& input, const Records& records, std::vector<Mat4> spaces) {
  const Asset& asset = *input.asset;
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[input.binding].skin)];
  System system;
  system.input = &input;
  system.spaces = std::move(spaces);
  system.size = input.bind->size > 0.0 ? input.bind->size : input.influences->box.diagonal().norm();
  system.tau = input.bind->tau;

  std::vector<std::size_t> slots(skin.joints.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::stable_sort(slots.begin(), slots.end(),
                   [&](std::size_t a, std::size_t b) { return skin.joints[a] < skin.joints[b]; });
  // The joint at each node, and the nearest one above it: parents precede children, so one sweep
  // beside the slots carries it down.
  std::vector<std::int32_t> joint_of_node(asset.nodes.size(), -1), above(asset.nodes.size(), -1);
  std::size_t swept = 0;
  for (const std::size_t slot : slots) {
    const std::int32_t node = skin.joints[slot];
    if (node < 0 || slot >= input.influences->joints.size()) continue;
    const auto pair = records(slot);
    if (!pair || !pair->first.allFinite() || !pair->second.allFinite()) continue;
    CauseJoint joint;
    joint.slot = static_cast<std::int32_t>(slot);
    joint.node = node;
    joint.place = pair->first;
    joint.stored = pair->second;
    joint.invertible = affine(joint.stored) && affine_inverse(joint.stored).has_value();
    const JointInfluence& influence = input.influences->joints[slot];
    if (influence.weighted()) {
      joint.weight = influence.positive_weight;
      joint.points = measuring_points(influence);
    }
    for (; swept <= static_cast<std::size_t>(node); ++swept) {
      if (asset.nodes[swept].parent < 0) continue;
      const auto parent = static_cast<std::size_t>(asset.nodes[swept].parent);
      above[swept] = joint_of_node[parent] >= 0 ? joint_of_node[parent] : above[parent];
    }
    joint.parent = above[static_cast<std::size_t>(node)];
    joint_of_node[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(system.joints.size());
    system.joints.push_back(std::move(joint));
  }
  if (!(system.size > 0.0)) return system;
  for (const CauseJoint& joint : system.joints) {
    if (joint.weight <= 0.0) continue;
    const double d =
        distance_beyond_tau(system, joint, joint.place * joint.stored, system.spaces.front());
    if (!(d > 0.0)) continue;
    system.before += joint.weight * d;
    system.weight_off += joint.weight;
  }
  if (system.weight_off > 0.0) system.before /= system.weight_off * system.size;
  return system;
}

std::vector<Mat4> spaces_of(const DiagnosisInput& input) {
  std::vector<Mat4> spaces = {input.bind->consensus};
  for (const bind_detail::DeclaredSpace& space : cause_detail::declared_spaces(input))
    spaces.push_back(space.world_from_mesh);
  return spaces;
}

std::optional<Diagnosis> diagnose_system(const System& system) {
  if (!(system.size > 0.0) || !(system.before > system.tau)) return std::nullopt;
  std::vector<CauseFit> fits;
  try_stored_forms(system, fits);
  try_conversions(system, fits);
  try_poses(system, fits);
  return concluded(system.before, std::move(fits));
}

}  // namespace

std::vector<bind_detail::DeclaredSpace> declared_spaces(const DiagnosisInput& input) {
  BindInput bind;
  bind.asset = input.asset;
  bind.binding = input.binding;
  bind.world_from_node = input.world_from_node;
  bind.depth = input.depth;
  bind.influences = input.influences;
  return bind_detail::declared_spaces(bind);
}

double distance(const CauseJoint& joint, const Mat4& a, const Mat4& b) {
  const Mat4 difference = a - b;
  double sum = 0.0;
  for (const Vec3& p : joint.points) sum += (difference * p.homogeneous()).squaredNorm();
  return joint.points.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(joint.points.size()));
}

double distance_beyond_tau(const System& system, const CauseJoint& joint, const Mat4& a,
                           const Mat4& b) {
  const double d = distance(joint, a, b);
  return d <= system.tau * system.size ? 0.0 : d;
}

double fit_limit(const System& system) { return std::max(system.tau, 0.01 * system.before); }

double residual(const System& system,
                const std::function<std::optional<Mat4>(std::size_t)>& predicted, double enough) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    if (system.joints[j].weight > 0.0) order.push_back(j);
  }
  if (order.empty() || !(system.weight_off > 0.0)) return std::numeric_limits<double>::infinity();
  if (order.size() > scouts) {
    std::partial_sort(order.begin(), order.begin() + scouts, order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return system.joints[a].weight != system.joints[b].weight
                                   ? system.joints[a].weight > system.joints[b].weight
                                   : a < b;
                      });
  }
  double sum = 0.0;
  for (const std::size_t j : order) {
    const CauseJoint& joint = system.joints[j];
    const std::optional<Mat4> stored = predicted(j);
    if (!stored) return std::numeric_limits<double>::infinity();
    sum += joint.weight *
           distance_beyond_tau(system, joint, joint.place * joint.stored, joint.place * *stored);
    // Sums only grow, so a prediction that is already too far off can stop.
    if (!(sum <= enough * system.weight_off * system.size))
      return std::numeric_limits<double>::infinity();
  }
  return sum / (system.weight_off * system.size);
}

std::vector<std::int32_t> slots_off(const System& system, const Mat4& space) {
  std::vector<std::pair<double, std::int32_t>> off;
  for (const CauseJoint& joint : system.joints) {
    if (joint.weight <= 0.0) continue;
    const double d = distance(joint, joint.place * joint.stored, space);
    if (d > system.tau * system.size) off.emplace_back(d, joint.slot);
  }
  std::stable_sort(off.begin(), off.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::int32_t> slots;
  for (const auto& [d, slot] : off) slots.push_back(slot);
  return slots;
}

Diagnosis concluded(double before, std::vector<CauseFit> fits) {
  Diagnosis out;
  out.residual_before = before;
  std::stable_sort(fits.begin(), fits.end(), [](const CauseFit& a, const CauseFit& b) {
    if (a.named_evidence != b.named_evidence) return a.named_evidence;
    if (a.parameters != b.parameters) return a.parameters < b.parameters;
    return a.id < b.id;
  });
  // Each kind once; the fallback says nothing beside anything that fits.
  for (CauseFit& fit : fits) {
    const bool seen = std::any_of(out.fits.begin(), out.fits.end(),
                                  [&](const CauseFit& f) { return f.id == fit.id; });
    const bool fallback = fit.id == CauseId::posed_after_bind && !out.fits.empty();
    if (!seen && !fallback) out.fits.push_back(std::move(fit));
  }
  out.ambiguous = out.fits.size() > 1 && out.fits[0].named_evidence == out.fits[1].named_evidence &&
                  out.fits[0].parameters == out.fits[1].parameters;
  return out;
}

}  // namespace cause_detail

std::string_view cause_name(CauseId id) {
  switch (id) {
    case CauseId::matrix_transposed:
      return "matrix-transposed";
    case CauseId::matrix_not_inverted:
      return "matrix-not-inverted";
    case CauseId::matrix_from_local:
      return "matrix-from-local";
    case CauseId::joint_order:
      return "joint-order";
    case CauseId::mesh_transform_missing:
      return "mesh-transform-missing";
    case CauseId::mesh_transform_twice:
      return "mesh-transform-twice";
    case CauseId::mesh_transform_inverse:
      return "mesh-transform-inverse";
    case CauseId::axis_skeleton_only:
      return "axis-converted-skeleton-only";
    case CauseId::axis_mesh_only:
      return "axis-converted-mesh-only";
    case CauseId::unit_skeleton_only:
      return "unit-converted-skeleton-only";
    case CauseId::unit_mesh_only:
      return "unit-converted-mesh-only";
    case CauseId::scale_inherited:
      return "scale-inherited";
    case CauseId::mesh_moved:
      return "mesh-moved";
    case CauseId::mirrored_joint:
      return "mirrored-joint";
    case CauseId::dequantisation:
      return "dequantisation";
    case CauseId::saved_at_clip_key:
      return "saved-at-clip-key";
    case CauseId::one_joint_stale:
      return "one-joint-stale";
    case CauseId::posed_after_bind:
      return "posed-after-bind";
  }
  return "";
}

BindingDiagnosis diagnose(const DiagnosisInput& input) {
  using namespace cause_detail;
  BindingDiagnosis out;
  if (input.influences->box.isEmpty()) return out;
  const Asset& asset = *input.asset;
  const Binding& binding = asset.bindings[input.binding];
  const Skin& skin = asset.skins[static_cast<std::size_t>(binding.skin)];
  const auto world = [&](std::size_t slot) {
    return (*input.world_from_node)[static_cast<std::size_t>(skin.joints[slot])];
  };
  if (!is_fbx(asset.format)) {
    if (!skin.matrix_count) return out;  // absent matrices are bind-matrix-missing's
    const System system = make_system(
        input,
        [&](std::size_t slot) -> std::optional<std::pair<Mat4, Mat4>> {
          if (!skin.joint_from_mesh[slot]) return std::nullopt;
          return std::pair(world(slot), *skin.joint_from_mesh[slot]);
        },
        spaces_of(input));
    out.drift = diagnose_system(system);
  } else if (!skin.clusters.empty()) {
    const Mat4 mesh_now = (*input.world_from_node)[static_cast<std::size_t>(binding.node)] *
                          binding.node_from_geometry;
    const System drift = make_system(
        input,
        [&](std::size_t slot) -> std::optional<std::pair<Mat4, Mat4>> {
          if (!skin.clusters[slot].transform_link) return std::nullopt;
          const std::optional<Mat4> inverse = affine_inverse(*skin.clusters[slot].transform_link);
          if (!inverse) return std::nullopt;
          return std::pair(world(slot), Mat4(*inverse * input.bind->consensus));
        },
        {input.bind->consensus});
    out.drift = diagnose_system(drift);
    System records = make_system(
        input,
        [&](std::size_t slot) -> std::optional<std::pair<Mat4, Mat4>> {
          if (!skin.clusters[slot].transform_link || !skin.joint_from_mesh[slot])
            return std::nullopt;
          return std::pair(*skin.clusters[slot].transform_link, *skin.joint_from_mesh[slot]);
        },
        {input.bind->consensus, mesh_now});
    records.rest_side = false;
    out.records = diagnose_system(records);
  }
  out.placement = diagnose_placement(input);
  out.offset = diagnose_offset(input);
  return out;
}

}  // namespace skinlint
