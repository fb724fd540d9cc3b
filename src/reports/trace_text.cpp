#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>

#include "reports/trace.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kColumn = 16;  // "-1.23456789e-05" and a space
constexpr std::size_t kLabel = 26;
constexpr std::size_t kNameLimit = 120;

std::string shown_name(std::string_view name) {
  return name.empty() ? "(unnamed)" : printable(name, kNameLimit);
}

class TraceText {
 public:
  explicit TraceText(const TraceReport& report)
      : report_(report),
        asset_(*report.asset),
        posed_(*report.posed),
        vertex_(*report.vertex),
        binding_(asset_.bindings[posed_.binding]) {}

  std::string write() {
    header();
    print("\nv, in mesh space\n");
    row("stored", vertex_.stored);
    const Mesh& mesh = asset_.meshes[static_cast<std::size_t>(binding_.mesh)];
    for (const TracedMorph& morph : vertex_.morphs) {
      row(fmt::format("+ {} at {:.6g}", shown_name(mesh.morphs[morph.target].name),
                      morph.activation),
          morph.offset);
    }
    row("= v", vertex_.morphed);
    for (const TracedInfluence& i : vertex_.influences) influence(i);
    sum();
    model();
    linear();
    normal();
    view();
    for (const std::string& note : posed_.notes) print("\nnote: {}\n", printable(note, 1000));
    return fmt::to_string(page_);
  }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Args>(args)...);
  }
  static std::string number(double value) {
    // Adding zero turns -0 into 0; a NaN's sign says nothing.
    return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value + 0.0);
  }
  void label(std::string_view text) {
    const std::size_t used = display_width(text);
    print("  {}{:{}}", text, "", used < kLabel ? kLabel - used : 1);
  }
  void row(std::string_view text, const Vec3& v) {
    label(text);
    for (Eigen::Index k = 0; k < 3; ++k) print("{:>{}}", number(v[k]), kColumn);
    print("\n");
  }
  void row(std::string_view text, double value, std::string_view unit = {}) {
    label(text);
    print("{:>{}}{}{}\n", number(value), kColumn, unit.empty() ? "" : " ", unit);
  }

  template <class Matrix>
  void matrices(const std::vector<std::pair<std::string_view, std::optional<Matrix>>>& columns) {
    const std::size_t width = kColumn * static_cast<std::size_t>(Matrix::ColsAtCompileTime) + 2;
    std::string line;
    for (const auto& [name, matrix] : columns) {
      line +=
          fmt::format("{:<{}}", matrix ? std::string(name) : fmt::format("{}: none", name), width);
    }
    put(line);
    for (Eigen::Index r = 0; r < Matrix::RowsAtCompileTime; ++r) {
      line.clear();
      for (const auto& [name, matrix] : columns) {
        for (Eigen::Index c = 0; c < Matrix::ColsAtCompileTime; ++c)
          line += fmt::format("{:>{}}", matrix ? number((*matrix)(r, c)) : "", kColumn);
        line += "  ";
      }
      put(line);
    }
  }
  void put(std::string& line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    print("  {}\n", line);
  }

  void header() {
    const Skin& skin = asset_.skins[static_cast<std::size_t>(binding_.skin)];
    print("{}\n", printable(report_.path, 1000));
    print("  binding     {}: mesh node {}, mesh {}, skin {}\n", posed_.binding,
          binding_.node < 0
              ? std::string("(no node)")
              : shown_name(asset_.nodes[static_cast<std::size_t>(binding_.node)].name),
          shown_name(asset_.meshes[static_cast<std::size_t>(binding_.mesh)].name),
          shown_name(skin.name));
    print("  vertex      {}", vertex_.index);
    if (asset_.meshes[static_cast<std::size_t>(binding_.mesh)].parts.size() > 1)
      print(" ({} of part {})", vertex_.vertex, vertex_.part);
    if (report_.chosen_by == "worst") print(", the one displaced most from bind");
    if (report_.near_place) {
      print(", the nearest to ({:.6g}, {:.6g}, {:.6g})", report_.near_place->x(),
            report_.near_place->y(), report_.near_place->z());
    }
    print("\n  pose        ");
    switch (report_.pose.kind) {
      case PoseChoice::Kind::rest:
        print("rest\n");
        break;
      case PoseChoice::Kind::bind:
        print("bind\n");
        break;
      case PoseChoice::Kind::clip:
        print("{} at {:.9g} s",
              shown_name(asset_.clips[static_cast<std::size_t>(report_.pose.clip)].name),
              report_.pose.seconds);
        if (report_.asked_seconds != report_.pose.seconds)
          print(" ({:.9g} s asked for, outside the clip)", report_.asked_seconds);
        print("\n");
        break;
    }
    print("  space       right-handed, +Y up, +Z front, metres; column vectors\n");
    if (skin.method != SkinningMethod::linear)
      print("  method      {}\n", skinning_method_name(skin.method));
  }

  void influence(const TracedInfluence& i) {
    print("\njoint {}: {}{}{}\n", i.slot,
          i.node < 0 ? std::string("(no node)")
                     : shown_name(asset_.nodes[static_cast<std::size_t>(i.node)].name),
          i.is_fallback ? "   the fallback for vertices without weight" : "",
          i.usable ? "" : "   cannot be used");
    row("weight w", i.weight);
    row(posed_.total_one ? "counts as w" : "normalised w / W", i.normalised);
    if (i.slot >= posed_.skin.usable.size()) return;
    matrices<Mat4>({{"B = mesh_from_joint", i.mesh_from_joint},
                    {"B^-1 = joint_from_mesh", i.joint_from_mesh}});
    matrices<Mat4>(
        {{"G = mesh_from_posed_joint", i.mesh_from_posed_joint}, {"S = G B^-1", i.skin}});
    row("S v", i.moved);
    row("w/W S v", i.normalised * i.moved);
  }

  void sum() {
    print("\nsum\n");
    row("W", vertex_.weight_sum);
    if (posed_.total_one) row("1 - W, stays at v", vertex_.kept);
    row("v' = sum w/W S v", vertex_.position);
  }

  void model() {
    print("\nto the world\n");
    std::vector<std::pair<std::string_view, std::optional<Mat4>>> columns = {
        {"M_model = world_from_mesh", posed_.world_from_mesh},
        {"M_model at bind", posed_.world_from_mesh_bound}};
    matrices<Mat4>(columns);
    if (is_fbx(asset_.format)) {
      matrices<Mat4>({{"world_from_node", posed_.world_from_node},
                      {"node_from_geometry", binding_.node_from_geometry}});
    }
    row("v_world = M_model v'", vertex_.world);
    row("at bind", vertex_.world_bound);
    row("displacement from bind", vertex_.displacement, "m");
  }

  void linear() {
    print("\nsurroundings of the vertex\n");
    matrices<Mat3>(
        {{"L = sum w/W (S)_3", vertex_.linear}, {"J = (M_model)_3 L", vertex_.jacobian}});
    row("det L", vertex_.determinant);
    row("condition of L", vertex_.condition);
    row("det J", vertex_.jacobian_determinant);
  }

  void normal() {
    if (!vertex_.normal) return;
    const TracedNormal& n = *vertex_.normal;
    print("\nnormal ({})\n", n.source);
    row("stored", n.stored);
    if (n.by_inverse_transpose) row("n' = normalize(L^-T n)", *n.by_inverse_transpose);
    if (n.by_linear) row("normalize(L n)", *n.by_linear);
    if (n.angle_deg) row("angle between", *n.angle_deg, "deg");
    if (n.world) row("n_world", *n.world);
  }

  void view() {
    if (!report_.view) return;
    print("\ncamera {}\n", shown_name(report_.view->camera));
    matrices<Mat4>({{"V = camera_from_world", report_.view->camera_from_world},
                    {"P = clip_from_camera", report_.view->clip_from_camera}});
    const Vec4 clip = clip_position(*report_.view, vertex_.world);
    label("v_clip = P V v_world");
    for (Eigen::Index k = 0; k < 4; ++k) print("{:>{}}", number(clip[k]), kColumn);
    print("\n");
    if (clip[3] != 0.0) row("v_clip / w", clip.head<3>() / clip[3]);
  }

  const TraceReport& report_;
  const Asset& asset_;
  const PosedBinding& posed_;
  const VertexTrace& vertex_;
  const Binding& binding_;
  fmt::memory_buffer page_;
};

}  // namespace

void write_trace_text(std::ostream& out, const TraceReport& report) {
  out << TraceText(report).write();
}

}  // namespace skinlint
