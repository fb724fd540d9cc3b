#include <fmt/format.h>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const double limit = input.param("tolerance");
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const Skin& skin = input.asset.skins[s];
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    std::vector<JointAmount> broken;
    for (std::size_t slot = 0; slot < skin.joint_from_mesh.size(); ++slot) {
      const auto& matrix = skin.joint_from_mesh[slot];
      if (!matrix || !matrix->allFinite()) continue;
      const double error = bottom_row_error(*matrix);
      const auto index = static_cast<std::int32_t>(slot);
      if (error > limit && !sink.skip(joint_ref(s, index))) broken.push_back({index, error});
    }
    if (broken.empty() || sink.skip(element)) continue;
    sort_worst_first(broken);
    Finding finding = finding_about(input, element, Severity::error);
    finding.poisons_element = false;
    put_joints(finding, input, s, broken);
    finding.measured = {real("worst_error", broken.front().amount)};
    finding.message =
        fmt::format("{} a last row other than 0 0 0 1, by up to {:.3g} ({})",
                    counted(broken.size(), "inverse bind matrix has", "inverse bind matrices have"),
                    broken.front().amount, joint_names(input.asset, s, broken));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"tolerance", 1e-6, 0.0, 0.1, "", "largest difference of the last row from 0 0 0 1",
     "room for float rounding; the Khronos validator demands exactness"}};

constexpr std::string_view not_a_fault_when[] = {
    "the row differs by float rounding alone, below the tolerance"};

}  // namespace

const Rule bind_matrix_not_affine = {
    {.id = "bind-matrix-not-affine",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary = "The last row of an inverse bind matrix is not 0 0 0 1",
     .why = "Such a matrix is no placement: engines drop the row or divide by it, each in its own "
            "way. A translation in the last row means that the matrix was written transposed.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "The mesh collapses to a point or stretches away, differently in each "
                           "viewer.",
                .action =
                    "In the exporter write matrices column by column (translation in elements "
                    "12 to 14); do not transpose twice.",
                .maya = "Use the current FBX or glTF exporter plug-in; custom exporters must "
                        "transpose MMatrix rows into columns.",
                .max = "Custom exporters: Matrix3 is row-major with 4 rows of 3; write each row as "
                       "one column of four.",
                .blender = "Custom exporters: Matrix is indexed by row; write matrix.transposed() "
                           "when flattening."},
     .source = "glTF 2.0 section 3.7.3.1 (the fourth row of each inverse bind matrix is 0 0 0 1)",
     .params = params,
     .symptom = Symptom::drift},
    check};

}  // namespace skinlint::rules
