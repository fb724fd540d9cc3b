// skinlint trace FILE

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/one_file.h"
#include "cli/output_file.h"
#include "cli/pose_choice.h"
#include "engine/camera_file.h"
#include "engine/config_file.h"
#include "engine/configuration.h"
#include "engine/suggest.h"
#include "reports/trace.h"
#include "reports/unicode.h"
#include "rules/facts.h"
#include "skinning/clip_pose.h"

namespace skinlint::cli {
namespace {

constexpr int kBrokenChain = 1;

struct Options {
  std::string path, vertex, place, binding, pose = "rest", camera, zero_weight;
  bool json = false;
};

Parsed<Vec3> parse_place(std::string_view text) {
  Vec3 place = Vec3::Zero();
  Eigen::Index k = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++k) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::optional<double> value = number(text.substr(begin, comma - begin));
    if (!value || k == 3) break;
    place[k] = *value;
    begin = comma + 1;
    if (comma == text.size()) {
      if (k == 2) return place;
      break;
    }
  }
  return fmt::format("--near: \"{}\" is not three numbers X,Y,Z (world, metres)", printable(text));
}

std::string listed(const Asset& asset, const std::vector<std::size_t>& bindings) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < bindings.size() && k < kShown; ++k) {
    text += fmt::format("{}#{} ({})", k == 0 ? "" : ", ", bindings[k],
                        shown(node_name(asset, asset.bindings[bindings[k]])));
  }
  return bindings.size() > kShown ? text + ", ..." : text;
}

Parsed<std::vector<std::size_t>> choose_bindings(const Asset& asset, const Options& options) {
  if (asset.bindings.empty()) return std::string("the file has no skinned mesh");
  std::vector<std::size_t> all(asset.bindings.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const bool searches = options.vertex == "worst" || !options.place.empty();
  if (options.binding.empty()) {
    if (all.size() == 1 || searches) return all;
    return fmt::format("the file has {} bindings; name one with --binding: {}", all.size(),
                       listed(asset, all));
  }
  std::vector<std::size_t> found = bindings_named(asset, options.binding);
  if (found.empty()) {
    std::vector<std::string> names;
    for (const Binding& b : asset.bindings) names.push_back(shown(node_name(asset, b)));
    return fmt::format("--binding: the file has no skinned mesh named \"{}\"{}",
                       printable(options.binding), suggestion(options.binding, names));
  }
  if (found.size() > 1 && !searches) {
    return fmt::format("--binding: \"{}\" names {} bindings: {}", printable(options.binding),
                       found.size(), listed(asset, found));
  }
  return found;
}

/// Where a camera stands and how it is turned: exporters scale its node (Blender's FBX a
/// hundredfold), but lens and planes are in the world's unit.
Mat4 camera_frame(Mat4 world_from_camera) {
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    const double length = world_from_camera.col(axis).head<3>().norm();
    if (length > 0.0) world_from_camera.col(axis).head<3>() /= length;
  }
  return world_from_camera;
}

Parsed<TraceView> choose_view(const Asset& asset, const PoseChoice& pose, const std::string& name) {
  TraceView view;
  view.camera = name;
  std::vector<std::string> names;
  for (const Camera& camera : asset.cameras) {
    names.push_back(shown(camera.name));
    if (camera.name != name) continue;
    if (!camera.clip_from_camera) {
      return fmt::format("--camera: \"{}\" cannot be used: {}", printable(name),
                         camera.unusable_because);
    }
    const Mat4 world =
        camera_frame(world_in_pose(asset, pose)[static_cast<std::size_t>(camera.node)] *
                     camera.node_from_camera);
    const std::optional<Mat4> inverse = affine_inverse(world);
    if (!inverse) {
      return fmt::format("--camera: the transform of \"{}\" is singular or not finite",
                         printable(name));
    }
    view.camera_from_world = *inverse;
    view.clip_from_camera = *camera.clip_from_camera;
    return view;
  }
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fmt::format("--camera: \"{}\" is neither a camera of the file nor a JSON file{}",
                       printable(name), names.empty() ? "" : suggestion(name, names));
  }
  CameraFile file;
  const std::string error = read_camera(name, file);
  if (!error.empty()) return fmt::format("--camera: {}: {}", printable(name), printable(error));
  view.camera_from_world = file.camera_from_world;
  view.clip_from_camera = file.clip_from_camera;
  return view;
}

struct ChosenVertex {
  std::size_t binding = 0;  // among those posed
  std::size_t part = 0, vertex = 0;
};

/// Index through all parts of the mesh, or PART:INDEX.
Parsed<ChosenVertex> vertex_by_index(const Asset& asset, const PosedBinding& posed,
                                     const std::string& text) {
  const Binding& b = asset.bindings[posed.binding];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(b.mesh)];
  std::uint64_t part = 0, vertex = 0;
  const std::size_t colon = text.find(':');
  const auto read = [](std::string_view digits, std::uint64_t& out) {
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return code == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view last = colon == std::string::npos
                                    ? std::string_view(text)
                                    : std::string_view(text).substr(colon + 1);
  if (!read(last, vertex) ||
      (colon != std::string::npos && !read(std::string_view(text).substr(0, colon), part))) {
    return fmt::format("--vertex: \"{}\" is neither a number, PART:NUMBER nor \"worst\"",
                       printable(text));
  }
  std::uint64_t total = 0;
  for (const MeshPart& p : mesh.parts) total += p.vertex_count;
  if (colon == std::string::npos) {
    if (vertex >= total) {
      return fmt::format("--vertex: {} is out of range; {} has {} vertices, 0 to {}", vertex,
                         shown(node_name(asset, b)), total, total == 0 ? 0 : total - 1);
    }
    while (vertex >= mesh.parts[part].vertex_count) vertex -= mesh.parts[part++].vertex_count;
  } else if (part >= mesh.parts.size() || vertex >= mesh.parts[part].vertex_count) {
    return fmt::format("--vertex: {} is out of range; {} has {} parts{}", printable(text),
                       shown(node_name(asset, b)), mesh.parts.size(),
                       part < mesh.parts.size() ? fmt::format(", and part {} has {} vertices", part,
                                                              mesh.parts[part].vertex_count)
                                                : std::string());
  }
  const std::int32_t influences = part < b.influences.size() ? b.influences[part] : -1;
  if (influences < 0 || asset.influences[static_cast<std::size_t>(influences)].empty() ||
      vertex >= asset.influences[static_cast<std::size_t>(influences)].vertex_count) {
    return fmt::format("--vertex: part {} of {} has no weights that can be read", part,
                       shown(node_name(asset, b)));
  }
  return ChosenVertex{0, part, vertex};
}

Parsed<ChosenVertex> search_vertex(const Facts& facts, const std::vector<PosedBinding>& posed,
                                   const std::optional<Vec3>& place) {
  std::optional<ChosenVertex> best;
  double best_distance = 0.0;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    const ZeroWeightPolicy policy = facts.zero_weight(posed[k].binding);
    const std::optional<FoundVertex> found =
        place ? nearest_vertex(facts.asset(), posed[k], policy, *place)
              : worst_vertex(facts.asset(), posed[k], policy);
    if (!found) continue;
    if (best && (place ? found->distance >= best_distance : found->distance <= best_distance))
      continue;
    best = ChosenVertex{k, found->part, found->vertex};
    best_distance = found->distance;
  }
  if (!best) return std::string("no vertex has weights that place it");
  return *best;
}

/// Which status the numbers deserve, and why, on standard error.
int tell_problems(const PosedBinding& posed, const VertexTrace& trace, const std::string& path) {
  for (const auto* problems : {&posed.problems, &trace.problems}) {
    for (const std::string& problem : *problems)
      complain(fmt::format("{}: {}", printable(path, 1000), printable(problem, 1000)));
  }
  return posed.problems.empty() && trace.problems.empty() ? kOk : kBrokenChain;
}

int show(const Facts& facts, const Options& options, const std::optional<Vec3>& place) {
  const Asset& asset = facts.asset();
  const auto bindings = choose_bindings(asset, options);
  if (!bindings) return usage_error("trace", bindings.error());
  const auto pose = choose_pose(asset, options.pose);
  if (!pose) return usage_error("trace", pose.error());
  TraceReport report;
  if (!options.camera.empty()) {
    const auto view = choose_view(asset, pose->choice, options.camera);
    if (!view) return usage_error("trace", view.error());
    report.view = *view;
  }
  std::vector<PosedBinding> posed;
  for (const std::size_t binding : *bindings) {
    const ZeroWeightPolicy policy = facts.zero_weight(binding);
    if (policy.kind == ZeroWeightPolicy::Kind::fallback && policy.fallback_slot < 0 &&
        bindings->size() == 1) {
      std::vector<std::string> names;
      for (const std::int32_t node :
           asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)].joints) {
        if (node >= 0) names.push_back(shown(asset.nodes[static_cast<std::size_t>(node)].name));
      }
      return usage_error("trace", fmt::format("--zero-weight: the skin has no joint named \"{}\"{}",
                                              printable(facts.fallback_joint()),
                                              suggestion(facts.fallback_joint(), names)));
    }
    posed.push_back(pose_binding(asset, binding, facts.bind(binding), pose->choice));
  }
  const bool searches = place || options.vertex == "worst";
  const auto chosen = searches ? search_vertex(facts, posed, place)
                               : vertex_by_index(asset, posed.front(), options.vertex);
  if (!chosen) return usage_error("trace", chosen.error());
  const PosedBinding& binding = posed[chosen->binding];
  const VertexTrace trace = trace_vertex(asset, binding, chosen->part, chosen->vertex,
                                         facts.zero_weight(binding.binding));
  report.path = options.path;
  report.asset = &asset;
  report.posed = &binding;
  report.vertex = &trace;
  report.pose = pose->choice;
  report.asked_seconds = pose->asked;
  report.chosen_by = place ? "near" : searches ? "worst" : "index";
  report.near_place = place;
  if (report.asked_seconds != report.pose.seconds) {
    complain(fmt::format("{} s lies outside the clip; {} s is shown", pose->asked,
                         pose->choice.seconds));
  }
  const auto out = OutputFile::standard_output();
  (options.json ? write_trace_json : write_trace_text)(out->stream(), report);
  const std::string failed = out->close();
  if (!failed.empty()) {
    if (!out->broken_pipe()) complain(failed);
    return kUsage;
  }
  return tell_problems(binding, trace, options.path);
}

int run_trace(const Options& options) {
  if (options.vertex.empty() == options.place.empty())
    return usage_error("trace", "one of --vertex and --near says which vertex");
  std::optional<Vec3> place;
  if (!options.place.empty()) {
    const auto parsed = parse_place(options.place);
    if (!parsed) return usage_error("trace", parsed.error());
    place = *parsed;
  }
  CheckConfig config;
  if (!options.zero_weight.empty()) {
    if (!check_zero_weight(options.zero_weight).empty()) {
      return usage_error("trace",
                         fmt::format("--zero-weight: \"{}\" is neither reject nor fallback:JOINT",
                                     printable(options.zero_weight)));
    }
    set_zero_weight(config, options.zero_weight);
  }
  const Result<Asset, int> asset = read_one_file("trace", options.path, ReadOptions{});
  if (!asset) return asset.error();
  const Facts facts(*asset, config.zero_weight, config.fallback_joint);
  return show(facts, options, place);
}

}  // namespace

Command add_trace(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* trace = app.add_subcommand(
      "trace", "Show how one vertex is skinned: every matrix and product on its way");
  trace->add_option("FILE", options->path, "The file")->required()->type_name("");
  trace
      ->add_option("--vertex", options->vertex,
                   "Its number, through all parts of the mesh; PART:NUMBER; or worst: the one "
                   "displaced most from bind")
      ->type_name("N|worst");
  trace
      ->add_option("--near", options->place,
                   "Instead: the vertex that the pose puts nearest to a place in the world, metres")
      ->type_name("X,Y,Z");
  trace
      ->add_option("--binding", options->binding,
                   "Mesh node, skin or mesh, or #NUMBER as inspect counts; needed where there are "
                   "several")
      ->type_name("NAME");
  trace
      ->add_option("--pose", options->pose,
                   "rest, bind, or a clip at a time in seconds, such as walk@0.5")
      ->type_name("POSE")
      ->capture_default_str();
  trace
      ->add_option("--camera", options->camera,
                   "Also clip space: a camera of the file, or a JSON file with view and projection")
      ->type_name("NAME|FILE");
  trace
      ->add_option("--zero-weight", options->zero_weight,
                   "Vertices without weight: reject (an error, the default), or fallback:JOINT")
      ->type_name("POLICY");
  trace->add_flag("--json", options->json, "For programs: schema skinlint-trace/1");
  trace->footer(
      "Exit status: 0 shown; 1 shown, but the chain breaks (no weight, a singular or missing "
      "matrix: standard error names vertex and joints); 2 wrong usage; 3 the file could not be "
      "read.");
  return {trace, [options] { return run_trace(*options); }};
}

}  // namespace skinlint::cli
