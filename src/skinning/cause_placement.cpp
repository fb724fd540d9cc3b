// Mesh and skeleton as wholes: the mesh node's transform in the bind, conversions of one of the
// two, moved meshes.

#include <algorithm>
#include <cmath>

#include "skinning/bind_parts.h"
#include "skinning/cause_parts.h"
#include "skinning/placement.h"

namespace skinlint::cause_detail {
namespace {

constexpr double misplaced = 0.05;      // clean files measure at most 0.041
constexpr double plausible_min = 0.01;  // metres
constexpr double plausible_max = 200.0;

std::optional<CauseFit> mesh_transform_fit(const DiagnosisInput& input,
                                           const PlacementProbe& probe) {
  const Binding& binding = input.asset->bindings[input.binding];
  const Mat4 mesh_now =
      (*input.world_from_node)[static_cast<std::size_t>(binding.node)] * binding.node_from_geometry;
  const std::optional<Mat4> inverse = affine_inverse(mesh_now),
                            back = affine_inverse(input.bind->consensus);
  if (!inverse || !back || mesh_now.isIdentity(1e-9)) return std::nullopt;
  const double tolerance = std::max(10.0 * input.bind->tau, 0.01) * input.bind->size;
  const double then = probe.score(mesh_now * *back);
  if (!(then < misplaced)) return std::nullopt;
  const std::pair<CauseId, Mat4> forms[] = {{CauseId::mesh_transform_missing, Mat4::Identity()},
                                            {CauseId::mesh_transform_twice, mesh_now * mesh_now},
                                            {CauseId::mesh_transform_inverse, *inverse}};
  for (const auto& [id, predicted] : forms) {
    if (largest_distance(input.bind->consensus, predicted, input.influences->box) > tolerance)
      continue;
    return CauseFit{id, then, 0, true, {}, input.asset->node_name(binding.node)};
  }
  return std::nullopt;
}

double skeleton_extent(const DiagnosisInput& input) {
  Box box;
  const Skin& skin =
      input.asset->skins[static_cast<std::size_t>(input.asset->bindings[input.binding].skin)];
  for (const std::int32_t node : skin.joints) {
    if (node >= 0)
      box.extend(translation((*input.world_from_node)[static_cast<std::size_t>(node)]));
  }
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

bool plausible(double size) { return size >= plausible_min && size <= plausible_max; }

/// Which side a factor or turn went wrong on: the one of implausible size; both alike leave the
/// mesh first and say so.
void add_sided(const DiagnosisInput& input, CauseId mesh, CauseId skeleton, CauseFit fit,
               std::vector<CauseFit>& fits) {
  const bool mesh_fine = plausible(input.bind->size),
             skeleton_fine = plausible(skeleton_extent(input));
  if (mesh_fine != skeleton_fine) {
    fit.id = mesh_fine ? skeleton : mesh;
    fits.push_back(std::move(fit));
    return;
  }
  fit.id = mesh;
  CauseFit other = fit;
  other.id = skeleton;
  // The mesh is the likelier: skeletons are converted by the exporter, vertices by hand. One rank,
  // so that the answer is "ambiguous".
  fits.push_back(std::move(fit));
  fits.push_back(std::move(other));
}

/// The turn about the world's origin, and nothing else, that makes the mesh's space of a declared
/// one, which need not be the one it lies nearest to.
std::optional<std::string> turned_from_a_declared_space(const DiagnosisInput& input) {
  const double tolerance = 10.0 * input.bind->tau * input.bind->size;
  for (const bind_detail::DeclaredSpace& space : declared_spaces(input)) {
    const std::optional<Mat4> inverse = affine_inverse(space.world_from_mesh);
    if (!inverse) continue;
    const std::optional<AxisTurn> turn =
        nearest_axis_turn(linear(input.bind->consensus * *inverse), 0.1);
    if (!turn || turn->is_identity) continue;
    Mat4 exact = Mat4::Identity();
    exact.topLeftCorner<3, 3>() = turn->linear;
    if (largest_distance(exact * space.world_from_mesh, input.bind->consensus,
                         input.influences->box) <= tolerance)
      return std::string(axis_turn_name(*turn));
  }
  return std::nullopt;
}

Diagnosis sided(double before, std::vector<CauseFit> fits, CauseId first) {
  Diagnosis out = concluded(before, std::move(fits));
  std::stable_sort(out.fits.begin(), out.fits.end(), [&](const CauseFit& a, const CauseFit& b) {
    return a.id == first && b.id != first;
  });
  return out;
}

}  // namespace

std::optional<Diagnosis> diagnose_placement(const DiagnosisInput& input) {
  if (!input.bind->placement || !(*input.bind->placement > misplaced)) return std::nullopt;
  const PlacementProbe probe(*input.asset, input.binding, *input.bind, *input.influences);
  const double before = *input.bind->placement;
  std::vector<CauseFit> fits;
  if (std::optional<CauseFit> fit = mesh_transform_fit(input, probe)) {
    fits.push_back(std::move(*fit));
    return concluded(before, std::move(fits));
  }
  const Binding& binding = input.asset->bindings[input.binding];
  const std::optional<PlacementFix> fix = find_placement_fix(
      *input.asset, input.binding, *input.bind, *input.influences,
      (*input.world_from_node)[static_cast<std::size_t>(binding.node)], misplaced);
  CauseId first = CauseId::axis_mesh_only;
  if (fix) {
    CauseFit fit;
    fit.residual = fix->score;
    fit.detail = fix->name;
    switch (fix->kind) {
      case PlacementFix::Kind::unit:
        first = CauseId::unit_mesh_only;
        add_sided(input, CauseId::unit_mesh_only, CauseId::unit_skeleton_only, std::move(fit),
                  fits);
        break;
      case PlacementFix::Kind::axis:
        add_sided(input, CauseId::axis_mesh_only, CauseId::axis_skeleton_only, std::move(fit),
                  fits);
        break;
      case PlacementFix::Kind::mesh_node:
        fit.id = CauseId::mesh_transform_missing;
        fit.named_evidence = true;
        fits.push_back(std::move(fit));
        break;
      case PlacementFix::Kind::mesh_node_inverse:
        fit.id = CauseId::mesh_transform_twice;
        fit.named_evidence = true;
        fits.push_back(std::move(fit));
        break;
    }
  }
  return sided(before, std::move(fits), first);
}

std::optional<Diagnosis> diagnose_offset(const DiagnosisInput& input) {
  const BindAnalysis& bind = *input.bind;
  if (!bind.unexplained) return std::nullopt;
  const CommonOffset& offset = *bind.unexplained;
  const double before = offset.displacement_over_size;
  std::vector<CauseFit> fits;
  if (offset.is_dequantisation) {
    fits.push_back({CauseId::dequantisation, bind.tau, 0, true, {}, {}});
    return concluded(before, std::move(fits));
  }
  if (bind.placement && *bind.placement > misplaced) {
    const PlacementProbe probe(*input.asset, input.binding, bind, *input.influences);
    if (std::optional<CauseFit> fit = mesh_transform_fit(input, probe)) {
      fits.push_back(std::move(*fit));
      return concluded(before, std::move(fits));
    }
  }
  if (is_fbx(input.asset->format)) {
    // The clusters agree on one place for the mesh; only the node stands elsewhere.
    if (bind.consensus_share > 0.99) {
      const Binding& binding = input.asset->bindings[input.binding];
      fits.push_back(
          {CauseId::mesh_moved, bind.tau, 0, true, {}, input.asset->node_name(binding.node)});
    }
    return concluded(before, std::move(fits));
  }
  CauseFit fit;
  fit.residual = bind.tau;
  fit.detail = offset.named;
  CauseId first = CauseId::axis_skeleton_only;
  const std::optional<std::string> turn = turned_from_a_declared_space(input);
  if (turn) fit.detail = *turn;
  if (turn || (offset.is_axis_turn && std::abs(offset.parts.uniform_scale() - 1.0) < 1e-3)) {
    add_sided(input, CauseId::axis_mesh_only, CauseId::axis_skeleton_only, std::move(fit), fits);
  } else if (offset.is_unit_factor && !offset.is_axis_turn) {
    first = CauseId::unit_skeleton_only;
    add_sided(input, CauseId::unit_mesh_only, CauseId::unit_skeleton_only, std::move(fit), fits);
  }
  return sided(before, std::move(fits), first);
}

}  // namespace skinlint::cause_detail
