#include "skinning/placement.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "skinning/axis_turns.h"

namespace skinlint {
namespace {

std::array<Vec3, 8> corners_of(const Box& box, const Mat4& m) {
  std::array<Vec3, 8> corners;
  for (int c = 0; c < 8; ++c) {
    corners[static_cast<std::size_t>(c)] =
        transform_point(m, box.corner(static_cast<Box::CornerType>(c)));
  }
  return corners;
}

Box moved_box(const std::array<Vec3, 8>& corners, const Mat4& change) {
  Box box;
  for (const Vec3& corner : corners) box.extend(transform_point(change, corner));
  return box;
}

}  // namespace

PlacementProbe::PlacementProbe(const Asset& asset, std::size_t binding, const BindAnalysis& bind,
                               const InfluenceAnalysis& influences)
    : mesh_(corners_of(influences.box, bind.consensus)) {
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  for (std::size_t j = 0; j < bind.joints.size() && j < influences.joints.size(); ++j) {
    if (bind.joints[j].use != JointBind::Use::usable || influences.joints[j].heavy_box.isEmpty()) {
      continue;
    }
    if (!skin.joint_from_mesh[j]) continue;
    const std::optional<Mat4> mesh_from_joint = affine_inverse(*skin.joint_from_mesh[j]);
    if (!mesh_from_joint) continue;
    joints_.push_back({transform_point(bind.consensus, translation(*mesh_from_joint)),
                       corners_of(influences.joints[j].heavy_box, bind.consensus)});
  }
}

double PlacementProbe::score(const Mat4& change) const {
  const double size = moved_box(mesh_, change).diagonal().norm();
  if (!(size > 0.0) || joints_.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> distances;
  distances.reserve(joints_.size());
  for (const PlacedJoint& joint : joints_) {
    distances.push_back(moved_box(joint.corners, change).exteriorDistance(joint.origin) / size);
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  return n % 2 == 1 ? distances[n / 2] : 0.5 * (distances[n / 2 - 1] + distances[n / 2]);
}

std::optional<PlacementFix> find_placement_fix(const Asset& asset, std::size_t binding,
                                               const BindAnalysis& bind,
                                               const InfluenceAnalysis& influences,
                                               const Mat4& world_from_node, double good) {
  if (!bind.placement) return std::nullopt;
  const PlacementProbe probe(asset, binding, bind, influences);
  if (probe.empty()) return std::nullopt;

  std::optional<PlacementFix> best;
  const auto attempt = [&](PlacementFix::Kind kind, const Mat4& change, const std::string& name) {
    const double score = probe.score(change);
    if (score < good && (!best || score < best->score - 1e-9)) {
      best = PlacementFix{kind, name, score};
    }
  };
  if (world_from_node.allFinite() && !world_from_node.isIdentity(1e-9)) {
    attempt(PlacementFix::Kind::mesh_node, world_from_node, "the mesh node's transform");
    const std::optional<Mat4> inverse = affine_inverse(world_from_node);
    if (inverse)
      attempt(PlacementFix::Kind::mesh_node_inverse, *inverse,
              "the inverse of the mesh node's transform");
    if (best) return best;
  }
  for (const double factor : {100.0, 0.01, 2.54, 1.0 / 2.54, 0.0254, 1.0 / 0.0254, 0.3048,
                              1.0 / 0.3048, 10.0, 0.1, 1000.0, 0.001}) {
    Mat4 change = Mat4::Identity();
    change.topLeftCorner<3, 3>() *= factor;
    const std::optional<UnitFactor> unit = named_unit_factor(factor);
    std::string name = "scale " + std::to_string(factor);
    name.erase(name.find_last_not_of('0') + 1);
    if (name.back() == '.') name.pop_back();
    if (unit) name += " (" + std::string(unit->name) + ")";
    attempt(PlacementFix::Kind::unit, change, name);
  }
  if (best) return best;
  for (const AxisTurn& turn : axis_turns()) {
    Mat4 change = Mat4::Identity();
    change.topLeftCorner<3, 3>() = turn.linear;
    attempt(PlacementFix::Kind::axis, change, std::string(axis_turn_name(turn)));
  }
  return best;
}

}  // namespace skinlint
