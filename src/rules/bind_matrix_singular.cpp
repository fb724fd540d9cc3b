#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const double limit = input.param("relative_determinant");
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const Skin& skin = input.asset.skins[s];
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    std::vector<JointAmount> broken;
    std::vector<bool> weighted;
    std::uint64_t weighted_count = 0;
    double smallest = 1.0;
    for (std::size_t slot = 0; slot < skin.joint_from_mesh.size(); ++slot) {
      const auto& matrix = skin.joint_from_mesh[slot];
      if (!matrix || !matrix->allFinite()) continue;
      if (bottom_row_error(*matrix) > 1e-6) continue;  // bind-matrix-not-affine's
      const double det = relative_determinant(linear(*matrix));
      const auto index = static_cast<std::int32_t>(slot);
      if (!(det < limit) || sink.skip(joint_ref(s, index))) continue;
      if (weighted.empty()) weighted = weighted_slots(input, s);
      const bool carries = slot < weighted.size() && weighted[slot];
      if (carries) ++weighted_count;
      smallest = std::min(smallest, det);
      broken.push_back({index, condition_number(linear(*matrix))});
    }
    if (broken.empty() || sink.skip(element)) continue;
    sort_worst_first(broken);
    Finding finding =
        finding_about(input, element, weighted_count > 0 ? Severity::error : Severity::warning);
    finding.poisons_element = false;
    put_joints(finding, input, s, broken);
    finding.measured = {real("condition_number", broken.front().amount),
                        real("smallest_relative_determinant", smallest),
                        whole("weighted", weighted_count, "joints")};
    finding.message = fmt::format(
        "{} space ({}); {}",
        counted(broken.size(), "inverse bind matrix flattens", "inverse bind matrices flatten"),
        joint_names(input.asset, s, broken),
        weighted_count > 0
            ? fmt::format("{} weight", counted(weighted_count, "of them carries", "of them carry"))
            : std::string("none of these joints carries weight"));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {{"relative_determinant", 1e-12, 0.0, 1e-3, "",
                                 "smallest determinant over the cube of the largest stretch",
                                 "no inverse in double precision; real files are above 1e-4"}};
constexpr std::string_view not_a_fault_when[] = {
    "the joint carries no weight: a warning, since only tools that invert every matrix stumble"};

}  // namespace

const Rule bind_matrix_singular = {
    {.id = "bind-matrix-singular",
     .severity = Severity::error,
     .stage = Stage::structure,
     .scope = ElementKind::skin,
     .summary =
         "An inverse bind matrix has no inverse: it flattens space to a plane, line or point",
     .why = "A joint's bind pose is the inverse of this matrix; without one, its vertices collapse "
            "and normals cannot be computed.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "Part of the mesh is flat or gone, or shaded black.",
          .action = "Find the joint that had scale 0 when the skin was bound, give it scale 1 "
                    "and bind again.",
          .maya = "Channel Box: set scale to 1 on the joint; Skin > Unbind Skin (keep "
                  "history), then Skin > Bind Skin.",
          .max = "Select the bone, Hierarchy > Adjust Transform > Reset Scale; in Skin remove "
                 "and add the bone again.",
          .blender = "Pose mode: Pose > Apply > Apply Pose as Rest Pose after setting scale to "
                     "1; parent the mesh again with Armature Deform."},
     .source = "glTF 2.0 section 3.7.3.1; relative determinant |det| / sigma_max^3",
     .params = params},
    check};

}  // namespace skinlint::rules
