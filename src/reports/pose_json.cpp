#include <cmath>
#include <ostream>

#include "reports/json_writer.h"
#include "reports/pose.h"
#include "skinning/mesh_evaluator.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

class PoseJson {
 public:
  PoseJson(std::ostream& out, const Facts& facts, const PoseReport& report)
      : json_(out), facts_(facts), asset_(facts.asset()), report_(report) {}

  void write() {
    json_.begin_object();
    json_.key("schema").string("skinlint-pose/1");
    json_.key("path").string(report_.path);
    json_.key("format").string(asset_.format_label());
    json_.key("version").string(asset_.version);
    std::uint64_t matrix = 0, weight = 0, poses = 0;
    for (const PoseAnalysis& a : report_.bindings) {
      matrix += a.matrix_faults.size();
      weight += a.weight_faults.size();
      poses += a.poses.size();
    }
    json_.key("summary").begin_object(Layout::line);
    json_.key("matrix_faults").count(matrix).key("weight_faults").count(weight);
    json_.key("poses").count(poses).end_object();
    json_.key("notes").begin_array();
    for (const std::string& note : report_.notes) json_.string(note);
    json_.end_array();
    json_.key("bindings").begin_array();
    for (const PoseAnalysis& a : report_.bindings) binding(a);
    json_.end_array();
    if (report_.positions) positions();
    json_.end_object();
    json_.finish();
  }

 private:
  const Binding& of(const PoseAnalysis& a) const { return asset_.bindings[a.binding]; }
  std::string joint(const PoseAnalysis& a, std::int32_t slot) const {
    if (slot < 0) return {};
    const Skin& skin = asset_.skins[static_cast<std::size_t>(of(a).skin)];
    return asset_.node_name(skin.joints[static_cast<std::size_t>(slot)]);
  }
  void optional(const std::optional<double>& value) {
    if (value) {
      json_.number(*value);
    } else {
      json_.null();
    }
  }

  void binding(const PoseAnalysis& a) {
    const Skin& skin = asset_.skins[static_cast<std::size_t>(of(a).skin)];
    const BindAnalysis& bind = facts_.bind(a.binding);
    json_.begin_object();
    json_.key("mesh_node").string(asset_.node_name(of(a).node));
    json_.key("skin").string(skin.name);
    json_.key("method").string(skinning_method_name(report_.method.value_or(skin.method)));
    json_.key("bind").string(bind_state_name(bind.state));
    json_.key("not_posed_because").string_or_null(a.because);
    json_.key("size_m").number(a.mesh.size);
    json_.key("vertices").count(a.mesh.point_of_vertex.size());
    json_.key("left_out_vertices").count(a.mesh.left_out);
    json_.key("triangles").count(a.mesh.triangles.size());
    json_.key("joints").count(skin.joints.size());
    json_.key("still_joints").count(a.still_joints);
    matrix_faults(a);
    weight_faults(a);
    limits(a);
    json_.key("poses").begin_array();
    for (const PoseResult& pose : a.poses) result(a, pose);
    json_.end_array();
    json_.end_object();
  }

  void matrix_faults(const PoseAnalysis& a) {
    json_.key("matrix_faults").begin_array();
    for (const MatrixFault& fault : a.matrix_faults) {
      json_.begin_object(Layout::line);
      json_.key("kind").string("matrix").key("joint").string(joint(a, fault.slot));
      json_.key("problem").string(matrix_problem(fault.use));
      json_.key("displacement_m").number(fault.displacement);
      json_.key("starts").boolean(fault.starts);
      json_.end_object();
    }
    json_.end_array();
  }

  void vertex(const PoseAnalysis& a, std::uint32_t point) {
    const auto [part, number] = a.mesh.part_and_vertex(a.mesh.vertex[point]);
    json_.key("part").count(part).key("vertex").count(number);
  }

  void weight_faults(const PoseAnalysis& a) {
    json_.key("weight_faults").begin_array();
    for (const WeightFault& fault : a.weight_faults) {
      json_.begin_object();
      json_.key("kind").string("weight").key("what").string(weight_fault_name(fault.kind));
      json_.key("joint").string(joint(a, fault.joint));
      json_.key("turned").string_or_null(joint(a, fault.turned));
      json_.key("tear_m").number(fault.tear);
      json_.key("stretch").number(fault.stretch);
      json_.key("ring_stretch").number(fault.ring_stretch);
      json_.key("distance_m").number(fault.distance);
      json_.key("usual_distance_m").number(fault.usual_distance);
      json_.key("count").count(fault.count);
      json_.key("vertices").begin_array();
      for (const std::uint32_t point : fault.points) {
        json_.begin_object(Layout::line);
        vertex(a, point);
        json_.key("position").vector(a.mesh.positions[point]);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void limits(const PoseAnalysis& a) {
    json_.key("blending").begin_array();
    for (const JointLimits& limit : a.limits) {
      json_.begin_object();
      json_.key("joint").string(joint(a, limit.slot));
      json_.key("triangles").count(limit.triangles);
      json_.key("candy_wrapper");
      optional(limit.candy_wrapper);
      json_.key("volume").begin_array();
      for (const JointLimits::AtAngle& at : limit.volume) {
        json_.begin_object(Layout::line).key("angle_deg").number(at.angle_deg).key("bend");
        optional(at.bend);
        json_.key("twist");
        optional(at.twist);
        json_.key("bend_dual_quaternion");
        optional(at.bend_quaternion);
        json_.key("twist_dual_quaternion");
        optional(at.twist_quaternion);
        json_.end_object();
      }
      json_.end_array();
      json_.key("hint").string_or_null(blending_hint(limit));
      json_.end_object();
    }
    json_.end_array();
  }

  void difference(std::string_view name, const Difference& d) {
    json_.key(name).begin_object(Layout::line).key("max_m").number(d.largest);
    if (d.part >= 0) {
      json_.key("part").integer(d.part).key("vertex").count(d.vertex);
    }
    json_.key("vertices").count(d.vertices).end_object();
  }

  void result(const PoseAnalysis& a, const PoseResult& pose) {
    const PoseFigures& f = pose.figures;
    json_.begin_object();
    json_.key("pose").string(pose.name);
    json_.key("joint").string_or_null(pose.turn ? joint(a, pose.turn->slot) : std::string());
    json_.key("kind").string(pose_kind_name(pose.kind));
    json_.key("max_stretch").number(f.max_stretch);
    json_.key("ring_stretch").number(f.ring_stretch);
    json_.key("min_stretch").number(f.min_stretch);
    json_.key("volume_ratio");
    optional(f.volume_ratio);
    json_.key("inverted_triangles").count(f.inverted_triangles);
    json_.key("triangles").count(f.triangles);
    json_.key("worst_vertices").begin_array();
    for (const PoseFigures::Worst& worst : f.worst) {
      json_.begin_object(Layout::line);
      vertex(a, worst.point);
      json_.key("stretch").number(worst.stretch).end_object();
    }
    json_.end_array();
    if (pose.comparisons) {
      const PoseComparisons& c = *pose.comparisons;
      json_.key("engines").begin_object();
      difference("float32", c.float32);
      difference("four_influences", c.four);
      difference("morphs_after_skinning", c.morphs_after);
      const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(of(a).mesh)];
      json_.key("morph_target")
          .string_or_null(c.morph_target < 0
                              ? std::string()
                              : mesh.morphs[static_cast<std::size_t>(c.morph_target)].name);
      json_.end_object();
    }
    json_.end_object();
    json_.flush();
  }

  void positions() {
    json_.key("positions").begin_array();
    for (const AssetPose& pose : report_.poses) {
      for (const PoseAnalysis& a : report_.bindings) {
        if (!a.because.empty()) continue;
        const MeshPose mine =
            mesh_pose(asset_, a.binding, skin_matrices(asset_, a.binding, pose.world_from_node),
                      facts_.bind(a.binding).consensus, pose.morphs[a.binding]);
        EvaluateOptions options;
        options.method = report_.method;
        const MeshEvaluator evaluator(asset_, a.binding, mine, options);
        json_.begin_object();
        json_.key("pose").string(pose.name);
        json_.key("mesh_node").string(asset_.node_name(of(a).node));
        json_.key("skin").string(asset_.skins[static_cast<std::size_t>(of(a).skin)].name);
        json_.key("parts").begin_array();
        const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(of(a).mesh)];
        for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
          json_.begin_array();
          for (const Vec3& v : evaluator.evaluate(p).positions) json_.vector(v);
          json_.end_array();
          json_.flush();
        }
        json_.end_array().end_object();
      }
    }
    json_.end_array();
  }

  static std::string_view matrix_problem(JointBind::Use use) {
    switch (use) {
      case JointBind::Use::usable:
        return "moved";
      case JointBind::Use::no_node:
        return "no-node";
      case JointBind::Use::no_matrix:
        return "no-matrix";
      case JointBind::Use::not_finite:
        return "not-finite";
      case JointBind::Use::not_affine:
        return "not-affine";
      case JointBind::Use::singular:
        return "singular";
    }
    return "";
  }

  JsonWriter json_;
  const Facts& facts_;
  const Asset& asset_;
  const PoseReport& report_;
};

}  // namespace

bool PoseReport::has_faults() const {
  for (const PoseAnalysis& a : bindings)
    if (!a.matrix_faults.empty() || !a.weight_faults.empty()) return true;
  return false;
}

void write_pose_json(std::ostream& out, const Facts& facts, const PoseReport& report) {
  PoseJson(out, facts, report).write();
}

}  // namespace skinlint
