// skinlint pose FILE

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/one_file.h"
#include "cli/output_file.h"
#include "cli/pose_choice.h"
#include "cli/pose_sets.h"
#include "engine/suggest.h"
#include "readers/obj_points.h"
#include "readers/reader.h"
#include "reports/pose.h"
#include "reports/posed_mesh.h"
#include "reports/unicode.h"
#include "skinning/mesh_evaluator.h"

namespace skinlint::cli {
namespace {

struct Options {
  std::string path, binding, poses, method, solve, bake, fail_on = "never";
  std::vector<std::string> which;
  double tolerance = 1e-5, ridge = 1e-6;
  bool json = false, clips = false, positions = false;
};

constexpr int kFaults = 1;
constexpr std::uint64_t kKeyBudget = 20'000'000;  // vertices times keys of clips: some seconds
constexpr std::size_t kMostKeys = 2000;

std::string shown_path(const std::string& path) { return printable(path, 1000); }

/// Bindings that --binding names; all without it.
std::vector<std::size_t> chosen_bindings(const Asset& asset, const std::string& name,
                                         std::string& error) {
  if (!name.empty()) {
    std::vector<std::size_t> chosen = bindings_named(asset, name);
    if (!chosen.empty()) return chosen;
    std::vector<std::string> names;
    for (const Binding& b : asset.bindings) names.push_back(shown(node_name(asset, b)));
    error = fmt::format("--binding: the file has no skinned mesh named \"{}\"{}", printable(name),
                        suggestion(name, names));
    return chosen;
  }
  std::vector<std::size_t> all(asset.bindings.size());
  for (std::size_t b = 0; b < all.size(); ++b) all[b] = b;
  return all;
}

int closed(OutputFile& out) {
  const std::string failed = out.close();
  if (failed.empty()) return kOk;
  if (!out.broken_pipe()) complain(failed);
  return kUsage;
}

/// One pose as --pose names it.
std::string make_pose(const PoseMaker& maker, const Asset& asset,
                      const std::vector<AssetPose>& named, const std::string& which,
                      AssetPose& out) {
  if (which == "bind") {
    out = maker.bind();
    return {};
  }
  for (const AssetPose& pose : named) {
    if (pose.name != which) continue;
    out = pose;
    return {};
  }
  const Parsed<ChosenPose> chosen = choose_pose(asset, which);
  if (chosen) {
    out = chosen->choice.kind == PoseChoice::Kind::clip
              ? maker.at(chosen->choice.clip, chosen->choice.seconds)
              : maker.rest();
    out.name = which;
    return {};
  }
  if (which.find(':') != std::string::npos && which.find('@') == std::string::npos) {
    std::string error;
    out = maker.turned(which, error);
    return error;
  }
  return chosen.error();
}

/// Keys of all clips, thinned evenly where they are more than the meshes' size allows.
std::vector<AssetPose> clip_poses(const PoseMaker& maker, const Asset& asset,
                                  const std::vector<std::size_t>& bindings,
                                  std::vector<std::string>& notes) {
  std::uint64_t vertices = 1;
  for (const std::size_t b : bindings) {
    for (const MeshPart& part :
         asset.meshes[static_cast<std::size_t>(asset.bindings[b].mesh)].parts)
      vertices += part.vertex_count;
  }
  std::vector<std::vector<double>> times;
  std::size_t total = 0;
  for (const Clip& clip : asset.clips) {
    times.push_back(key_times(clip));
    total += times.back().size();
  }
  const std::size_t most = std::clamp<std::size_t>(kKeyBudget / vertices, 16, kMostKeys);
  const std::size_t every = (total + most - 1) / most;
  std::vector<AssetPose> poses;
  for (std::size_t c = 0; c < times.size(); ++c) {
    for (std::size_t k = 0; k < times[c].size(); k += every)
      poses.push_back(maker.at(static_cast<std::int32_t>(c), times[c][k]));
  }
  if (every > 1) {
    notes.push_back(fmt::format("of the {} keys of {} clips one in {} was looked at", total,
                                asset.clips.size(), every));
  }
  if (asset.clips.empty()) notes.emplace_back("the file has no clips");
  return poses;
}

PosedMesh posed_mesh(const Facts& facts, std::size_t b, const AssetPose& pose,
                     const std::optional<SkinningMethod>& method, std::uint64_t& unmoved) {
  const Asset& asset = facts.asset();
  const Mat4& bind = facts.bind(b).consensus;
  const MeshPose mine =
      mesh_pose(asset, b, skin_matrices(asset, b, pose.world_from_node), bind, pose.morphs[b]);
  EvaluateOptions options;
  options.method = method;
  options.normals = true;
  const MeshEvaluator evaluator(asset, b, mine, options);
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[b].mesh)];
  PosedMesh out;
  out.name = asset.node_name(asset.bindings[b].node);
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    PosedPart posed = evaluator.evaluate(p);
    PosedMesh::Part part;
    part.triangles = triangles_of(mesh.parts[p]);
    std::vector<double> stored(3);
    for (std::size_t v = 0; v < posed.positions.size(); ++v) {
      if (posed.positions[v].allFinite()) continue;
      // Left where it is bound, so that numbers of vertices stay those of the file.
      ++unmoved;
      Vec3 at = Vec3::Zero();
      if (mesh.parts[p].positions.data != nullptr && mesh.parts[p].positions.components == 3 &&
          v < mesh.parts[p].positions.count) {
        read_values(mesh.parts[p].positions, v, 1, stored.data());
        at = transform_point(bind, Vec3(stored[0], stored[1], stored[2]));
      }
      posed.positions[v] = at.allFinite() ? at : Vec3(Vec3::Zero());
    }
    part.positions = std::move(posed.positions);
    bool normals = !posed.normals.empty();
    for (const Vec3& n : posed.normals) normals = normals && n.allFinite();
    if (normals) part.normals = std::move(posed.normals);
    out.parts.push_back(std::move(part));
  }
  return out;
}

int bake(const Options& options, const Facts& facts, const std::vector<std::size_t>& bindings,
         const AssetPose& pose, const std::optional<SkinningMethod>& method) {
  const auto ends_with = [&](std::string_view ending) {
    return options.bake.size() > ending.size() &&
           options.bake.compare(options.bake.size() - ending.size(), ending.size(), ending) == 0;
  };
  const bool glb = ends_with(".glb");
  if (!glb && !ends_with(".obj"))
    return usage_error("pose", "--bake writes .obj or .glb, by the name's ending");
  std::vector<PosedMesh> meshes;
  std::uint64_t unmoved = 0;
  for (const std::size_t b : bindings) {
    if (facts.bind(b).state == BindState::unknown) {
      complain(fmt::format("{} is left out: {}",
                           printable(facts.asset().node_name(facts.asset().bindings[b].node)),
                           facts.bind(b).unknown_because));
      continue;
    }
    meshes.push_back(posed_mesh(facts, b, pose, method, unmoved));
  }
  if (unmoved != 0)
    complain(
        fmt::format("{} vertices cannot be evaluated; they stay where they are bound", unmoved));
  std::string error;
  const auto out = OutputFile::create(options.bake, error);
  if (out == nullptr) {
    complain(error);
    return kUsage;
  }
  const std::string origin = fmt::format("{} in pose {}, metres, +Y up", options.path, pose.name);
  if (!glb) {
    write_obj(out->stream(), meshes, origin);
  } else if (!write_glb(out->stream(), meshes, "skinlint " SKINLINT_VERSION)) {
    complain("there is nothing to write, or more than a GLB can hold");
    return kUsage;
  }
  return closed(*out);
}

int solve(const Options& options, const Facts& facts, const std::vector<std::size_t>& bindings) {
  const Result<std::vector<Vec3>> target = read_obj_points(options.solve);
  if (!target) return unreadable(options.solve, target.error());
  SolveReport report;
  report.path = options.path;
  report.target = options.solve;
  double size = 0.0;
  for (const std::size_t b : bindings) {
    const BindAnalysis& bind = facts.bind(b);
    if (bind.state == BindState::unknown) {
      complain(fmt::format("{}: {}; --binding chooses others",
                           printable(facts.asset().node_name(facts.asset().bindings[b].node)),
                           bind.unknown_because));
      return kUsage;
    }
    report.bindings.push_back({b, bind.consensus, bind.size});
    size = std::max(size, bind.size);
  }
  SolveOptions how;
  how.ridge = options.ridge;
  Result<Solution, std::string> solution = solve_pose(facts.asset(), report.bindings, *target, how);
  if (!solution) {
    complain(fmt::format("{}: {}", shown_path(options.solve), solution.error()));
    return kUsage;
  }
  report.solution = std::move(*solution);
  report.tolerance = options.tolerance * size;
  const auto out = OutputFile::standard_output();
  (options.json ? write_solve_json : write_solve_text)(out->stream(), facts, report);
  const int status = closed(*out);
  return status != kOk ? status : report.reached() ? kOk : kFaults;
}

std::string parse_method(const std::string& text, std::optional<SkinningMethod>& method) {
  if (text.empty() || text == "file") return {};
  if (text == "linear") {
    method = SkinningMethod::linear;
  } else if (text == "dual-quaternion") {
    method = SkinningMethod::dual_quaternion;
  } else {
    return fmt::format("--method: unknown method \"{}\"{}", printable(text),
                       suggestion(text, {"file", "linear", "dual-quaternion"}));
  }
  return {};
}

int run_pose(const Options& options) {
  std::optional<SkinningMethod> method;
  if (const std::string wrong = parse_method(options.method, method); !wrong.empty())
    return usage_error("pose", wrong);
  if (options.fail_on != "never" && options.fail_on != "weight" && options.fail_on != "fault") {
    return usage_error("pose",
                       fmt::format("--fail-on: unknown level \"{}\"{}", printable(options.fail_on),
                                   suggestion(options.fail_on, {"never", "weight", "fault"})));
  }
  if (!options.solve.empty() && !options.bake.empty())
    return usage_error("pose", "--solve and --bake are two tasks; give one");
  if (!options.bake.empty() && options.which.size() != 1)
    return usage_error("pose", "--bake needs one --pose that says what to write");
  if (!(options.tolerance > 0.0) || !(options.ridge > 0.0) || options.ridge > 1.0)
    return usage_error("pose", "--tolerance and --ridge are above 0, --ridge at most 1");
  const Result<Asset, int> asset = read_one_file("pose", options.path, ReadOptions{});
  if (!asset) return asset.error();
  std::string wrong;
  const std::vector<std::size_t> bindings = chosen_bindings(*asset, options.binding, wrong);
  if (!wrong.empty()) return usage_error("pose", wrong);
  const Facts facts(*asset);
  if ((!options.solve.empty() || !options.bake.empty()) && bindings.empty()) {
    complain(fmt::format("{}: there is no skinned mesh", shown_path(options.path)));
    return kUsage;
  }
  if (!options.solve.empty()) return solve(options, facts, bindings);

  const PoseMaker maker(facts);
  PoseReport report;
  std::vector<AssetPose> named;
  if (!options.poses.empty()) {
    if (const std::string bad = maker.read_file(options.poses, named); !bad.empty())
      return usage_error("pose", bad);
  }
  if (options.which.empty()) {
    report.poses.push_back(maker.all_turned(30.0));
    for (AssetPose& pose : named) report.poses.push_back(std::move(pose));
    if (options.clips) {
      for (AssetPose& pose : clip_poses(maker, *asset, bindings, report.notes))
        report.poses.push_back(std::move(pose));
    }
  }
  for (const std::string& which : options.which) {
    AssetPose pose;
    if (const std::string bad = make_pose(maker, *asset, named, which, pose); !bad.empty())
      return usage_error("pose", bad);
    report.poses.push_back(std::move(pose));
  }
  if (!options.bake.empty()) return bake(options, facts, bindings, report.poses.front(), method);
  report.path = options.path;
  report.positions = options.positions;
  report.method = method;
  for (const std::size_t b : bindings) {
    PoseInput input;
    input.asset = &*asset;
    input.binding = b;
    input.bind = &facts.bind(b);
    input.turns = options.which.empty();
    input.method = method;
    for (const AssetPose& pose : report.poses) input.poses.push_back(&pose);
    report.bindings.push_back(analyse_poses(input));
  }
  const auto out = OutputFile::standard_output();
  (options.json ? write_pose_json : write_pose_text)(out->stream(), facts, report);
  const int failed = closed(*out);
  if (failed != kOk || options.fail_on == "never") return failed;
  bool faults = options.fail_on == "fault" && report.has_faults();
  for (const PoseAnalysis& a : report.bindings) faults = faults || !a.weight_faults.empty();
  return faults ? kFaults : kOk;
}

}  // namespace

Command add_pose(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* pose = app.add_subcommand(
      "pose", "Bend every joint: faults of weights, limits of blending; solve and bake poses");
  pose->add_option("FILE", options->path, "The file")->required()->type_name("");
  pose->add_flag("--json", options->json, "For programs: schema skinlint-pose/1");
  pose->add_flag("--clips", options->clips, "The keys of all clips as well");
  pose->add_option("--poses", options->poses, "Poses to look at as well, from a JSON file")
      ->type_name("FILE");
  pose->add_option("--pose", options->which,
                   "Only this pose: bind, rest, CLIP@SECONDS, a name from --poses, or a turn such "
                   "as \"elbow.L:x+90\" or \"elbow.L:twist180\"; repeatable")
      ->type_name("WHICH");
  pose->add_option("--binding", options->binding,
                   "Only this skinned mesh, by mesh node, skin or mesh")
      ->type_name("NAME");
  pose->add_option("--method", options->method, "file, linear or dual-quaternion")
      ->type_name("METHOD");
  pose->add_flag("--positions", options->positions,
                 "Posed vertices of every whole pose as well (JSON)");
  pose->add_option("--solve", options->solve,
                   "Joints and morph activations that put the mesh's vertices where this OBJ has "
                   "them")
      ->type_name("TARGET.obj");
  pose->add_option("--tolerance", options->tolerance,
                   "--solve: largest residual over the mesh's size that counts as reached")
      ->type_name("X")
      ->capture_default_str();
  pose->add_option("--ridge", options->ridge,
                   "--solve: least regularisation over the largest singular value")
      ->type_name("X")
      ->capture_default_str();
  pose->add_option("--bake", options->bake, "Write the posed mesh; needs one --pose")
      ->type_name("OUT.obj|glb");
  pose->add_option("--fail-on", options->fail_on,
                   "Exit with 1 on weight faults (weight), on those and matrix faults (fault), or "
                   "never")
      ->type_name("LEVEL")
      ->capture_default_str();
  pose->footer(
      "Exit status: 0 shown (--solve: reached), 1 found by --fail-on (--solve: not reached),\n"
      "2 wrong usage, 3 a file could not be read.");
  return {pose, [options] { return run_pose(*options); }};
}

}  // namespace skinlint::cli
