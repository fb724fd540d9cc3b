#include "readers/second_opinion.h"

#include <algorithm>
#include <unordered_map>

#include "readers/assimp_process.h"
#include "readers/assimp_reader.h"

namespace skinlint {
namespace {

std::unordered_map<std::string, std::int32_t> first_of_names(
    const std::vector<ImporterView::Node>& nodes) {
  std::unordered_map<std::string, std::int32_t> names;
  std::vector<std::int32_t> stack;
  if (!nodes.empty()) stack.push_back(0);
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    stack.pop_back();
    const ImporterView::Node& node = nodes[static_cast<std::size_t>(at)];
    names.try_emplace(node.name, at);
    stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
  }
  return names;
}

void take_scene(assimp::Answer& answer, ImporterView& view) {
  for (assimp::SceneNode& from : answer.nodes) {
    const auto index = static_cast<std::int32_t>(view.nodes.size());
    ImporterView::Node node;
    node.name = std::move(from.name);
    node.parent = from.parent;
    node.world_from_node = matrix_of(from.parent_from_node);
    node.meshes.assign(from.meshes.begin(), from.meshes.end());
    if (from.parent >= 0) {
      ImporterView::Node& parent = view.nodes[static_cast<std::size_t>(from.parent)];
      parent.children.push_back(index);
      node.world_from_node = parent.world_from_node * node.world_from_node;
    }
    view.nodes.push_back(std::move(node));
  }
  const auto names = first_of_names(view.nodes);
  for (assimp::SceneMesh& from : answer.meshes) {
    ImporterView::Mesh& mesh = view.meshes.emplace_back();
    mesh.name = std::move(from.name);
    mesh.positions = std::move(from.positions);
    mesh.face_sizes = std::move(from.face_sizes);
    mesh.face_corners = std::move(from.face_corners);
    for (assimp::SceneBone& bone : from.bones) {
      ImporterView::Bone& copy = mesh.bones.emplace_back();
      if (const auto it = names.find(bone.name); it != names.end()) copy.node = it->second;
      copy.name = std::move(bone.name);
      copy.bone_from_mesh = matrix_of(bone.offset);
      for (const assimp::BoneWeight& w : bone.weights) copy.weights.push_back({w.vertex, w.weight});
    }
    for (assimp::SceneShape& shape : from.shapes) mesh.shapes.push_back(std::move(shape.name));
  }
}

}  // namespace

std::optional<ImporterView> second_opinion(const std::string& path, const Asset& asset,
                                           const ReadOptions& options, std::string& because,
                                           std::vector<std::string>& companions) {
  if (asset.format == Format::imported) {
    because = "the file was read through the same importer";
    return std::nullopt;
  }
  assimp::Request request;
  request.worker = assimp::worker_path();
  if (request.worker.empty()) {
    because = "Assimp is not in this build";
    return std::nullopt;
  }
  request.path = path;
  request.extension = format_name(asset.format);
  request.allow_outside = options.allow_outside;
  request.limits = options.import;
  assimp::Outcome outcome = assimp::run_import(request);
  for (std::string& name : outcome.answer.companions) {
    if (std::find(companions.begin(), companions.end(), name) == companions.end())
      companions.push_back(std::move(name));
  }

  ImporterView view;
  const std::string version =
      outcome.answer.version.empty() ? assimp::library_version() : outcome.answer.version;
  view.importer = "Assimp " + version;
  view.detail = std::move(outcome.detail);
  view.crash_on_release = std::move(outcome.crash_on_release);
  switch (outcome.kind) {
    case assimp::Outcome::Kind::imported:
      view.incomplete = outcome.answer.incomplete;
      take_scene(outcome.answer, view);
      break;
    case assimp::Outcome::Kind::refused:
      view.outcome = ImporterView::Outcome::refused;
      break;
    case assimp::Outcome::Kind::crashed:
      view.outcome = ImporterView::Outcome::crashed;
      break;
    case assimp::Outcome::Kind::timed_out:
      view.outcome = ImporterView::Outcome::timed_out;
      break;
    case assimp::Outcome::Kind::over_memory:
      view.outcome = ImporterView::Outcome::over_memory;
      break;
    case assimp::Outcome::Kind::not_started:
      because = "the importer's program does not start: " + view.detail;
      return std::nullopt;
  }
  return view;
}

}  // namespace skinlint
