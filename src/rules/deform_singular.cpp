#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "rules/binding_groups.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"
#include "rules/suspect_vertices.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

/// The joint turned a right angle or more from where it was bound. Blends of joints that did not
/// are never singular: with every x^T S^-1 M_j x positive their weighted sum is positive too.
bool is_turned_far(const Mat3& consensus_inverse, const Mat3& world_from_mesh) {
  const Mat3 moved = consensus_inverse * world_from_mesh;
  const Mat3 symmetric = 0.5 * (moved + moved.transpose());
  if (!symmetric.allFinite()) return false;  // transform-non-finite's
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(symmetric, Eigen::EigenvaluesOnly);
  return !(solver.eigenvalues()[0] > 1e-6 * moved.norm());
}

struct Joints {
  SkinMatrices matrices;     // what is another rule's fault is not usable
  std::vector<bool> turned;  // per slot
  bool any_turned = false;
};

Joints joints_of(const RuleInput& input, Sink& sink, std::size_t binding, const BindAnalysis& bind,
                 const std::vector<std::int32_t>& flattened) {
  const Asset& asset = input.asset;
  const auto skin = static_cast<std::size_t>(asset.bindings[binding].skin);
  Joints out;
  out.matrices = input.facts.skin_matrices(binding);
  out.turned.assign(bind.joints.size(), false);
  const std::optional<Mat4> inverse = affine_inverse(bind.consensus);
  if (!inverse) return out;
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    const JointBind& joint = bind.joints[slot];
    const std::int32_t node = asset.skins[skin].joints[slot];
    if (!joint.weighted || joint.use != JointBind::Use::usable) continue;
    const bool flat = flattened[static_cast<std::size_t>(node)] >= 0;  // transform-zero-scale's
    const bool singular = !(relative_determinant(linear(joint.world_from_mesh)) >= 1e-9);
    const bool mirrored = joint.relative.mirrored;  // bind-matrix-mirrored's
    if (flat || singular || mirrored ||
        sink.skip(joint_ref(skin, static_cast<std::int32_t>(slot)))) {
      out.matrices.usable[slot] = false;
      continue;
    }
    out.turned[slot] = is_turned_far(linear(*inverse), linear(joint.world_from_mesh));
    out.any_turned = out.any_turned || out.turned[slot];
  }
  return out;
}

/// A pose, or a clip's frame, but not matrices stored wrongly: those are bind-rest-differs' alone.
bool is_pose(const RuleInput& input, std::size_t binding) {
  const std::optional<Diagnosis>& drift = input.facts.diagnosis(binding).drift;
  if (!drift || drift->fits.empty()) return true;
  const CauseId id = drift->fits.front().id;
  return id == CauseId::posed_after_bind || id == CauseId::saved_at_clip_key;
}

bool has_normal(const MeshPart& part, std::size_t vertex) {
  if (part.normals.data == nullptr) return part.listed_normals.values.data != nullptr;
  Vec3 normal;
  read_values(part.normals, vertex, 1, normal.data());
  return normal.allFinite() && !normal.isZero(0.0);
}

class Collapsed {
 public:
  Collapsed(const RuleInput& input, std::size_t binding, const Joints& joints)
      : input_(input),
        binding_(binding),
        joints_(joints),
        blamed_(joints.turned.size(), 0.0),
        samples_(input.max_samples) {}

  void scan() {
    const Binding& bound = input_.asset.bindings[binding_];
    const Mesh& mesh = input_.asset.meshes[static_cast<std::size_t>(bound.mesh)];
    for (std::size_t p = 0; p < bound.influences.size(); ++p) {
      const MeshPart& part = mesh.parts[p];
      const bool shaded =
          part.normals.data != nullptr || part.listed_normals.values.data != nullptr;
      if (bound.influences[p] < 0 || !shaded) continue;
      const InfluenceTable& table =
          input_.asset.influences[static_cast<std::size_t>(bound.influences[p])];
      if (table.empty() || table.vertex_count != part.vertex_count) continue;
      InfluenceReader reader(table);
      InfluenceBlock block;
      while (reader.next(block)) {
        for (std::size_t i = 0; i < block.count; ++i) {
          judge(part, p, block.first_vertex + i, block.joints_of(i), block.weights_of(i));
        }
      }
    }
  }

  std::uint64_t count = 0;
  double smallest = 1.0;

  std::vector<Sample> take_samples() { return samples_.take(); }
  /// The two heaviest joints of each vertex, those of the most vertices first.
  std::vector<JointAmount> blamed() const {
    std::vector<JointAmount> out;
    for (std::size_t slot = 0; slot < blamed_.size(); ++slot) {
      if (blamed_[slot] > 0.0) out.push_back({static_cast<std::int32_t>(slot), blamed_[slot]});
    }
    sort_worst_first(out);
    return out;
  }

 private:
  void judge(const MeshPart& part, std::size_t p, std::size_t vertex,
             std::span<const std::uint32_t> joints, std::span<const double> weights) {
    bool turned = false;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (weights[k] == 0.0) continue;
      if (!(weights[k] > 0.0) || !std::isfinite(weights[k]) || joints[k] >= joints_.turned.size() ||
          !joints_.matrices.usable[joints[k]]) {
        return;
      }
      turned = turned || joints_.turned[joints[k]];
    }
    if (!turned) return;
    const Mat3 blend = blended_linear(joints, weights, joints_.matrices);
    // |det| / norm^3 is at most the relative determinant, and cheap.
    const double norm = blend.norm();
    const double limit = input_.param("determinant");
    if (std::abs(blend.determinant()) >= limit * norm * norm * norm && norm > 0.0) return;
    const double relative = norm > 0.0 ? relative_determinant(blend) : 0.0;
    if (relative >= limit || !has_normal(part, vertex)) return;
    const auto mesh = static_cast<std::size_t>(input_.asset.bindings[binding_].mesh);
    const std::vector<bool>& used = input_.facts.used_vertices(mesh, p);
    if (vertex < used.size() && !used[vertex]) return;
    ++count;
    smallest = std::min(smallest, relative);
    const auto [first, second] = heaviest_two(weights);
    blamed_[joints[first]] += 1.0;
    if (second != first) blamed_[joints[second]] += 1.0;
    if (!samples_.wants(-relative)) return;
    const auto skin = static_cast<std::size_t>(input_.asset.bindings[binding_].skin);
    std::string label = part_label(input_.asset, binding_, static_cast<std::uint32_t>(p));
    for (const std::size_t k : {first, second}) {
      if (!label.empty()) label += ", ";
      label += fmt::format("{} {:.0f} %",
                           joint_name(input_.asset, skin, static_cast<std::int32_t>(joints[k])),
                           100.0 * weights[k]);
    }
    samples_.add(-relative, static_cast<std::int64_t>(vertex), relative, label);
  }

  static std::pair<std::size_t, std::size_t> heaviest_two(std::span<const double> weights) {
    std::size_t first = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] > weights[first]) first = k;
    }
    std::size_t second = first == 0 && weights.size() > 1 ? 1 : 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (k != first && weights[k] > weights[second]) second = k;
    }
    return {first, second};
  }

  const RuleInput& input_;
  std::size_t binding_;
  const Joints& joints_;
  std::vector<double> blamed_;  // vertices per slot
  WorstSamples samples_;
};

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  for (const BindingGroup& group : binding_groups(asset)) {
    const BindAnalysis& bind = input.facts.bind(group.first);
    if (bind.state != BindState::drift && bind.state != BindState::exploded) continue;
    const ElementRef element{ElementKind::binding, static_cast<std::int32_t>(group.first), 0};
    if (sink.skip(element)) continue;
    const Joints joints = joints_of(input, sink, group.first, bind, flattened);
    if (!joints.any_turned || !is_pose(input, group.first)) continue;
    Collapsed collapsed(input, group.first, joints);
    collapsed.scan();
    if (collapsed.count == 0) continue;
    Finding finding = finding_about(input, group, Severity::error);
    finding.poisons_element = false;
    const auto skin = static_cast<std::size_t>(asset.bindings[group.first].skin);
    const std::vector<JointAmount> blamed = collapsed.blamed();
    put_joints(finding, input, skin, blamed);
    finding.count = collapsed.count;
    finding.measured.push_back(real("smallest_determinant", collapsed.smallest));
    finding.samples = collapsed.take_samples();
    finding.sample_of = "vertex";
    finding.message = fmt::format(
        "{} to a plane or a line at rest, where the turns of {} cancel: their normals are "
        "undefined",
        counted(collapsed.count, "vertex collapses", "vertices collapse"),
        joint_names(asset, skin, blamed));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"determinant", 1e-9, 0.0, 0.1, "",
     "relative determinant of the blended matrix below which it has no inverse",
     "docs/model.md; a float's normal matrix has no digits left long before"}};
constexpr std::string_view not_a_fault_when[] = {
    "joints are turned by less than a right angle: blends of them cannot collapse",
    "the vertex has no normal, or no polygon uses it",
    "a joint is mirrored, flattened or its matrix singular: the rules for that tell of it",
    "the matrices are stored wrongly: bind-rest-differs names the cause",
    "a joint is turned half round and no vertex is shared evenly across the turn"};

}  // namespace

const Rule deform_singular = {
    {.id = "deform-singular",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "At rest the blend of joints flattens vertices: they have no normal",
     .why = "Linear blending averages matrices. Between joints turned against each other by half a "
            "turn the average is flat: the skin pinches to a line (the candy wrapper) and has no "
            "normal there.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The limb is pinched like a candy wrapper, with black or flickering "
                           "shading at the pinch.",
                .action = "Take the twist out of the rest pose, spread it over twist joints, or "
                          "weight these vertices to one side of it.",
                .maya =
                    "Skin > Go to Bind Pose; add twist joints along the limb, or set the skin's "
                    "method to Dual Quaternion where the engine supports it.",
                .max = "Put the named bones back to their bind rotation; add twist bones (Biped: "
                       "Twist Links) before Skin.",
                .blender = "Pose > Clear Transform > Rotation on the named bones before export; "
                           "spread the twist with a Copy Rotation constraint on twist bones."},
     .source = "docs/model.md: L, the weighted sum of the joints' linear parts; joints on one side "
               "of a right angle cannot cancel",
     .params = params},
    check};

}  // namespace skinlint::rules
