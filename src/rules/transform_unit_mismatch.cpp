#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Diagonal of the box of all skinned meshes as bound, metres; 0 when none is known.
double bind_size(const RuleInput& input) {
  Box box;
  for (std::size_t b = 0; b < input.asset.bindings.size(); ++b) {
    const BindAnalysis& bind = input.facts.bind(b);
    const Box& mesh = input.facts.influences(b).box;
    if (bind.state == BindState::unknown || mesh.isEmpty()) continue;
    for (int c = 0; c < 8; ++c) {
      const Vec3 corner =
          transform_point(bind.consensus, mesh.corner(static_cast<Box::CornerType>(c)));
      if (corner.allFinite()) box.extend(corner);
    }
  }
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.bindings.empty()) return;
  const double smallest = input.param("smallest"), largest = input.param("largest");
  const double size = bind_size(input);
  const bool outside = size > 0.0 && (size < smallest || size > largest);
  double factor = 1.0;  // that would put it right
  if (outside) {
    for (const double tried : {100.0, 0.01}) {
      if (size * tried >= smallest && size * tried <= largest) factor = tried;
    }
  }
  const bool original_differs =
      asset.original_unit_meters && *asset.original_unit_meters > 0.0 && asset.unit_meters > 0.0 &&
      std::abs(*asset.original_unit_meters / asset.unit_meters - 1.0) > input.param("unit");
  const ElementRef element{ElementKind::file, 0, 0};
  if ((!outside && !original_differs) || sink.skip(element)) return;
  Finding finding =
      finding_about(input, element, outside ? level(input, "size_level") : Severity::note);
  finding.measured = {real("size", size, "m"), real("factor", factor),
                      real("unit", asset.unit_meters, "m")};
  if (asset.original_unit_meters) {
    finding.measured.push_back(real("original_unit", *asset.original_unit_meters, "m"));
  }
  std::string text;
  if (outside) {
    text = fmt::format("the skinned meshes measure {:.3g} m{}", size,
                       factor > 1.0   ? ": 100 times too small for a character"
                       : factor < 1.0 ? ": 100 times too large for a character"
                                      : "");
  }
  if (original_differs) {
    text += fmt::format(
        "{}the scene was made in units of {:.6g} m and the file says {:.6g} m: a scale of {:.6g} "
        "on a root comes from there",
        text.empty() ? "" : "; ", *asset.original_unit_meters, asset.unit_meters,
        *asset.original_unit_meters / asset.unit_meters);
  }
  finding.message = text;
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {
    {"smallest", 0.01, 1e-9, 1e9, "m",
     "diagonal of all skinned meshes below which the unit is "
     "doubted",
     "an insect's rig"},
    {"largest", 200.0, 1e-9, 1e9, "m",
     "diagonal of all skinned meshes above which the unit is "
     "doubted",
     "a ship or a dragon"},
    {"unit", 1e-6, 0.0, 1.0, "", "difference of UnitScaleFactor and OriginalUnitScaleFactor",
     "both are written as the same number where nothing was converted"},
    {"size_level", 1, 0, 3, "level", "how much a size outside the range matters",
     "no format forbids ants and giants; an engine's profile knows its characters"}};
constexpr std::string_view not_a_fault_when[] = {
    "tiny props and giants: set the range for them",
    "one mesh of many is small: all skinned meshes together are measured",
    "mesh and skeleton differ in size: bind-skeleton-misplaced's"};

}  // namespace

const Rule transform_unit_mismatch = {
    {.id = "transform-unit-mismatch",
     .severity = Severity::note,
     .stage = Stage::budget,
     .scope = ElementKind::file,
     .summary = "The size of the skinned meshes, or the file's units, suggest a wrong unit",
     .why = "Centimetres read as metres make a character 170 m tall: physics, cameras and shadows "
            "of the engine no longer fit.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The character is a speck or fills the sky.",
                .action = "Set the scene's unit before export and export without a scale factor.",
                .maya = "Preferences > Settings > Working Units: Linear; FBX export > Advanced "
                        "Options > Units > Automatic.",
                .max = "Customize > Units Setup > System Unit Setup; FBX export > Units > "
                       "Automatic.",
                .blender = "Scene > Units > Unit Scale 1; FBX export > Apply Scalings: FBX Units "
                           "Scale."},
     .source = "diagonal of the skinned meshes as bound; FBX GlobalSettings UnitScaleFactor and "
               "OriginalUnitScaleFactor",
     .params = params},
    check};

}  // namespace skinlint::rules
