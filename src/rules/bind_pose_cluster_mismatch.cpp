#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

struct Limits {
  double displacement, angle_deg, scale, size;
  bool exceeded(const MatrixChange& change) const {
    return !(change.displacement <= displacement * size) ||
           (change.valid && (change.angle_deg > angle_deg || std::abs(change.scale - 1.0) > scale ||
                             change.non_uniformity > scale || change.mirrored));
  }
};

/// One node's entry in the bind pose beside what the clusters say of it.
struct Entry {
  std::int32_t slot = -1;  // -1: the mesh node
  Mat4 posed = Mat4::Identity(), bound = Mat4::Identity();
  Box box;
  MatrixChange change;
  bool differs = false;
};

/// Of several bind poses the entry nearest to the cluster counts: that they differ among themselves
/// is bind-poses-conflict's.
Entry nearest_entry(std::int32_t slot, const std::vector<const Mat4*>& posed, const Mat4& bound,
                    const Box& box, const Limits& limits) {
  Entry entry;
  for (const Mat4* candidate : posed) {
    const MatrixChange change = change_between(bound, *candidate, box);
    if (candidate != posed.front() && !(change.displacement < entry.change.displacement)) continue;
    entry = {slot, *candidate, bound, box, change, limits.exceeded(change)};
  }
  return entry;
}

/// One matrix on the world side explains every entry: the pose was written in another unit or in
/// other axes, or with the whole character elsewhere.
bool one_common_matrix(const std::vector<Entry>& entries, const Limits& limits) {
  std::size_t joints = 0;
  std::optional<Mat4> common;
  for (const Entry& entry : entries) {
    if (entry.slot < 0) continue;
    ++joints;
    if (!common) {
      const std::optional<Mat4> inverse = affine_inverse(entry.bound);
      if (!inverse) return false;
      common = entry.posed * *inverse;
    }
    Limits scaled = limits;
    scaled.size *= std::max(1.0, std::cbrt(std::abs(linear(*common).determinant())));
    if (scaled.exceeded(change_between(*common * entry.bound, entry.posed, entry.box))) {
      return false;
    }
  }
  return joints >= 2;
}

/// The mesh's entry differs by a turn of its axes alone, in place or about the world's origin.
bool axis_turn_alone(const Entry& mesh, const Limits& limits) {
  const std::optional<Mat4> inverse = affine_inverse(mesh.bound);
  if (!inverse) return false;
  const double tolerance = limits.displacement * limits.size;
  for (const Mat4& relative : {Mat4(mesh.posed * *inverse), Mat4(*inverse * mesh.posed)}) {
    const std::optional<AxisTurn> turn = nearest_axis_turn(linear(relative), limits.angle_deg);
    const TransformParts parts = decompose(relative);
    if (turn && !turn->is_identity && !turn->mirrored && parts.valid &&
        std::abs(parts.uniform_scale() - 1.0) <= limits.scale &&
        translation(relative).norm() <= tolerance) {
      return true;
    }
  }
  return false;
}

std::vector<Entry> entries_of(const RuleInput& input, Sink& sink, std::size_t s, std::size_t b,
                              const std::vector<std::vector<const Mat4*>>& posed,
                              const Limits& limits) {
  const Asset& asset = input.asset;
  const Skin& skin = asset.skins[s];
  std::vector<Entry> entries;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t node = skin.joints[slot];
    const ClusterRecord& cluster = skin.clusters[slot];
    const auto index = static_cast<std::int32_t>(slot);
    if (node < 0 || posed[static_cast<std::size_t>(node)].empty() || !cluster.transform_link ||
        cluster.from_bind_pose || input.facts.bind(b).joints[slot].use != JointBind::Use::usable ||
        sink.skip(joint_ref(s, index))) {
      continue;
    }
    entries.push_back(nearest_entry(index, posed[static_cast<std::size_t>(node)],
                                    *cluster.transform_link, box_in_joint(input, b, slot), limits));
  }
  const Binding& binding = asset.bindings[b];
  const std::vector<const Mat4*>& mesh = posed[static_cast<std::size_t>(binding.node)];
  const std::optional<Mat4> bound = mesh_node_at_bind(input, b);
  if (!mesh.empty() && bound) {
    Box box;
    const Box& vertices = input.facts.influences(b).box;
    for (int c = 0; c < 8; ++c) {
      box.extend(transform_point(binding.node_from_geometry,
                                 vertices.corner(static_cast<Box::CornerType>(c))));
    }
    entries.push_back(nearest_entry(-1, mesh, *bound, box, limits));
  }
  return entries;
}

/// Which of the two the nodes that differ stand in at rest.
std::string rest_agrees_with(const RuleInput& input, const Skin& skin, std::int32_t mesh_node,
                             const std::vector<Entry>& entries, const Limits& limits) {
  std::size_t pose = 0, cluster = 0, differing = 0;
  for (const Entry& entry : entries) {
    if (!entry.differs) continue;
    const std::int32_t node =
        entry.slot < 0 ? mesh_node : skin.joints[static_cast<std::size_t>(entry.slot)];
    const Mat4& rest = input.facts.world_from_node()[static_cast<std::size_t>(node)];
    ++differing;
    if (!limits.exceeded(change_between(entry.posed, rest, entry.box))) ++pose;
    if (!limits.exceeded(change_between(entry.bound, rest, entry.box))) ++cluster;
  }
  if (2 * pose > differing) return "bind pose";
  return 2 * cluster > differing ? "clusters" : "neither";
}

void check_skin(const RuleInput& input, Sink& sink, std::size_t s,
                const std::vector<std::vector<const Mat4*>>& posed) {
  const Asset& asset = input.asset;
  const std::vector<std::size_t>& bindings = input.facts.bindings_of_skin(s);
  if (bindings.empty()) return;
  const std::size_t b = bindings.front();
  const BindAnalysis& bind = input.facts.bind(b);
  if (bind.state == BindState::unknown) return;
  const Limits limits{std::max(input.param("displacement"), bind.tau), input.param("angle"),
                      input.param("scale"), bind.size};
  const std::vector<Entry> entries = entries_of(input, sink, s, b, posed, limits);
  std::vector<JointAmount> joints;
  const Entry* mesh = nullptr;
  MatrixChange worst;
  for (const Entry& entry : entries) {
    if (!entry.differs) continue;
    if (entry.slot < 0) {
      mesh = &entry;
    } else {
      joints.push_back({entry.slot, entry.change.displacement});
    }
    worst.displacement = std::max(worst.displacement, entry.change.displacement);
    worst.angle_deg = std::max(worst.angle_deg, entry.change.angle_deg);
    if (std::abs(std::log(entry.change.scale)) > std::abs(std::log(worst.scale))) {
      worst.scale = entry.change.scale;
    }
  }
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
  if ((joints.empty() && mesh == nullptr) || sink.skip(element)) return;
  const bool common = !joints.empty() && one_common_matrix(entries, limits);
  // With the bones alike, the mesh's entry is harmless only as a turn of axes.
  const bool turned = joints.empty() && axis_turn_alone(*mesh, limits);
  Finding finding =
      finding_about(input, element, common || turned ? Severity::note : level(input, "level"));
  sort_worst_first(joints);
  put_joints(finding, input, s, joints);
  finding.sample_unit = "m";
  const std::int32_t mesh_node = asset.bindings[b].node;
  if (mesh != nullptr) {
    finding.related.push_back({ElementKind::node, mesh_node, 0});
    ++finding.count;
  }
  const std::string rest = rest_agrees_with(input, asset.skins[s], mesh_node, entries, limits);
  finding.measured = {real("worst_displacement", worst.displacement, "m"),
                      real("worst_over_size", worst.displacement / bind.size, "of size"),
                      real("worst_angle", worst.angle_deg, "deg"),
                      real("worst_scale", worst.scale),
                      whole("joints", joints.size(), "joints"),
                      words("mesh", mesh != nullptr ? "yes" : "no"),
                      words("common", common ? "yes" : "no"),
                      words("rest_agrees_with", rest)};
  const std::string who =
      joints.empty() ? asset.node_name(mesh_node)
                     : joint_names(asset, s, joints) + (mesh != nullptr ? " and the mesh" : "");
  finding.message =
      common ? fmt::format(
                   "the bind pose differs from the clusters by one matrix for all joints "
                   "(x{:.4g}, {:.4g}°): it was written in another unit or other axes",
                   worst.scale, worst.angle_deg)
             : fmt::format(
                   "the bind pose puts {} elsewhere than the clusters do: by up to {:.3g} "
                   "m, {:.3g}°, x{:.4g}; the rest pose agrees with {}{}",
                   who, worst.displacement, worst.angle_deg, worst.scale,
                   rest == "neither" ? "" : "the ", rest);
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  if (!is_fbx(input.asset.format) || input.asset.bind_poses.empty()) return;
  const std::vector<std::vector<const Mat4*>> posed = bind_pose_matrices(input.asset);
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) check_skin(input, sink, s, posed);
}

constexpr ParamInfo params[] = {
    {"displacement", 1e-3, 1e-6, 1.0, "of size",
     "how far the bind pose may move the vertices of a joint",
     "221 of 245 real FBX skins agree within 2.3e-6"},
    {"angle", 0.1, 1e-4, 180.0, "deg", "how far the bind pose may turn a node",
     "float32 matrices agree within 0.01"},
    {"scale", 1e-3, 1e-6, 10.0, "", "how far the bind pose may scale a node",
     "float32 matrices agree within 1e-5"},
    {"level", 2, 0, 3, "level", "how much it matters that single nodes differ",
     "an engine that trusts the bind pose shows another shape: its profile says error"}};
constexpr std::string_view not_a_fault_when[] = {
    "one matrix explains all joints: exported again in another unit or other axes (a note)",
    "the mesh's entry alone is off by a quarter turn (a note)",
    "the cluster's matrices were taken from the bind pose"};

}  // namespace

const Rule bind_pose_cluster_mismatch = {
    {.id = "bind-pose-cluster-mismatch",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "The FBX bind pose and the clusters tell of two different binds",
     .why = "Some engines deform by the clusters and take the reference pose from the bind pose; "
            "where the two differ the skeleton's reference does not fit the mesh.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh is right in one engine and bent or shifted in another; "
                           "retargeting starts from a wrong pose.",
                .action = "Put the skeleton into the pose it was bound in and save the bind pose "
                          "again.",
                .maya = "Skin > Go to Bind Pose (or bind again), delete the old bindPose nodes, "
                        "MEL: dagPose -bindPose -save -selection.",
                .max = "Go to the bind frame; Skin > Advanced Parameters > Always Deform off and "
                       "on; export again.",
                .blender = "Armature data > Rest Position, apply transforms, export again."},
     .source = "BindPose entry against TransformLink, and of the mesh against TransformLink x "
               "Transform",
     .params = params},
    check};

}  // namespace skinlint::rules
