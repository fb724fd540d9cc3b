// The clean rigs that tests start from.

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "support/rig.h"

namespace skinlint::test {
namespace {

constexpr double pi = 3.14159265358979323846;

Vec4 coefficients(const Quat& q) { return Vec4(q.x(), q.y(), q.z(), q.w()); }

/// Divides by the sum; the weights must not all be zero.
void normalise(std::vector<RigInfluence>& influences) {
  double sum = 0.0;
  for (const RigInfluence& i : influences) sum += i.weight;
  for (RigInfluence& i : influences) i.weight /= sum;
}

/// Triangles of a tube between consecutive rings of `ring` vertices from `first` on.
void add_tube_triangles(RigPart& part, std::uint32_t first, int rings, int ring) {
  const auto width = static_cast<std::uint32_t>(ring);
  for (std::uint32_t r = 0; r + 1 < static_cast<std::uint32_t>(rings); ++r)
    for (std::uint32_t k = 0; k < width; ++k) {
      const std::uint32_t a = first + r * width + k, b = first + r * width + (k + 1) % width;
      for (const std::uint32_t v : {a, a + width, b, b, a + width, b + width})
        part.triangles.push_back(v);
    }
}

struct Bone {
  const char* name;
  const char* parent;
  Vec3 head, tail;
  double radius;
};

std::vector<Bone> humanoid_bones() {
  std::vector<Bone> bones = {
      {"hips", "", {0, 0.95, 0}, {0, 1.08, 0}, 0.15},
      {"spine", "hips", {0, 1.08, 0}, {0, 1.25, 0.01}, 0.14},
      {"chest", "spine", {0, 1.25, 0.01}, {0, 1.47, 0}, 0.15},
      {"neck", "chest", {0, 1.47, 0}, {0, 1.56, 0.01}, 0.06},
      {"head", "neck", {0, 1.56, 0.01}, {0, 1.75, 0.02}, 0.09},
  };
  const std::vector<Bone> left = {
      {"shoulder", "chest", {0.04, 1.42, 0}, {0.17, 1.43, -0.01}, 0.06},
      {"upper_arm", "shoulder", {0.17, 1.43, -0.01}, {0.44, 1.42, -0.03}, 0.05},
      {"forearm", "upper_arm", {0.44, 1.42, -0.03}, {0.69, 1.42, -0.01}, 0.04},
      {"hand", "forearm", {0.69, 1.42, -0.01}, {0.79, 1.41, 0}, 0.035},
      {"fingers", "hand", {0.79, 1.41, 0}, {0.87, 1.40, 0.01}, 0.025},
      {"thigh", "hips", {0.09, 0.93, 0}, {0.10, 0.51, 0.01}, 0.08},
      {"shin", "thigh", {0.10, 0.51, 0.01}, {0.10, 0.09, -0.03}, 0.06},
      {"foot", "shin", {0.10, 0.09, -0.03}, {0.11, 0.03, 0.10}, 0.045},
      {"toe", "foot", {0.11, 0.03, 0.10}, {0.11, 0.02, 0.17}, 0.035},
  };
  static std::vector<std::string> names;  // keeps the composed names alive
  if (names.empty())
    for (const char* side : {".L", ".R"})
      for (const Bone& bone : left) names.push_back(std::string(bone.name) + side);
  for (std::size_t side = 0; side < 2; ++side)
    for (const Bone& bone : left) {
      const auto sided = [&](const std::string& name) -> const char* {
        for (std::size_t i = 0; i < left.size(); ++i)
          if (name == left[i].name) return names[side * left.size() + i].c_str();
        return nullptr;
      };
      Bone copy = bone;
      if (side == 1) {
        copy.head.x() = -copy.head.x();
        copy.tail.x() = -copy.tail.x();
      }
      copy.name = sided(bone.name);
      if (const char* parent = sided(bone.parent)) copy.parent = parent;
      bones.push_back(copy);
    }
  return bones;
}

/// Rotation whose +Y runs along the bone, as exporters of bone-based tools write it.
Quat bone_orientation(const Bone& bone) {
  const Vec3 along = (bone.tail - bone.head).normalized();
  if (along.y() > 0.9) return Quat::Identity();
  if (along.y() < -0.9) return Quat(Eigen::AngleAxisd(pi, Vec3::UnitX()));
  return Quat::FromTwoVectors(Vec3::UnitY(), along);
}

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  double real(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  int integer(int low, int high) {  // inclusive
    return low + static_cast<int>(engine_() % static_cast<std::uint32_t>(high - low + 1));
  }
  bool chance(double p) { return real(0, 1) < p; }
  Vec3 in_box(double half) {
    const double x = real(-half, half), y = real(-half, half), z = real(-half, half);
    return Vec3(x, y, z);
  }
  Quat turn() {
    for (;;) {
      const double x = real(-1, 1), y = real(-1, 1), z = real(-1, 1), w = real(-1, 1);
      Quat q(w, x, y, z);
      if (q.norm() > 0.1) return q.normalized();
    }
  }

 private:
  std::mt19937 engine_;
};

/// A small octahedron round each joint, heavy on the joint, light on up to three of its relatives.
RigPart blobs(const Rig& rig, const RigSkin& skin, const std::vector<Mat4>& world, double size,
              Random& random) {
  RigPart part;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const int joint = skin.joints[slot];
    std::vector<std::uint32_t> relatives;
    for (std::size_t other = 0; other < skin.joints.size(); ++other)
      if (rig.nodes[static_cast<std::size_t>(skin.joints[other])].parent == joint ||
          rig.nodes[static_cast<std::size_t>(joint)].parent == skin.joints[other])
        relatives.push_back(static_cast<std::uint32_t>(other));
    const auto first = static_cast<std::uint32_t>(part.positions.size());
    const Vec3 centre = translation(world[static_cast<std::size_t>(joint)]);
    for (int corner = 0; corner < 6; ++corner) {
      Vec3 direction = Vec3::Zero();
      direction[corner / 2] = corner % 2 == 0 ? 1.0 : -1.0;
      part.positions.push_back(centre + direction * size * random.real(0.5, 1.0));
      part.normals.push_back(direction);
      std::vector<RigInfluence> influences = {
          {static_cast<std::uint32_t>(slot), random.real(1.0, 2.0)}};
      const int extra = std::min(random.integer(0, 3), static_cast<int>(relatives.size()));
      for (int e = 0; e < extra; ++e)
        influences.push_back({relatives[static_cast<std::size_t>(e)], random.real(0.05, 0.3)});
      normalise(influences);
      part.influences.push_back(std::move(influences));
    }
    static constexpr std::uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                                2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    for (const std::uint32_t v : faces) part.triangles.push_back(first + v);
  }
  return part;
}

void shuffle_nodes(Rig& rig, Random& random) {
  const std::size_t n = rig.nodes.size();
  std::vector<int> place(n);  // old index -> new index
  for (std::size_t i = 0; i < n; ++i) place[i] = static_cast<int>(i);
  for (std::size_t i = n; i-- > 1;)
    std::swap(place[i], place[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
  std::vector<RigNode> nodes(n);
  for (std::size_t i = 0; i < n; ++i) nodes[static_cast<std::size_t>(place[i])] = rig.nodes[i];
  const auto moved = [&](int& node) {
    if (node >= 0) node = place[static_cast<std::size_t>(node)];
  };
  for (RigNode& node : nodes) moved(node.parent);
  for (RigSkin& skin : rig.skins)
    for (int& joint : skin.joints) moved(joint);
  for (RigInstance& instance : rig.instances) moved(instance.node);
  for (RigClip& clip : rig.clips)
    for (RigChannel& channel : clip.channels) moved(channel.node);
  rig.nodes = std::move(nodes);
}

}  // namespace

Rig chain_rig(int joints, int rings, int ring) {
  Rig rig;
  RigSkin skin;
  skin.name = "chain";
  for (int j = 0; j < joints; ++j) {
    RigNode node;
    node.name = "joint" + std::to_string(j);
    node.parent = j - 1;
    if (j > 0) node.translation = Vec3(0, 1, 0);
    rig.nodes.push_back(node);
    skin.joints.push_back(j);
  }
  RigPart part;
  for (int r = 0; r < rings; ++r) {
    const double y = rings > 1 ? joints * (static_cast<double>(r) / (rings - 1)) : 0.0;
    std::vector<RigInfluence> influences;
    for (int j = 0; j < joints; ++j) {
      const double reach = 1.0 - std::abs(y - (j + 0.5)) / 2.0;  // 0 two joints away: at most four
      if (reach > 1e-9) influences.push_back({static_cast<std::uint32_t>(j), reach * reach});
    }
    normalise(influences);
    for (int k = 0; k < ring; ++k) {
      const double angle = 2.0 * pi * k / ring;
      const Vec3 normal(std::cos(angle), 0.0, -std::sin(angle));
      part.positions.push_back(normal + Vec3(0, y, 0));
      part.normals.push_back(normal);
      part.influences.push_back(influences);
    }
  }
  add_tube_triangles(part, 0, rings, ring);
  RigNode body;
  body.name = "tube";
  rig.nodes.push_back(body);
  RigMesh mesh;
  mesh.name = "tube";
  mesh.parts.push_back(std::move(part));
  rig.meshes.push_back(std::move(mesh));
  rig.skins.push_back(std::move(skin));
  rig.instances.push_back({joints, 0, 0});
  rig.bind_at_rest();
  return rig;
}

Rig humanoid_rig() {
  constexpr int rings = 7, ring = 8;
  const std::vector<Bone> bones = humanoid_bones();
  Rig rig;
  RigNode armature;
  armature.name = "Armature";
  rig.nodes.push_back(armature);
  RigSkin skin;
  skin.name = "Armature";
  std::vector<Quat> world_rotation = {Quat::Identity()};
  std::vector<Vec3> world_head = {Vec3::Zero()};
  for (const Bone& bone : bones) {
    RigNode node;
    node.name = bone.name;
    node.parent = bone.parent[0] == '\0' ? 0 : rig.node(bone.parent);
    const auto parent = static_cast<std::size_t>(node.parent);
    const Quat world = bone_orientation(bone);
    node.rotation = coefficients(world_rotation[parent].conjugate() * world);
    node.translation = world_rotation[parent].conjugate() * (bone.head - world_head[parent]);
    world_rotation.push_back(world);
    world_head.push_back(bone.head);
    skin.joints.push_back(static_cast<int>(rig.nodes.size()));
    rig.nodes.push_back(node);
  }

  RigPart part;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Bone& bone = bones[b];
    const auto slot = static_cast<std::uint32_t>(b);
    const int parent_node = rig.nodes[b + 1].parent;
    int child = -1;  // the bone that continues this one
    for (std::size_t c = 0; c < bones.size() && child < 0; ++c)
      if (rig.nodes[c + 1].parent == static_cast<int>(b) + 1 &&
          (bones[c].head - bone.tail).norm() < 0.06)
        child = static_cast<int>(c);
    const Quat frame = Quat::FromTwoVectors(Vec3::UnitY(), bone.tail - bone.head);
    const auto first = static_cast<std::uint32_t>(part.positions.size());
    for (int r = 0; r < rings; ++r) {
      const double t = static_cast<double>(r) / (rings - 1);
      std::vector<RigInfluence> influences = {{slot, 1.0}};
      // Half and half at the shared joint, nothing a third of the bone away.
      const double before = std::max(0.0, 1.0 - 3.0 * t), after = std::max(0.0, 3.0 * t - 2.0);
      if (parent_node > 0 && before > 0.0)
        influences.push_back({static_cast<std::uint32_t>(parent_node - 1), before});
      if (child >= 0 && after > 0.0)
        influences.push_back({static_cast<std::uint32_t>(child), after});
      normalise(influences);
      for (int k = 0; k < ring; ++k) {
        const double angle = 2.0 * pi * k / ring;
        const Vec3 normal = frame * Vec3(std::cos(angle), 0.0, -std::sin(angle));
        part.positions.push_back(bone.head + t * (bone.tail - bone.head) + bone.radius * normal);
        part.normals.push_back(normal);
        part.influences.push_back(influences);
      }
    }
    add_tube_triangles(part, first, rings, ring);
  }
  RigNode body;
  body.name = "Body";
  rig.nodes.push_back(body);
  RigMesh mesh;
  mesh.name = "Body";
  mesh.parts.push_back(std::move(part));
  rig.meshes.push_back(std::move(mesh));
  rig.skins.push_back(std::move(skin));
  rig.instances.push_back({static_cast<int>(rig.nodes.size()) - 1, 0, 0});
  rig.bind_at_rest();
  return rig;
}

Rig random_rig(std::uint32_t seed) {
  Random random(seed);
  Rig rig;
  // One uniform factor above everything is clean; a factor on single joints is not.
  static constexpr double factors[4] = {1.0, 1.0, 0.5, 1.75};
  const double factor = factors[random.integer(0, 3)];
  RigNode top;
  top.name = "rig";
  top.rotation = coefficients(random.turn());
  top.translation = random.in_box(2.0);
  top.scale = Vec3::Constant(factor);
  rig.nodes.push_back(top);

  const int trees = random.integer(1, 3), joints = random.integer(6, 40);
  RigSkin skin;
  skin.name = "skin0";
  for (int j = 0; j < joints; ++j) {
    RigNode node;
    node.name = "j" + std::to_string(j);
    node.parent = j < trees ? 0 : random.integer(std::max(1, j - 8), j);
    node.translation = random.in_box(0.6);
    const Quat turn = random.turn();
    if (random.chance(0.25)) {
      node.matrix = Mat4::Identity();
      node.matrix->topLeftCorner<3, 3>() = turn.toRotationMatrix();
      node.matrix->topRightCorner<3, 1>() = node.translation;
      node.translation = Vec3::Zero();
    } else {
      node.rotation = coefficients(turn);
    }
    skin.joints.push_back(static_cast<int>(rig.nodes.size()));
    rig.nodes.push_back(std::move(node));
  }
  rig.skins.push_back(skin);
  if (random.chance(0.5)) {  // a second skin over the same joints in another order
    RigSkin other = skin;
    other.name = "skin1";
    std::reverse(other.joints.begin(), other.joints.end());
    rig.skins.push_back(std::move(other));
  }

  const std::vector<Mat4> world = rig.world_from_node();
  for (std::size_t s = 0; s < rig.skins.size(); ++s) {
    RigMesh mesh;
    mesh.name = "mesh" + std::to_string(s);
    const int parts = random.integer(1, 2), morphs = random.integer(0, 2);
    for (int p = 0; p < parts; ++p) {
      RigPart part = blobs(rig, rig.skins[s], world, 0.1 * factor * (p + 1), random);
      for (int m = 0; m < morphs; ++m) {
        RigMorph morph;
        morph.name = "morph" + std::to_string(m);
        for (std::size_t v = 0; v < part.positions.size(); ++v)
          morph.offsets.push_back(random.chance(0.3) ? random.in_box(0.02 * factor)
                                                     : Vec3(Vec3::Zero()));
        part.morphs.push_back(std::move(morph));
      }
      mesh.parts.push_back(std::move(part));
    }
    rig.meshes.push_back(std::move(mesh));
    RigNode node;
    node.name = "mesh" + std::to_string(s);
    node.parent = 0;
    rig.instances.push_back(
        {static_cast<int>(rig.nodes.size()), static_cast<int>(s), static_cast<int>(s)});
    rig.nodes.push_back(std::move(node));
  }
  if (random.chance(0.5)) {  // a prop that no skin touches: the forest's second tree
    RigNode prop;
    prop.name = "prop";
    prop.translation = random.in_box(3.0);
    rig.nodes.push_back(std::move(prop));
  }
  if (random.chance(0.6)) {
    RigClip clip;
    clip.name = "clip";
    for (int c = random.integer(1, 4); c > 0; --c) {
      RigChannel channel;
      channel.path = ChannelPath::rotation;
      channel.node = 0;  // only nodes stored as TRS may be animated
      for (const int joint : skin.joints)
        if (!rig.nodes[static_cast<std::size_t>(joint)].matrix && random.chance(0.3))
          channel.node = joint;
      bool repeated = false;
      for (const RigChannel& other : clip.channels) repeated |= other.node == channel.node;
      if (repeated) continue;
      for (int k = 0; k < 3; ++k) {
        channel.times.push_back(0.5 * k);
        const Vec4 q = coefficients(random.turn());
        for (int i = 0; i < 4; ++i) channel.values.push_back(q[i]);
      }
      clip.channels.push_back(std::move(channel));
    }
    rig.clips.push_back(std::move(clip));
  }
  if (random.chance(0.5)) shuffle_nodes(rig, random);
  rig.bind_at_rest();
  return rig;
}

}  // namespace skinlint::test
