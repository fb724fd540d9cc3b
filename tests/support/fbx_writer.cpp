#include "support/fbx_writer.h"

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace skinlint::test {

Mat4 canonical_from_file(const FbxWriteOptions& options) {
  Mat4 c = Mat4::Identity();
  c.topLeftCorner<3, 3>().setZero();
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    c(k, options.axes[i]) = options.signs[i] * options.unit_meters;
  }
  return c;
}

Vec3 euler_of(const Mat3& r, std::int32_t order) {
  static constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0},
                                        {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
  const int(&o)[3] = kOrders[order >= 0 && order < 6 ? order : 0];
  const int i = o[0], j = o[1], k = o[2];
  const double e = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
  Vec3 angles;
  const double cos_b = std::hypot(r(k, j), r(k, k));
  angles[j] = std::atan2(-e * r(k, i), cos_b);
  if (cos_b > 1e-9) {
    angles[i] = std::atan2(e * r(k, j), r(k, k));
    angles[k] = std::atan2(e * r(j, i), r(i, i));
  } else {
    angles[i] = std::atan2(-e * r(j, k), r(j, j));
    angles[k] = 0.0;
  }
  return angles * (180.0 / 3.14159265358979323846);
}

namespace {

constexpr double kTicks = 46186158000.0;

class Writer {
 public:
  Writer(const Rig& rig, const FbxWriteOptions& options) : rig_(rig), options_(options) {
    c_ = canonical_from_file(options);
    c_inverse_ = Mat4::Identity();
    c_inverse_.topLeftCorner<3, 3>() =
        c_.topLeftCorner<3, 3>().transpose() / (options.unit_meters * options.unit_meters);
    if (options.geometric) geometric_ = fbx_geometric_matrix(*options.geometric);
    if (options.dress_transforms && !rig.clips.empty()) {
      throw std::logic_error("dressed transforms cannot be animated");
    }
  }

  FbxTree build() {
    FbxRecord& header = tree_.add("FBXHeaderExtension");
    header.add("FBXHeaderVersion", {std::int32_t{1003}});
    header.add("FBXVersion", {static_cast<std::int32_t>(options_.version)});
    header.add("Creator", {rig_.generator});
    if (options_.global_settings) add_settings();
    add_definitions();
    tree_.add("Objects");
    tree_.add("Connections");
    for (std::size_t n = 0; n < rig_.nodes.size(); ++n) add_node(static_cast<int>(n));
    for (std::size_t m = 0; m < rig_.meshes.size(); ++m) add_geometry(static_cast<int>(m));
    add_skins();
    if (options_.bind_poses) add_bind_pose();
    for (const RigClip& clip : rig_.clips) add_clip(clip);
    if (options_.edit) options_.edit(tree_);
    return std::move(tree_);
  }

 private:
  FbxRecord& objects() { return tree_.at("Objects"); }
  std::int64_t fresh() { return next_id_++; }
  void connect(std::int64_t source, std::int64_t destination) {
    tree_.at("Connections").add("C", {std::string("OO"), source, destination});
  }
  void connect(std::int64_t source, std::int64_t destination, std::string property) {
    tree_.at("Connections").add("C", {std::string("OP"), source, destination, std::move(property)});
  }
  static void property(FbxRecord& block, std::string name, std::string type,
                       std::vector<FbxValue> values) {
    std::vector<FbxValue> all = {std::move(name), std::move(type), std::string(), std::string()};
    all.insert(all.end(), values.begin(), values.end());
    block.add("P", std::move(all));
  }
  static void property(FbxRecord& block, std::string name, std::string type, const Vec3& v) {
    property(block, std::move(name), std::move(type), std::vector<FbxValue>{v[0], v[1], v[2]});
  }
  static std::vector<double> numbers(const Mat4& m) { return {m.data(), m.data() + 16}; }
  Mat4 to_file(const Mat4& m) const { return c_inverse_ * m * c_; }
  Vec3 point_to_file(const Vec3& p) const { return transform_point(c_inverse_, p); }

  void add_settings() {
    FbxRecord& settings = tree_.add("GlobalSettings");
    settings.add("Version", {std::int32_t{1000}});
    FbxRecord& block = settings.add("Properties70");
    static constexpr const char* kNames[3] = {"CoordAxis", "UpAxis", "FrontAxis"};
    for (std::size_t k = 0; k < 3; ++k) {
      property(block, kNames[k], "int", std::vector<FbxValue>{std::int32_t{options_.axes[k]}});
      property(block, std::string(kNames[k]) + "Sign", "int",
               std::vector<FbxValue>{std::int32_t{options_.signs[k]}});
    }
    property(block, "UnitScaleFactor", "double",
             std::vector<FbxValue>{options_.unit_meters * 100.0});
    property(block, "OriginalUnitScaleFactor", "double",
             std::vector<FbxValue>{options_.unit_meters * 100.0});
  }

  void add_definitions() {
    FbxRecord& definitions = tree_.add("Definitions");
    FbxRecord& type = definitions.add("ObjectType", {std::string("Model")});
    FbxRecord& block = type.add("PropertyTemplate", {std::string("FbxNode")}).add("Properties70");
    property(block, "RotationOrder", "enum", std::vector<FbxValue>{std::int32_t{0}});
    property(block, "RotationActive", "bool", std::vector<FbxValue>{std::int32_t{0}});
    property(block, "InheritType", "enum", std::vector<FbxValue>{std::int32_t{1}});
    property(block, "Lcl Scaling", "Lcl Scaling", Vec3(1, 1, 1));
  }

  bool shows_mesh(int node) const {
    for (const RigInstance& i : rig_.instances) {
      if (i.node == node) return true;
    }
    return false;
  }
  bool is_joint(int node) const {
    for (const RigSkin& s : rig_.skins) {
      for (const int j : s.joints) {
        if (j == node) return true;
      }
    }
    return false;
  }

  /// A local matrix of the file's space as translation, rotation and scale.
  static FbxTransform split(const Mat4& m) {
    FbxTransform t;
    t.translation = translation(m);
    Mat3 l = linear(m);
    for (int k = 0; k < 3; ++k) {
      t.scaling[k] = l.col(k).norm();
      if (t.scaling[k] != 0.0) l.col(k) /= t.scaling[k];
    }
    if (l.determinant() < 0.0) {
      t.scaling[0] = -t.scaling[0];
      l.col(0) = -l.col(0);
    }
    if (l.allFinite() && (l.transpose() * l - Mat3::Identity()).norm() > 1e-6 &&
        t.scaling.cwiseAbs().minCoeff() > 0.0) {
      throw std::logic_error("FBX cannot store a sheared local matrix");
    }
    t.rotation = euler_of(l, 0);
    return t;
  }

  /// The same local matrix with everything FBX can hide in a transform.
  static FbxTransform dressed(const FbxTransform& plain, int node) {
    FbxTransform t = plain;
    const double k = 1.0 + node % 5;
    t.rotation_active = true;
    t.rotation_order = node % 7;
    t.pre_rotation = Vec3(10 * k, -20, 5 * k);
    t.post_rotation = Vec3(-7, 3 * k, 11);
    t.rotation_pivot = Vec3(k, 2, -1);
    t.rotation_offset = Vec3(0.5, -k, 0.25);
    t.scaling_pivot = Vec3(-2, k, 3);
    t.scaling_offset = Vec3(1, 1, -k);
    const Mat3 wanted = fbx_euler(plain.rotation, 0);
    const Mat3 between =
        fbx_euler(t.pre_rotation, 0).transpose() * wanted * fbx_euler(t.post_rotation, 0);
    t.rotation = euler_of(between, t.rotation_order);
    t.translation += plain.translation - translation(fbx_local_matrix(t));
    return t;
  }

  void add_node(int n) {
    const RigNode& node = rig_.nodes[static_cast<std::size_t>(n)];
    Mat4 local = to_file(node.parent_from_node());
    const bool mesh = shows_mesh(n);
    if (mesh) local = local * geometric_.inverse();
    FbxTransform t = split(local);
    // A plain rotation and scale are written as the rig has them, not as a matrix tells them.
    if (options_.dress_transforms) t = dressed(t, n);
    const std::string type = mesh ? "Mesh" : is_joint(n) ? "LimbNode" : "Null";
    FbxRecord& model = objects().add("Model", {fbx_model_id(n), FbxName{node.name, "Model"}, type});
    model.add("Version", {std::int32_t{232}});
    FbxRecord& block = model.add("Properties70");
    if (options_.dress_transforms) {
      property(block, "RotationActive", "bool", std::vector<FbxValue>{std::int32_t{1}});
      property(block, "RotationOrder", "enum", std::vector<FbxValue>{t.rotation_order});
      property(block, "PreRotation", "Vector3D", t.pre_rotation);
      property(block, "PostRotation", "Vector3D", t.post_rotation);
      property(block, "RotationPivot", "Vector3D", t.rotation_pivot);
      property(block, "RotationOffset", "Vector3D", t.rotation_offset);
      property(block, "ScalingPivot", "Vector3D", t.scaling_pivot);
      property(block, "ScalingOffset", "Vector3D", t.scaling_offset);
    }
    property(block, "Lcl Translation", "Lcl Translation", t.translation);
    property(block, "Lcl Rotation", "Lcl Rotation", t.rotation);
    property(block, "Lcl Scaling", "Lcl Scaling", t.scaling);
    if (mesh && options_.geometric) {
      property(block, "GeometricTranslation", "Vector3D",
               options_.geometric->geometric_translation);
      property(block, "GeometricRotation", "Vector3D", options_.geometric->geometric_rotation);
      property(block, "GeometricScaling", "Vector3D", options_.geometric->geometric_scaling);
    }
    if (!mesh) {
      const std::int64_t id = fresh();
      FbxRecord& attribute =
          objects().add("NodeAttribute", {id, FbxName{node.name, "NodeAttribute"}, type});
      attribute.add("TypeFlags", {std::string(type == "Null" ? "Null" : "Skeleton")});
      connect(id, fbx_model_id(n));
    }
    connect(fbx_model_id(n), node.parent < 0 ? 0 : fbx_model_id(node.parent));
  }

  void add_geometry(int m) {
    const RigMesh& mesh = rig_.meshes[static_cast<std::size_t>(m)];
    FbxRecord& geometry = objects().add(
        "Geometry", {fbx_geometry_id(m), FbxName{mesh.name, "Geometry"}, std::string("Mesh")});
    std::vector<double> vertices, normals;
    std::vector<std::int32_t> polygons;
    bool all_normals = true;
    for (const RigPart& part : mesh.parts) {
      const auto base = static_cast<std::int32_t>(vertices.size() / 3);
      for (const Vec3& p : part.positions) {
        const Vec3 v = point_to_file(p);
        vertices.insert(vertices.end(), {v[0], v[1], v[2]});
      }
      all_normals = all_normals && part.normals.size() == part.positions.size();
      for (const Vec3& n : part.normals) {
        const Vec3 v = linear(c_inverse_) * n * options_.unit_meters;
        normals.insert(normals.end(), {v[0], v[1], v[2]});
      }
      for (std::size_t k = 0; k < part.triangles.size(); ++k) {
        const std::int32_t index = base + static_cast<std::int32_t>(part.triangles[k]);
        polygons.push_back(k % 3 == 2 ? ~index : index);
      }
    }
    geometry.add("Vertices", {vertices});
    geometry.add("PolygonVertexIndex", {polygons});
    geometry.add("GeometryVersion", {std::int32_t{124}});
    if (all_normals && !normals.empty()) {
      FbxRecord& layer = geometry.add("LayerElementNormal", {std::int32_t{0}});
      layer.add("MappingInformationType", {std::string("ByVertice")});
      layer.add("ReferenceInformationType", {std::string("Direct")});
      layer.add("Normals", {normals});
    }
    for (const RigInstance& i : rig_.instances) {
      if (i.mesh == m) connect(fbx_geometry_id(m), fbx_model_id(i.node));
    }
    add_morphs(m);
  }

  void add_morphs(int m) {
    const RigMesh& mesh = rig_.meshes[static_cast<std::size_t>(m)];
    std::size_t count = 0;
    for (const RigPart& part : mesh.parts) count = std::max(count, part.morphs.size());
    if (count == 0) return;
    const std::int64_t deformer = fresh();
    objects().add("Deformer",
                  {deformer, FbxName{mesh.name, "Deformer"}, std::string("BlendShape")});
    connect(deformer, fbx_geometry_id(m));
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<std::int32_t> indices;
      std::vector<double> offsets;
      std::int32_t base = 0;
      std::string name;
      double weight = 0.0;
      for (const RigPart& part : mesh.parts) {
        if (k < part.morphs.size()) {
          name = part.morphs[k].name;
          weight = part.morphs[k].default_weight;
          for (std::size_t v = 0; v < part.morphs[k].offsets.size(); ++v) {
            const Vec3 d = linear(c_inverse_) * part.morphs[k].offsets[v];
            if (d == Vec3::Zero()) continue;
            indices.push_back(base + static_cast<std::int32_t>(v));
            offsets.insert(offsets.end(), {d[0], d[1], d[2]});
          }
        }
        base += static_cast<std::int32_t>(part.positions.size());
      }
      const std::int64_t channel = fresh(), shape = fresh();
      channels_[{m, k}] = channel;
      FbxRecord& c = objects().add(
          "Deformer", {channel, FbxName{name, "SubDeformer"}, std::string("BlendShapeChannel")});
      c.add("DeformPercent", {weight * 100.0});
      c.add("FullWeights", {std::vector<double>{100.0}});
      FbxRecord& s =
          objects().add("Geometry", {shape, FbxName{name, "Geometry"}, std::string("Shape")});
      s.add("Indexes", {indices});
      s.add("Vertices", {offsets});
      connect(channel, deformer);
      connect(shape, channel);
    }
  }

  void add_skins() {
    std::map<std::pair<int, int>, bool> done;
    for (const RigInstance& instance : rig_.instances) {
      if (instance.skin < 0 || done[{instance.mesh, instance.skin}]) continue;
      done[{instance.mesh, instance.skin}] = true;
      const RigSkin& skin = rig_.skins[static_cast<std::size_t>(instance.skin)];
      const std::int64_t deformer = fresh();
      FbxRecord& d = objects().add("Deformer",
                                   {deformer, FbxName{skin.name, "Deformer"}, std::string("Skin")});
      d.add("Link_DeformAcuracy", {50.0});
      static constexpr const char* kMethods[] = {"Linear", "Rigid", "DualQuaternion", "Blend"};
      d.add("SkinningType", {std::string(kMethods[static_cast<int>(options_.method)])});
      connect(deformer, fbx_geometry_id(instance.mesh));
      for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
        add_cluster(instance.mesh, skin, slot, deformer);
      }
    }
  }

  Mat4 joint_from_mesh(const RigSkin& skin, std::size_t slot) const {
    return skin.joint_from_mesh ? skin.joint_from_mesh->at(slot) : Mat4(Mat4::Identity());
  }

  void add_cluster(int mesh, const RigSkin& skin, std::size_t slot, std::int64_t deformer) {
    std::vector<std::int32_t> indices;
    std::vector<double> weights;
    std::int32_t vertex = 0;
    for (const RigPart& part : rig_.meshes[static_cast<std::size_t>(mesh)].parts) {
      for (std::size_t v = 0; v < part.positions.size(); ++v, ++vertex) {
        if (v >= part.influences.size()) continue;
        for (const RigInfluence& influence : part.influences[v]) {
          if (influence.joint != slot) continue;
          indices.push_back(vertex);
          weights.push_back(influence.weight);
        }
      }
    }
    const std::int64_t id = fresh();
    const int bone = skin.joints[slot];
    const std::string name = bone >= 0 && static_cast<std::size_t>(bone) < rig_.nodes.size()
                                 ? rig_.nodes[static_cast<std::size_t>(bone)].name
                                 : std::string();
    FbxRecord& cluster =
        objects().add("Deformer", {id, FbxName{name, "SubDeformer"}, std::string("Cluster")});
    cluster.add("Version", {std::int32_t{100}});
    if (options_.link_mode != LinkMode::normalize) {
      cluster.add("Mode",
                  {std::string(options_.link_mode == LinkMode::additive ? "Additive" : "Total1")});
    }
    if (!indices.empty()) {
      cluster.add("Indexes", {indices});
      cluster.add("Weights", {weights});
    }
    const Mat4 bone_from_mesh = to_file(joint_from_mesh(skin, slot));
    cluster.add("Transform", {numbers(bone_from_mesh * geometric_.inverse())});
    cluster.add("TransformLink", {numbers(bone_from_mesh.inverse())});
    connect(id, deformer);
    if (bone >= 0) connect(fbx_model_id(bone), id);
  }

  void add_bind_pose() {
    const std::vector<Mat4> rest = rig_.world_from_node();
    std::map<int, Mat4> worlds;  // of the file
    for (const RigInstance& instance : rig_.instances) {
      if (instance.skin < 0) continue;
      const RigSkin& skin = rig_.skins[static_cast<std::size_t>(instance.skin)];
      for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
        worlds.emplace(skin.joints[slot], to_file(joint_from_mesh(skin, slot)).inverse());
      }
      worlds.emplace(instance.node, geometric_.inverse());
    }
    if (worlds.empty()) return;
    for (const auto& [node, world] : std::map<int, Mat4>(worlds)) {
      for (int n = node; n >= 0; n = rig_.nodes[static_cast<std::size_t>(n)].parent) {
        worlds.emplace(n, to_file(rest[static_cast<std::size_t>(n)]));
      }
    }
    FbxRecord& pose =
        objects().add("Pose", {fresh(), FbxName{"BIND_POSES", "Pose"}, std::string("BindPose")});
    pose.add("Type", {std::string("BindPose")});
    pose.add("Version", {std::int32_t{100}});
    pose.add("NbPoseNodes", {static_cast<std::int32_t>(worlds.size())});
    for (const auto& [node, world] : worlds) {
      FbxRecord& entry = pose.add("PoseNode");
      entry.add("Node", {fbx_model_id(node)});
      entry.add("Matrix", {numbers(world)});
    }
  }

  void add_clip(const RigClip& clip) {
    const std::int64_t stack = fresh(), layer = fresh();
    objects().add("AnimationStack", {stack, FbxName{clip.name, "AnimStack"}, std::string()});
    objects().add("AnimationLayer", {layer, FbxName{clip.name, "AnimLayer"}, std::string()});
    connect(layer, stack);
    for (const RigChannel& channel : clip.channels) {
      if (channel.path == ChannelPath::weights) {
        add_weight_curves(channel, layer);
      } else {
        add_transform_curves(channel, layer);
      }
    }
  }

  std::int64_t add_curve(const RigChannel& channel, const std::vector<double>& values) {
    const std::int64_t id = fresh();
    FbxRecord& curve =
        objects().add("AnimationCurve", {id, FbxName{"", "AnimCurve"}, std::string()});
    std::vector<std::int64_t> times;
    for (const double t : channel.times) times.push_back(std::llround(t * kTicks));
    curve.add("KeyTime", {times});
    curve.add("KeyValueFloat", {std::vector<float>(values.begin(), values.end())});
    return id;
  }

  void add_transform_curves(const RigChannel& channel, std::int64_t layer) {
    const bool turns = channel.path == ChannelPath::rotation;
    const std::string name = turns ? "R" : channel.path == ChannelPath::translation ? "T" : "S";
    const std::int64_t id = fresh();
    objects().add("AnimationCurveNode", {id, FbxName{name, "AnimCurveNode"}, std::string()});
    connect(id, layer);
    connect(id, fbx_model_id(channel.node),
            turns         ? "Lcl Rotation"
            : name == "T" ? "Lcl Translation"
                          : "Lcl Scaling");
    std::vector<double> axis[3];
    const Mat3 p = linear(c_inverse_) * options_.unit_meters;  // axes only
    const std::size_t width = turns ? 4 : 3;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      const double* v = channel.values.data() + k * width;
      Vec3 out;
      if (turns) {
        const Mat3 r = Quat(v[3], v[0], v[1], v[2]).normalized().toRotationMatrix();
        out = euler_of(p * r * p.transpose(), 0);
      } else if (name == "T") {
        out = linear(c_inverse_) * Vec3(v[0], v[1], v[2]);
      } else {
        out = p.cwiseAbs() * Vec3(v[0], v[1], v[2]);
      }
      for (int a = 0; a < 3; ++a) axis[a].push_back(out[a]);
    }
    static constexpr const char* kAxes[3] = {"d|X", "d|Y", "d|Z"};
    for (int a = 0; a < 3; ++a) connect(add_curve(channel, axis[a]), id, kAxes[a]);
  }

  void add_weight_curves(const RigChannel& channel, std::int64_t layer) {
    const std::size_t width =
        channel.values.size() / std::max<std::size_t>(1, channel.times.size());
    int mesh = -1;
    for (const RigInstance& i : rig_.instances) {
      if (i.node == channel.node) mesh = i.mesh;
    }
    for (std::size_t m = 0; m < width; ++m) {
      const auto target = channels_.find({mesh, m});
      if (target == channels_.end())
        throw std::logic_error("a clip keys a morph that is not there");
      const std::int64_t id = fresh();
      objects().add("AnimationCurveNode",
                    {id, FbxName{"DeformPercent", "AnimCurveNode"}, std::string()});
      connect(id, layer);
      connect(id, target->second, "DeformPercent");
      std::vector<double> percent;
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        percent.push_back(100.0 * channel.values[k * width + m]);
      }
      connect(add_curve(channel, percent), id, "d|DeformPercent");
    }
  }

  const Rig& rig_;
  const FbxWriteOptions& options_;
  FbxTree tree_;
  Mat4 c_, c_inverse_, geometric_ = Mat4::Identity();
  std::int64_t next_id_ = 10'000'000;
  std::map<std::pair<int, std::size_t>, std::int64_t> channels_;
};

}  // namespace

FbxTree fbx_tree(const Rig& rig, const FbxWriteOptions& options) {
  return Writer(rig, options).build();
}

std::vector<std::byte> write_fbx(const Rig& rig, const FbxWriteOptions& options) {
  return encode_fbx(fbx_tree(rig, options), options);
}

}  // namespace skinlint::test
