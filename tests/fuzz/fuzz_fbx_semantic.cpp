// Well-formed records with objects and connections that make no sense: the input is a programme
// that builds a file of models, geometries, skins, clusters, poses and curves and connects them at
// will, cycles and repeated ids included.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "readers/fbx_reader.h"
#include "support/fbx_tree.h"

namespace {

using skinlint::test::FbxName;
using skinlint::test::FbxRecord;
using skinlint::test::FbxTree;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return empty() ? std::uint8_t{0} : data_[at_++]; }
  std::int32_t index() {
    const std::uint8_t b = byte();
    if (b == 255) return -1;
    return b == 254 ? 99999 : b == 253 ? INT32_MIN : b == 252 ? INT32_MAX : b % 24;
  }
  double real() {
    static constexpr double odd[] = {0.0, -0.0, 1e300, -1e300, 1e-320, kInf, -kInf, kNan};
    const std::uint8_t b = byte();
    return b >= 248 ? odd[b - 248] : (b - 100) / 8.0;
  }
  std::vector<double> reals() {
    std::vector<double> out(byte() % 20);
    for (double& d : out) d = real();
    return out;
  }
  std::vector<std::int32_t> indices() {
    std::vector<std::int32_t> out(byte() % 12);
    for (std::int32_t& i : out) i = index();
    return out;
  }
  std::vector<double> matrix() {
    std::vector<double> m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const std::uint8_t b = byte();
    if (b == 0) m.resize(byte() % 20);
    if (b < 128 && !m.empty()) m[b % m.size()] = real();
    return m;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

void add_property(FbxRecord& object, Input& in) {
  static constexpr const char* names[] = {"Lcl Translation",
                                          "Lcl Rotation",
                                          "Lcl Scaling",
                                          "PreRotation",
                                          "PostRotation",
                                          "RotationPivot",
                                          "RotationOffset",
                                          "ScalingPivot",
                                          "InheritType",
                                          "RotationOrder",
                                          "RotationActive",
                                          "GeometricTranslation",
                                          "GeometricScaling",
                                          "DeformPercent",
                                          "d|X",
                                          "d|Y"};
  if (object.children.empty() || object.children[0].name != "Properties70") {
    object.children.insert(object.children.begin(), FbxRecord{"Properties70", {}, {}});
  }
  FbxRecord& p = object.children[0].add(
      "P", {std::string(names[in.byte() % 16]), std::string("x"), std::string(), std::string()});
  for (int k = in.byte() % 4; k > 0; --k) p.values.emplace_back(in.real());
}

FbxTree build(Input& in) {
  FbxTree tree;
  tree.add("Objects");
  tree.add("Connections");
  static constexpr const char* kinds[][2] = {
      {"Model", "LimbNode"},      {"Model", "Mesh"},
      {"Geometry", "Mesh"},       {"Geometry", "Shape"},
      {"Deformer", "Skin"},       {"Deformer", "Cluster"},
      {"Deformer", "BlendShape"}, {"Deformer", "BlendShapeChannel"},
      {"Pose", "BindPose"},       {"AnimationStack", ""},
      {"AnimationLayer", ""},     {"AnimationCurveNode", ""},
      {"AnimationCurve", ""},     {"NodeAttribute", "LimbNode"}};
  static constexpr const char* arrays[] = {"Vertices", "Weights", "FullWeights", "KeyValueFloat"};
  static constexpr const char* properties[] = {"Lcl Translation", "Lcl Rotation", "d|X",
                                               "DeformPercent"};
  std::int64_t next = 0;
  while (!in.empty()) {
    FbxRecord& objects = tree.at("Objects");
    const std::uint8_t op = in.byte();
    FbxRecord* last = objects.children.empty() ? nullptr : &objects.children.back();
    if (op < 90 || last == nullptr) {
      const auto& kind = kinds[op % 14];
      // now and then an id that is there already
      const std::int64_t id = op % 29 == 28 ? in.byte() % 24 : next++;
      objects.add(kind[0], {id, FbxName{"n", kind[0]}, std::string(kind[1])});
    } else if (op < 130) {
      last->add(arrays[op % 4], {in.reals()});
    } else if (op < 150) {
      last->add(op % 2 != 0 ? "Indexes" : "PolygonVertexIndex", {in.indices()});
    } else if (op < 165) {
      static constexpr const char* names[] = {"Transform", "TransformLink",
                                              "TransformAssociateModel"};
      last->add(names[op % 3], {in.matrix()});
    } else if (op < 175) {
      FbxRecord& entry = last->add("PoseNode");
      entry.add("Node", {std::int64_t{in.index()}});
      entry.add("Matrix", {in.matrix()});
    } else if (op < 185) {
      std::vector<std::int64_t> times;
      for (int k = in.byte() % 8; k > 0; --k)
        times.push_back(in.index() * std::int64_t{1000000000});
      last->add("KeyTime", {times});
    } else if (op < 200) {
      add_property(*last, in);
    } else {
      FbxRecord& c = tree.at("Connections")
                         .add("C", {std::string(op % 3 == 0 ? "OP" : "OO"),
                                    std::int64_t{in.index()}, std::int64_t{in.index()}});
      if (op % 3 == 0) c.values.emplace_back(std::string(properties[in.byte() % 4]));
    }
  }
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinlint;
  if (size == 0) return 0;
  // The seeds are whole files; as programmes they would build trees that take seconds.
  constexpr std::size_t longest = 2048;
  Input in(data + 1, std::min(size - 1, longest));
  const FbxTree tree = build(in);
  test::FbxEncoding encoding;
  encoding.ascii = (data[0] & 1) != 0;
  encoding.version = (data[0] & 2) != 0 ? 7500 : 7400;
  encoding.compress = false;
  ReadOptions options;
  options.space = (data[0] & 4) != 0 ? Space::file : Space::canonical;
  const Result<Asset> asset =
      read_fbx(memory_source(test::encode_fbx(tree, encoding)), {}, options);
  if (!asset) {
    std::fprintf(stderr, "a well-formed file was refused: %s\n", asset.error().message.c_str());
    std::abort();
  }
  const std::string broken = check_invariants(*asset);
  if (!broken.empty()) {
    std::fprintf(stderr, "invariant: %s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
