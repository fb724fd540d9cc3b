#include <ostream>

#include "reports/json_writer.h"
#include "reports/trace.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

std::string_view state_text(SkinnedVertex::State state) {
  switch (state) {
    case SkinnedVertex::State::moved:
      return "moved";
    case SkinnedVertex::State::rejected:
      return "rejected";
    case SkinnedVertex::State::fell_back:
      return "fell_back";
    case SkinnedVertex::State::not_finite:
      break;
  }
  return "not_finite";
}

std::string_view pose_text(PoseChoice::Kind kind) {
  switch (kind) {
    case PoseChoice::Kind::rest:
      return "rest";
    case PoseChoice::Kind::bind:
      return "bind";
    case PoseChoice::Kind::clip:
      break;
  }
  return "clip";
}

class TraceJson {
 public:
  TraceJson(std::ostream& out, const TraceReport& report)
      : w_(out),
        report_(report),
        asset_(*report.asset),
        posed_(*report.posed),
        vertex_(*report.vertex),
        binding_(asset_.bindings[posed_.binding]) {}

  void write() {
    w_.begin_object();
    w_.key("schema").string("skinlint-trace/1");
    w_.key("path").string(report_.path);
    w_.key("format").string(asset_.format_label());
    binding();
    pose();
    vertex();
    morphs();
    w_.key("v").vector(vertex_.morphed);
    influences();
    w_.key("weight_sum").number(vertex_.weight_sum);
    w_.key("kept_weight").number(vertex_.kept);
    w_.key("state").string(state_text(vertex_.state));
    w_.key("v_skinned").vector(vertex_.position);
    w_.key("node_from_geometry").matrix(binding_.node_from_geometry);
    w_.key("world_from_node").matrix(posed_.world_from_node);
    w_.key("world_from_mesh").matrix(posed_.world_from_mesh);
    w_.key("world_from_mesh_bound").matrix(posed_.world_from_mesh_bound);
    w_.key("v_world").vector(vertex_.world);
    w_.key("v_world_bound").vector(vertex_.world_bound);
    w_.key("displacement").number(vertex_.displacement);
    linear();
    normal();
    view();
    list("notes", posed_.notes);
    std::vector<std::string> problems = posed_.problems;
    problems.insert(problems.end(), vertex_.problems.begin(), vertex_.problems.end());
    list("problems", problems);
    w_.end_object();
    w_.finish();
  }

 private:
  void node_name(std::int32_t node) {
    if (node < 0) {
      w_.null();
    } else {
      w_.string(asset_.nodes[static_cast<std::size_t>(node)].name);
    }
  }
  void matrix_or_null(const std::optional<Mat4>& m) {
    if (m) {
      w_.matrix(*m);
    } else {
      w_.null();
    }
  }
  void vector_or_null(const std::optional<Vec3>& v) {
    if (v) {
      w_.vector(*v);
    } else {
      w_.null();
    }
  }
  void linear_matrix(const Mat3& m) {
    w_.begin_array(Layout::line);
    for (Eigen::Index row = 0; row < 3; ++row) {
      for (Eigen::Index column = 0; column < 3; ++column) w_.number(m(row, column));
    }
    w_.end_array();
  }
  void list(std::string_view name, const std::vector<std::string>& lines) {
    w_.key(name).begin_array();
    for (const std::string& line : lines) w_.string(line);
    w_.end_array();
  }

  void binding() {
    const Skin& skin = asset_.skins[static_cast<std::size_t>(binding_.skin)];
    w_.key("binding").begin_object();
    w_.key("index").count(posed_.binding);
    w_.key("mesh_node");
    node_name(binding_.node);
    w_.key("mesh").string(asset_.meshes[static_cast<std::size_t>(binding_.mesh)].name);
    w_.key("skin").string(skin.name);
    w_.key("method").string(skinning_method_name(skin.method));
    w_.end_object();
  }

  void pose() {
    const bool clip = report_.pose.kind == PoseChoice::Kind::clip;
    w_.key("pose").begin_object();
    w_.key("kind").string(pose_text(report_.pose.kind));
    w_.key("clip");
    if (clip) {
      w_.string(asset_.clips[static_cast<std::size_t>(report_.pose.clip)].name);
    } else {
      w_.null();
    }
    w_.key("seconds");
    if (clip) {
      w_.number(report_.pose.seconds);
    } else {
      w_.null();
    }
    w_.key("asked_seconds");
    if (clip) {
      w_.number(report_.asked_seconds);
    } else {
      w_.null();
    }
    w_.end_object();
  }

  void vertex() {
    w_.key("vertex").begin_object();
    w_.key("index").count(vertex_.index);
    w_.key("part").count(vertex_.part);
    w_.key("index_in_part").count(vertex_.vertex);
    w_.key("chosen_by").string(report_.chosen_by);
    w_.key("near");
    vector_or_null(report_.near_place);
    w_.key("stored").vector(vertex_.stored);
    w_.end_object();
  }

  void morphs() {
    const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(binding_.mesh)];
    w_.key("morphs").begin_array();
    for (const TracedMorph& morph : vertex_.morphs) {
      w_.begin_object();
      w_.key("target").count(morph.target);
      w_.key("name").string(mesh.morphs[morph.target].name);
      w_.key("activation").number(morph.activation);
      w_.key("offset").vector(morph.offset);
      w_.end_object();
    }
    w_.end_array();
  }

  void influences() {
    w_.key("influences").begin_array();
    for (const TracedInfluence& i : vertex_.influences) {
      w_.begin_object();
      w_.key("slot").count(i.slot);
      w_.key("joint");
      node_name(i.node);
      w_.key("node").integer(i.node);
      w_.key("weight").number(i.weight);
      w_.key("normalised_weight").number(i.normalised);
      w_.key("usable").boolean(i.usable);
      w_.key("fallback").boolean(i.is_fallback);
      w_.key("joint_from_mesh");
      matrix_or_null(i.joint_from_mesh);
      w_.key("mesh_from_joint");
      matrix_or_null(i.mesh_from_joint);
      w_.key("world_from_joint").matrix(i.world_from_joint);
      w_.key("mesh_from_posed_joint").matrix(i.mesh_from_posed_joint);
      w_.key("skin_matrix").matrix(i.skin);
      w_.key("moved").vector(i.moved);
      w_.end_object();
    }
    w_.end_array();
  }

  void linear() {
    w_.key("linear").begin_object();
    w_.key("matrix");
    linear_matrix(vertex_.linear);
    w_.key("determinant").number(vertex_.determinant);
    w_.key("condition").number(vertex_.condition);
    w_.key("jacobian");
    linear_matrix(vertex_.jacobian);
    w_.key("jacobian_determinant").number(vertex_.jacobian_determinant);
    w_.end_object();
  }

  void normal() {
    w_.key("normal");
    if (!vertex_.normal) {
      w_.null();
      return;
    }
    const TracedNormal& n = *vertex_.normal;
    w_.begin_object();
    w_.key("stored").vector(n.stored);
    w_.key("source").string(n.source);
    w_.key("by_inverse_transpose");
    vector_or_null(n.by_inverse_transpose);
    w_.key("by_linear");
    vector_or_null(n.by_linear);
    w_.key("angle_deg");
    if (n.angle_deg) {
      w_.number(*n.angle_deg);
    } else {
      w_.null();
    }
    w_.key("world");
    vector_or_null(n.world);
    w_.end_object();
  }

  void view() {
    w_.key("view");
    if (!report_.view) {
      w_.null();
      return;
    }
    const Vec4 clip = clip_position(*report_.view, vertex_.world);
    w_.begin_object();
    w_.key("camera").string(report_.view->camera);
    w_.key("camera_from_world").matrix(report_.view->camera_from_world);
    w_.key("clip_from_camera").matrix(report_.view->clip_from_camera);
    w_.key("v_clip").begin_array(Layout::line);
    for (Eigen::Index k = 0; k < 4; ++k) w_.number(clip[k]);
    w_.end_array();
    w_.end_object();
  }

  JsonWriter w_;
  const TraceReport& report_;
  const Asset& asset_;
  const PosedBinding& posed_;
  const VertexTrace& vertex_;
  const Binding& binding_;
};

}  // namespace

Vec4 clip_position(const TraceView& view, const Vec3& world) {
  return view.clip_from_camera * (view.camera_from_world * world.homogeneous());
}

void write_trace_json(std::ostream& out, const TraceReport& report) {
  TraceJson(out, report).write();
}

}  // namespace skinlint
