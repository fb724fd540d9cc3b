// One side converted, the other not: axis turns and unit factors between the bind and the rest
// pose.

#include <algorithm>
#include <array>
#include <cmath>

#include "skinning/axis_turns.h"
#include "skinning/cause_parts.h"

namespace skinlint::cause_detail {
namespace {

Mat4 as_matrix(const Mat3& m) {
  Mat4 out = Mat4::Identity();
  out.topLeftCorner<3, 3>() = m;
  return out;
}

/// The side to blame. FBX keeps the bind of mesh and skeleton together in the clusters, so a rest
/// pose that left it is the skeleton's. In glTF the bind matrices travel with the vertices: the
/// side that does not stand along the file's +Y.
bool skeleton_side(const System& system) {
  if (is_fbx(system.input->asset->format)) return true;
  Box joints;
  for (const CauseJoint& joint : system.joints) joints.extend(translation(joint.place));
  Eigen::Index tallest = 0;
  if (joints.isEmpty()) return false;
  joints.sizes().maxCoeff(&tallest);
  Eigen::Index mesh_tallest = 0;
  system.input->influences->box.sizes().maxCoeff(&mesh_tallest);
  return mesh_tallest == 1 && tallest != 1;
}

struct Best {
  double residual = 0.0;
  std::string detail;
  bool found = false;
};

void take(Best& best, double r, double limit, std::string detail) {
  if (!(r <= limit) || (best.found && r >= best.residual * (1.0 - 1e-9))) return;
  best = {r, std::move(detail), true};
}

void add(const System& system, CauseId id, const Best& best, int parameters,
         std::vector<CauseFit>& fits) {
  if (!best.found) return;
  CauseFit fit;
  fit.id = id;
  fit.residual = std::max(best.residual, system.tau);
  fit.parameters = parameters;
  fit.detail = best.detail;
  fit.slots = slots_off(system, system.spaces.front());
  if (!fit.slots.empty()) fits.push_back(std::move(fit));
}

void try_axes(const System& system, std::vector<CauseFit>& fits) {
  const double limit = fit_limit(system);
  // A space that fits as it is needs no turn, and with any turn that changes nothing it would seem
  // to.
  std::vector<Mat4> spaces;
  for (const Mat4& space : system.spaces) {
    const double plain = residual(
        system,
        [&](std::size_t j) -> std::optional<Mat4> {
          const std::optional<Mat4> inverse = affine_inverse(system.joints[j].place);
          if (!inverse) return std::nullopt;
          return Mat4(*inverse * space);
        },
        limit);
    if (!(plain <= limit)) spaces.push_back(space);
  }
  Best best;
  for (const AxisTurn& turn : axis_turns()) {
    const Mat4 r = as_matrix(turn.linear), back = as_matrix(turn.linear.transpose());
    const std::string name(axis_turn_name(turn));
    for (const Mat4& space : spaces) {
      // Left factor: the joints' places were turned, the bind was not. stored = (R^-1 G)^-1 S =
      // G^-1 R S.
      take(best,
           residual(
               system,
               [&](std::size_t j) -> std::optional<Mat4> {
                 const std::optional<Mat4> inverse = affine_inverse(system.joints[j].place);
                 if (!inverse) return std::nullopt;
                 return Mat4(*inverse * r * space);
               },
               limit),
           limit, name);
      // Conjugation: every matrix of one side was rewritten in turned axes.
      for (const bool with_vertices : {false, true}) {
        take(best,
             residual(
                 system,
                 [&](std::size_t j) -> std::optional<Mat4> {
                   const std::optional<Mat4> inverse = affine_inverse(system.joints[j].place);
                   if (!inverse) return std::nullopt;
                   return with_vertices ? Mat4(r * *inverse * space * back)
                                        : Mat4(r * *inverse * back * space);
                 },
                 limit),
             limit, name);
      }
      if (best.found) break;
    }
    // Proper turns of fewest axes come first: the first that fits is the simplest.
    if (best.found) break;
  }
  add(system, skeleton_side(system) ? CauseId::axis_skeleton_only : CauseId::axis_mesh_only, best,
      0, fits);
}

/// What becomes of the top joints' own translation.
enum class Tops : std::uint8_t { in_the_world, in_their_parent, kept };

/// Places of the joints as they would be with all translations below the top joints divided by
/// `factor`.
std::vector<Mat4> rescaled(const System& system, double factor, Tops tops) {
  std::vector<Mat4> places(system.joints.size());
  for (std::size_t j = 0; j < system.joints.size(); ++j) {
    const CauseJoint& joint = system.joints[j];
    places[j] = joint.place;
    if (joint.parent < 0) {
      if (tops == Tops::in_the_world) places[j].topRightCorner<3, 1>() /= factor;
      if (tops == Tops::in_their_parent) {
        const Asset& asset = *system.input->asset;
        const std::int32_t above = asset.nodes[static_cast<std::size_t>(joint.node)].parent;
        if (above < 0) continue;
        const Vec3 from =
            translation((*system.input->world_from_node)[static_cast<std::size_t>(above)]);
        places[j].topRightCorner<3, 1>() = from + (translation(joint.place) - from) / factor;
      }
      continue;
    }
    const auto p = static_cast<std::size_t>(joint.parent);
    const std::optional<Mat4> inverse = affine_inverse(system.joints[p].place);
    if (!inverse) continue;
    Mat4 local = *inverse * joint.place;
    local.topRightCorner<3, 1>() /= factor;
    places[j] = places[p] * local;
  }
  return places;
}

/// Median ratio of the bones' lengths at rest and at bind.
std::optional<double> length_ratio(const System& system, const Mat4& space) {
  std::vector<double> ratios;
  for (const CauseJoint& joint : system.joints) {
    if (joint.parent < 0 || !joint.invertible) continue;
    const CauseJoint& parent = system.joints[static_cast<std::size_t>(joint.parent)];
    if (!parent.invertible) continue;
    const std::optional<Mat4> bind = affine_inverse(joint.stored),
                              parent_bind = affine_inverse(parent.stored);
    if (!bind || !parent_bind) continue;
    const double at_bind = (translation(space * *bind) - translation(space * *parent_bind)).norm();
    const double at_rest = (translation(joint.place) - translation(parent.place)).norm();
    if (at_bind > 1e-4 * system.size && at_rest > 0.0) ratios.push_back(at_rest / at_bind);
  }
  if (ratios.empty()) return std::nullopt;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  return ratios[ratios.size() / 2];
}

void try_units(const System& system, std::vector<CauseFit>& fits) {
  const double limit = fit_limit(system);
  for (const Mat4& space : system.spaces) {
    const std::optional<double> ratio = length_ratio(system, space);
    if (!ratio || std::abs(*ratio - 1.0) < 1e-2) continue;
    const std::optional<UnitFactor> named = named_unit_factor(*ratio, 1e-2);
    const double factor = named ? named->factor : *ratio;
    Best best;
    for (const Tops tops : {Tops::in_the_world, Tops::in_their_parent, Tops::kept}) {
      const std::vector<Mat4> places = rescaled(system, factor, tops);
      take(best,
           residual(
               system,
               [&](std::size_t j) -> std::optional<Mat4> {
                 const std::optional<Mat4> inverse = affine_inverse(places[j]);
                 if (!inverse) return std::nullopt;
                 return Mat4(*inverse * space);
               },
               limit),
           limit, named ? std::string(named->name) : "scale " + std::to_string(factor));
    }
    if (!best.found) continue;
    const double skeleton = factor * system.size;
    const bool skeleton_odd = skeleton > 200.0 || skeleton < 0.01;
    const bool mesh_odd = system.size > 200.0 || system.size < 0.01;
    const bool blame_skeleton = is_fbx(system.input->asset->format) || skeleton_odd || !mesh_odd;
    add(system, blame_skeleton ? CauseId::unit_skeleton_only : CauseId::unit_mesh_only, best,
        named ? 0 : 1, fits);
    return;
  }
}

}  // namespace

void try_conversions(const System& system, std::vector<CauseFit>& fits) {
  try_axes(system, fits);
  try_units(system, fits);
}

}  // namespace skinlint::cause_detail
