#include <cmath>
#include <vector>

#include "reports/inspect.h"
#include "reports/json_writer.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::size_t kBlock = 1024;  // vertices converted at a time

class InspectJson {
 public:
  InspectJson(std::ostream& out, const Facts& facts, const InspectOptions& options)
      : w_(out), facts_(facts), asset_(facts.asset()), options_(options) {}

  void write(const std::string& path) {
    w_.begin_object();
    w_.key("schema").string("skinlint-inspect/1");
    w_.key("path").string(path);
    w_.key("format").string(asset_.format_label());
    w_.key("version").string(asset_.version);
    w_.key("encoding").string(asset_.encoding);
    w_.key("generator").string(asset_.generator);
    w_.key("space").string(asset_.space == Space::file ? "file" : "canonical");
    w_.key("convention").string(convention_name(options_.convention));
    w_.key("unit_meters").number(asset_.unit_meters);
    w_.key("axes").begin_object(Layout::line);
    w_.key("up").string(asset_.axes.up);
    w_.key("front").string(asset_.axes.front);
    w_.key("right").string(asset_.axes.right);
    w_.end_object();
    nodes();
    bindings();
    bind_poses();
    morphs();
    clips();
    w_.end_object();
    w_.finish();
  }

 private:
  void matrix(const Mat4& m) { w_.matrix(in_convention(m, options_.convention)); }
  void matrix_or_null(const std::optional<Mat4>& m) {
    if (m) {
      matrix(*m);
    } else {
      w_.null();
    }
  }
  void vector(const Vec3& v) { w_.vector(in_convention(v, options_.convention)); }
  /// Names are given as stored: an unnamed node has an empty one.
  void node_name(std::int32_t node) {
    w_.string(node >= 0 ? asset_.nodes[static_cast<std::size_t>(node)].name : std::string());
  }

  void nodes() {
    w_.key("nodes").begin_array();
    for (std::size_t i = 0; i < asset_.nodes.size(); ++i) {
      const Node& node = asset_.nodes[i];
      w_.begin_object();
      w_.key("id").integer(node.id);
      w_.key("name").string(node.name);
      w_.key("path").string(asset_.path({ElementKind::node, static_cast<std::int32_t>(i), 0}));
      w_.key("parent").integer(node.parent);
      w_.key("parent_from_node");
      matrix(node.parent_from_node);
      w_.key("world_from_node");
      matrix(facts_.world_from_node()[i]);
      w_.end_object();
    }
    w_.end_array();
  }

  void bindings() {
    w_.key("bindings").begin_array();
    for (std::size_t i = 0; i < asset_.bindings.size(); ++i) {
      const Binding& binding = asset_.bindings[i];
      const Skin& skin = asset_.skins[static_cast<std::size_t>(binding.skin)];
      if (!options_.skin.empty() && skin.name != options_.skin) continue;
      const InfluenceAnalysis& influences = facts_.influences(i);
      w_.begin_object();
      w_.key("mesh_node");
      node_name(binding.node);
      w_.key("mesh").string(asset_.meshes[static_cast<std::size_t>(binding.mesh)].name);
      w_.key("skin").string(skin.name);
      w_.key("method").string(skinning_method_name(skin.method));
      w_.key("vertices").count(influences.vertices);
      w_.key("max_influences").count(influences.max_influences);
      w_.key("unweighted_vertices").count(influences.unweighted_vertices);
      w_.key("weight_sum_min");
      sum(influences.sum_min);
      w_.key("weight_sum_max");
      sum(influences.sum_max);
      w_.key("negative").count(influences.negative);
      w_.key("non_finite").count(influences.non_finite);
      w_.key("out_of_range").count(influences.out_of_range);
      w_.key("duplicate_vertices").count(influences.duplicate_vertices);
      w_.key("unused_vertices").count(unused_vertices(facts_, i));
      w_.key("world_from_node");
      matrix_or_null(world(binding.node));
      w_.key("node_from_geometry");
      matrix(binding.node_from_geometry);
      w_.key("world_from_mesh");
      matrix_or_null(world_from_mesh(facts_, i));
      joints(skin, influences);
      if (options_.vertices) vertices(binding);
      w_.end_object();
    }
    w_.end_array();
  }

  /// NaN means that no vertex has an influence.
  void sum(double value) {
    if (std::isnan(value)) {
      w_.null();
    } else {
      w_.number(value);
    }
  }

  std::optional<Mat4> world(std::int32_t node) const {
    if (node < 0) return std::nullopt;
    return facts_.world_from_node()[static_cast<std::size_t>(node)];
  }

  void joints(const Skin& skin, const InfluenceAnalysis& influences) {
    w_.key("joints").begin_array();
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      const std::int32_t node = skin.joints[slot];
      if (!options_.joint.empty() &&
          (node < 0 || asset_.nodes[static_cast<std::size_t>(node)].name != options_.joint)) {
        continue;
      }
      w_.begin_object();
      w_.key("name");
      node_name(node);
      w_.key("node").integer(node);
      w_.key("joint_from_mesh");
      matrix_or_null(slot < skin.joint_from_mesh.size() ? skin.joint_from_mesh[slot]
                                                        : std::nullopt);
      w_.key("world_from_joint");
      matrix_or_null(world(node));
      w_.key("bind_world_from_joint");
      matrix_or_null(slot < skin.clusters.size() ? skin.clusters[slot].transform_link
                                                 : std::nullopt);
      const bool known = slot < influences.joints.size();
      w_.key("weight_count").count(known ? influences.joints[slot].weight_count : 0);
      w_.key("weight_sum").number(known ? influences.joints[slot].weight_sum : 0.0);
      w_.end_object();
    }
    w_.end_array();
  }

  void vertices(const Binding& binding) {
    const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(binding.mesh)];
    w_.key("vertex_data").begin_array();
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      const std::int32_t table = p < binding.influences.size() ? binding.influences[p] : -1;
      if (table >= 0)
        part_vertices(mesh.parts[p], p, asset_.influences[static_cast<std::size_t>(table)]);
    }
    w_.end_array();
  }

  void part_vertices(const MeshPart& part, std::size_t number, const InfluenceTable& table) {
    const bool has_positions = part.positions.readable() && part.positions.components == 3 &&
                               part.positions.count >= table.vertex_count;
    std::vector<double> positions;
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      for (std::size_t begin = 0; begin < block.count; begin += kBlock) {
        const std::size_t n = std::min(kBlock, block.count - begin);
        if (has_positions) {
          positions.resize(3 * n);
          read_values(part.positions, block.first_vertex + begin, n, positions.data());
        }
        for (std::size_t i = 0; i < n; ++i) {
          w_.begin_object(Layout::line);
          w_.key("part").count(number);
          w_.key("vertex").count(block.first_vertex + begin + i);
          w_.key("position");
          if (has_positions) {
            vector(Vec3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]));
          } else {
            w_.null();
          }
          w_.key("influences").begin_array();
          const auto joints = block.joints_of(begin + i);
          const auto weights = block.weights_of(begin + i);
          for (std::size_t k = 0; k < joints.size(); ++k) {
            // Attribute sets always have slots; an empty one says nothing.
            if (!table.entries_explicit && weights[k] == 0.0) continue;
            w_.begin_object().key("joint").count(joints[k]);
            w_.key("weight").number(weights[k]).end_object();
          }
          w_.end_array().end_object();
        }
      }
    }
  }

  void bind_poses() {
    w_.key("bind_poses").begin_array();
    for (const BindPose& pose : asset_.bind_poses) {
      w_.begin_object();
      w_.key("name").string(pose.name);
      w_.key("nodes").begin_array();
      for (const BindPose::Entry& entry : pose.entries) {
        w_.begin_object();
        w_.key("name");
        node_name(entry.node);
        w_.key("node").integer(entry.node);
        w_.key("world_from_node");
        matrix(entry.world_from_node);
        w_.end_object();
      }
      w_.end_array();
      w_.end_object();
    }
    w_.end_array();
  }

  void morphs() {
    w_.key("morphs").begin_array();
    for (const Mesh& mesh : asset_.meshes) {
      for (const MorphTarget& morph : mesh.morphs) {
        w_.begin_object();
        w_.key("mesh").string(mesh.name);
        w_.key("name").string(morph.name);
        w_.key("default_weight").number(morph.default_weight);
        w_.key("targets").begin_array();
        for (const MorphTarget::Shape& shape : morph.shapes) {
          const MorphStatistics statistics = morph_statistics(shape);
          w_.begin_object();
          w_.key("offsets").count(statistics.offsets);
          w_.key("delta_sum");
          vector(statistics.delta_sum);
          if (options_.vertices) offsets(shape);
          w_.end_object();
        }
        w_.end_array();
        w_.end_object();
      }
    }
    w_.end_array();
  }

  void offsets(const MorphTarget::Shape& shape) {
    w_.key("offset_data").begin_array();
    for (std::size_t p = 0; p < shape.positions.size(); ++p) {
      const Stream& stream = shape.positions[p];
      if (!stream.readable() || stream.components != 3) continue;
      const bool sparse = p < shape.indices.size() && shape.indices[p].declared();
      if (sparse && (!shape.indices[p].readable() || shape.indices[p].count < stream.count)) {
        continue;
      }
      std::vector<double> values(3 * kBlock);
      std::vector<std::uint32_t> indices(kBlock);
      for (std::size_t begin = 0; begin < stream.count; begin += kBlock) {
        const std::size_t n = std::min(kBlock, stream.count - begin);
        read_values(stream, begin, n, values.data());
        if (sparse) read_indices(shape.indices[p], begin, n, indices.data());
        for (std::size_t i = 0; i < n; ++i) {
          const Vec3 offset(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
          if (!sparse && offset.isZero(0.0)) continue;
          w_.begin_object(Layout::line);
          w_.key("part").count(p);
          w_.key("vertex").count(sparse ? indices[i] : begin + i);
          w_.key("offset");
          vector(offset);
          w_.end_object();
        }
      }
    }
    w_.end_array();
  }

  void clips() {
    w_.key("clips").begin_array();
    for (const Clip& clip : asset_.clips) {
      w_.begin_object(Layout::line);
      w_.key("name").string(clip.name);
      w_.key("duration").number(clip.duration);
      w_.key("channels").count(clip.channels.size());
      w_.end_object();
    }
    w_.end_array();
  }

  JsonWriter w_;
  const Facts& facts_;
  const Asset& asset_;
  const InspectOptions& options_;
};

}  // namespace

void write_inspect_json(std::ostream& out, const Facts& facts, const std::string& path,
                        const InspectOptions& options) {
  InspectJson(out, facts, options).write(path);
}

}  // namespace skinlint
