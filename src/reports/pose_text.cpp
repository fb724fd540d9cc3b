#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>

#include "reports/pose.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

constexpr std::size_t kRows = 12;  // of a list; the rest is counted
constexpr std::size_t kName = 28;

std::string shown(std::string_view name) {
  return name.empty() ? "(unnamed)" : printable(name, 60);
}

/// Metres as a person reads them: three digits, millimetres or micrometres where small.
std::string metres(double m) {
  if (m < 1e-9) return "0";
  if (m < 1e-4) return fmt::format("{:.3g} um", m * 1e6);
  if (m < 0.1) return fmt::format("{:.3g} mm", m * 1e3);
  return fmt::format("{:.3g} m", m);
}

std::string percent(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.0f} %", *ratio * 100.0) : std::string("-");
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

class PoseText {
 public:
  PoseText(std::ostream& out, const Asset& asset, const PoseReport& report)
      : out_(out), asset_(asset), report_(report) {}

  void write() {
    print("{}\n", printable(report_.path, 1000));
    for (const std::string& note : report_.notes) print("  note: {}\n", printable(note, 1000));
    for (const PoseAnalysis& a : report_.bindings) binding(a);
    if (report_.bindings.empty()) print("  no skinned mesh\n");
    std::string text(page_.data(), page_.size());
    for (std::size_t at = 0; (at = text.find(" \n", at)) != std::string::npos;) {
      const std::size_t from = text.find_last_not_of(' ', at);
      text.erase(from + 1, at - from);
      at = from + 1;
    }
    out_ << text;
  }

 private:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(page_), format, std::forward<Args>(args)...);
  }
  const Skin& skin(const PoseAnalysis& a) const {
    return asset_.skins[static_cast<std::size_t>(asset_.bindings[a.binding].skin)];
  }
  std::string joint(const PoseAnalysis& a, std::int32_t slot) const {
    return slot < 0 ? std::string("?")
                    : shown(asset_.node_name(skin(a).joints[static_cast<std::size_t>(slot)]));
  }
  std::string vertex(const PoseAnalysis& a, std::uint32_t point) const {
    const auto [part, number] = a.mesh.part_and_vertex(a.mesh.vertex[point]);
    const bool parts = a.mesh.part_first.size() > 2;
    return parts ? fmt::format("part {} vertex {}", part, number)
                 : fmt::format("vertex {}", number);
  }
  static std::string padded(const std::string& text, std::size_t width) {
    const std::size_t used = display_width(text);
    return text + std::string(used < width ? width - used : 0, ' ');
  }

  void binding(const PoseAnalysis& a) {
    const Binding& b = asset_.bindings[a.binding];
    print("\n{} (skin {}): {}, {}, {:.3g} m, {}\n", shown(asset_.node_name(b.node)),
          shown(skin(a).name), counted(a.mesh.point_of_vertex.size(), "vertex", "vertices"),
          counted(skin(a).joints.size(), "joint", "joints"), a.mesh.size,
          skinning_method_name(report_.method.value_or(skin(a).method)));
    if (!a.because.empty()) {
      print("  not posed: {}\n", printable(a.because));
    }
    if (a.mesh.left_out != 0)
      print("  left out: {} that cannot be evaluated (see \"skinlint check\")\n",
            counted(a.mesh.left_out, "vertex", "vertices"));
    matrix_faults(a);
    if (!a.because.empty()) return;
    weight_faults(a);
    limits(a);
    whole_poses(a);
  }

  void matrix_faults(const PoseAnalysis& a) {
    print("\n  matrix faults\n");
    if (a.matrix_faults.empty()) {
      print("    none: every joint carries the mesh alike at bind\n");
      return;
    }
    const auto starts = static_cast<std::size_t>(
        std::count_if(a.matrix_faults.begin(), a.matrix_faults.end(),
                      [](const MatrixFault& fault) { return fault.starts; }));
    for (std::size_t i = 0; i < std::min(kRows, starts); ++i) {
      const MatrixFault& fault = a.matrix_faults[i];
      print("    {} {}\n", padded(joint(a, fault.slot), kName),
            fault.use == JointBind::Use::usable
                ? fmt::format("stands {} from where it was bound", metres(fault.displacement))
                : "has no matrix that can be used");
    }
    more(starts);
    if (a.matrix_faults.size() > starts)
      print("    and {} carried along by the joint above\n",
            counted(a.matrix_faults.size() - starts, "joint", "joints"));
    print("    \"skinlint check\" names the cause.\n");
  }

  void more(std::size_t count) {
    if (count > kRows) print("    and {} more\n", count - kRows);
  }

  static std::string story(const WeightFault& fault) {
    switch (fault.kind) {
      case WeightFault::Kind::stray_vertex:
        return "agrees with none of its neighbours";
      case WeightFault::Kind::far_island:
        return "a patch that follows a joint far away";
      case WeightFault::Kind::open_seam:
        return "vertices at one place part";
      case WeightFault::Kind::hard_edge:
        return "weights step over one edge";
      case WeightFault::Kind::beyond_reach:
        return "moved by a joint far outside what it holds";
    }
    return "";
  }

  void weight_faults(const PoseAnalysis& a) {
    print("\n  weight faults\n");
    if (a.weight_faults.empty()) {
      print("    none: no vertex tears away from its neighbours\n");
      return;
    }
    for (std::size_t i = 0; i < std::min(kRows, a.weight_faults.size()); ++i) {
      const WeightFault& fault = a.weight_faults[i];
      print("    {} {}, {}: tears {} when {} turns by 90 degrees\n",
            padded(joint(a, fault.joint), kName), counted(fault.count, "point", "points"),
            story(fault), metres(fault.tear), joint(a, fault.turned));
      const Vec3& at = a.mesh.positions[fault.points.front()];
      print(
          "    {:{}} {} at ({:.3f}, {:.3f}, {:.3f}); edges stretch {:.1f} times, around it "
          "{:.1f}\n",
          "", kName, vertex(a, fault.points.front()), at.x(), at.y(), at.z(), fault.stretch,
          fault.ring_stretch);
      if (fault.distance > 0.0)
        print("    {:{}} {} from the joint's bone; {} from those that move the mesh around it\n",
              "", kName, metres(fault.distance), metres(fault.usual_distance));
    }
    more(a.weight_faults.size());
  }

  /// Worst bends and twists first; joints that lose nothing are left out.
  void limits(const PoseAnalysis& a) {
    if (a.limits.empty()) return;
    struct Row {
      const JointLimits* limit;
      std::uint64_t inverted;
      double loss;
    };
    std::vector<Row> rows;
    for (const JointLimits& limit : a.limits) {
      std::uint64_t inverted = 0;
      for (const PoseResult& pose : a.poses) {
        if (pose.turn && pose.turn->slot == limit.slot && pose.turn->axis != Turn::Axis::twist)
          inverted = std::max(inverted, pose.figures.inverted_triangles);
      }
      const double bend = limit.volume[1].bend.value_or(1.0);
      const double twist = limit.volume[3].twist.value_or(1.0);
      if (inverted != 0 || bend < 0.95 || twist < 0.95)
        rows.push_back({&limit, inverted, 1.0 - std::min(bend, twist)});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& x, const Row& y) { return x.loss > y.loss; });
    print("\n  limits of {} (information, not a fault)\n",
          report_.method.value_or(skin(a).method) == SkinningMethod::dual_quaternion
              ? "linear blending, were it used"
              : "linear blending");
    if (rows.empty()) {
      print("    none: {} keep their volume at 90 degrees\n",
            counted(a.limits.size(), "joint", "joints"));
      return;
    }
    print("    {}  {:>15}  {:>15}  {:>8}\n", padded("volume kept", kName), "bend 90", "twist 180",
          "inverted");
    print("    {}  {:>15}  {:>15}  {:>8}\n", padded("", kName), "linear / dual", "linear / dual",
          "faces");
    for (std::size_t i = 0; i < std::min(kRows, rows.size()); ++i) {
      const JointLimits& limit = *rows[i].limit;
      const auto pair = [](const std::optional<double>& linear,
                           const std::optional<double>& quaternion) {
        return percent(linear) + " / " + percent(quaternion);
      };
      print("    {}  {:>15}  {:>15}  {:>8}  {}\n", padded(joint(a, limit.slot), kName),
            pair(limit.volume[1].bend, limit.volume[1].bend_quaternion),
            pair(limit.volume[3].twist, limit.volume[3].twist_quaternion), rows[i].inverted,
            blending_hint(limit));
    }
    more(rows.size());
  }

  void whole_poses(const PoseAnalysis& a) {
    std::vector<const PoseResult*> poses;
    for (const PoseResult& pose : a.poses)
      if (!pose.turn) poses.push_back(&pose);
    if (poses.empty()) return;
    std::stable_sort(poses.begin(), poses.end(), [](const PoseResult* x, const PoseResult* y) {
      if (x->comparisons.has_value() != y->comparisons.has_value())
        return x->comparisons.has_value();
      return x->figures.max_stretch > y->figures.max_stretch;
    });
    print("\n  whole poses\n    {}  {:>8} {:>8} {:>8}  {:>9} {:>12} {:>12}\n", padded("", kName),
          "stretch", "volume", "inverted", "float32", "4 influences", "morphs late");
    for (std::size_t i = 0; i < std::min(kRows, poses.size()); ++i) {
      const PoseFigures& f = poses[i]->figures;
      print("    {}  {:>8.2f} {:>8} {:>8}", padded(shown(poses[i]->name), kName), f.max_stretch,
            percent(f.volume_ratio), f.inverted_triangles);
      if (const auto& c = poses[i]->comparisons) {
        print("  {:>9} {:>12} {:>12}", metres(c->float32.largest), metres(c->four.largest),
              metres(c->morphs_after.largest));
      }
      print("\n");
    }
    more(poses.size());
    print(
        "    float32: single precision against double. 4 influences: with the rest dropped.\n"
        "    morphs late: offsets added after skinning, each target alone.\n");
  }

  std::ostream& out_;
  const Asset& asset_;
  const PoseReport& report_;
  fmt::memory_buffer page_;
};

}  // namespace

std::string blending_hint(const JointLimits& limits) {
  if (limits.volume.size() < 4) return {};
  const JointLimits::AtAngle& right = limits.volume[1];
  const JointLimits::AtAngle& half = limits.volume[3];
  const bool twists = half.twist && *half.twist < 0.9;
  const bool bends = right.bend && *right.bend < 0.9;
  const bool quaternion_twists = twists && half.twist_quaternion && *half.twist_quaternion > 0.9;
  if (twists && quaternion_twists) return "twist: dual quaternion or twist joints";
  if (twists) return "twist: twist joints along the bone";
  if (bends && right.bend_quaternion && *right.bend_quaternion > *right.bend + 0.05)
    return "bend: dual quaternion or a helper joint";
  if (bends) return "bend: a helper joint or a corrective shape";
  return {};
}

void write_pose_text(std::ostream& out, const Facts& facts, const PoseReport& report) {
  PoseText(out, facts.asset(), report).write();
}

}  // namespace skinlint
