#pragma once
// Assets as the FBX reader delivers them, and the places in them that rule tests break.

#include <string>

#include "rig_breaks.h"
#include "support/fbx_form.h"

namespace skinlint::test {

inline Asset fbx_chain(int joints = 6) { return to_fbx_asset(chain_rig(joints)); }

inline std::int32_t node_of(const Asset& asset, const std::string& name) {
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (asset.nodes[n].name == name) return static_cast<std::int32_t>(n);
  }
  FAIL("no node " << name);
  return -1;
}
inline Node& node(Asset& asset, const std::string& name) {
  return asset.nodes[static_cast<std::size_t>(node_of(asset, name))];
}
inline ClusterRecord& cluster(Asset& asset, std::size_t slot, std::size_t skin = 0) {
  return asset.skins.at(skin).clusters.at(slot);
}
/// The node's matrix in a bind pose.
inline Mat4& posed(Asset& asset, const std::string& name, std::size_t pose = 0) {
  const std::int32_t index = node_of(asset, name);
  for (BindPose::Entry& entry : asset.bind_poses.at(pose).entries) {
    if (entry.node == index) return entry.world_from_node;
  }
  throw std::logic_error("no entry for " + name);
}
inline void forget(Asset& asset, const std::string& name, std::size_t pose = 0) {
  const std::int32_t index = node_of(asset, name);
  auto& entries = asset.bind_poses.at(pose).entries;
  entries.erase(
      std::remove_if(entries.begin(), entries.end(),
                     [index](const BindPose::Entry& entry) { return entry.node == index; }),
      entries.end());
  asset.bind_poses[pose].declared_count = static_cast<std::int64_t>(entries.size());
}

inline Mat4 shift(double x, double y, double z) {
  Mat4 m = Mat4::Identity();
  m.topRightCorner<3, 1>() = Vec3(x, y, z);
  return m;
}
inline Mat4 turned(double degrees, const Vec3& axis) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() =
      Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, axis).toRotationMatrix();
  return m;
}

/// The only finding of a rule on an asset; fails the test when there is none or several.
inline Finding only(const Asset& asset, const std::string& rule, const CheckConfig& config = {}) {
  std::vector<Finding> found = findings_of(asset, rule, config);
  REQUIRE(found.size() == 1);
  return found.front();
}
inline Severity severity(const Asset& asset, const std::string& rule,
                         const CheckConfig& config = {}) {
  return only_severity(asset, rule, config);
}
inline bool silent(const Asset& asset, const std::string& rule, const CheckConfig& config = {}) {
  return findings_of(asset, rule, config).empty();
}
inline bool clean_fbx_is_silent(const std::string& rule) {
  return silent(fbx_chain(), rule) && silent(to_fbx_asset(humanoid_rig()), rule) &&
         clean_is_silent(rule);
}

/// Diagonal of chain_rig(6).
inline const double chain_size = std::sqrt(44.0);

}  // namespace skinlint::test
