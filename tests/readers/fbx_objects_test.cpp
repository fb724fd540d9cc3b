// Files that connect by name (6.x) and by nesting (older), written by hand.

#include "readers/fbx_objects.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "readers/fbx_reader.h"
#include "support/matchers.h"

using namespace skinlint;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

Asset read(const std::string& text, Space space = Space::file) {
  ReadOptions options;
  options.space = space;
  Result<Asset> asset = read_fbx(memory_source(bytes_of(text)), {}, options);
  REQUIRE(asset);
  CHECK(check_invariants(*asset) == "");
  return std::move(*asset);
}

const char* const kSix = R"(; FBX 6.1.0 project file
FBXHeaderExtension:  {
  FBXVersion: 6100
  Creator: "hand"
}
Objects:  {
  Model: "Model::hips", "LimbNode" {
    Properties60:  {
      Property: "Lcl Translation", "Lcl Translation", "A+",0,10,0
      Property: "InheritType", "enum", "",1
    }
  }
  Model: "Model::skin", "Mesh" {
    Properties60:  {
      Property: "Lcl Translation", "Lcl Translation", "A+",0,0,0
      Property: "GeometricTranslation", "Vector3D", "",1,0,0
      Property: "smile", "Shape", "A+",50
    }
    Vertices: 0,0,0
    ,1,0,0,
    0,1,0
    PolygonVertexIndex: 0,1,-3
    Shape: "smile" {
      Indexes: 1
      Vertices: 0,0,5
      Normals: 0,0,0
    }
  }
  Deformer: "Deformer::d", "Skin" {
    Link_DeformAcuracy: 50
  }
  Deformer: "SubDeformer::c", "Cluster" {
    Mode: "Total1"
    Indexes: 0,1,2
    Weights: 1,0.5,-1.#IND
    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,0,-10,0,1
    TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,0,10,0,1
  }
  Pose: "Pose::BIND_POSES", "BindPose" {
    Type: "BindPose"
    NbPoseNodes: 2
    PoseNode:  {
      Node: "Model::hips"
      Matrix: 1,0,0,0,0,1,0,0,0,0,1,0,0,10,0,1
    }
    PoseNode:  {
      Node: "Model::gone"
      Matrix: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
    }
  }
  GlobalSettings:  {
    Properties60:  {
      Property: "UpAxis", "int", "",2
      Property: "UpAxisSign", "int", "",1
      Property: "FrontAxis", "int", "",1
      Property: "FrontAxisSign", "int", "",-1
      Property: "CoordAxis", "int", "",0
      Property: "CoordAxisSign", "int", "",1
      Property: "UnitScaleFactor", "double", "",2.54
    }
  }
}
Connections:  {
  Connect: "OO", "Model::hips", "Model::Scene"
  Connect: "OO", "Model::skin", "Model::Scene"
  Connect: "OO", "Deformer::d", "Model::skin"
  Connect: "OO", "SubDeformer::c", "Deformer::d"
  Connect: "OO", "Model::hips", "SubDeformer::c"
  Connect: "OO", "Model::nobody", "Model::hips"
}
Takes:  {
  Current: "Take 001"
  Take: "Take 001" {
    Model: "Model::hips" {
      Channel: "Transform" {
        Channel: "T" {
          Channel: "X" { Default: 7 Key: 46186158000,1,L,92372316000,2,C,s,138558474000,3,U,s,0,0,n KeyCount: 3 }
          Channel: "Y" { Default: 8 KeyCount: 2 Key: 46186158000,4,U,a,n,138558474000,6,U,s,0,0,a,0.3,0.3 }
          Channel: "Z" { Default: 9 }
        }
      }
    }
    Model: "Model::skin" {
      Channel: "smile" { Default: 0 KeyCount: 1 Key: 0,100,L }
    }
  }
}
)";

}  // namespace

TEST_CASE("fbx 6.x objects connect by name", "[readers]") {
  const Asset a = read(kSix);
  CHECK(a.version == "6100");
  REQUIRE(a.nodes.size() == 2);
  CHECK(a.nodes[0].name == "hips");
  CHECK(a.nodes[0].attribute == "LimbNode");
  CHECK(a.axes.up == "+Z");
  CHECK(a.axes.front == "-Y");
  CHECK(a.unit_meters == Approx(0.0254));
  REQUIRE(a.bindings.size() == 1);
  const Skin& skin = a.skins[0];
  REQUIRE(skin.joints == std::vector<std::int32_t>{0});
  CHECK(skin.clusters[0].mode == LinkMode::total_one);
  // Transform * geometric transform
  CHECK((translation(*skin.joint_from_mesh[0]) - Vec3(1, -10, 0)).norm() < 1e-12);
  CHECK((translation(*skin.clusters[0].transform) - Vec3(0, -10, 0)).norm() < 1e-12);
  const InfluenceTable& t = a.influences[0];
  CHECK(t.first == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(t.weight[1] == 0.5);
  CHECK(std::isnan(t.weight[2]));
  REQUIRE(a.bind_poses.size() == 1);
  CHECK(a.bind_poses[0].entries.size() == 2);
  CHECK(a.bind_poses[0].entries[0].node == 0);
  CHECK(a.bind_poses[0].entries[1].node == -1);
  REQUIRE(a.repairs.size() == 1);  // the connection of Model::nobody
  CHECK(a.repairs[0].kind == Repair::Kind::dangling_reference);
  CHECK_FALSE(a.repairs[0].affects_skinning);
}

TEST_CASE("fbx 6.x shapes stand in the mesh, their activation is its property", "[readers]") {
  const Asset a = read(kSix);
  REQUIRE(a.meshes[0].morphs.size() == 1);
  const MorphTarget& m = a.meshes[0].morphs[0];
  CHECK(m.name == "smile");
  CHECK(m.default_weight == 0.5);
  CHECK(test::values_of(m.shapes[0].indices[0]) == std::vector<double>{1});
  CHECK(test::values_of(m.shapes[0].positions[0]) == std::vector<double>{0, 0, 5});
}

TEST_CASE("fbx 6.x takes: every way to write a key", "[readers]") {
  const Asset a = read(kSix);
  REQUIRE(a.clips.size() == 1);
  CHECK(a.clips[0].name == "Take 001");
  REQUIRE(a.clips[0].channels.size() == 2);
  const Channel& t = a.clips[0].channels[0];
  CHECK(test::values_of(t.times) == std::vector<double>{1, 2, 3});
  // Y has no key at two seconds: between its keys; Z has only its default.
  CHECK(test::values_of(t.values) == std::vector<double>{1, 4, 9, 2, 5, 9, 3, 6, 9});
  CHECK(a.clips[0].channels[1].path == ChannelPath::weights);
  CHECK(a.clips[0].channels[1].pointer == "smile");
  REQUIRE(a.clips[0].first_key.size() == 1);
  CHECK((translation(a.clips[0].first_key[0].parent_from_node) - Vec3(1, 4, 9)).norm() < 1e-12);
}

TEST_CASE("fbx older than 6.0: nested transforms, children and links", "[readers]") {
  const std::string text = R"(; FBX 5.8.0 project file
FBXHeaderExtension:  { FBXVersion: 5800 }
Model: "Model::bone" {
  Type: "Limb"
  Channel: "Transform" {
    Channel: "T" { Channel: "X" { Default: 1 } Channel: "Y" { Default: 2 } Channel: "Z" { Default: 3 } }
    Channel: "R" { Channel: "Z" { Default: 90 } }
  }
  Children: "Model::tip", "Model::skin"
}
Model: "Model::tip" { Type: "Limb" }
Model: "Model::skin" {
  Type: "Mesh"
  Vertices: 0,0,0,1,0,0
  Link: "Model::bone" {
    Indexes: 0,1
    Weights: 1,0.25
    Transform: 1,0,0,0,0,1,0,0,0,0,1,0,4,0,0,1
    TransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1
  }
}
Takes: {
  Take: "first" {
    Model: "Model::tip" { Channel: "Transform" { Channel: "T" { Channel: "X" { Key: 0,6,L } } } }
  }
}
)";
  const Asset a = read(text);
  REQUIRE(a.nodes.size() == 3);
  CHECK(a.nodes[0].name == "bone");
  CHECK(a.nodes[0].attribute == "Limb");
  CHECK((translation(a.nodes[0].parent_from_node) - Vec3(1, 2, 3)).norm() < 1e-12);
  CHECK(a.nodes[0].parent_from_node(1, 0) == Approx(1.0));
  CHECK(a.nodes[1].parent == 0);
  CHECK(a.nodes[2].parent == 0);
  CHECK((translation(a.nodes[1].parent_from_node) - Vec3(6, 0, 0)).norm() < 1e-12);
  REQUIRE(a.bindings.size() == 1);
  CHECK(a.skins[0].joints == std::vector<std::int32_t>{0});
  CHECK(translation(*a.skins[0].joint_from_mesh[0])[0] == 4.0);
  CHECK(translation(*a.skins[0].clusters[0].transform_link)[0] == 5.0);
  CHECK(a.influences[0].weight == std::vector<double>{1, 0.25});
  CHECK_FALSE(a.axes_declared);
}

TEST_CASE("fbx names are taken apart in every dialect", "[readers]") {
  CHECK(fbx::split_name("Model::hips").name == "hips");
  CHECK(fbx::split_name("Model::a::b").name == "a::b");
  CHECK(fbx::split_name(std::string_view("hips\0\1Model", 11)).name == "hips");
  CHECK(fbx::split_name(std::string_view("hips\0\1Model", 11)).class_name == "Model");
  CHECK(fbx::split_name("Teapot01").name == "Teapot01");
  CHECK(fbx::display_name("a&quot;b", false) == "a\"b");
  CHECK(fbx::display_name("a&quot;b", true) == "a&quot;b");
}

TEST_CASE("a long name of quotes is taken apart in one pass", "[readers]") {
  // Two million escapes: replaced in place, each would move the megabytes behind it.
  constexpr std::size_t count = 2'000'000;
  std::string name;
  for (std::size_t k = 0; k < count; ++k) name += "&quot;";
  CHECK(fbx::display_name(name + "end", false) == std::string(count, '"') + "end");
  CHECK(fbx::display_name("", false).empty());
  CHECK(fbx::display_name("a&quot", false) == "a&quot");
}
