// Faults of single matrices and nodes, at multiples of the limits of the rules about them.

#include <algorithm>
#include <cmath>

#include "support/faults.h"

namespace skinlint::test::fault_detail {
namespace {

std::int32_t any_weighted(const FaultSite& site, Random& random) {
  return choose(site.weighted(), random,
                [&](std::size_t slot) { return site.largest_weight(slot) > 0.3; });
}

/// One joint's inverse bind matrix, changed.
template <class Change>
std::optional<Injected> one_matrix(const FaultSite& site, Random& random, Change change) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0) return std::nullopt;
  Asset asset = site.asset();
  const auto at = static_cast<std::size_t>(slot);
  set_joint_from_mesh(asset, site.binding(), at, change(*site.skin().joint_from_mesh[at]));
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> not_affine(const FaultSite& site, Random& random, double size) {
  const auto column = static_cast<Eigen::Index>(random.below(4));
  return one_matrix(site, random, [&](Mat4 m) {
    m(3, column) += size * 1e-6;
    return m;
  });
}

std::optional<Injected> singular(const FaultSite& site, Random& random, double) {
  const auto column = static_cast<Eigen::Index>(random.below(3));
  return one_matrix(site, random, [&](Mat4 m) {
    m.topLeftCorner<3, 3>().col(column).setZero();
    return m;
  });
}

std::optional<Injected> not_finite(const FaultSite& site, Random& random, double) {
  const auto entry = static_cast<Eigen::Index>(random.below(3));
  return one_matrix(site, random, [&](Mat4 m) {
    m(entry, 3) = std::nan("");
    return m;
  });
}

std::optional<Injected> identity(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 4) return std::nullopt;  // two or three do not tell who is wrong
  std::optional<Injected> out =
      one_matrix(site, random, [](const Mat4&) { return Mat4(Mat4::Identity()); });
  if (!out || !(disagreement(site, out->asset) >= 0.02)) return std::nullopt;
  return out;
}

std::optional<Injected> one_missing(const FaultSite& site, Random&, double) {
  if (!site.skin().matrix_count || site.skin().joints.size() < 2) return std::nullopt;
  Asset asset = site.asset();
  Skin& skin = asset.skins[static_cast<std::size_t>(site.bound().skin)];
  skin.matrix_count = *skin.matrix_count - 1;
  skin.joint_from_mesh.back().reset();
  return Injected{std::move(asset), {}};
}

/// A joint bound with skewed axes: `k` from bind axes to skewed ones.
std::optional<Injected> skewed(const FaultSite& site, Random& random, const Mat3& k) {
  if (site.weighted().size() < 4) return std::nullopt;
  const std::int32_t slot = choose(site.weighted(), random, [&](std::size_t s) {
    const Mat3 axes = linear(bind_world(site.asset(), site.binding(), s, site.consensus()));
    return site.largest_weight(s) > 0.3 && off_orthogonality(axes) < 1e-6 &&
           condition_number(axes) - 1.0 < 1e-6;
  });
  if (slot < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(slot);
  Asset asset = site.asset();
  set_bind_world(asset, site.binding(), at, site.consensus(),
                 bind_world(asset, site.binding(), at, site.consensus()) * linear_map(k));
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> sheared(const FaultSite& site, Random& random, double size) {
  Mat3 k = Mat3::Identity();
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  k(axis, (axis + 1) % 3) = size * 1e-3;
  return skewed(site, random, k);
}

std::optional<Injected> uneven(const FaultSite& site, Random& random, double size) {
  Mat3 k = Mat3::Identity();
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  k(axis, axis) = 1.0 + size * 1e-2;
  return skewed(site, random, k);
}

/// One change of all the skin's binds, on the world side.
std::optional<Injected> common(const FaultSite& site, const Mat4& change) {
  if (site.weighted().size() < 2) return std::nullopt;
  const Mat4 wanted = change * site.consensus();
  for (std::size_t n = 0; n < site.asset().nodes.size(); ++n) {
    const Mat4& world = site.world(static_cast<std::int32_t>(n));
    // Not a space that a node declares, nor one nearer to another node than to where it came from.
    if ((world - wanted).norm() < (site.consensus() - wanted).norm() * 0.5) return std::nullopt;
  }
  if (site.facts().bind(site.binding()).candidate == Candidate::none) return std::nullopt;
  Asset asset = site.asset();
  const Mat4 tail = in_mesh_space(site, change);
  for (std::size_t slot = 0; slot < site.skin().joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& m = site.skin().joint_from_mesh[slot];
    if (m) set_joint_from_mesh(asset, site.binding(), slot, *m * tail);
  }
  return Injected{std::move(asset), {}};
}

Vec3 middle_of(const FaultSite& site) {
  return transform_point(site.consensus(), site.influences().box.center());
}

std::optional<Injected> common_scale(const FaultSite& site, Random&, double size) {
  // About the mesh's middle, so that nothing but the scale speaks.
  const Mat4 there = translated(middle_of(site)), back = translated(-middle_of(site));
  return common(site, there * linear_map((1.0 + size * 1e-3) * Mat3::Identity()) * back);
}

std::optional<Injected> common_distance(const FaultSite& site, Random& random, double size) {
  if (!site.alone()) return std::nullopt;  // the limit is another for each mesh of the skin
  Box joints;
  for (const std::int32_t node : site.skin().joints) {
    if (node >= 0) joints.extend(translation(site.world(node)));
  }
  const double extent = std::max(site.size(), joints.isEmpty() ? 0.0 : joints.diagonal().norm());
  return common(site, translated(2.0 * extent * size * random.direction()));
}

/// Vertices shifted until the placement score is `score`.
std::optional<Injected> misplaced(const FaultSite& site, Random& random, double score) {
  if (site.placed_joints() < 5) return std::nullopt;
  const Vec3 direction = random.direction();
  const auto at = [&](double distance) {
    return in_mesh_space(site, translated(distance * site.size() * direction));
  };
  double low = 0.0, high = 4.0;
  if (placement_score(site, at(low)) > 0.9 * score || placement_score(site, at(high)) < score)
    return std::nullopt;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (placement_score(site, at(middle)) < score ? low : high) = middle;
  }
  Asset asset = site.asset();
  if (!move_vertices(site, asset, at(high))) return std::nullopt;
  return Injected{std::move(asset), {}};
}
std::optional<Injected> misplaced_note(const FaultSite& site, Random& random, double size) {
  return misplaced(site, random, 0.05 * size);
}
std::optional<Injected> misplaced_warning(const FaultSite& site, Random& random, double size) {
  return misplaced(site, random, 0.1 * size);
}

/// A joint's local transform changed and everything below bound again where it now stands.
std::optional<Injected> rebound(const FaultSite& site, std::int32_t slot, const Mat4& change) {
  if (slot < 0) return std::nullopt;
  Asset asset = site.asset();
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  if (asset.nodes[static_cast<std::size_t>(node)].fbx &&
      asset.nodes[static_cast<std::size_t>(node)].fbx->inherit_type != InheritType::RSrs)
    return std::nullopt;
  set_local(asset, static_cast<std::size_t>(node),
            asset.nodes[static_cast<std::size_t>(node)].parent_from_node * change);
  const std::optional<Mat4> back = affine_inverse(site.world(node));
  if (!back) return std::nullopt;
  const Mat4 moved = site.world(node) * change * *back;
  const std::vector<bool> below = site.below(static_cast<std::size_t>(slot));
  for (std::size_t other = 0; other < below.size(); ++other) {
    if (!below[other]) continue;
    set_bind_world(asset, site.binding(), other, site.consensus(),
                   moved * bind_world(site.asset(), site.binding(), other, site.consensus()));
  }
  return Injected{std::move(asset), {slot}};
}

bool plain_scale(const FaultSite& site, std::size_t slot) {
  const TransformParts parts = decompose(
      site.asset().nodes[static_cast<std::size_t>(site.skin().joints[slot])].parent_from_node);
  return parts.valid && parts.non_uniformity() < 1e-5 &&
         std::abs(parts.uniform_scale() - 1.0) < 1e-5;
}

/// Only this skin's binds are written anew, so no other may hang on the joint.
bool in_one_skin(const FaultSite& site) { return site.asset().skins.size() == 1; }

std::optional<Injected> node_uneven(const FaultSite& site, Random& random, double size) {
  if (!in_one_skin(site)) return std::nullopt;
  Mat3 k = Mat3::Identity();
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  k(axis, axis) = 1.0 + size * 1e-3;
  const std::int32_t slot =
      choose(site.weighted(), random, [&](std::size_t s) { return plain_scale(site, s); });
  return rebound(site, slot, linear_map(k));
}

std::optional<Injected> node_scaled(const FaultSite& site, Random& random, double size) {
  if (!in_one_skin(site)) return std::nullopt;
  const std::int32_t slot = choose(site.weighted(), random, [&](std::size_t s) {
    const std::vector<bool> below = site.below(s);
    return site.parents()[s] >= 0 && plain_scale(site, s) &&
           std::any_of(site.weighted().begin(), site.weighted().end(),
                       [&](std::size_t other) { return !below[other]; });
  });
  return rebound(site, slot, linear_map((1.0 + size * 1e-3) * Mat3::Identity()));
}

std::optional<Injected> node_flattened(const FaultSite& site, Random& random, double size) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0 || !plain_scale(site, static_cast<std::size_t>(slot))) return std::nullopt;
  Asset asset = site.asset();
  const auto node = static_cast<std::size_t>(site.skin().joints[static_cast<std::size_t>(slot)]);
  if (site.facts().scale_animated(static_cast<std::int32_t>(node))) return std::nullopt;
  Mat3 k = Mat3::Identity();
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  k(axis, axis) = 1e-6 / size;
  // Not through a decomposition, which has no axes left to tell.
  Node& flat = asset.nodes[node];
  flat.parent_from_node = flat.parent_from_node * linear_map(k);
  if (flat.fbx) {
    if (!affine_inverse(fbx_local_matrix(*flat.fbx)) ||
        flat.fbx->inherit_type != InheritType::RSrs || !asset.canonical_from_file.isDiagonal())
      return std::nullopt;
    flat.fbx->scaling[axis] *= k(axis, axis);
  } else if (flat.local.has_matrix) {
    flat.local.matrix = flat.parent_from_node;
  } else {
    flat.local.scale[axis] *= k(axis, axis);
  }
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> not_trs(const FaultSite& site, Random& random, double size) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0) return std::nullopt;
  Asset asset = site.asset();
  Node& node =
      asset.nodes[static_cast<std::size_t>(site.skin().joints[static_cast<std::size_t>(slot)])];
  Mat4 m = node.parent_from_node;
  m(3, static_cast<Eigen::Index>(random.below(3))) = size * 1e-4;
  node.local = LocalTransform{};
  node.local.has_matrix = true;
  node.local.matrix = node.parent_from_node = m;
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> unnormalised(const FaultSite& site, Random& random, double size) {
  const std::int32_t slot = choose(site.weighted(), random, [&](std::size_t s) {
    const Node& node = site.asset().nodes[static_cast<std::size_t>(site.skin().joints[s])];
    return !node.local.has_matrix && std::abs(node.local.rotation.norm() - 1.0) < 1e-6;
  });
  if (slot < 0) return std::nullopt;
  Asset asset = site.asset();
  // The matrix is made from the normalised quaternion and stays.
  asset.nodes[static_cast<std::size_t>(site.skin().joints[static_cast<std::size_t>(slot)])]
      .local.rotation *= 1.0 + size * 0.00769;
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> repeated(const FaultSite& site, Random& random, double) {
  const std::size_t n = site.skin().joints.size();
  if (n < 2) return std::nullopt;
  Asset asset = site.asset();
  Skin& skin = asset.skins[static_cast<std::size_t>(site.bound().skin)];
  const std::size_t a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
  skin.joints[a] = skin.joints[b];
  skin.joint_ids[a] = skin.joint_ids[b];
  return Injected{std::move(asset), {}};
}

}  // namespace

std::vector<FaultKind> matrix_faults() {
  const std::vector<std::string_view> companions = {"bind-rest-differs",
                                                    "bind-cluster-mesh-spread",
                                                    "bind-skins-disagree",
                                                    "bind-skeleton-misplaced",
                                                    "bind-common-offset",
                                                    "bind-mesh-moved",
                                                    "bind-pose-cluster-mismatch",
                                                    "bind-matrix-sheared",
                                                    "transform-non-uniform-scale",
                                                    "transform-uniform-scale",
                                                    "transform-not-trs",
                                                    "skeleton-mirror-asymmetry",
                                                    "transform-precision",
                                                    "deform-explodes",
                                                    "transform-inherit-type",
                                                    "deform-singular",
                                                    "bind-matrix-not-affine",
                                                    "weights-unused-joint",
                                                    "skeleton-roots"};
  using Forms = FaultKind::Forms;
  return {
      {.id = "bind-matrix-not-affine",
       .rules = {"bind-matrix-not-affine"},
       .least = Severity::error,
       .companions = companions,
       .graded = true,
       .encodable = false,  // below float's step beside 1
       .inject = not_affine},
      {.id = "bind-matrix-singular",
       .rules = {"bind-matrix-singular"},
       .least = Severity::error,
       .companions = companions,
       .encodable = false,  // the FBX writer inverts it
       .inject = singular},
      {.id = "transform-non-finite/matrix",
       .rules = {"transform-non-finite"},
       .least = Severity::error,
       .companions = companions,
       .encodable = false,
       .inject = not_finite},
      {.id = "bind-matrix-identity",
       .forms = Forms::gltf,
       .rules = {"bind-matrix-identity"},
       .companions = companions,
       .inject = identity},
      {.id = "bind-matrix-missing",
       .forms = Forms::gltf,
       .rules = {"bind-matrix-missing"},
       .least = Severity::error,
       .companions = companions,
       .inject = one_missing},
      {.id = "bind-matrix-sheared/axes",
       .rules = {"bind-matrix-sheared"},
       .companions = companions,
       .graded = true,
       .inject = sheared},
      {.id = "bind-matrix-sheared/scale",
       .rules = {"bind-matrix-sheared"},
       .companions = companions,
       .graded = true,
       .inject = uneven},
      {.id = "bind-common-offset/scale",
       .forms = Forms::gltf,
       .rules = {"bind-common-offset"},
       .companions = companions,
       .graded = true,
       .inject = common_scale},
      {.id = "bind-common-offset/distance",
       .forms = Forms::gltf,
       .rules = {"bind-common-offset"},
       .companions = companions,
       .graded = true,
       .inject = common_distance},
      {.id = "bind-skeleton-misplaced/note",
       .rules = {"bind-skeleton-misplaced"},
       .least = Severity::note,
       .companions = companions,
       .graded = true,
       .inject = misplaced_note},
      {.id = "bind-skeleton-misplaced/warning",
       .rules = {"bind-skeleton-misplaced"},
       .companions = companions,
       .graded = true,
       .inject = misplaced_warning},
      {.id = "transform-non-uniform-scale",
       .rules = {"transform-non-uniform-scale"},
       .companions = companions,
       .graded = true,
       .inject = node_uneven},
      {.id = "transform-uniform-scale",
       .rules = {"transform-uniform-scale"},
       .companions = companions,
       .graded = true,
       .inject = node_scaled},
      {.id = "transform-zero-scale",
       .rules = {"transform-zero-scale"},
       .least = Severity::error,
       .companions = companions,
       .graded = true,
       .encodable = false,
       .inject = node_flattened},
      {.id = "transform-not-trs",
       .forms = Forms::gltf,
       .rules = {"transform-not-trs"},
       .least = Severity::error,
       .companions = companions,
       .graded = true,
       .encodable = false,
       .inject = not_trs},
      {.id = "transform-non-finite/quaternion",
       .forms = Forms::gltf,
       .rules = {"transform-non-finite"},
       .least = Severity::error,
       .companions = companions,
       .graded = true,
       .inject = unnormalised},
      {.id = "skeleton-joint-repeated",
       .forms = Forms::gltf,  // FBX may have several clusters on one bone
       .rules = {"skeleton-joint-repeated"},
       .least = Severity::error,
       .companions = companions,
       .encodable = false,
       .inject = repeated},
  };
}

}  // namespace skinlint::test::fault_detail
