#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "rules/binding_groups.h"
#include "rules/float_chain.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

double largest_coordinate(const Vec3& p) { return p.allFinite() ? p.cwiseAbs().maxCoeff() : 0.0; }

/// Largest coordinate that the vertices, as bound and as they rest, and the joints that move them
/// reach in the world.
double farthest(const RuleInput& input, std::size_t binding) {
  const Asset& asset = input.asset;
  const BindAnalysis& bind = input.facts.bind(binding);
  const Box& mesh = input.facts.influences(binding).box;
  double far = 0.0;
  for (int c = 0; c < 8 && !mesh.isEmpty(); ++c) {
    far = std::max(far, largest_coordinate(transform_point(
                            bind.consensus, mesh.corner(static_cast<Box::CornerType>(c)))));
  }
  if (!bind.posed_box.isEmpty()) {
    far = std::max(
        {far, largest_coordinate(bind.posed_box.min()), largest_coordinate(bind.posed_box.max())});
  }
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[binding].skin)];
  for (std::size_t slot = 0; slot < bind.joints.size(); ++slot) {
    if (!bind.joints[slot].weighted || skin.joints[slot] < 0) continue;
    const auto node = static_cast<std::size_t>(skin.joints[slot]);
    far = std::max(far, largest_coordinate(translation(input.facts.world_from_node()[node])));
  }
  return far;
}

/// Coarsest step of the integer positions of a mesh, in its own space; 0 when all are floats.
double position_step(const Mesh& mesh) {
  double step = 0.0;
  for (const MeshPart& part : mesh.parts) {
    const Stream& positions = part.positions;
    if (!is_integer(positions.type)) continue;
    double largest = 1.0;  // the integer that means 1
    if (positions.normalized) {
      const bool is_signed = positions.type == ComponentType::i8 ||
                             positions.type == ComponentType::i16 ||
                             positions.type == ComponentType::i32;
      const auto bits = static_cast<int>(8 * component_size(positions.type));
      largest = std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1.0;
    }
    step = std::max(step, 1.0 / largest);
  }
  return step;
}

struct Problems {
  Severity severity = Severity::off;
  std::string names, text;
  void add(Severity how_bad, const std::string& name, const std::string& what) {
    severity = std::max(severity, how_bad);
    names += (names.empty() ? "" : ", ") + name;
    text += (text.empty() ? "" : "; ") + what;
  }
};

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const std::vector<std::int32_t> flattened = flattened_by(asset);
  std::vector<Mat4f> worlds;
  for (const BindingGroup& group : binding_groups(asset)) {
    const std::size_t b = group.first;
    const BindAnalysis& bind = input.facts.bind(b);
    const auto skin = static_cast<std::size_t>(asset.bindings[b].skin);
    // What is scaled to nothing is transform-zero-scale's.
    if (bind.state == BindState::unknown || !(bind.size > 0.0) ||
        has_flattened_joint(input, skin, flattened)) {
      continue;
    }
    if (worlds.empty()) worlds = float_worlds(asset);

    const double to_units =
        asset.space == Space::canonical && asset.unit_meters > 0.0 ? 1.0 / asset.unit_meters : 1.0;
    const double units = bind.size * to_units;
    const double far = farthest(input, b) / bind.size;
    const FloatError chain = float_error(input, b, worlds);
    const double chain_error = chain.distance / bind.size;
    const double widest = linear(bind.consensus).colwise().norm().maxCoeff();
    const double step =
        position_step(asset.meshes[static_cast<std::size_t>(asset.bindings[b].mesh)]) * widest /
        bind.size;

    Problems problems;
    if (far > input.param("distance")) {
      problems.add(Severity::warning, "far-from-origin",
                   fmt::format("the mesh is {:.2g} times its own size away from the origin", far));
    }
    if (units < input.param("smallest")) {
      problems.add(Severity::warning, "too-small",
                   fmt::format("the mesh measures {:.2g} units of the file", units));
    }
    if (chain_error > std::max(input.param("rounding"), bind.tau)) {
      problems.add(
          Severity::warning, "chain-rounding",
          fmt::format("in single precision the chain above {} rounds to {:.2g} m off, {} of the "
                      "mesh's size",
                      joint_name(asset, skin, chain.slot), chain.distance,
                      percent(100.0 * chain_error)));
    }
    if (step > input.param("step_note")) {
      problems.add(step > input.param("step") ? Severity::warning : Severity::note,
                   "coarse-positions",
                   fmt::format("positions are stored in steps of {} of the mesh's size",
                               percent(100.0 * step)));
    }
    const ElementRef element{ElementKind::binding, static_cast<std::int32_t>(b), 0};
    if (problems.severity == Severity::off || sink.skip(element)) continue;
    Finding finding = finding_about(input, group, problems.severity);
    finding.measured.insert(finding.measured.end(),
                            {words("problem", problems.names), real("distance", far, "of size"),
                             real("size", units, "units"), real("rounding", chain_error, "of size"),
                             real("step", step, "of size")});
    if (chain.slot >= 0 && chain_error > std::max(input.param("rounding"), bind.tau)) {
      finding.related.push_back(joint_ref(skin, chain.slot));
    }
    finding.message = problems.text;
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"distance", 1e4, 10.0, 1e12, "of size", "largest world coordinate over the mesh's size",
     "single precision holds 1e7 steps: at 1e4 sizes a thousandth of the mesh is left"},
    {"smallest", 1e-5, 0.0, 1.0, "units", "diagonal of the mesh in the file's unit",
     "importers take vertices nearer than 1e-5 for one"},
    {"rounding", 1e-4, 1e-9, 1.0, "of size",
     "by how much evaluating the hierarchy in single precision may move a vertex; never less than "
     "the tolerance of docs/model.md",
     "float32 chains of 30 joints measure 1e-7 to 5e-7 near the origin"},
    {"step_note", 1e-4, 0.0, 1.0, "of size", "step of integer positions that is worth a note",
     "16 bits give 1e-5 to 6e-5, 12 bits 2e-4"},
    {"step", 1e-3, 0.0, 1.0, "of size", "step of integer positions that is a warning",
     "8 bits give 2e-3 to 4e-3: steps of 4 mm on a character"}};
constexpr std::string_view not_a_fault_when[] = {
    "a character stands anywhere in an ordinary scene, up to 10000 times its size from the origin",
    "long chains: rounding stays below a millionth of the size near the origin",
    "positions of 14 or 16 bits, as KHR_mesh_quantization is commonly used",
    "a joint is scaled to nothing: transform-zero-scale's",
    "compression rounded the positions before they were stored as floats: that shows nowhere"};

}  // namespace

const Rule transform_precision = {
    {.id = "transform-precision",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::binding,
     .summary =
         "Single precision cannot hold the mesh where, or in the steps in which, it is stored",
     .why = "Engines skin in single precision. Far from the origin, or through transforms that "
            "cancel each other, too few digits are left for the shape.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "Fingers and faces jitter as the character moves, or its surface looks "
                     "stepped.",
          .action = "Bring mesh and skeleton near the origin in a common unit, remove transforms "
                    "above the skeleton that undo each other, and export positions with more bits.",
          .maya = "Move mesh and root joint to the origin before Skin > Bind Skin; check "
                  "Preferences > Settings > Working Units.",
          .max = "Move mesh and bones to the origin and Reset XForm before adding Skin; check "
                 "Customize > Units Setup.",
          .blender = "Object > Apply > All Transforms near the origin on armature and meshes; "
                     "glTF export > Compression: raise Position quantization or turn it off."},
     .source = "IEEE 754 single precision (24 bits); the hierarchy evaluated in float and in "
               "double; KHR_mesh_quantization (steps of integer positions)",
     .params = params,
     .symptom = Symptom::placement},
    check};

}  // namespace skinlint::rules
