// Small files, legal or broken in one place, that Assimp 5.2 fails on: one for each of its gaps
// that a small file can show. They are the fixtures of importer-disagrees and the table of
// docs/importer-differences.md.

#include <functional>
#include <limits>

#include "support/fbx_writer.h"
#include "support/gltf_writer.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

using Json = nlohmann::ordered_json;
using Others = std::vector<ExpectedFinding>;

Rig small_chain() { return chain_rig(4, 7, 4); }

Rig with(Rig rig, const std::function<void(Rig&)>& change) {
  change(rig);
  return rig;
}

class Files {
 public:
  void gltf(const std::string& name, const Rig& rig, const GltfWriteOptions& options,
            const Others& others = {}) {
    add(name + ".glb", write_glb(rig, options), others);
  }
  void fbx(const std::string& name, const Rig& rig, FbxWriteOptions options,
           const Others& others = {}, const std::string& severity = "warning") {
    options.compress = false;
    add(name + ".fbx", write_fbx(rig, options), others, severity);
  }
  std::vector<TestdataFile> take() { return std::move(files_); }

 private:
  void add(const std::string& name, std::vector<std::byte> bytes, const Others& others,
           const std::string& severity = "warning") {
    TestdataFile& file = files_.emplace_back();
    file.path = "broken/importer-disagrees/" + name;
    file.bytes = std::move(bytes);
    file.second_opinion = true;
    file.expected.push_back({"importer-disagrees", severity, {}});
    file.expected.insert(file.expected.end(), others.begin(), others.end());
  }
  std::vector<TestdataFile> files_;
};

Rig weighted(double weight) {
  return with(small_chain(), [weight](Rig& rig) {
    rig.meshes[0].parts[0].influences[9] = {{1, 1.0}, {2, weight}};
  });
}

/// Joints without a transform: legal without inverse bind matrices.
Rig at_origin() {
  return with(small_chain(), [](Rig& rig) {
    for (const int joint : rig.skins[0].joints) {
      RigNode& node = rig.nodes[static_cast<std::size_t>(joint)];
      node.translation = Vec3::Zero();
      node.rotation = Vec4(0, 0, 0, 1);
      node.scale = Vec3::Ones();
    }
    rig.skins[0].joint_from_mesh.reset();
  });
}

Rig same_names() {
  return with(small_chain(), [](Rig& rig) {
    rig.nodes[static_cast<std::size_t>(rig.skins[0].joints[3])].name =
        rig.nodes[static_cast<std::size_t>(rig.skins[0].joints[1])].name;
  });
}

/// One mesh shown twice, each time by a skeleton of its own.
Rig two_skins() {
  Rig rig = small_chain();
  const auto count = static_cast<int>(rig.nodes.size());
  for (int n = 0; n < count; ++n) {
    RigNode copy = rig.nodes[static_cast<std::size_t>(n)];
    copy.name += "_twin";
    if (copy.parent >= 0) copy.parent += count;
    if (copy.parent < 0) copy.translation[0] += 8.0;
    rig.nodes.push_back(copy);
  }
  RigSkin skin = rig.skins[0];
  skin.name = "twin";
  for (int& joint : skin.joints) joint += count;
  rig.skins.push_back(skin);
  RigInstance instance = rig.instances[0];
  instance.node += count;
  instance.skin = 1;
  rig.instances.push_back(instance);
  return rig;
}

std::vector<FbxRecord*> clusters(FbxTree& tree) {
  std::vector<FbxRecord*> found;
  for (FbxRecord* record : tree.at("Objects").all("Deformer")) {
    if (std::get<std::string>(record->values.at(2)) == "Cluster") found.push_back(record);
  }
  return found;
}

FbxWriteOptions edited(std::function<void(FbxTree&)> edit) {
  FbxWriteOptions options;
  options.edit = std::move(edit);
  return options;
}

FbxRecord& joint_model(FbxTree& tree, int node) {
  for (FbxRecord* record : tree.at("Objects").all("Model")) {
    if (std::get<std::int64_t>(record->values.at(0)) == fbx_model_id(node)) return *record;
  }
  throw std::out_of_range("no such model");
}

void set_first_index(FbxTree& tree, std::int32_t index) {
  std::get<std::vector<std::int32_t>>(clusters(tree).at(2)->at("Indexes").values.at(0)).at(0) =
      index;
}

}  // namespace

std::vector<TestdataFile> broken_importer_testdata() {
  Files files;
  files.gltf("no_inverse_bind_matrices", at_origin(), {});
  files.gltf("negative_weight", weighted(-0.25), {}, {{"weights-negative", "error", {}}});
  files.gltf("nan_weight", weighted(std::numeric_limits<double>::quiet_NaN()), {},
             {{"weights-non-finite", "error", {}}});
  for (const auto& [type, name] :
       {std::pair{ComponentType::u8, "u8_weights"}, std::pair{ComponentType::u16, "u16_weights"}}) {
    GltfWriteOptions options;
    options.weight_type = type;
    files.gltf(name, small_chain(), options);
  }
  GltfWriteOptions lone;
  lone.sets = 2;
  lone.edit_json = [](Json& json) {
    json["meshes"][0]["primitives"][0]["attributes"].erase("JOINTS_1");
  };
  files.gltf("weights_without_joints", small_chain(), lone,
             {{"weights-array-mismatch", "error", {}}});
  files.gltf("joint_out_of_range",
             with(small_chain(),
                  [](Rig& rig) {
                    rig.meshes[0].parts[0].influences[9] = {{1, 0.5}, {40, 0.5}};
                  }),
             {}, {{"weights-joint-out-of-range", "error", {}}});
  files.gltf("two_joints_of_one_name", same_names(), {});
  files.gltf("two_skins_on_one_mesh", two_skins(), {});
  GltfWriteOptions quantised;
  quantised.position_type = ComponentType::u16;
  files.gltf("u16_positions", small_chain(), quantised);

  // It crashes only when the scene is let go; until then bones are mixed up, and that is told too.
  files.fbx("two_bones_of_one_name", same_names(), {},
            {{"importer-disagrees", "warning", {}},
             {"importer-disagrees", "warning", {}},
             {"importer-disagrees", "warning", {}}});
  files.fbx("index_minus_one", small_chain(), edited([](FbxTree& t) { set_first_index(t, -1); }),
            {{"weights-joint-out-of-range", "error", {}}});
  files.fbx("index_99999", small_chain(), edited([](FbxTree& t) { set_first_index(t, 99999); }),
            {{"weights-joint-out-of-range", "error", {}}});
  files.fbx("no_transform_link", small_chain(),
            edited([](FbxTree& t) { clusters(t).at(2)->remove("TransformLink"); }),
            {{"file-damaged", "warning", {}}});
  FbxWriteOptions geometric;
  geometric.geometric = FbxTransform{};
  geometric.geometric->geometric_translation = Vec3(50, 0, 0);
  files.fbx("geometric_transform", small_chain(), geometric,
            {{"transform-geometric-residue", "warning", {}}});
  files.fbx("nan_translation", small_chain(), edited([](FbxTree& t) {
              joint_model(t, 2).property("Lcl Translation").values.at(4) =
                  std::numeric_limits<double>::quiet_NaN();
            }),
            {{"transform-non-finite", "error", {}}});
  FbxWriteOptions dual;
  dual.method = SkinningMethod::dual_quaternion;
  files.fbx("dual_quaternion", small_chain(), dual, {}, "note");
  return files.take();
}

}  // namespace skinlint::test
