// Formats read through Assimp: the canonical model of what they hold, and what cannot be shown.

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "readers/assimp_process.h"
#include "readers/assimp_reader.h"
#include "skinning/hierarchy.h"
#include "support/asset_edit.h"
#include "support/collada_writer.h"

using namespace skinlint;
using namespace skinlint::test;
namespace fs = std::filesystem;

namespace {

bool no_assimp() {
  if (!assimp::worker_path().empty()) return false;
  WARN("skipped: built without Assimp");
  return true;
}

struct Written {
  fs::path folder = fs::temp_directory_path() / ("skinlint_import_" + std::to_string(::getpid()));
  Written() { fs::create_directories(folder); }
  ~Written() { fs::remove_all(folder); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
};

Asset read_text(const std::string& name, const std::string& text, const ReadOptions& options = {}) {
  const Written place;
  Result<Asset> asset = read_asset(place.file(name, text), options);
  if (!asset) FAIL(name << ": " << asset.error().message);
  CHECK(check_invariants(*asset).empty());
  return std::move(*asset);
}

std::int32_t named(const Asset& asset, const std::string& name) {
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (asset.nodes[n].name == name) return static_cast<std::int32_t>(n);
  }
  FAIL("no node " << name);
  return -1;
}

bool hides(const Asset& asset, const std::string& what) {
  return std::any_of(asset.not_checked.begin(), asset.not_checked.end(),
                     [&](const NotChecked& n) { return n.what == what; });
}

/// Joints, bind matrices, places and weights of `asset` are the rig's, whatever their order.
void compare(const Rig& rig, const Asset& asset) {
  REQUIRE(asset.bindings.size() == 1);
  const Skin& skin = asset.skins[0];
  const std::vector<Mat4> rig_world = rig.world_from_node();
  const std::vector<Mat4> world = world_from_nodes(asset);
  REQUIRE(skin.joints.size() == rig.skins[0].joints.size());
  std::vector<std::size_t> slot_of(skin.joints.size());
  for (std::size_t s = 0; s < skin.joints.size(); ++s) {
    const auto node = static_cast<std::size_t>(skin.joints[s]);
    const int twin = rig.node(asset.nodes[node].name);
    REQUIRE(twin >= 0);
    const auto at = std::find(rig.skins[0].joints.begin(), rig.skins[0].joints.end(), twin);
    REQUIRE(at != rig.skins[0].joints.end());
    slot_of[s] = static_cast<std::size_t>(at - rig.skins[0].joints.begin());
    CHECK((world[node] - rig_world[static_cast<std::size_t>(twin)]).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((*skin.joint_from_mesh[s] - (*rig.skins[0].joint_from_mesh)[slot_of[s]])
              .cwiseAbs()
              .maxCoeff() < 1e-5);
  }
  const RigPart& from = rig.meshes[0].parts[0];
  const MeshPart& part = asset.meshes[0].parts[0];
  CHECK(part.vertex_count == from.positions.size());
  const std::vector<Vec3> places = positions_of(part);
  const auto influences = influences_of(asset.influences[0]);
  for (std::size_t v = 0; v < places.size(); ++v) {
    const auto twin =
        std::find_if(from.positions.begin(), from.positions.end(),
                     [&](const Vec3& p) { return (p - places[v]).cwiseAbs().maxCoeff() < 1e-5; });
    REQUIRE(twin != from.positions.end());
    const auto& expected = from.influences[static_cast<std::size_t>(twin - from.positions.begin())];
    double sum = 0.0, same = 0.0;
    for (const RigInfluence& w : expected) sum += w.weight;
    for (const RigInfluence& w : influences[v]) {
      for (const RigInfluence& e : expected)
        if (e.joint == slot_of[w.joint]) same += std::min(e.weight, w.weight);
    }
    CHECK(same == Approx(sum).margin(1e-5));
  }
}

}  // namespace

TEST_CASE("COLLADA reads as the rig it was made from, in every axis and unit",
          "[readers][assimp]") {
  if (no_assimp()) return;
  for (const char up : {'X', 'Y', 'Z'}) {
    for (const double unit : {1.0, 0.01, 0.0254}) {
      CAPTURE(up, unit);
      ColladaWriteOptions options;
      options.up = up;
      options.unit_meters = unit;
      const Rig rig = humanoid_rig();
      const std::string text = write_collada(rig, options);
      const Asset asset = read_text("man.dae", text);
      compare(rig, asset);
      CHECK(asset.format_label() == "collada");
      CHECK(asset.version == "1.4.1");
      CHECK(asset.generator == rig.generator);
      CHECK(asset.unit_meters == Approx(unit).epsilon(1e-6));
      CHECK(asset.axes.up == std::string("+") + up);
      CHECK((asset.canonical_from_file - canonical_from_collada(options)).cwiseAbs().maxCoeff() <
            1e-7);
      CHECK(asset.repairs.empty());

      ReadOptions as_stored;
      as_stored.space = Space::file;
      const Asset stored = read_text("man.dae", text, as_stored);
      const Vec3 canonical = positions_of(asset.meshes[0].parts[0])[0];
      const Vec3 file = positions_of(stored.meshes[0].parts[0])[0];
      CHECK((transform_point(canonical_from_collada(options), file) - canonical).norm() < 1e-5);
    }
  }
}

TEST_CASE("what reading through Assimp hides is said", "[readers][assimp]") {
  if (no_assimp()) return;
  const Asset asset = read_text("tube.dae", write_collada(chain_rig()));
  for (const char* what : {"weights as stored", "joints without weight", "joints by identity"})
    CHECK(hides(asset, what));
  CHECK_FALSE(hides(asset, "unit and axes"));
  CHECK(asset.axes_declared);
  // The visual scene is no node; joints are found, and their places in the file named.
  CHECK(asset.nodes[0].name != "Scene");
  CHECK(asset.locator({ElementKind::joint, 0, 2}) == "joint \"joint2\"");
}

TEST_CASE("meshes split by material are one mesh again", "[readers][assimp]") {
  if (no_assimp()) return;
  Rig rig = chain_rig();
  rig.meshes[0].parts.push_back(rig.meshes[0].parts[0]);
  for (Vec3& p : rig.meshes[0].parts[1].positions) p[0] += 4.0;
  const Asset asset = read_text("two.dae", write_collada(rig));
  REQUIRE(asset.meshes.size() == 1);
  REQUIRE(asset.bindings.size() == 1);
  CHECK(asset.meshes[0].parts.size() == 2);
  CHECK(asset.skins[0].joints.size() == 6);
  CHECK(asset.meshes[0].parts[1].vertex_count == rig.meshes[0].parts[1].positions.size());
  CHECK(positions_of(asset.meshes[0].parts[1])[0][0] > 2.0);
}

TEST_CASE("COLLADA clips are read in the canonical space", "[readers][assimp]") {
  if (no_assimp()) return;
  Rig rig = chain_rig();
  const int joint = rig.node("joint2");
  const double s = std::sqrt(0.5);
  rig.clips = {
      {"turn", {rig_channel(joint, ChannelPath::rotation, {0, 0, 0, 1, 0, 0, s, s}, 0.5)}}};
  ColladaWriteOptions options;
  options.unit_meters = 0.01;
  const Asset asset = read_text("turn.dae", write_collada(rig, options));
  REQUIRE(asset.clips.size() == 1);
  CHECK(asset.clips[0].duration == Approx(0.5));
  std::size_t seen = 0;
  for (const Channel& channel : asset.clips[0].channels) {
    REQUIRE(channel.node == named(asset, "joint2"));
    std::vector<double> last(channel.values.components);
    read_values(channel.values, channel.values.count - 1, 1, last.data());
    if (channel.path == ChannelPath::rotation) {
      CHECK(std::abs(last[2] * s + last[3] * s) == Approx(1.0).margin(1e-5));
      ++seen;
    }
    if (channel.path == ChannelPath::translation) {
      CHECK(last[1] ==
            Approx(rig.nodes[static_cast<std::size_t>(joint)].translation[1]).margin(1e-5));
      ++seen;
    }
  }
  CHECK(seen == 2);
}

TEST_CASE("other skinned formats are recognised and read", "[readers][assimp]") {
  struct Sample {
    const char *format, *name, *text;
  };
  const std::string joints_md5 =
      "MD5Version 10\ncommandline \"\"\n\nnumJoints 2\nnumMeshes 1\n\njoints {\n"
      "\t\"root\"\t-1 ( 0 0 0 ) ( 0 0 0 )\n\t\"tip\"\t0 ( 0 0 1 ) ( 0 0 0 )\n}\n\nmesh {\n"
      "\tshader \"m\"\n\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 0 0 ) 1 1\n\tvert 2 ( 0 0 "
      ") 2 "
      "2\n\n\tnumtris 1\n\ttri 0 0 1 2\n\n\tnumweights 4\n\tweight 0 0 1 ( 0 0 0 )\n"
      "\tweight 1 0 1 ( 1 0 0 )\n\tweight 2 0 0.5 ( 0 0 2 )\n\tweight 3 1 0.5 ( 0 0 1 )\n}\n";
  const std::string smd =
      "version 1\nnodes\n0 \"root\" -1\n1 \"tip\" 0\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\n"
      "1 0 1 0 0 0 0\nend\ntriangles\nmat\n0 0 0 0 0 0 1 0 0 1 0 1\n0 1 0 0 0 0 1 0 0 1 0 1\n"
      "1 0 2 0 0 0 1 0 0 2 0 0.5 1 0.5\nend\n";
  const std::string identity = "1.0,0.0,0.0,0.0,\n0.0,1.0,0.0,0.0,\n0.0,0.0,1.0,0.0,\n0.0,";
  const auto x_matrix = [&](const std::string& y) { return identity + y + ",0.0,1.0;;\n"; };
  const std::string x =
      "xof 0303txt 0032\nFrame Root {\nFrameTransformMatrix {\n" + x_matrix("0.0") +
      "}\nFrame root {\nFrameTransformMatrix {\n" + x_matrix("0.0") +
      "}\nFrame tip {\nFrameTransformMatrix {\n" + x_matrix("1.0") +
      "}\n}\n}\nMesh M {\n3;\n0.0;0.0;0.0;,\n1.0;0.0;0.0;,\n0.0;2.0;0.0;;\n1;\n3;0,1,2;;\n"
      "XSkinMeshHeader { 2; 4; 2; }\nSkinWeights {\n\"root\";\n3;\n0,1,2;\n1.0,1.0,0.5;\n" +
      x_matrix("0.0") + "}\nSkinWeights {\n\"tip\";\n1;\n2;\n0.5;\n" + x_matrix("-1.0") +
      "}\n}\n}\n";
  const Sample samples[] = {{"md5", "a.md5mesh", joints_md5.c_str()},
                            {"smd", "a.smd", smd.c_str()},
                            {"x", "a.x", x.c_str()}};
  for (const Sample& sample : samples) {
    CAPTURE(sample.format);
    const std::string text = sample.text;
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    const ImportedFormat* format = imported_format_of(bytes);
    REQUIRE(format != nullptr);
    CHECK(format->name == sample.format);
    if (no_assimp()) continue;
    // By content: the name does not matter.
    for (const std::string& name : {std::string(sample.name), std::string("renamed.bin")}) {
      const Asset asset = read_text(name, text);
      REQUIRE(asset.bindings.size() == 1);
      CHECK(asset.imported_format == sample.format);
      CHECK(asset.skins[0].joints.size() == 2);
      CHECK(hides(asset, "unit and axes"));
      const std::vector<Mat4> world = world_from_nodes(asset);
      const Mat4 tip = world[static_cast<std::size_t>(named(asset, "tip"))];
      CHECK(translation(tip).norm() == Approx(1.0));
      for (const auto& list : influences_of(asset.influences[0])) {
        double sum = 0.0;
        for (const RigInfluence& w : list) sum += w.weight;
        CHECK(sum == Approx(1.0));
      }
    }
  }
}

TEST_CASE("formats read through Assimp are found by their extensions", "[readers][assimp]") {
  const std::vector<std::string> all = known_extensions();
  const bool there = !assimp::worker_path().empty();
  for (const char* extension : {"dae", "x", "md5mesh", "smd", "ms3d", "b3d", "mesh.xml"}) {
    INFO(extension);
    CHECK((std::count(all.begin(), all.end(), extension) == 1) == there);
  }
}

TEST_CASE("without Assimp a COLLADA file is named as what it is", "[readers][assimp]") {
  if (!assimp::worker_path().empty()) return;
  const Written place;
  const Result<Asset> asset = read_asset(place.file("a.dae", write_collada(chain_rig())), {});
  REQUIRE_FALSE(asset.has_value());
  CHECK(asset.error().kind == ReadError::Kind::unsupported);
  CHECK(asset.error().message ==
        "COLLADA files are read through Assimp, which is not in this build");
}

TEST_CASE("what Assimp refuses is an error with its words", "[readers][assimp]") {
  if (no_assimp()) return;
  const Written place;
  const Result<Asset> asset = read_asset(place.file("a.dae", "<COLLADA version=\"1.4.1\">"), {});
  REQUIRE_FALSE(asset.has_value());
  CHECK(asset.error().kind == ReadError::Kind::malformed);
  CHECK(asset.error().message.find("Assimp") == 0);
}
