#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/letters.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

struct NameFaults {
  std::vector<std::int32_t> duplicate, unnamed, case_only;  // slots
  bool any() const { return !duplicate.empty() || !unnamed.empty() || !case_only.empty(); }
};

/// Every joint has a name, and no two differ in capitals alone or not at all: so it is in nearly
/// every skin. Told by hashes; a collision only costs a closer look.
bool tells_joints_apart(const Asset& asset, const Skin& skin) {
  std::vector<std::size_t> hashes;
  hashes.reserve(skin.joints.size());
  std::string name;
  for (const std::int32_t joint : skin.joints) {
    if (joint < 0) continue;
    name = asset.nodes[static_cast<std::size_t>(joint)].name;
    if (name.empty()) return false;
    for (char& c : name) c = lower_case(c);
    hashes.push_back(std::hash<std::string>()(name));
  }
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

NameFaults judge(const Asset& asset, const Skin& skin) {
  std::map<std::string_view, std::size_t> bearers;         // joints of one name
  std::map<std::string, std::set<std::string>> spellings;  // by lower case
  std::set<std::int32_t> seen;  // one node in two slots is skeleton-joint-repeated's
  std::vector<std::int32_t> slots;
  for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
    const std::int32_t joint = skin.joints[slot];
    if (joint < 0 || !seen.insert(joint).second) continue;
    slots.push_back(static_cast<std::int32_t>(slot));
    const std::string& name = asset.nodes[static_cast<std::size_t>(joint)].name;
    ++bearers[name];
    spellings[lower_case(name)].insert(name);
  }
  NameFaults faults;
  for (const std::int32_t slot : slots) {
    const std::string& name =
        asset.nodes[static_cast<std::size_t>(skin.joints[static_cast<std::size_t>(slot)])].name;
    if (name.empty()) {
      faults.unnamed.push_back(slot);
    } else if (bearers[name] > 1) {
      faults.duplicate.push_back(slot);
    } else if (spellings[lower_case(name)].size() > 1) {
      faults.case_only.push_back(slot);
    }
  }
  return faults;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const Severity severity = level(input, "level");
  if (severity == Severity::off) return;
  for (const std::size_t s : distinct_skeletons(asset)) {
    if (tells_joints_apart(asset, asset.skins[s])) continue;
    const NameFaults faults = judge(asset, asset.skins[s]);
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (!faults.any() || sink.skip(element)) continue;
    Finding finding = finding_about(input, element, severity);
    finding.poisons_element = false;  // matrices and weights do not depend on names
    std::vector<JointAmount> joints;
    for (const auto* list : {&faults.duplicate, &faults.unnamed, &faults.case_only}) {
      for (const std::int32_t slot : *list) joints.push_back({slot, 0.0});
    }
    put_joints(finding, input, s, joints);
    finding.sample_unit = "none";
    finding.measured = {whole("duplicate", faults.duplicate.size(), "joints"),
                        whole("unnamed", faults.unnamed.size(), "joints"),
                        whole("case_only", faults.case_only.size(), "joints")};
    const auto add = [&](const std::vector<std::int32_t>& slots, const char* one,
                         const char* many) {
      if (slots.empty()) return;
      finding.message += finding.message.empty() ? "" : ", ";
      finding.message += counted(slots.size(), one, many);
      if (slots != faults.unnamed) {
        finding.message += fmt::format(" ({})", joint_name(asset, s, slots.front()));
      }
    };
    add(faults.duplicate, "joint has the name of another", "joints share their names with others");
    add(faults.unnamed, "joint has no name", "joints have no name");
    add(faults.case_only, "name differs from another only in capitals",
        "names differ from others only in capitals");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"level", 1, 0, 3, "level", "how much names that do not tell joints apart matter",
     "glTF and FBX identify joints by index or id; Unity, Godot and Unreal by name"}};
constexpr std::string_view not_a_fault_when[] = {
    "a joint shares its name with a mesh, a material or a joint of another skin",
    "one node listed twice: skeleton-joint-repeated's",
    "the file is only read by tools that go by index (a note)"};

}  // namespace

const Rule skeleton_joint_names = {
    {.id = "skeleton-joint-names",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Joints of one skin have no name, one name, or names that differ only in capitals",
     .why =
         "Engines and retargeting find joints by name. Two joints of one name become one, or the "
         "importer invents a name that no clip knows.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Import stops or renames bones; clips move the wrong limb or none.",
                .action = "Give every joint of the skeleton a name of its own that differs in more "
                          "than capitals, then export mesh and clips again.",
                .maya = "Outliner: rename the joints; Modify > Search and Replace Names or Prefix "
                        "Hierarchy Names for one limb's chain.",
                .max = "Tools > Rename Objects on the selected bones, numbered or with a prefix.",
                .blender =
                    "Edit mode: F2, or Batch Rename (Ctrl+F2) on the selected bones. Names in "
                    "one armature are unique there: several armatures were merged in export."},
     .source =
         "glTF 2.0 section 3.3 (names need not be unique); Unreal Engine reference: FName does "
         "not tell capitals apart; Godot: a bone needs a unique name",
     .params = params},
    check};

}  // namespace skinlint::rules
