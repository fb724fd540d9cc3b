#include "readers/assimp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "readers/assimp_process.h"
#include "readers/repair_log.h"
#include "readers/source.h"

namespace skinlint {
namespace {

using assimp::Answer;
using assimp::SceneBone;
using assimp::SceneMesh;
using Index = std::int32_t;

constexpr std::size_t max_nodes = std::size_t{1} << 20;

/// "+Y": the file's axis that becomes the canonical axis `row`.
std::string axis_name(const Mat3& canonical_from_file, Eigen::Index row) {
  Eigen::Index column = 0;
  canonical_from_file.row(row).cwiseAbs().maxCoeff(&column);
  return std::string(canonical_from_file(row, column) < 0 ? "-" : "+") + "XYZ"[column];
}

class AssetBuild {
 public:
  AssetBuild(const ImportedFormat& format, const Answer& answer, const ReadOptions& options)
      : format_(format), answer_(answer) {
    asset_.format = Format::imported;
    asset_.imported_format = format.name;
    asset_.encoding = "imported";
    asset_.version = answer.format_version;
    asset_.generator = answer.generator;
    asset_.space = options.space;
  }

  Result<Asset> build() {
    if (answer_.nodes.size() > max_nodes) {
      return ReadError{ReadError::Kind::too_large,
                       fmt::format("the file has {} nodes; at most {} are read",
                                   answer_.nodes.size(), max_nodes),
                       {},
                       {}};
    }
    read_space();
    read_nodes();
    for (std::size_t n = 0; n < answer_.nodes.size(); ++n) read_meshes_of(n);
    for (const assimp::SceneClip& clip : answer_.clips) read_clip(clip);
    tell_what_is_hidden();
    asset_.repairs = log_.take();
    return std::move(asset_);
  }

 private:
  /// Assimp puts COLLADA's unit and up axis into the root node's matrix, which is the identity in
  /// the file (a visual scene has no transform): measured with all three axes and other units.
  void read_space() {
    const bool declares = format_.name == "collada";
    asset_.axes_declared = declares;
    asset_.unit_declared = declares;
    asset_.axes = {"unknown", "unknown", "unknown"};
    if (!declares || answer_.nodes.empty()) return;
    const Mat4 root = matrix_of(answer_.nodes[0].parent_from_node);
    const double unit = std::cbrt(std::abs(linear(root).determinant()));
    const std::optional<AxisTurn> turn =
        std::isfinite(unit) && unit > 0.0 ? nearest_axis_turn(linear(root), 0.01) : std::nullopt;
    if (!turn || !translation(root).isZero(0.0)) {
      log_.add(
          Repair::Kind::defaulted, {}, false,
          "the unit or the up axis makes no plain turn and factor; +Y up and metres were assumed",
          "asset");
      return;
    }
    root_is_space_ = true;
    asset_.unit_meters = unit;
    asset_.axes.up = axis_name(turn->linear, 1);
    asset_.axes.front = axis_name(turn->linear, 2);
    asset_.axes.right = axis_name(turn->linear, 0);
    if (asset_.space != Space::canonical) return;
    canonical_.topLeftCorner<3, 3>() = turn->linear * unit;
    file_.topLeftCorner<3, 3>() = turn->linear.transpose() / unit;
    asset_.canonical_from_file = canonical_;
  }

  Mat4 converted(const assimp::Matrix& m) const { return canonical_ * matrix_of(m) * file_; }

  /// The root that only holds axes and unit is no node of the file.
  bool drops_root() const { return root_is_space_ && answer_.nodes[0].meshes.empty(); }

  void read_nodes() {
    node_of_.assign(answer_.nodes.size(), -1);
    Scene scene;
    for (std::size_t i = 0; i < answer_.nodes.size(); ++i) {
      const assimp::SceneNode& from = answer_.nodes[i];
      if (i == 0 && drops_root()) {
        scene.name = from.name;
        continue;
      }
      const auto index = static_cast<Index>(asset_.nodes.size());
      node_of_[i] = index;
      Node& node = asset_.nodes.emplace_back();
      node.name = from.name;
      node.id = static_cast<std::int64_t>(i);
      node.parent_from_node =
          i == 0 && root_is_space_ ? Mat4::Identity() : converted(from.parent_from_node);
      node.local.has_matrix = true;
      node.local.matrix = node.parent_from_node;
      node.parent = from.parent < 0 ? -1 : node_of_[static_cast<std::size_t>(from.parent)];
      if (node.parent < 0) {
        scene.roots.push_back(index);
      } else {
        asset_.nodes[static_cast<std::size_t>(node.parent)].children.push_back(index);
      }
    }
    asset_.scenes.push_back(std::move(scene));
    asset_.default_scene = 0;
    find_names();
  }

  /// Assimp finds bones by name: the first in depth-first order, as its FindNode does.
  void find_names() {
    std::vector<Index> stack(asset_.scenes[0].roots.rbegin(), asset_.scenes[0].roots.rend());
    while (!stack.empty()) {
      const Index at = stack.back();
      stack.pop_back();
      const Node& node = asset_.nodes[static_cast<std::size_t>(at)];
      if (!by_name_.try_emplace(node.name, at).second) ++repeats_[node.name];
      stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    }
  }

  Index node_named(const std::string& name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? -1 : it->second;
  }

  void read_meshes_of(std::size_t n) {
    const std::vector<std::uint32_t>& group = answer_.nodes[n].meshes;
    if (group.empty()) return;
    const auto [known, added] = groups_.try_emplace(group);
    if (added) known->second = make_group(group, n);
    const Group& made = known->second;
    Node& node = asset_.nodes[static_cast<std::size_t>(node_of_[n])];
    node.mesh = made.mesh;
    node.skin = made.skin;
    if (made.skin < 0) return;
    Binding binding;
    binding.node = node_of_[n];
    binding.mesh = made.mesh;
    binding.skin = made.skin;
    binding.influences = made.influences;
    asset_.bindings.push_back(std::move(binding));
  }

  struct Group {
    Index mesh = -1, skin = -1;
    std::vector<Index> influences;
  };
  using Slots = std::map<std::pair<std::string, assimp::Matrix>, std::uint32_t>;

  /// Assimp makes one mesh for each material: together they are the file's mesh.
  Group make_group(const std::vector<std::uint32_t>& meshes, std::size_t n) {
    Group group;
    group.mesh = static_cast<Index>(asset_.meshes.size());
    Mesh mesh;
    mesh.name = answer_.meshes[meshes.front()].name;
    mesh.id = static_cast<std::int64_t>(meshes.front());
    if (mesh.name.empty()) mesh.name = answer_.nodes[n].name;

    Skin skin;
    Slots slots;
    for (const std::uint32_t m : meshes) {
      for (const SceneBone& bone : answer_.meshes[m].bones) add_joint(bone, skin, slots);
    }
    for (const std::uint32_t m : meshes)
      group.influences.push_back(read_part(answer_.meshes[m], slots, mesh));
    asset_.meshes.push_back(std::move(mesh));
    if (skin.joints.empty()) return group;
    group.skin = static_cast<Index>(asset_.skins.size());
    skin.name = asset_.meshes.back().name;
    skin.id = group.skin;
    skin.matrix_count = skin.joints.size();
    asset_.skins.push_back(std::move(skin));
    return group;
  }

  void add_joint(const SceneBone& bone, Skin& skin, Slots& slots) {
    const auto slot = static_cast<std::uint32_t>(skin.joints.size());
    if (!slots.try_emplace({bone.name, bone.offset}, slot).second) return;
    const Index node = node_named(bone.name);
    if (node < 0) {
      log_.add(Repair::Kind::dangling_reference, {}, true,
               fmt::format("no node has the name of the bone \"{}\"", bone.name), bone.name);
    } else {
      asset_.nodes[static_cast<std::size_t>(node)].is_joint = true;
      if (repeats_.count(bone.name) != 0) ambiguous_.push_back(bone.name);
    }
    skin.joints.push_back(node);
    skin.joint_ids.push_back(node < 0 ? -1 : asset_.nodes[static_cast<std::size_t>(node)].id);
    skin.joint_from_mesh.emplace_back(converted(bone.offset));
  }

  /// A vertex of the file: what Assimp keeps of it for every corner of every polygon.
  struct Welded {
    std::vector<std::uint32_t> vertex_of;  // corner's vertex to ours
    std::vector<std::uint32_t> first;      // ours to the first of Assimp's
  };

  Welded weld(const SceneMesh& from,
              const std::vector<std::vector<std::pair<std::uint32_t, float>>>& influences) const {
    Welded out;
    out.vertex_of.resize(from.vertex_count());
    std::unordered_map<std::string, std::uint32_t> known;
    std::string key;
    const auto add = [&key](const void* data, std::size_t size) {
      key.append(static_cast<const char*>(data), size);
    };
    for (std::size_t v = 0; v < from.vertex_count(); ++v) {
      key.clear();
      add(&from.positions[3 * v], 3 * sizeof(float));
      for (const assimp::SceneShape& shape : from.shapes) {
        if (!shape.positions.empty()) add(&shape.positions[3 * v], 3 * sizeof(float));
      }
      for (const auto& [slot, weight] : influences[v]) {
        add(&slot, sizeof slot);
        add(&weight, sizeof weight);
      }
      const auto [it, added] = known.try_emplace(key, static_cast<std::uint32_t>(out.first.size()));
      if (added) out.first.push_back(static_cast<std::uint32_t>(v));
      out.vertex_of[v] = it->second;
    }
    return out;
  }

  Index read_part(const SceneMesh& from, const Slots& slots, Mesh& mesh) {
    std::vector<std::vector<std::pair<std::uint32_t, float>>> influences(from.vertex_count());
    std::uint64_t outside = 0;
    for (const SceneBone& bone : from.bones) {
      const std::uint32_t slot = slots.at({bone.name, bone.offset});
      for (const assimp::BoneWeight& w : bone.weights) {
        if (w.vertex < influences.size()) {
          influences[w.vertex].emplace_back(slot, w.weight);
        } else {
          ++outside;
        }
      }
    }
    const ElementRef element{ElementKind::mesh, static_cast<Index>(asset_.meshes.size()), 0};
    if (outside > 0) {
      log_.add(Repair::Kind::out_of_bounds, element, true,
               "weights are for vertices that the mesh does not have", {}, outside);
    }
    const Welded welded = weld(from, influences);
    MeshPart part;
    part.vertex_count = part.declared_vertex_count = welded.first.size();
    part.mode = -1;
    std::vector<double> positions;
    for (const std::uint32_t v : welded.first)
      append_point(from.positions, v, Vec3::Zero(), positions);
    part.positions = stream(positions, ComponentType::f64, 3);
    read_faces(from, welded, element, part);
    read_shapes(from, welded, mesh);
    mesh.parts.push_back(std::move(part));
    if (from.bones.empty()) return -1;

    InfluenceTable table;
    table.vertex_count = welded.first.size();
    table.first.push_back(0);
    for (const std::uint32_t v : welded.first) {
      for (const auto& [slot, weight] : influences[v]) {
        table.joint.push_back(slot);
        table.weight.push_back(static_cast<double>(weight));
      }
      table.first.push_back(static_cast<std::uint32_t>(table.joint.size()));
    }
    asset_.influences.push_back(std::move(table));
    return static_cast<Index>(asset_.influences.size()) - 1;
  }

  /// The canonical point of vertex v, less `base`.
  void append_point(const std::vector<float>& from, std::size_t v, const Vec3& base,
                    std::vector<double>& out) const {
    const Vec3 p(static_cast<double>(from[3 * v]), static_cast<double>(from[3 * v + 1]),
                 static_cast<double>(from[3 * v + 2]));
    const Vec3 q = transform_point(canonical_, p - base);
    out.insert(out.end(), {q[0], q[1], q[2]});
  }

  void read_faces(const SceneMesh& from, const Welded& welded, const ElementRef& element,
                  MeshPart& part) {
    std::vector<std::int32_t> corners;
    std::size_t at = 0;
    std::uint64_t outside = 0;
    for (const std::uint32_t size : from.face_sizes) {
      const std::uint32_t* face = from.face_corners.data() + at;
      at += size;
      if (std::any_of(face, face + size,
                      [&](std::uint32_t v) { return v >= welded.vertex_of.size(); })) {
        ++outside;
        continue;
      }
      for (std::uint32_t c = 0; c < size; ++c) {
        const auto v = static_cast<std::int32_t>(welded.vertex_of[face[c]]);
        corners.push_back(c + 1 == size ? ~v : v);
      }
    }
    if (outside > 0) {
      log_.add(Repair::Kind::out_of_bounds, element, false,
               "polygons name vertices that the mesh does not have", {}, outside);
    }
    part.indices = stream(corners, ComponentType::i32, 1);
  }

  void read_shapes(const SceneMesh& from, const Welded& welded, Mesh& mesh) {
    const std::size_t part = mesh.parts.size();
    for (MorphTarget& target : mesh.morphs) target.shapes[0].positions.resize(part + 1);
    std::map<std::string, std::size_t> seen;
    for (const assimp::SceneShape& shape : from.shapes) {
      if (shape.positions.empty()) continue;
      MorphTarget& target = target_named(shape, seen[shape.name]++, mesh);
      std::vector<double> offsets;
      for (const std::uint32_t v : welded.first) {
        const Vec3 base(static_cast<double>(from.positions[3 * std::size_t{v}]),
                        static_cast<double>(from.positions[3 * std::size_t{v} + 1]),
                        static_cast<double>(from.positions[3 * std::size_t{v} + 2]));
        append_point(shape.positions, v, base, offsets);
      }
      target.shapes[0].positions.resize(part + 1);
      target.shapes[0].positions[part] = stream(offsets, ComponentType::f64, 3);
    }
  }

  /// The mesh's n-th target of this name: parts of one mesh share their targets.
  static MorphTarget& target_named(const assimp::SceneShape& shape, std::size_t n, Mesh& mesh) {
    for (MorphTarget& target : mesh.morphs) {
      if (target.name == shape.name && n-- == 0) return target;
    }
    MorphTarget& target = mesh.morphs.emplace_back();
    target.name = shape.name;
    target.default_weight = static_cast<double>(shape.default_weight);
    target.shapes.emplace_back();
    return target;
  }

  template <class T>
  Stream stream(const std::vector<T>& values, ComponentType type, std::uint8_t components) {
    Stream out;
    out.type = type;
    out.components = components;
    out.count = values.size() / components;
    out.stride = sizeof(T) * components;
    auto block = DecodedBlock::make(values.size() * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    if (!values.empty()) std::memcpy(block->data(), values.data(), values.size() * sizeof(T));
    out.data = block->data();
    asset_.storage.push_back(std::move(block));
    return out;
  }

  void read_clip(const assimp::SceneClip& from) {
    // Where Assimp knows no rate it counts 25 ticks to the second.
    const double rate = from.ticks_per_second > 0.0 ? from.ticks_per_second : 25.0;
    Clip clip;
    clip.name = from.name;
    clip.id = static_cast<std::int64_t>(asset_.clips.size());
    const Mat3 turn = linear(canonical_).determinant() < 0 ? Mat3(-unit_turn()) : unit_turn();
    const Mat3 sizes = unit_turn().cwiseAbs();
    for (const assimp::SceneChannel& channel : from.channels) {
      const Index node = node_named(channel.node);
      std::vector<double> values;
      for (std::size_t k = 0; k < channel.position_times.size(); ++k)
        append_point(channel.positions, k, Vec3::Zero(), values);
      add_channel(clip, node, ChannelPath::translation, channel.position_times, rate, values, 3);
      values.clear();
      for (std::size_t k = 0; k < channel.rotation_times.size(); ++k) {
        const float* q = &channel.rotations[4 * k];
        const Vec3 axis = turn * Vec3(static_cast<double>(q[0]), static_cast<double>(q[1]),
                                      static_cast<double>(q[2]));
        values.insert(values.end(), {axis[0], axis[1], axis[2], static_cast<double>(q[3])});
      }
      add_channel(clip, node, ChannelPath::rotation, channel.rotation_times, rate, values, 4);
      values.clear();
      for (std::size_t k = 0; k < channel.scale_times.size(); ++k) {
        const float* s = &channel.scales[3 * k];
        const Vec3 scale = sizes * Vec3(static_cast<double>(s[0]), static_cast<double>(s[1]),
                                        static_cast<double>(s[2]));
        values.insert(values.end(), {scale[0], scale[1], scale[2]});
      }
      add_channel(clip, node, ChannelPath::scale, channel.scale_times, rate, values, 3);
    }
    if (!clip.channels.empty()) asset_.clips.push_back(std::move(clip));
  }

  Mat3 unit_turn() const {
    return asset_.space == Space::canonical && root_is_space_
               ? Mat3(linear(canonical_) / asset_.unit_meters)
               : Mat3(Mat3::Identity());
  }

  void add_channel(Clip& clip, Index node, ChannelPath path, const std::vector<double>& ticks,
                   double rate, const std::vector<double>& values, std::uint8_t width) {
    if (ticks.empty()) return;
    std::vector<double> times;
    for (const double t : ticks) times.push_back(t / rate);
    Channel& channel = clip.channels.emplace_back();
    channel.node = node;
    channel.path = path;
    channel.times = stream(times, ComponentType::f64, 1);
    channel.values = stream(values, ComponentType::f64, width);
    if (std::isfinite(times.back())) clip.duration = std::max(clip.duration, times.back());
  }

  void tell_what_is_hidden() {
    const std::string because =
        fmt::format("{} is read through Assimp {}, which", format_.title, answer_.version);
    const auto add = [&](std::string_view what, std::string_view why) {
      asset_.not_checked.push_back({std::string(what), because + " " + std::string(why)});
    };
    add("weights as stored",
        "drops weights that are zero, negative or not a number, and indices out of range, without "
        "a word: only the sum that is left shows it");
    add("joints without weight", "leaves out joints that move no vertex of the mesh");
    add("joints by identity",
        ambiguous_.empty()
            ? "names joints instead of pointing at them"
            : fmt::format("finds joints by name, and \"{}\" names more than one node",
                          ambiguous_.front()));
    add("vertices by their number",
        "gives one vertex for each polygon corner; equal ones were joined again, so counts and "
        "numbers need not be the file's");
    add("normals, tangents, the parts of a node's transform and the bottom rows of bind matrices",
        "gives corners, whole matrices and three rows instead");
    if (!asset_.unit_declared)
      add("unit and axes",
          "reads no unit and no axes from this format: metres and +Y up were assumed");
    if (answer_.incomplete) add("the whole scene", "calls its own result incomplete");
  }

  const ImportedFormat& format_;
  const Answer& answer_;
  Asset asset_;
  RepairLog log_;
  Mat4 canonical_ = Mat4::Identity(), file_ = Mat4::Identity();
  bool root_is_space_ = false;
  std::vector<Index> node_of_;
  std::unordered_map<std::string, Index> by_name_;
  std::unordered_map<std::string, std::size_t> repeats_;
  std::vector<std::string> ambiguous_;
  std::map<std::vector<std::uint32_t>, Group> groups_;
};

ReadError failed(const ImportedFormat& format, const assimp::Outcome& outcome) {
  using Kind = assimp::Outcome::Kind;
  ReadError error;
  const std::string reader =
      outcome.answer.version.empty() ? "Assimp" : "Assimp " + outcome.answer.version;
  switch (outcome.kind) {
    case Kind::imported:
    case Kind::refused:
      error.message = fmt::format("{} does not read this {} file: {}", reader, format.title,
                                  outcome.detail.empty() ? "no reason given" : outcome.detail);
      break;
    case Kind::crashed:
      error.message =
          fmt::format("{} crashed on this {} file: {}", reader, format.title, outcome.detail);
      break;
    case Kind::timed_out:
      error.kind = ReadError::Kind::too_large;
      error.message = fmt::format("{} did not read this {} file within {}", reader, format.title,
                                  outcome.detail);
      break;
    case Kind::over_memory:
      error.kind = ReadError::Kind::too_large;
      error.message = fmt::format("{} needs more than {} for this {} file", reader, outcome.detail,
                                  format.title);
      break;
    case Kind::not_started:
      error.kind = ReadError::Kind::io;
      error.message = fmt::format("the program that imports {} files does not start: {}",
                                  format.title, outcome.detail);
      break;
  }
  return error;
}

}  // namespace

Mat4 matrix_of(const assimp::Matrix& m) {
  Mat4 out;
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index k = 0; k < 4; ++k)
      out(i, k) = static_cast<double>(m[static_cast<std::size_t>(4 * i + k)]);
  }
  return out;
}

Result<Asset> asset_from_answer(const ImportedFormat& format, const Answer& answer,
                                const ReadOptions& options) {
  return AssetBuild(format, answer, options).build();
}

Result<Asset> read_imported(const ImportedFormat& format, const std::string& path,
                            std::uint64_t file_bytes, const ReadOptions& options,
                            std::vector<std::string>* companions) {
  assimp::Request request;
  request.worker = assimp::worker_path();
  if (request.worker.empty()) {
    return ReadError{
        ReadError::Kind::unsupported,
        fmt::format("{} files are read through Assimp, which is not in this build", format.title),
        {},
        {}};
  }
  request.path = path;
  request.extension = format.extensions.substr(0, format.extensions.find(' '));
  request.allow_outside = options.allow_outside;
  request.limits = options.import;
  const assimp::Outcome outcome = assimp::run_import(request);
  if (companions != nullptr) *companions = outcome.answer.companions;
  if (outcome.kind != assimp::Outcome::Kind::imported) return failed(format, outcome);
  Result<Asset> asset = asset_from_answer(format, outcome.answer, options);
  if (!asset) return asset;
  asset->file_bytes = file_bytes;
  if (!outcome.crash_on_release.empty()) {
    asset->not_checked.push_back(
        {"the importer's own end",
         "Assimp crashed when it released the scene: " + outcome.crash_on_release});
  }
  return asset;
}

}  // namespace skinlint
