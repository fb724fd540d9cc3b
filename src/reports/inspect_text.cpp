#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "reports/inspect.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 20;
constexpr std::size_t kMaxIndent = 40;  // levels; a deeper chain says its depth instead
constexpr std::size_t kNameLimit = 120;

std::string shown_name(std::string_view name) {
  return name.empty() ? "(unnamed)" : printable(name, kNameLimit);
}

class InspectText {
 public:
  InspectText(std::ostream& out, const Facts& facts, const InspectOptions& options)
      : out_(out), facts_(facts), asset_(facts.asset()), options_(options) {}

  void write(const std::string& path) {
    header(path);
    nodes();
    for (std::size_t i = 0; i < asset_.bindings.size(); ++i) binding(i);
    bind_poses();
    morphs();
    clips();
    flush();
  }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Args>(args)...);
    if (page_.size() > kFlushAt) flush();
  }
  void flush() {
    out_.write(page_.data(), static_cast<std::streamsize>(page_.size()));
    page_.clear();
  }

  void header(const std::string& path) {
    print("{}\n", printable(path, 1000));
    print("  format      {} {} ({})\n", asset_.format_label(), printable(asset_.version),
          printable(asset_.encoding));
    if (!asset_.generator.empty()) print("  generator   {}\n", printable(asset_.generator));
    print("  declared    up {}, front {}, right {}; 1 unit = {:.6g} m\n", asset_.axes.up,
          asset_.axes.front, asset_.axes.right, asset_.unit_meters);
    print("  shown in    {}\n", asset_.space == Space::file
                                    ? "space of the file: numbers as stored"
                                    : "canonical space: right-handed, +Y up, +Z front, metres");
    switch (options_.convention) {
      case Convention::column:
        print("  matrices    column vectors: translation in the last column\n");
        break;
      case Convention::row:
        print("  matrices    row vectors: translation in the last row\n");
        break;
      case Convention::unity:
        print(
            "  matrices    as Unity prints them: left-handed, X negated; joint_from_mesh is\n"
            "              Mesh.bindposes and already holds the transform of the mesh at bind\n");
        break;
    }
    print("  holds       {} nodes, {} meshes, {} skins, {} bindings, {} clips, {} bind poses\n",
          asset_.nodes.size(), asset_.meshes.size(), asset_.skins.size(), asset_.bindings.size(),
          asset_.clips.size(), asset_.bind_poses.size());
  }

  void nodes() {
    if (asset_.nodes.empty()) return;
    print("\nnodes (* joint, m mesh, s skinned mesh; translation of the world matrix)\n");
    // Children in file order below their parent, without recursion: chains can be very long.
    std::vector<std::pair<std::int32_t, std::size_t>> stack;
    for (std::size_t i = asset_.nodes.size(); i-- > 0;) {
      if (asset_.nodes[i].parent < 0) stack.emplace_back(static_cast<std::int32_t>(i), 0);
    }
    while (!stack.empty()) {
      const auto [index, depth] = stack.back();
      stack.pop_back();
      const Node& node = asset_.nodes[static_cast<std::size_t>(index)];
      const char mark = node.is_joint ? '*' : node.skin >= 0 ? 's' : node.mesh >= 0 ? 'm' : ' ';
      const Vec3 t =
          in_convention(translation(facts_.world_from_node()[static_cast<std::size_t>(index)]),
                        options_.convention);
      const std::string name = shown_name(node.name);
      const std::size_t indent = 2 * std::min(depth, kMaxIndent);
      const std::size_t used = indent + display_width(name);
      print("  {} {:{}}{}{:{}}  ({:.6g}, {:.6g}, {:.6g}){}  id {}\n", mark, "", indent, name, "",
            used < 40 ? 40 - used : 0, t.x(), t.y(), t.z(),
            depth > kMaxIndent ? fmt::format("  depth {}", depth) : "", node.id);
      for (std::size_t c = node.children.size(); c-- > 0;) {
        stack.emplace_back(node.children[c], depth + 1);
      }
    }
  }

  void matrices(const std::vector<std::pair<std::string_view, std::optional<Mat4>>>& columns,
                std::size_t indent) {
    constexpr std::size_t kColumn = 13;  // "-1.234567e+05" fits
    std::string title;
    for (const auto& [name, matrix] : columns) {
      title += fmt::format("{:<{}}", matrix ? std::string(name) : fmt::format("{}: none", name),
                           4 * kColumn + 3);
    }
    while (!title.empty() && title.back() == ' ') title.pop_back();
    print("{:{}}{}\n", "", indent, title);
    for (Eigen::Index row = 0; row < 4; ++row) {
      std::string text;
      for (const auto& [name, matrix] : columns) {
        if (!matrix) {
          text += fmt::format("{:{}}", "", 4 * kColumn + 3);
          continue;
        }
        const Mat4 shown = in_convention(*matrix, options_.convention);
        for (Eigen::Index column = 0; column < 4; ++column) {
          // Adding zero turns -0 into 0.
          text += fmt::format("{:>{}.6g}", shown(row, column) + 0.0, kColumn);
        }
        text += "   ";
      }
      while (!text.empty() && text.back() == ' ') text.pop_back();
      print("{:{}}{}\n", "", indent, text);
    }
  }

  std::optional<Mat4> world(std::int32_t node) const {
    if (node < 0) return std::nullopt;
    return facts_.world_from_node()[static_cast<std::size_t>(node)];
  }
  std::string_view node_name(std::int32_t node) const {
    return node < 0 ? std::string_view("(no node)")
                    : std::string_view(asset_.nodes[static_cast<std::size_t>(node)].name);
  }

  void binding(std::size_t index) {
    const Binding& binding = asset_.bindings[index];
    const Skin& skin = asset_.skins[static_cast<std::size_t>(binding.skin)];
    if (!options_.skin.empty() && skin.name != options_.skin) return;
    const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(binding.mesh)];
    const InfluenceAnalysis& influences = facts_.influences(index);
    print("\nbinding {}: mesh node {}, mesh {}, skin {}\n", index,
          shown_name(node_name(binding.node)), shown_name(mesh.name), shown_name(skin.name));
    print("  method      {}\n", skinning_method_name(skin.method));
    print("  vertices    {} ({} unweighted, {} not used by any polygon)\n", influences.vertices,
          influences.unweighted_vertices, unused_vertices(facts_, index));
    print("  influences  at most {} per vertex; weight sums {}\n", influences.max_influences,
          std::isnan(influences.sum_min)
              ? std::string("none")
              : fmt::format("{:.9g} to {:.9g}", influences.sum_min, influences.sum_max));
    print(
        "  faults      {} negative, {} not finite, {} out of range; {} vertices with a joint "
        "twice\n",
        influences.negative, influences.non_finite, influences.out_of_range,
        influences.duplicate_vertices);
    bind(facts_.bind(index));
    std::vector<std::pair<std::string_view, std::optional<Mat4>>> columns = {
        {"world_from_node", world(binding.node)},
        {"world_from_mesh", world_from_mesh(facts_, index)}};
    if (is_fbx(asset_.format)) {
      columns.emplace_back("node_from_geometry", binding.node_from_geometry);
    }
    matrices(columns, 2);
    joints(skin, influences, facts_.bind(index));
    if (options_.vertices) vertices(binding, mesh);
  }

  void bind(const BindAnalysis& bind) {
    const std::string_view unit = asset_.space == Space::file ? "units" : "m";
    if (bind.state == BindState::unknown) {
      print("  bind        unknown: {}\n", printable(bind.unknown_because));
      return;
    }
    print("  bind        {}: {} of {} joints carry weight; {:.1f} % of it agree on one mesh space",
          bind_state_name(bind.state), bind.weighted_joints, bind.joints.size(),
          100.0 * bind.consensus_share);
    if (bind.candidate == Candidate::none) {
      print(", which nothing in the file declares");
      if (bind.unexplained && !bind.unexplained->named.empty()) {
        print(" ({})", bind.unexplained->named);
      }
    } else {
      print(" ({})", candidate_name(bind.candidate));
    }
    print("\n  size        {:.6g} {}; rest pose moves a vertex by {}{:.6g} {}; {} joints drift\n",
          bind.size, unit, bind.displacement_is_bound ? "at most " : "up to ",
          bind.max_displacement, unit, bind.drifting_joints);
    if (bind.placement) {
      print("  placement   {:.4g} of the size between joints and their own vertices ({} joints)\n",
            *bind.placement, bind.placement_joints);
    }
  }

  void joints(const Skin& skin, const InfluenceAnalysis& influences, const BindAnalysis& bind) {
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      const std::int32_t node = skin.joints[slot];
      const std::string_view name = node_name(node);
      if (!options_.joint.empty() && (node < 0 || name != options_.joint)) continue;
      const bool known = slot < influences.joints.size();
      print("\n  joint {}: {}", slot, shown_name(name));
      if (known) {
        print("   {} weights, sum {:.6g}", influences.joints[slot].weight_count,
              influences.joints[slot].weight_sum);
      }
      if (slot < bind.joints.size() && bind.joints[slot].drifts) {
        const RelativeTransform& r = bind.joints[slot].relative;
        print("   drifts: {:.4g} {}, {:.4g} deg, scale {:.4g}{}", r.displacement,
              asset_.space == Space::file ? "units" : "m", r.angle_deg, std::exp(r.log_scale),
              r.mirrored ? ", mirrored" : "");
      }
      print("\n");
      std::vector<std::pair<std::string_view, std::optional<Mat4>>> columns = {
          {"joint_from_mesh",
           slot < skin.joint_from_mesh.size() ? skin.joint_from_mesh[slot] : std::nullopt},
          {"world_from_joint", world(node)}};
      if (slot < skin.clusters.size()) {
        columns.emplace_back("bind_world_from_joint", skin.clusters[slot].transform_link);
      }
      matrices(columns, 4);
    }
  }

  void vertices(const Binding& binding, const Mesh& mesh) {
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      const std::int32_t t = p < binding.influences.size() ? binding.influences[p] : -1;
      if (t < 0) continue;
      const InfluenceTable& table = asset_.influences[static_cast<std::size_t>(t)];
      const MeshPart& part = mesh.parts[p];
      const bool has_positions = part.positions.readable() && part.positions.components == 3 &&
                                 part.positions.count >= table.vertex_count;
      print("\n  vertices of part {}: position, then joint slot = weight\n", p);
      InfluenceReader reader(table);
      InfluenceBlock block;
      while (reader.next(block)) {
        for (std::size_t i = 0; i < block.count; ++i) {
          const std::size_t vertex = block.first_vertex + i;
          Vec3 position = Vec3::Constant(std::nan(""));
          if (has_positions) read_values(part.positions, vertex, 1, position.data());
          position = in_convention(position, options_.convention);
          print("    {:>7} ({:.6g}, {:.6g}, {:.6g})", vertex, position.x(), position.y(),
                position.z());
          const auto slots = block.joints_of(i);
          const auto weights = block.weights_of(i);
          for (std::size_t k = 0; k < slots.size(); ++k) {
            if (!table.entries_explicit && weights[k] == 0.0) continue;
            print("  {} = {:.6g}", slots[k], weights[k]);
          }
          print("\n");
        }
      }
    }
  }

  void bind_poses() {
    for (const BindPose& pose : asset_.bind_poses) {
      print("\nbind pose {}: {} nodes\n", shown_name(pose.name), pose.entries.size());
      for (const BindPose::Entry& entry : pose.entries) {
        const std::string_view name = node_name(entry.node);
        if (!options_.joint.empty() && name != options_.joint) continue;
        print("  {} (id {})\n", shown_name(name), entry.node_id);
        matrices({{"world_from_node", entry.world_from_node}, {"at rest", world(entry.node)}}, 4);
      }
    }
  }

  void morphs() {
    for (const Mesh& mesh : asset_.meshes) {
      if (mesh.morphs.empty()) continue;
      print("\nmorph targets of mesh {}\n", shown_name(mesh.name));
      for (const MorphTarget& morph : mesh.morphs) {
        print("  {}, default weight {:.6g}\n", shown_name(morph.name), morph.default_weight);
        for (const MorphTarget::Shape& shape : morph.shapes) {
          const MorphStatistics statistics = morph_statistics(shape);
          const Vec3 sum = in_convention(statistics.delta_sum, options_.convention);
          print("    at {:.6g}: {} offsets, sum ({:.6g}, {:.6g}, {:.6g})\n", shape.full_weight,
                statistics.offsets, sum.x(), sum.y(), sum.z());
        }
      }
    }
  }

  void clips() {
    if (asset_.clips.empty()) return;
    print("\nclips\n");
    for (const Clip& clip : asset_.clips) {
      print("  {}: {:.6g} s, {} channels\n", shown_name(clip.name), clip.duration,
            clip.channels.size());
    }
  }

  std::ostream& out_;
  const Facts& facts_;
  const Asset& asset_;
  const InspectOptions& options_;
  fmt::memory_buffer page_;
};

}  // namespace

void write_inspect_text(std::ostream& out, const Facts& facts, const std::string& path,
                        const InspectOptions& options) {
  InspectText(out, facts, options).write(path);
}

}  // namespace skinlint
