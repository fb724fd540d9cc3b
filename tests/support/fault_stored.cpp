// Bind matrices written in the wrong form, from the wrong transform, or in the wrong order.

#include <algorithm>
#include <cmath>

#include "support/faults.h"

namespace skinlint::test::fault_detail {
namespace {

constexpr double visible = 0.02;  // twice the displacement that is a warning

std::optional<Injected> if_visible(const FaultSite& site, Asset asset) {
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

/// FBX: the cluster's Transform, TransformLink as it was.
template <class Change>
std::optional<Injected> rewritten(const FaultSite& site, Change change) {
  Asset asset = site.asset();
  for (std::size_t slot = 0; slot < site.skin().joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& m = site.skin().joint_from_mesh[slot];
    if (m) set_joint_from_mesh(asset, site.binding(), slot, change(*m));
  }
  return if_visible(site, std::move(asset));
}

std::optional<Injected> transposed(const FaultSite& site, Random&, double) {
  // Without a translation the transpose is an affine matrix like any other.
  const bool told =
      std::any_of(site.weighted().begin(), site.weighted().end(), [&](std::size_t slot) {
        return translation(*site.skin().joint_from_mesh[slot]).cwiseAbs().maxCoeff() > 1e-5;
      });
  if (!told) return std::nullopt;
  return rewritten(site, [](const Mat4& m) { return Mat4(m.transpose()); });
}

std::optional<Injected> not_inverted(const FaultSite& site, Random&, double) {
  return rewritten(site, [](const Mat4& m) { return affine_inverse(m).value_or(m); });
}

std::optional<Injected> from_local(const FaultSite& site, Random&, double) {
  Asset asset = site.asset();
  for (std::size_t slot = 0; slot < site.skin().joints.size(); ++slot) {
    const std::int32_t node = site.skin().joints[slot];
    if (node < 0) continue;
    set_bind_world(asset, site.binding(), slot, site.consensus(),
                   site.asset().nodes[static_cast<std::size_t>(node)].parent_from_node);
  }
  return if_visible(site, std::move(asset));
}

/// Binds of the weighted joints taken from one another; `source` per index into weighted().
std::optional<Injected> reordered(const FaultSite& site, const std::vector<std::size_t>& source,
                                  bool link_too) {
  Asset asset = site.asset();
  const std::vector<std::size_t>& slots = site.weighted();
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::size_t from = slots[source[k]];
    if (link_too) {
      set_bind_world(asset, site.binding(), slots[k], site.consensus(),
                     bind_world(site.asset(), site.binding(), from, site.consensus()));
    } else {
      set_joint_from_mesh(asset, site.binding(), slots[k], *site.skin().joint_from_mesh[from]);
    }
  }
  return if_visible(site, std::move(asset));
}

std::optional<Injected> shuffled(const FaultSite& site, Random& random, double) {
  const std::size_t n = site.weighted().size();
  if (n < 3) return std::nullopt;
  std::vector<std::size_t> source(n);
  for (std::size_t k = 0; k < n; ++k) source[k] = k;
  for (std::size_t k = n - 1; k > 0; --k) std::swap(source[k], source[random.below(k + 1)]);
  return reordered(site, source, true);
}

std::optional<Injected> swapped(const FaultSite& site, Random& random, double) {
  const std::size_t n = site.weighted().size();
  if (n < 3) return std::nullopt;
  std::vector<std::size_t> source(n);
  for (std::size_t k = 0; k < n; ++k) source[k] = k;
  const std::size_t a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
  std::swap(source[a], source[b]);
  return reordered(site, source, true);
}

std::optional<Injected> shifted(const FaultSite& site, Random& random, double) {
  const std::size_t n = site.weighted().size();
  if (n < 3) return std::nullopt;
  const std::size_t by = random.below(2) == 0 ? 1 : n - 1;
  std::vector<std::size_t> source(n);
  for (std::size_t k = 0; k < n; ++k) source[k] = (k + by) % n;
  return reordered(site, source, true);
}

/// FBX: only the Transform records changed places.
std::optional<Injected> shuffled_records(const FaultSite& site, Random& random, double) {
  const std::size_t n = site.weighted().size();
  if (n < 3) return std::nullopt;
  std::vector<std::size_t> source(n);
  for (std::size_t k = 0; k < n; ++k) source[k] = k;
  for (std::size_t k = n - 1; k > 0; --k) std::swap(source[k], source[random.below(k + 1)]);
  return reordered(site, source, false);
}

}  // namespace

std::vector<FaultKind> stored_form_faults() {
  const std::vector<std::string_view> drift = {"bind-rest-differs", "bind-cluster-mesh-spread",
                                               "bind-matrix-not-affine"};
  const std::vector<std::string_view> companions = {
      "bind-rest-differs",       "bind-cluster-mesh-spread", "bind-common-offset",
      "bind-skeleton-misplaced", "bind-skins-disagree",      "bind-mesh-moved",
      "bind-matrix-identity",    "bind-matrix-sheared",      "bind-pose-cluster-mismatch",
      "deform-explodes",         "transform-axis-residue",   "deform-singular",
      "transform-precision"};
  return {
      {.id = "matrix-transposed",
       .rules = drift,
       .causes = {"matrix-transposed"},
       .companions = companions,
       .inject = transposed},
      {.id = "matrix-not-inverted",
       .rules = drift,
       .causes = {"matrix-not-inverted"},
       .companions = companions,
       .inject = not_inverted},
      {.id = "matrix-from-local",
       .rules = drift,
       .causes = {"matrix-from-local"},
       .companions = companions,
       .inject = from_local},
      {.id = "joint-order/all",
       .rules = drift,
       .causes = {"joint-order"},
       .companions = companions,
       .inject = shuffled},
      {.id = "joint-order/two",
       .rules = drift,
       .causes = {"joint-order"},
       .companions = companions,
       .inject = swapped},
      {.id = "joint-order/shift",
       .rules = drift,
       .causes = {"joint-order"},
       .companions = companions,
       .inject = shifted},
      {.id = "joint-order/records",
       .forms = FaultKind::Forms::fbx,
       .rules = drift,
       .causes = {"joint-order"},
       .companions = companions,
       .inject = shuffled_records},
  };
}

}  // namespace skinlint::test::fault_detail
