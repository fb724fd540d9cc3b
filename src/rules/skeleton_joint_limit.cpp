#include <fmt/format.h>

#include <algorithm>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("limit");
  const Severity severity = level(input, "level");
  if (severity == Severity::off) return;
  for (const std::size_t s : distinct_skeletons(asset)) {
    const std::size_t joints = asset.skins[s].joints.size();
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (!(static_cast<double>(joints) > limit) || sink.skip(element)) continue;
    const std::vector<bool> weighted = weighted_slots(input, s);
    const auto used =
        static_cast<std::uint64_t>(std::count(weighted.begin(), weighted.end(), true));
    Finding finding = finding_about(input, element, severity);
    finding.poisons_element = false;
    finding.count = joints;
    finding.measured = {whole("joints", joints, "joints"), whole("weighted", used, "joints")};
    finding.message =
        fmt::format("the skin has {} joints, more than {:g}; {} carry weight", joints, limit, used);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"limit", 256.0, 1.0, 65536.0, "joints", "joints in one skin",
     "8-bit joint indices and common matrix palettes hold 256"},
    {"level", 1, 0, 3, "level", "how much a skin beyond the limit matters",
     "most engines split such a skin or use 16-bit indices; some refuse it"}};
constexpr std::string_view not_a_fault_when[] = {
    "avatars with hair and cloth chains, such as VRM, of 300 to 600 joints (a note)",
    "several skins share one skeleton: each is counted by itself"};

}  // namespace

const Rule skeleton_joint_limit = {
    {.id = "skeleton-joint-limit",
     .severity = Severity::note,
     .stage = Stage::budget,
     .scope = ElementKind::skin,
     .summary = "A skin has more joints than an engine's palette holds",
     .why = "A draw call gets one matrix per joint. Beyond the engine's limit the mesh is split, "
            "costs more, or loses joints.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "The mesh is split on import, the import is refused, or some joints do "
                     "not move.",
          .action = "Take joints that move nothing out of the skin, or split the mesh so that "
                    "each part uses fewer joints.",
          .maya = "Skin > Edit Influences > Remove Unused Influences; Mesh > Separate for parts "
                  "bound on their own.",
          .max = "Skin modifier > Parameters > Bones: Remove what moves nothing; Detach parts "
                 "with a Skin of their own.",
          .blender = "Bone properties > Deform off for helpers; export with Export Deformation "
                     "Bones Only; separate the mesh (P)."},
     .source = "glTF 2.0 section 3.7.3.3 (JOINTS_n of 8 or 16 bits)",
     .params = params},
    check};

}  // namespace skinlint::rules
