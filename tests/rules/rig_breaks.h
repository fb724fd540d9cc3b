#pragma once
// Rigs with one joint-level break, for the tests of bind-* and transform-* rules.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "support/rig.h"
#include "support/rule_run.h"

namespace skinlint::test {

using Ids = std::set<std::string>;

inline Vec4 turn(double degrees, const Vec3& axis) {
  const Quat q(Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, axis));
  return Vec4(q.x(), q.y(), q.z(), q.w());
}

inline RigNode& node(Rig& rig, const std::string& name) {
  return rig.nodes.at(static_cast<std::size_t>(rig.node(name)));
}

/// Inverse bind matrix of slot `joint` of skin 0.
inline Mat4& matrix_of(Rig& rig, std::size_t joint) {
  return rig.skins.at(0).joint_from_mesh->at(joint);
}

/// A node above everything that has no parent, mesh nodes left out.
inline std::size_t put_above(Rig& rig, const RigNode& top) {
  const int index = static_cast<int>(rig.nodes.size());
  for (std::size_t i = 0; i < rig.nodes.size(); ++i) {
    bool mesh = false;
    for (const RigInstance& instance : rig.instances) {
      if (instance.node == static_cast<int>(i)) mesh = true;
    }
    if (rig.nodes[i].parent < 0 && !mesh) rig.nodes[i].parent = index;
  }
  rig.nodes.push_back(top);
  return static_cast<std::size_t>(index);
}

/// A joint without weight below `parent`, listed last in skin 0.
inline std::size_t add_socket(Rig& rig, const std::string& parent, const std::string& name) {
  RigNode socket;
  socket.name = name;
  socket.parent = rig.node(parent);
  socket.translation = Vec3(0.1, 0, 0);
  rig.skins.at(0).joints.push_back(static_cast<int>(rig.nodes.size()));
  rig.nodes.push_back(socket);
  rig.bind_at_rest();
  return rig.skins[0].joints.size() - 1;
}

inline RigClip clip_of(const std::string& name, int node, ChannelPath path,
                       std::vector<double> values) {
  return {name, {rig_channel(node, path, std::move(values))}};
}

inline Mat4 scaling(const Vec3& s) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = s.asDiagonal();
  return m;
}

/// The only finding of a rule on a rig; fails the test when there is none or several.
inline Finding only(const Rig& rig, const std::string& rule, const CheckConfig& config = {}) {
  std::vector<Finding> found = findings_of(to_asset(rig), rule, config);
  REQUIRE(found.size() == 1);
  return found.front();
}

inline Severity severity(const Rig& rig, const std::string& rule, const CheckConfig& config = {}) {
  return only_severity(to_asset(rig), rule, config);
}

inline bool silent(const Rig& rig, const std::string& rule, const CheckConfig& config = {}) {
  return findings_of(to_asset(rig), rule, config).empty();
}

/// Slots that a finding names, worst first.
inline std::vector<int> slots(const Finding& finding) {
  std::vector<int> out;
  for (const ElementRef& element : finding.related) {
    if (element.kind == ElementKind::joint) out.push_back(element.sub);
  }
  return out;
}

inline bool clean_is_silent(const std::string& rule) {
  return silent(chain_rig(), rule) && silent(humanoid_rig(), rule);
}

}  // namespace skinlint::test
