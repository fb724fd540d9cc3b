#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rules/binding_groups.h"
#include "rules/morph_absolute.h"
#include "rules/morph_offsets.h"
#include "rules/rule_list.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

struct Reasons {
  Severity severity = Severity::off;
  std::string text;
  void add(Severity grade, const std::string& reason) {
    severity = std::max(severity, grade);
    text += (text.empty() ? "" : "; ") + reason;
  }
};

/// How far a linear map that is left out, or applied once too often, takes an offset of length 1.
double distance_from_identity(const Mat3& m) {
  const Mat3 difference = m - Mat3::Identity();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(difference.transpose() * difference,
                                                   Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues()[2]));
}

void judge_residue(const RuleInput& input, const Binding& binding, double longest, double size,
                   Finding& finding, Reasons& reasons) {
  if (is_gltf(input.asset.format)) return;
  const Mat3 residue = linear(binding.node_from_geometry);
  if (!residue.allFinite()) return;  // transform-non-finite's
  if (!((residue - Mat3::Identity()).cwiseAbs().maxCoeff() > input.param("residue"))) return;
  const double off = longest * distance_from_identity(residue);
  finding.measured.push_back(real("residue_displacement", off, "m"));
  reasons.add(Severity::warning,
              fmt::format("a geometric transform stands between the shapes and the mesh: importers "
                          "that bake it into the vertices alone move them {} of the size wrongly",
                          percent(size > 0.0 ? 100.0 * off / size : 0.0)));
}

/// The mesh is shown as large as it was bound: a node that was only moved or turned since is no
/// matter of scale (bind-mesh-moved's).
bool bind_holds_scale(const RuleInput& input, const Binding& binding, const BindAnalysis& bind) {
  const Mat4& world = input.facts.world_from_node()[static_cast<std::size_t>(binding.node)];
  const TransformParts now = decompose(world * binding.node_from_geometry);
  const TransformParts bound = decompose(bind.consensus);
  return now.valid && bound.valid &&
         std::abs(now.uniform_scale() / bound.uniform_scale() - 1.0) <= input.param("scale");
}

void judge_scale(const RuleInput& input, const Binding& binding, const BindAnalysis& bind,
                 Finding& finding, Reasons& reasons) {
  const Node& node = input.asset.nodes[static_cast<std::size_t>(binding.node)];
  const TransformParts own = decompose(node.parent_from_node);
  if (!own.valid) return;  // transform-zero-scale's, transform-non-finite's
  const double limit = input.param("scale");
  const bool uneven = own.non_uniformity() > limit;
  const bool scaled = std::abs(own.uniform_scale() - 1.0) > limit;
  // Where the bind of a glTF does not hold it, the format ignores it for shapes and vertices alike.
  const bool harmful = is_gltf(input.asset.format)
                           ? uneven && bind.candidate == Candidate::mesh_node
                           : uneven || (scaled && !bind_holds_scale(input, binding, bind));
  if (bind.state == BindState::unknown || !harmful) return;
  finding.measured.push_back(real("mesh_scale", own.uniform_scale()));
  finding.measured.push_back(real("mesh_non_uniformity", own.non_uniformity()));
  reasons.add(Severity::warning,
              uneven ? fmt::format("the mesh node is scaled unevenly (by {:.3g} between its axes) "
                                   "above shapes",
                                   own.non_uniformity() + 1.0)
                     : fmt::format("the mesh node is scaled x{:.4g} above shapes and the bind does "
                                   "not hold it",
                                   own.uniform_scale()));
}

class MorphSpace {
 public:
  MorphSpace(const RuleInput& input, Sink& sink) : input_(input), sink_(sink) {}

  void check(const BindingGroup& group) {
    const Asset& asset = input_.asset;
    const Binding& binding = asset.bindings[group.first];
    const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
    if (mesh.morphs.empty()) return;
    const BindAnalysis& bind = input_.facts.bind(group.first);
    const Box& box = input_.facts.influences(group.first).box;
    const TransformParts space = decompose(bind.consensus);
    const double stretch =
        bind.state != BindState::unknown && space.valid ? space.singular_values[0] : 1.0;
    const double size = bind.size > 0.0 ? bind.size
                        : box.isEmpty() ? 0.0
                                        : stretch * box.diagonal().norm();
    Finding finding = finding_about(input_, group, Severity::note);
    Reasons reasons;
    const double longest = judge_offsets(mesh, stretch, size, finding, reasons);
    judge_residue(input_, binding, longest, size, finding, reasons);
    judge_scale(input_, binding, bind, finding, reasons);
    if (reasons.severity == Severity::off || sink_.skip(finding.element)) return;
    finding.severity = reasons.severity;
    finding.poisons_element = false;
    finding.message = reasons.text;
    sink_.report(std::move(finding));
  }

 private:
  /// Returns the length of the longest offset, metres.
  double judge_offsets(const Mesh& mesh, double stretch, double size, Finding& finding,
                       Reasons& reasons) {
    WorstSamples samples(input_.max_samples);
    std::uint64_t far = 0, broken = 0;
    double longest = 0.0;
    AbsoluteProbe probe(mesh);
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      double reach = 0.0;
      std::uint64_t non_finite = 0;
      for (const MorphTarget::Shape& shape : mesh.morphs[t].shapes) {
        reach = std::max(reach, stretch * reach_.longest(mesh, shape));
        non_finite += reach_.non_finite(mesh, shape);
      }
      if (non_finite > 0) {
        broken += non_finite;
        samples.add(std::nan(""), static_cast<std::int64_t>(t), std::nan(""), mesh.morphs[t].name);
      }
      if (!(size > 0.0) || !(reach > input_.param("offset_note") * size)) {
        longest = std::max(longest, reach);
        continue;
      }
      if (absolute_fit(probe, mesh.morphs[t])) continue;  // morph-absolute's
      longest = std::max(longest, reach);
      ++far;
      samples.add(reach, static_cast<std::int64_t>(t), reach, mesh.morphs[t].name);
    }
    finding.measured.push_back(real("longest_offset", longest, "m"));
    finding.measured.push_back(
        real("longest_offset_percent", size > 0.0 ? 100.0 * longest / size : 0.0, "%"));
    finding.samples = samples.take();
    finding.sample_of = "shape";
    finding.sample_unit = "m";
    if (broken > 0) {
      finding.measured.push_back(whole("non_finite_offsets", broken));
      reasons.add(Severity::error,
                  counted(broken, "offset is NaN or infinite", "offsets are NaN or infinite"));
    }
    if (far > 0) {
      finding.count = far;
      reasons.add(
          longest > input_.param("offset_warning") * size ? Severity::warning : Severity::note,
          fmt::format("{} vertices by up to {:.3g} m, {:.3g} times the mesh's size",
                      counted(far, "shape moves", "shapes move"), longest, longest / size));
    }
    return longest;
  }

  const RuleInput& input_;
  Sink& sink_;
  MorphReach reach_;
};

void check(const RuleInput& input, Sink& sink) {
  MorphSpace rule(input, sink);
  for (const BindingGroup& group : binding_groups(input.asset)) rule.check(group);
}

constexpr ParamInfo params[] = {
    {"offset_note", 1.0, 0.01, 1e6, "of size", "length of an offset that is noted",
     "expressions and correctives stay far below; clothes that a shape hides reach the size"},
    {"offset_warning", 3.0, 0.01, 1e6, "of size", "length of an offset that is a warning",
     "offsets in another unit are 2.54 to 100 times too long"},
    {"residue", 1e-4, 1e-9, 1.0, "", "entry of the geometric matrix that is no rounding",
     "exporters write the identity exactly or leave it out"},
    {"scale", 1e-3, 1e-9, 1.0, "",
     "scale of the mesh node, or unevenness of it, that is no rounding",
     "frozen nodes are written as 1, up to 1e-6"}};
constexpr std::string_view not_a_fault_when[] = {
    "the mesh node has an even scale that the bind holds: shapes and vertices share it",
    "the offsets are large because the shape holds positions: morph-absolute's",
    "glTF: a scale of the mesh node that the format ignores: transform-ignored-on-skin's",
    "a geometric transform that only moves: offsets have no place"};

}  // namespace

const Rule morph_space = {
    {.id = "morph-space",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary = "Morph targets may be in another space or unit than the mesh's vertices",
     .why = "Offsets and vertices must be turned and scaled alike. Importers bake a geometric "
            "transform or an uneven scale into the vertices and forget the offsets.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Expressions pull the face sideways, too far or hardly at all in the "
                           "engine, while the skin itself deforms rightly.",
                .action = "Freeze the mesh before making shapes and skin; export mesh and shapes "
                          "with one unit.",
                .maya = "Modify > Freeze Transformations on base and targets before Deform > Blend "
                        "Shape; delete history.",
                .max = "Utilities > Reset XForm and collapse on base and targets, then add Morpher "
                       "and Skin.",
                .blender =
                    "Object > Apply > All Transforms on the mesh before adding shape keys and "
                    "the armature modifier."},
     .source = "docs/model.md (morph first, then skin, both in mesh space); importers' reports of "
               "shapes under geometric transforms",
     .params = params},
    check};

}  // namespace skinlint::rules
