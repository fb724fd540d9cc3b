// Matrices stored in a wrong form: transposed, not inverted, from local transforms, in another
// joint's slot.

#include <algorithm>
#include <cmath>

#include "skinning/cause_parts.h"

namespace skinlint::cause_detail {
namespace {

// Every pair of matrices is compared once; beyond this many joints the hypothesis is not tried.
constexpr std::size_t max_order_joints = 2000;

template <class Predict>
void try_form(const System& system, CauseId id, std::vector<CauseFit>& fits, Predict predict) {
  const double limit = fit_limit(system);
  double best = limit;
  bool found = false;
  for (const Mat4& space : system.spaces) {
    const double r = residual(
        system, [&](std::size_t j) { return predict(system.joints[j], space); }, limit);
    if (r <= best) {
      best = r;
      found = true;
    }
  }
  if (!found) return;
  CauseFit fit;
  fit.id = id;
  fit.residual = std::max(best, system.tau);
  fit.named_evidence = id == CauseId::matrix_transposed;  // the last rows say so
  fit.slots = slots_off(system, system.spaces.front());
  if (fit.slots.empty()) return;
  fits.push_back(std::move(fit));
}

bool bottom_row_is_off(const System& system) {
  return std::any_of(system.joints.begin(), system.joints.end(),
                     [](const CauseJoint& joint) { return bottom_row_error(joint.stored) > 1e-6; });
}

/// Local transform below the joint above it, or below the scene for a top joint: what a tool takes
/// that reads a joint's own channels.
Mat4 local_of(const System& system, const CauseJoint& joint) {
  return system.input->asset->nodes[static_cast<std::size_t>(joint.node)].parent_from_node;
}

void try_order(const System& system, const Mat4& space, std::vector<CauseFit>& fits) {
  const std::size_t n = system.joints.size();
  if (n < 2 || n > max_order_joints) return;
  const double tolerance = std::max(system.tau, 0.01 * system.before) * system.size;
  std::vector<bool> taken(n, false);
  std::vector<std::size_t> source(n, n);
  std::size_t exchanged = 0;
  double sum = 0.0;
  // Joints that are right as they stand keep their own matrix, so that equal joints do not trade
  // places.
  for (std::size_t j = 0; j < n; ++j) {
    const CauseJoint& joint = system.joints[j];
    if (joint.weight <= 0.0 || distance(joint, joint.place * joint.stored, space) > tolerance)
      continue;
    source[j] = j;
    taken[j] = true;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const CauseJoint& joint = system.joints[j];
    if (joint.weight <= 0.0) continue;
    if (source[j] == j) continue;
    double nearest = tolerance;
    // The first point alone rules out nearly all, at a fraction of the cost.
    const Vec3& point = joint.points.front();
    const Vec3 wanted = transform_point(space, point);
    const double points = std::sqrt(static_cast<double>(joint.points.size()));
    for (std::size_t i = 0; i < n; ++i) {
      if (taken[i] || i == j) continue;
      const Vec3 there =
          transform_point(joint.place, transform_point(system.joints[i].stored, point));
      if (!((there - wanted).norm() <= nearest * points)) continue;
      const double d = distance(joint, joint.place * system.joints[i].stored, space);
      if (d <= nearest) {
        nearest = d;
        source[j] = i;
      }
    }
    if (source[j] == n) return;  // this joint's matrix is nowhere in the skin
    taken[source[j]] = true;
    if (nearest > system.tau * system.size) sum += joint.weight * nearest;
    ++exchanged;
  }
  if (exchanged < 2) return;
  CauseFit fit;
  fit.id = CauseId::joint_order;
  fit.residual = std::max(sum / (system.weight_off * system.size), system.tau);
  fit.slots = slots_off(system, space);
  std::optional<std::int32_t> shift;
  bool one_shift = true;
  for (std::size_t j = 0; j < n; ++j) {
    if (source[j] == n || source[j] == j) continue;
    const std::int32_t by = system.joints[source[j]].slot - system.joints[j].slot;
    if (shift && *shift != by) one_shift = false;
    shift = by;
  }
  if (one_shift && shift && std::abs(*shift) == 1) fit.detail = "shifted by one";
  fits.push_back(std::move(fit));
}

}  // namespace

void try_stored_forms(const System& system, std::vector<CauseFit>& fits) {
  if (bottom_row_is_off(system)) {
    try_form(system, CauseId::matrix_transposed, fits,
             [](const CauseJoint& joint, const Mat4& space) -> std::optional<Mat4> {
               const std::optional<Mat4> inverse = affine_inverse(joint.place);
               if (!inverse) return std::nullopt;
               return Mat4((*inverse * space).transpose());
             });
  }
  try_form(system, CauseId::matrix_not_inverted, fits,
           [](const CauseJoint& joint, const Mat4& space) -> std::optional<Mat4> {
             const std::optional<Mat4> inverse = affine_inverse(space);
             if (!inverse) return std::nullopt;
             return Mat4(*inverse * joint.place);
           });
  if (system.rest_side) {
    try_form(system, CauseId::matrix_from_local, fits,
             [&](const CauseJoint& joint, const Mat4& space) -> std::optional<Mat4> {
               const std::optional<Mat4> inverse = affine_inverse(local_of(system, joint));
               if (!inverse) return std::nullopt;
               return Mat4(*inverse * space);
             });
  }
  const std::size_t before = fits.size();
  for (const Mat4& space : system.spaces) {
    if (fits.size() == before) try_order(system, space, fits);
  }
}

}  // namespace skinlint::cause_detail
