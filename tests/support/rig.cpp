#include "support/rig.h"

#include <utility>

#include <cmath>
#include <stdexcept>

namespace skinlint::test {

Mat4 RigNode::parent_from_node() const {
  if (matrix) return *matrix;
  Quat turn(rotation[3], rotation[0], rotation[1], rotation[2]);
  const double norm = turn.norm();
  if (std::isfinite(norm) && norm > 0.0) turn.coeffs() /= norm;
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = turn.toRotationMatrix() * scale.asDiagonal();
  m.topRightCorner<3, 1>() = translation;
  return m;
}

RigChannel rig_channel(int node, ChannelPath path, std::vector<double> values, double step) {
  RigChannel channel;
  channel.node = node;
  channel.path = path;
  const std::size_t width = path == ChannelPath::rotation ? 4 : 3;
  for (std::size_t k = 0; k * width < values.size(); ++k)
    channel.times.push_back(step * static_cast<double>(k));
  channel.values = std::move(values);
  return channel;
}

std::vector<Mat4> Rig::world_from_node() const {
  std::vector<Mat4> world(nodes.size(), Mat4::Identity());
  std::vector<char> done(nodes.size(), 0);
  for (std::size_t start = 0; start < nodes.size(); ++start) {
    // Up to the first known ancestor, then down again: parents may stand after their children.
    std::vector<std::size_t> chain;
    for (int n = static_cast<int>(start); n >= 0 && !done[static_cast<std::size_t>(n)];
         n = nodes[static_cast<std::size_t>(n)].parent) {
      chain.push_back(static_cast<std::size_t>(n));
      if (chain.size() > nodes.size()) throw std::logic_error("rig: cycle in the node graph");
    }
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const int parent = nodes[*it].parent;
      const Mat4 local = nodes[*it].parent_from_node();
      world[*it] = parent < 0 ? local : Mat4(world[static_cast<std::size_t>(parent)] * local);
      done[*it] = 1;
    }
  }
  return world;
}

int Rig::node(const std::string& name) const {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].name == name) return static_cast<int>(i);
  return -1;
}

void Rig::bind_at_rest() {
  const std::vector<Mat4> world = world_from_node();
  for (RigSkin& skin : skins) {
    std::vector<Mat4> joint_from_mesh;
    joint_from_mesh.reserve(skin.joints.size());
    for (const int joint : skin.joints) {
      Mat4 inverse = world[static_cast<std::size_t>(joint)].inverse();
      inverse.row(3) << 0, 0, 0, 1;
      joint_from_mesh.push_back(inverse);
    }
    skin.joint_from_mesh = std::move(joint_from_mesh);
  }
}

}  // namespace skinlint::test
