// FBX files broken in one place, for the rules that judge what only FBX stores.

#include <algorithm>
#include <functional>
#include <utility>

#include "support/fbx_writer.h"
#include "support/testdata.h"

namespace skinlint::test {
namespace {

Rig small_chain() { return chain_rig(6, 13, 6); }

TestdataFile file(const std::string& rule, const std::string& name, const std::string& severity,
                  const Rig& rig, FbxWriteOptions options = {},
                  const std::vector<ExpectedFinding>& others = {}) {
  options.compress = false;  // the same bytes with every version of the compressor
  TestdataFile out;
  out.path = "broken/" + rule + "/" + name + ".fbx";
  out.bytes = write_fbx(rig, options);
  out.expected.push_back({rule, severity, {}});
  out.expected.insert(out.expected.end(), others.begin(), others.end());
  return out;
}

FbxWriteOptions edited(std::function<void(FbxTree&)> edit) {
  FbxWriteOptions options;
  options.edit = std::move(edit);
  return options;
}

Rig with(Rig rig, const std::function<void(Rig&)>& change) {
  change(rig);
  return rig;
}

FbxRecord& model(FbxTree& tree, int node) {
  for (FbxRecord* record : tree.at("Objects").all("Model")) {
    if (std::get<std::int64_t>(record->values.at(0)) == fbx_model_id(node)) return *record;
  }
  throw std::out_of_range("no such model");
}

/// The clusters in slot order.
std::vector<FbxRecord*> clusters(FbxTree& tree) {
  std::vector<FbxRecord*> found;
  for (FbxRecord* record : tree.at("Objects").all("Deformer")) {
    if (std::get<std::string>(record->values.at(2)) == "Cluster") found.push_back(record);
  }
  return found;
}

/// Moves what a 16-number matrix record holds along X, in the file's unit.
void shift_x(FbxRecord& matrix, double distance) {
  std::get<std::vector<double>>(matrix.values.at(0)).at(12) += distance;
}

void cut_bone(FbxTree& tree) {
  auto& connections = tree.at("Connections").children;
  connections.erase(
      std::remove_if(connections.begin(), connections.end(),
                     [](const FbxRecord& c) {
                       return std::get<std::int64_t>(c.values.at(1)) == fbx_model_id(3) &&
                              std::get<std::int64_t>(c.values.at(2)) != fbx_model_id(2);
                     }),
      connections.end());
}

void make_bones(FbxTree& tree) {
  for (const char* kind : {"Model", "NodeAttribute"}) {
    for (FbxRecord* record : tree.at("Objects").all(kind)) {
      std::string& type = std::get<std::string>(record->values.at(2));
      if (type == "Null") type = "LimbNode";
    }
  }
}

void drop_pose_node(FbxTree& tree) {
  FbxRecord& pose = tree.at("Objects").at("Pose");
  FbxRecord* third = pose.all("PoseNode").at(3);
  pose.children.erase(pose.children.begin() + (third - pose.children.data()));
  std::int32_t& count = std::get<std::int32_t>(pose.at("NbPoseNodes").values.at(0));
  --count;
}

void add_second_pose(FbxTree& tree) {
  FbxRecord second = tree.at("Objects").at("Pose");
  std::get<std::int64_t>(second.values.at(0)) += 5'000'000;
  shift_x(second.all("PoseNode").at(3)->at("Matrix"), 20.0);
  tree.at("Objects").children.push_back(std::move(second));
}

/// joint3 leaves out the scale of joint2: the file says so by InheritType, not by a scale of its
/// own.
Rig compensated_rig() {
  return with(small_chain(), [](Rig& rig) {
    rig.nodes[2].scale = Vec3::Constant(0.7);
    rig.nodes[3].scale = Vec3::Constant(1.0 / 0.7);
    rig.bind_at_rest();
  });
}
void compensate(FbxTree& tree) {
  FbxRecord& joint = model(tree, 3);
  joint.property("Lcl Scaling").values = {std::string("Lcl Scaling"),
                                          std::string("Lcl Scaling"),
                                          std::string(),
                                          std::string("A"),
                                          1.0,
                                          1.0,
                                          1.0};
  joint.at("Properties70")
      .add("P", {std::string("InheritType"), std::string("enum"), std::string(), std::string(),
                 std::int32_t{2}});
}

}  // namespace

std::vector<TestdataFile> broken_fbx_testdata() {
  std::vector<TestdataFile> files;
  FbxWriteOptions text;
  text.ascii = true;
  files.push_back(file("file-legacy", "text", "note", small_chain(), text));
  files.push_back(
      file("skin-broken", "cluster_without_bone", "error", small_chain(), edited(cut_bone)));
  files.push_back(file("skin-broken", "bones_without_skin", "warning",
                       with(small_chain(),
                            [](Rig& rig) {
                              rig.skins.clear();
                              rig.instances[0].skin = -1;
                            }),
                       edited(make_bones)));
  files.push_back(
      file("bind-cluster-mesh-spread", "one_cluster", "error", small_chain(),
           edited([](FbxTree& tree) { shift_x(clusters(tree).at(3)->at("Transform"), 30.0); })));
  FbxWriteOptions without_pose;
  without_pose.bind_poses = false;
  files.push_back(file("bind-pose-missing", "none", "note", small_chain(), without_pose));
  files.push_back(file("bind-pose-incomplete", "deforming_joint", "warning", small_chain(),
                       edited(drop_pose_node)));
  files.back().expected[0].count = 1;
  files.push_back(
      file("bind-poses-conflict", "one_joint", "warning", small_chain(), edited(add_second_pose)));
  files.push_back(file("bind-pose-cluster-mismatch", "one_joint", "warning", small_chain(),
                       edited([](FbxTree& tree) {
                         FbxRecord& pose = tree.at("Objects").at("Pose");
                         shift_x(pose.all("PoseNode").at(3)->at("Matrix"), 20.0);
                       })));
  files.push_back(file("bind-mesh-moved", "scaled", "warning", with(small_chain(), [](Rig& rig) {
                         rig.nodes[6].scale = Vec3::Constant(2.54);
                       })));
  FbxWriteOptions residue;
  residue.geometric.emplace();
  residue.geometric->geometric_rotation = Vec3(0, 0, 30);
  residue.geometric->geometric_translation = Vec3(10, 0, 0);
  files.push_back(file("transform-geometric-residue", "turned", "warning", small_chain(), residue));
  files.push_back(file("transform-inherit-type", "scale_left_out", "warning", compensated_rig(),
                       edited(compensate), {{"transform-uniform-scale", "warning", {}}}));
  FbxWriteOptions dressed;
  dressed.dress_transforms = true;
  files.push_back(file("transform-pivots", "all_kinds", "note", small_chain(), dressed));
  FbxWriteOptions total_one;
  total_one.link_mode = LinkMode::total_one;
  files.push_back(file("skin-method", "total_one", "warning", small_chain(), total_one));
  files.push_back(file("skin-stacked", "two_nodes", "warning", with(small_chain(), [](Rig& rig) {
                         RigNode copy;
                         copy.name = "copy";
                         rig.instances.push_back({static_cast<int>(rig.nodes.size()), 0, 0});
                         rig.nodes.push_back(copy);
                       })));
  return files;
}

}  // namespace skinlint::test
