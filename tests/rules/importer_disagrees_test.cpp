#include <cmath>
#include <limits>

#include "fbx_breaks.h"
#include "support/asset_edit.h"
#include "support/importer_view.h"

using namespace skinlint;
using namespace skinlint::test;

namespace {

const std::string rule = "importer-disagrees";

/// Through the writer and the reader: with polygons, as files have them.
Asset written(const Asset& asset) {
  Result<Asset> out = written_and_read(asset);
  REQUIRE(out.has_value());
  return std::move(*out);
}
Asset real_fbx() { return written(fbx_chain()); }

std::vector<Finding> compared(const Asset& asset, const ImporterView& view,
                              CheckConfig config = {}) {
  config.select = {rule};
  config.want_statistics = false;
  std::vector<Finding> found;
  for (ReportedFinding& f : check_asset(asset, "test", config, &view).findings)
    found.push_back(std::move(f.finding));
  return found;
}

Finding one(const Asset& asset, const ImporterView& view, const CheckConfig& config = {}) {
  std::vector<Finding> found = compared(asset, view, config);
  for (const Finding& f : found) UNSCOPED_INFO(f.message);
  REQUIRE(found.size() == 1);
  return found.front();
}

std::string gap_of(const Asset& asset, const ImporterView& view) {
  return words_of(one(asset, view), "gap");
}

ImporterView failed(ImporterView::Outcome outcome) {
  ImporterView view;
  view.importer = "Assimp 5.2.4";
  view.outcome = outcome;
  view.detail = "its words";
  return view;
}

/// The weights of one bone for one of the importer's vertices.
float& weight_of(ImporterView& view, std::size_t bone, std::size_t n) {
  return view.meshes.at(0).bones.at(bone).weights.at(n).weight;
}

struct Case {
  std::string name;
  Asset asset;
};
std::vector<Case> clean_cases() {
  std::vector<Case> cases;
  cases.push_back({"glTF chain", to_asset(chain_rig())});
  cases.push_back({"glTF humanoid", to_asset(humanoid_rig())});
  cases.push_back({"glTF forest", to_asset(random_rig(3))});
  cases.push_back({"FBX chain", real_fbx()});
  cases.push_back({"FBX humanoid", written(to_fbx_asset(humanoid_rig()))});
  return cases;
}

}  // namespace

TEST_CASE("importer-disagrees: an importer that sees the same is silent", "[rules]") {
  for (const Case& c : clean_cases()) {
    INFO(c.name);
    for (const Finding& f : compared(c.asset, view_of(c.asset))) {
      INFO(f.message);
      CHECK(false);
    }
  }
}

TEST_CASE("importer-disagrees: silent when no second opinion was asked for", "[rules]") {
  CHECK(clean_fbx_is_silent(rule));
}

TEST_CASE("importer-disagrees: imports that fail are named", "[rules]") {
  using Outcome = ImporterView::Outcome;
  const Asset asset = to_asset(chain_rig());
  for (const auto& [outcome, name] :
       {std::pair{Outcome::crashed, "crashed"}, std::pair{Outcome::refused, "refused"},
        std::pair{Outcome::timed_out, "timed-out"},
        std::pair{Outcome::over_memory, "over-memory"}}) {
    const Finding found = one(asset, failed(outcome));
    CHECK(found.severity == Severity::warning);
    CHECK(found.element == ElementRef{});
    CHECK(words_of(found, "outcome") == name);
    CHECK(words_of(found, "importer") == "Assimp 5.2.4");
    CHECK(words_of(found, "gap") == "unknown");
    CHECK(found.message.find("its words") != std::string::npos);
  }
  ImporterView late = view_of(asset);
  late.crash_on_release = "SIGABRT";
  CHECK(words_of(one(asset, late), "outcome") == "crashed-on-release");
}

TEST_CASE("importer-disagrees: why it fails is told by what the file holds", "[rules]") {
  using Outcome = ImporterView::Outcome;
  Rig rig = chain_rig();
  rig.skins[0].joint_from_mesh.reset();
  CHECK(gap_of(to_asset(rig), failed(Outcome::crashed)) == "no-inverse-bind-matrices");
  CHECK(gap_of(to_asset(rig), failed(Outcome::refused)) == "unknown");

  Asset shorter = to_asset(chain_rig());
  shorter.skins[0].matrix_count = 2;
  CHECK(gap_of(shorter, failed(Outcome::crashed)) == "short-inverse-bind-matrices");

  Asset lone = to_asset(chain_rig());
  lone.influences[0].sets.push_back(lone.influences[0].sets[0]);
  lone.influences[0].sets.back().joints = {};
  CHECK(gap_of(lone, failed(Outcome::crashed)) == "weights-without-joints");

  Asset twins = real_fbx();
  node(twins, "joint3").name = "joint2";
  CHECK(gap_of(twins, failed(Outcome::crashed)) == "bones-of-one-name");

  Asset old = real_fbx();
  old.version = "6100";
  CHECK(gap_of(old, failed(Outcome::refused)) == "old-fbx");
  old.version = "7400";
  CHECK(gap_of(old, failed(Outcome::refused)) == "unknown");

  Asset cyclic = to_asset(chain_rig());
  cyclic.repairs.push_back({Repair::Kind::graph_cycle, true, {}, 1, {}, {}});
  CHECK(gap_of(cyclic, failed(Outcome::refused)) == "cyclic-nodes");
}

TEST_CASE("importer-disagrees: a changed weight is one finding with its numbers", "[rules]") {
  for (const Asset& asset : {to_asset(chain_rig()), real_fbx()}) {
    ImporterView view = view_of(asset);
    // All corners of one vertex: the comparison takes any of them.
    ImporterView::Bone& bone = view.meshes[0].bones[2];
    for (ImporterView::Weight& w : bone.weights) w.weight *= 0.5F;
    const Finding found = one(asset, view);
    CHECK(found.severity == Severity::warning);
    CHECK(found.element == ElementRef{ElementKind::binding, 0, 0});
    CHECK(words_of(found, "kind") == "weights");
    CHECK(words_of(found, "gap") == "unknown");
    CHECK(number(found, "importers_weight") == Approx(0.5 * number(found, "weight")));
    CHECK(found.count > 10);
    CHECK(found.samples.size() == 5);
  }
}

TEST_CASE("importer-disagrees: weights differ just outside the limit", "[rules]") {
  const Asset asset = to_asset(chain_rig());
  for (const auto& [off, speaks] : {std::pair{0.9e-4F, false}, std::pair{1.1e-4F, true}}) {
    ImporterView view = view_of(asset);
    weight_of(view, 2, 0) -= off;
    CHECK(compared(asset, view).size() == (speaks ? 1 : 0));
    CheckConfig loose = with_param(rule, "weight", 0.01);
    CHECK(compared(asset, view, loose).empty());
  }
}

TEST_CASE("importer-disagrees: weights that importers drop are named by what they are", "[rules]") {
  for (const auto& [weight, gap] :
       {std::pair{-0.25, "drops-negative-weights"},
        std::pair{std::numeric_limits<double>::quiet_NaN(), "drops-nan-weights"}}) {
    Asset asset = to_asset(chain_rig());
    REQUIRE(set_influences(asset, 0, 40, {{1, 1.0}, {2, weight}}));
    ImporterView view = view_of(asset);
    auto& weights = view.meshes[0].bones[2].weights;
    weights.erase(std::remove_if(weights.begin(), weights.end(),
                                 [](const ImporterView::Weight& w) { return w.vertex == 40; }),
                  weights.end());
    const Finding found = one(asset, view);
    CHECK(words_of(found, "gap") == gap);
    CHECK(found.count == 1);
    CHECK(found.samples.at(0).index == 40);
    CHECK(found.message.find("mend the file") != std::string::npos);
  }
  EncodeOptions bytes;
  bytes.weight_type = ComponentType::u8;
  const Asset asset = to_asset(chain_rig(), bytes);
  ImporterView view = view_of(asset);
  for (ImporterView::Bone& bone : view.meshes[0].bones)
    for (ImporterView::Weight& w : bone.weights) w.weight = 1e-40F;
  CHECK(words_of(compared(asset, view).at(0), "gap") == "integer-weights");
  // Rubbish is not quoted: it would be another in each run.
  CHECK(std::isnan(number(compared(asset, view).at(0), "importers_weight")));
  CHECK(compared(asset, view).at(0).samples.empty());
  CHECK(compared(asset, view).at(0).message.find("file is legal") != std::string::npos);
}

TEST_CASE("importer-disagrees: zero weights and joints without weight may be left out", "[rules]") {
  Asset asset = to_asset(chain_rig());
  REQUIRE(set_influences(asset, 0, 40, {{1, 1.0}, {5, 0.0}}));
  CHECK(compared(asset, view_of(asset)).empty());
  Asset fbx = real_fbx();
  ImporterView view = view_of(fbx);
  view.meshes[0].bones.push_back({"other", -1, Mat4::Identity(), {}});
  CHECK(compared(fbx, view).empty());
}

TEST_CASE("importer-disagrees: a joint with weight and no bone is lost", "[rules]") {
  Asset asset = real_fbx();
  const ImporterView whole = view_of(asset);
  ImporterView view = whole;
  view.meshes[0].bones.erase(view.meshes[0].bones.begin() + 3);
  const Finding lost = one(asset, view);
  CHECK(words_of(lost, "kind") == "joints-lost");
  CHECK(lost.count == 1);
  CHECK(lost.related.at(0) == ElementRef{ElementKind::joint, 0, 3});
  CHECK(words_of(lost, "gap") == "unknown");

  cluster(asset, 3).transform_link.reset();
  CHECK(gap_of(asset, view) == "no-transform-link");
  cluster(asset, 3).transform_link = Mat4::Identity();
  cluster(asset, 3).out_of_range = 1;
  cluster(asset, 3).worst_index = -1;
  CHECK(gap_of(asset, view) == "negative-vertex-index");
}

TEST_CASE("importer-disagrees: matrices and places are compared in metres", "[rules]") {
  for (const Asset& asset : {to_asset(chain_rig()), real_fbx()}) {
    const double metre = 1.0 / decompose(asset.canonical_from_file).uniform_scale();
    for (const auto& [off, speaks] :
         {std::pair{0.9e-3 * chain_size, false}, std::pair{1.1e-3 * chain_size, true}}) {
      ImporterView bind = view_of(asset);
      bind.meshes[0].bones[4].bone_from_mesh(0, 3) += off * metre;
      CHECK(compared(asset, bind).size() == (speaks ? 1 : 0));
    }
    ImporterView bind = view_of(asset);
    bind.meshes[0].bones[4].bone_from_mesh(0, 3) += 0.5 * metre;
    const Finding found = one(asset, bind);
    CHECK(words_of(found, "kind") == "bind-matrices");
    CHECK(number(found, "displacement") == Approx(0.5).epsilon(1e-3));
    CHECK(number(found, "moved_by") > 0.1);
    CHECK(number(found, "moved_by") < 0.51);
    CHECK(found.related.at(0) == ElementRef{ElementKind::joint, 0, 4});

    ImporterView place = view_of(asset);
    const std::int32_t moved = place.meshes[0].bones[5].node;
    place.nodes[static_cast<std::size_t>(moved)].world_from_node(2, 3) += 0.25 * metre;
    const Finding placed = one(asset, place);
    CHECK(words_of(placed, "kind") == "joints-placed");
    CHECK(number(placed, "displacement") == Approx(0.25).epsilon(1e-3));
    CHECK(placed.count == 1);
  }
}

TEST_CASE("importer-disagrees: why a joint stands elsewhere is told by its node", "[rules]") {
  const auto placed = [](Asset& asset, const std::string& joint) {
    ImporterView view = view_of(asset);
    for (ImporterView::Bone& bone : view.meshes[0].bones) {
      if (bone.name == joint)
        view.nodes[static_cast<std::size_t>(bone.node)].world_from_node(0, 3) += 100.0;
    }
    return gap_of(asset, view);
  };
  Asset asset = real_fbx();
  CHECK(placed(asset, "joint5") == "unknown");
  node(asset, "joint5").fbx->post_rotation = Vec3(0, 10, 0);
  CHECK(placed(asset, "joint5") == "pivots");

  // Two nodes of one name: the first is found for both.
  Rig rig = chain_rig();
  rig.nodes[static_cast<std::size_t>(rig.node("joint5"))].name = "joint2";
  const Asset twins = to_asset(rig);
  ImporterView view = view_of(twins);
  view.meshes[0].bones[5].node = view.meshes[0].bones[2].node;
  CHECK(gap_of(twins, view) == "names-for-identity");
}

TEST_CASE("importer-disagrees: the geometric transform is named", "[rules]") {
  Asset asset = real_fbx();
  Binding& binding = asset.bindings[0];
  binding.node_from_geometry = shift(0.5, 0, 0);
  ImporterView view = view_of(asset);
  for (ImporterView::Bone& bone : view.meshes[0].bones) bone.bone_from_mesh(0, 3) += 50.0;
  CHECK(gap_of(asset, view) == "geometric-transform");
}

TEST_CASE("importer-disagrees: a mesh that is not there is said once", "[rules]") {
  const Asset asset = to_asset(chain_rig());
  ImporterView view = view_of(asset);
  for (ImporterView::Node& n : view.nodes) n.meshes.clear();
  CHECK(words_of(one(asset, view), "kind") == "mesh-lost");
  ImporterView empty = view;
  empty.nodes.clear();
  CHECK(words_of(one(asset, empty), "kind") == "mesh-lost");
}

TEST_CASE("importer-disagrees: meshes split by material are joined", "[rules]") {
  const Asset asset = real_fbx();
  ImporterView view = view_of(asset);
  // Every second polygon goes to a mesh of its own.
  ImporterView::Mesh& whole = view.meshes[0];
  ImporterView::Mesh parts[2];
  std::size_t corner = 0;
  for (ImporterView::Mesh& part : parts) {
    part.bones = whole.bones;
    for (ImporterView::Bone& bone : part.bones) bone.weights.clear();
  }
  for (std::size_t f = 0; f < whole.face_sizes.size(); ++f) {
    ImporterView::Mesh& part = parts[f % 2];
    part.face_sizes.push_back(whole.face_sizes[f]);
    for (std::uint32_t c = 0; c < whole.face_sizes[f]; ++c, ++corner) {
      const std::uint32_t from = whole.face_corners[corner];
      const auto to = static_cast<std::uint32_t>(part.vertex_count());
      part.face_corners.push_back(to);
      for (std::size_t k = 0; k < 3; ++k)
        part.positions.push_back(whole.positions[3 * std::size_t{from} + k]);
      for (std::size_t b = 0; b < whole.bones.size(); ++b) {
        for (const ImporterView::Weight& w : whole.bones[b].weights)
          if (w.vertex == from) part.bones[b].weights.push_back({to, w.weight});
      }
    }
  }
  for (ImporterView::Node& n : view.nodes)
    if (!n.meshes.empty()) n.meshes = {0, 1};
  view.meshes = {parts[0], parts[1]};
  for (const Finding& f : compared(asset, view)) {
    INFO(f.message);
    CHECK(false);
  }
}

TEST_CASE("importer-disagrees: a severity override changes the outcome", "[rules]") {
  CheckConfig config;
  config.severities[rule] = Severity::off;
  CHECK(compared(to_asset(chain_rig()), failed(ImporterView::Outcome::crashed), config).empty());
  config.severities[rule] = Severity::error;
  CHECK(one(to_asset(chain_rig()), failed(ImporterView::Outcome::crashed), config).severity ==
        Severity::error);
}

TEST_CASE("importer-disagrees: no other rule reports the break", "[rules]") {
  const ImporterView view = failed(ImporterView::Outcome::crashed);
  CheckConfig config;
  config.want_statistics = false;
  const FileResult result = check_asset(to_asset(chain_rig()), "test", config, &view);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].finding.rule == rule);
}
