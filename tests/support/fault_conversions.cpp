// Mesh and skeleton that do not share a space: the mesh node's transform, axes, units.

#include <algorithm>
#include <cmath>

#include "skinning/hierarchy.h"
#include "support/faults.h"

namespace skinlint::test::fault_detail {
namespace {

constexpr double visible = 0.02;          // twice the displacement that is a warning
constexpr double misplaced = 0.2;         // twice the placement score that is a warning
constexpr std::size_t judged_joints = 5;  // that a placement score needs

/// A mesh node with a transform of its own, and the mesh in that node's space, bound as it should
/// be; then the bind's mesh space replaced by what `wrong` makes of the transform X and its
/// inverse.
template <class Wrong>
std::optional<Injected> mesh_space(const FaultSite& site, Random& random, bool fault, Wrong wrong) {
  const auto node = static_cast<std::size_t>(site.bound().node);
  const Asset& clean = site.asset();
  if (!site.alone() || site.placed_joints() < judged_joints || !clean.nodes[node].children.empty())
    return std::nullopt;
  if (!site.bound().node_from_geometry.isIdentity(1e-9) ||
      !clean.meshes[static_cast<std::size_t>(site.bound().mesh)].morphs.empty())
    return std::nullopt;
  const double scale = random.below(2) == 0 ? 1.0 : 2.0;
  const Mat3 turn = turned(random.between(30, 90), random.direction());
  const Mat4 x = translated(1.5 * site.size() * random.direction()) * linear_map(scale * turn);
  const std::optional<Mat4> back = affine_inverse(x), s_inverse = affine_inverse(site.consensus());
  const std::int32_t parent = clean.nodes[node].parent;
  const std::optional<Mat4> above =
      parent >= 0 ? affine_inverse(site.world(parent)) : Mat4(Mat4::Identity());
  if (!back || !s_inverse || !above) return std::nullopt;
  const Mat4 stored = wrong(x, *back);
  if (fault && !(placement_score(site, in_mesh_space(site, stored * *back)) >= misplaced))
    return std::nullopt;
  Asset asset = clean;
  set_local(asset, node, *above * x);
  if (!move_vertices(site, asset, *back * site.consensus())) return std::nullopt;
  for (std::size_t slot = 0; slot < site.skin().joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& m = site.skin().joint_from_mesh[slot];
    if (m) set_joint_from_mesh(asset, site.binding(), slot, *m * *s_inverse * stored);
  }
  for (BindPose& pose : asset.bind_poses) {
    for (BindPose::Entry& entry : pose.entries) {
      if (entry.node == site.bound().node) entry.world_from_node = stored;
    }
  }
  return Injected{std::move(asset), {}};
}

std::optional<Injected> node_space(const FaultSite& site, Random& random, double) {
  return mesh_space(site, random, false, [](const Mat4& x, const Mat4&) { return x; });
}
std::optional<Injected> missing(const FaultSite& site, Random& random, double) {
  return mesh_space(site, random, true,
                    [](const Mat4&, const Mat4&) { return Mat4(Mat4::Identity()); });
}
std::optional<Injected> twice(const FaultSite& site, Random& random, double) {
  return mesh_space(site, random, true, [](const Mat4& x, const Mat4&) { return Mat4(x * x); });
}
std::optional<Injected> inverse(const FaultSite& site, Random& random, double) {
  return mesh_space(site, random, true, [](const Mat4&, const Mat4& back) { return back; });
}

Mat3 quarter_turn(Random& random) {
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  return turned(random.below(2) == 0 ? 90.0 : -90.0, Vec3(Vec3::Unit(axis)))
      .unaryExpr([](double v) { return std::round(v); });
}

double unit_factor(Random& random) {
  static constexpr double factors[] = {100.0, 0.01, 2.54, 0.0254, 39.37, 0.3048};
  return factors[random.below(6)];
}

bool mesh_below_a_joint(const FaultSite& site) {
  for (std::int32_t n = site.bound().node; n >= 0;
       n = site.asset().nodes[static_cast<std::size_t>(n)].parent) {
    if (site.asset().nodes[static_cast<std::size_t>(n)].is_joint) return true;
  }
  return false;
}

/// Every top joint turned about the world's origin.
std::optional<Injected> skeleton_turned(const FaultSite& site, Random& random, double) {
  if (mesh_below_a_joint(site)) return std::nullopt;
  const Mat4 r = linear_map(quarter_turn(random));
  Asset asset = site.asset();
  for (const std::size_t slot : site.tops()) {
    const auto node = static_cast<std::size_t>(site.skin().joints[slot]);
    const std::int32_t parent = asset.nodes[node].parent;
    const Mat4 above = parent >= 0 ? site.world(parent) : Mat4(Mat4::Identity());
    const std::optional<Mat4> down = affine_inverse(above);
    if (!down) return std::nullopt;
    set_local(asset, node, *down * r * above * asset.nodes[node].parent_from_node);
  }
  // glTF: the space it makes must be none that the file has a node for.
  const Mat4 space = r * site.consensus();
  const auto is_space = [&](const Mat4& m) { return (m - space).norm() < 0.05 * space.norm(); };
  const std::vector<Mat4> world = world_from_nodes(asset);
  if (site.gltf() &&
      (is_space(Mat4::Identity()) || std::any_of(world.begin(), world.end(), is_space)))
    return std::nullopt;
  return Injected{std::move(asset), {}};
}

/// Bind matrices written in turned axes, the nodes not.
std::optional<Injected> binds_in_turned_axes(const FaultSite& site, Random& random, double) {
  const Mat3 turn = quarter_turn(random);
  const Mat4 r = linear_map(turn), back = linear_map(turn.transpose());
  Asset asset = site.asset();
  for (std::size_t slot = 0; slot < site.skin().joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& m = site.skin().joint_from_mesh[slot];
    if (!m) continue;
    if (site.gltf()) {
      set_joint_from_mesh(asset, site.binding(), slot, r * *m * back);
    } else {
      set_bind_world(asset, site.binding(), slot, site.consensus(),
                     r * bind_world(site.asset(), site.binding(), slot, site.consensus()) * back);
    }
  }
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

/// Nodes of the skeleton written in turned axes, the binds not.
std::optional<Injected> nodes_in_turned_axes(const FaultSite& site, Random& random, double) {
  if (mesh_below_a_joint(site)) return std::nullopt;
  const Mat3 turn = quarter_turn(random);
  const Mat4 r = linear_map(turn), back = linear_map(turn.transpose());
  Asset asset = site.asset();
  std::vector<bool> inside(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    const bool below = parent >= 0 && inside[static_cast<std::size_t>(parent)];
    const bool joint = std::find(site.skin().joints.begin(), site.skin().joints.end(),
                                 static_cast<std::int32_t>(n)) != site.skin().joints.end();
    inside[n] = below || joint;
    if (below) {
      set_local(asset, n, r * asset.nodes[n].parent_from_node * back);
    } else if (joint) {
      const Mat4 above = parent >= 0 ? site.world(parent) : Mat4(Mat4::Identity());
      const std::optional<Mat4> down = affine_inverse(above);
      if (!down) return std::nullopt;
      set_local(asset, n, *down * r * site.world(static_cast<std::int32_t>(n)) * back);
    }
  }
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

/// Translations of the skeleton's nodes in another unit, the binds not.
std::optional<Injected> nodes_in_other_unit(const FaultSite& site, Random& random, double) {
  if (mesh_below_a_joint(site)) return std::nullopt;
  const double factor = unit_factor(random);
  const bool tops_too = random.below(2) == 0;
  Asset asset = site.asset();
  std::vector<bool> inside(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const std::int32_t parent = asset.nodes[n].parent;
    const bool below = parent >= 0 && inside[static_cast<std::size_t>(parent)];
    const bool joint = std::find(site.skin().joints.begin(), site.skin().joints.end(),
                                 static_cast<std::int32_t>(n)) != site.skin().joints.end();
    inside[n] = below || joint;
    if (!below && !(joint && tops_too)) continue;
    Mat4 local = asset.nodes[n].parent_from_node;
    local.topRightCorner<3, 1>() *= factor;
    set_local(asset, n, local);
  }
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

std::optional<Injected> vertices_changed(const FaultSite& site, const Mat3& by) {
  if (site.placed_joints() < judged_joints) return std::nullopt;
  const Mat4 change = in_mesh_space(site, linear_map(by));
  if (!(placement_score(site, change) >= misplaced)) return std::nullopt;
  Asset asset = site.asset();
  if (!move_vertices(site, asset, change)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

std::optional<Injected> vertices_turned(const FaultSite& site, Random& random, double) {
  const Mat3 turn = quarter_turn(random);
  // Where the mesh node is turned likewise, its transform left out or applied twice looks the same.
  const Mat3 node = linear(site.world(site.bound().node));
  const Mat3 axes = node / std::cbrt(std::abs(node.determinant()));
  if ((axes - turn).norm() < 0.1 || (axes - turn.transpose()).norm() < 0.1) return std::nullopt;
  return vertices_changed(site, turn);
}
std::optional<Injected> vertices_in_other_unit(const FaultSite& site, Random& random, double) {
  return vertices_changed(site, unit_factor(random) * Mat3::Identity());
}

/// Positions as 16-bit integers, their decoding folded into the bind: how quantised files are made.
std::optional<Injected> dequantised(const FaultSite& site, Random&, double) {
  const auto mesh = static_cast<std::size_t>(site.bound().mesh);
  if (!site.alone() || !site.asset().meshes[mesh].morphs.empty() ||
      is_integer(site.asset().meshes[mesh].parts.at(0).positions.type))
    return std::nullopt;
  Asset asset = site.asset();
  Box box;
  for (const MeshPart& part : asset.meshes[mesh].parts) {
    for (const Vec3& v : positions_of(part)) box.extend(v);
  }
  if (box.isEmpty()) return std::nullopt;
  const double extent = box.sizes().maxCoeff();
  const Mat4 decode = translated(box.min()) * linear_map(extent * Mat3::Identity());
  for (MeshPart& part : asset.meshes[mesh].parts) {
    std::vector<double> values;
    for (const Vec3& v : positions_of(part)) {
      const Vec3 unit = (v - box.min()) / extent;
      values.insert(values.end(), {unit[0], unit[1], unit[2]});
    }
    part.positions = own_stream(asset, values, ComponentType::u16, 3, true);
  }
  for (std::size_t slot = 0; slot < site.skin().joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& m = site.skin().joint_from_mesh[slot];
    if (m) set_joint_from_mesh(asset, site.binding(), slot, *m * decode);
  }
  return Injected{std::move(asset), {}};
}

}  // namespace

std::vector<FaultKind> conversion_faults() {
  const std::vector<std::string_view> places = {"bind-skeleton-misplaced", "bind-common-offset",
                                                "bind-mesh-moved"};
  const std::vector<std::string_view> drift = {"bind-rest-differs", "bind-common-offset"};
  const std::vector<std::string_view> axes = {"axis-converted-skeleton-only",
                                              "axis-converted-mesh-only"};
  const std::vector<std::string_view> units = {"unit-converted-skeleton-only",
                                               "unit-converted-mesh-only"};
  const std::vector<std::string_view> companions = {
      "bind-common-offset",        "bind-skeleton-misplaced", "bind-mesh-moved",
      "bind-rest-differs",         "bind-skins-disagree",     "bind-pose-cluster-mismatch",
      "transform-ignored-on-skin", "transform-mesh-residue",  "transform-axis-residue",
      "transform-uniform-scale",   "transform-root-residue",  "transform-unit-mismatch",
      "transform-precision",       "deform-explodes"};
  return {
      {.id = "mesh-transform-right", .companions = {}, .harmless = true, .inject = node_space},
      {.id = "mesh-transform-missing",
       .rules = places,
       .causes = {"mesh-transform-missing"},
       .companions = companions,
       .inject = missing},
      {.id = "mesh-transform-twice",
       .rules = places,
       .causes = {"mesh-transform-twice"},
       .companions = companions,
       .inject = twice},
      {.id = "mesh-transform-inverse",
       .rules = places,
       .causes = {"mesh-transform-inverse"},
       .companions = companions,
       .inject = inverse},
      {.id = "axis-converted/skeleton",
       .rules = drift,
       .least = Severity::note,
       .causes = axes,
       .companions = companions,
       .inject = skeleton_turned},
      {.id = "axis-converted/binds",
       .rules = drift,
       .causes = axes,
       .companions = companions,
       .inject = binds_in_turned_axes},
      {.id = "axis-converted/nodes",
       .rules = drift,
       .causes = axes,
       .companions = companions,
       .inject = nodes_in_turned_axes},
      {.id = "axis-converted/vertices",
       .rules = {"bind-skeleton-misplaced"},
       .causes = axes,
       .companions = companions,
       .inject = vertices_turned},
      {.id = "unit-converted/nodes",
       .rules = drift,
       .causes = units,
       .companions = companions,
       .inject = nodes_in_other_unit},
      {.id = "unit-converted/vertices",
       .rules = {"bind-skeleton-misplaced"},
       .causes = units,
       .companions = companions,
       .inject = vertices_in_other_unit},
      {.id = "dequantisation",
       .forms = FaultKind::Forms::gltf,
       .causes = {"dequantisation"},
       .companions = {},
       .harmless = true,
       .encodable = false,
       .inject = dequantised},
  };
}

}  // namespace skinlint::test::fault_detail
