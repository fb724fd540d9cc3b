#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// What the running configuration does not allow in a name.
struct Forbidden {
  std::string characters;  // printable ASCII
  bool non_ascii = false;
  std::size_t longest = 0;  // characters, not bytes

  bool has(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) return true;  // no engine shows control characters
    if (byte >= 0x80) return non_ascii;
    return characters.find(c) != std::string::npos;
  }
};

Forbidden forbidden(const RuleInput& input) {
  Forbidden out;
  const auto add = [&](std::string_view flag, const char* characters) {
    if (input.param(flag) >= 0.5) out.characters += characters;
  };
  add("spaces", " ");
  add("dots", ".");
  add("slashes", "/");
  add("colons", ":");
  add("brackets", "[]");
  add("symbols", ",`%+");
  out.non_ascii = input.param("non_ascii") >= 0.5;
  out.longest = static_cast<std::size_t>(input.param("longest"));
  return out;
}

/// UTF-8: every byte that is not a continuation begins a character.
std::size_t length_of(std::string_view name) {
  return static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// The characters met, each once: printable ones as they are.
void note_characters(std::string_view name, const Forbidden& rules, std::set<std::string>& met) {
  for (const char c : name) {
    if (!rules.has(c)) continue;
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      met.insert("non-ASCII");
    } else if (byte < 0x20 || byte == 0x7F) {
      met.insert("control");
    } else {
      met.insert(c == ' ' ? "space" : std::string(1, c));
    }
  }
}

std::string replaced(std::string name, const Forbidden& rules) {
  for (char& c : name) {
    if (rules.has(c)) c = '_';
  }
  return name;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const Forbidden rules = forbidden(input);
  for (const std::size_t s : distinct_skeletons(asset)) {
    const Skin& skin = asset.skins[s];
    std::vector<JointAmount> joints;
    std::set<std::string> met;
    std::uint64_t too_long = 0;
    std::map<std::string, std::set<std::string_view>> after;  // names by what becomes of them
    for (std::size_t slot = 0; slot < skin.joints.size(); ++slot) {
      if (skin.joints[slot] < 0) continue;
      const std::string& name = asset.nodes[static_cast<std::size_t>(skin.joints[slot])].name;
      const bool longer = length_of(name) > rules.longest;
      const bool bad =
          std::any_of(name.begin(), name.end(), [&rules](char c) { return rules.has(c); });
      after[replaced(name, rules)].insert(name);
      if (!bad && !longer) continue;
      if (longer) ++too_long;
      note_characters(name, rules, met);
      joints.push_back({static_cast<std::int32_t>(slot), 0.0});
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (joints.empty() || sink.skip(element)) continue;
    std::uint64_t collisions = 0;
    for (const auto& [name, originals] : after) {
      if (originals.size() > 1) collisions += originals.size();
    }
    std::string characters;
    for (const std::string& one : met) characters += (characters.empty() ? "" : " ") + one;
    Finding finding = finding_about(input, element, Severity::warning);
    put_joints(finding, input, s, joints);
    finding.sample_unit = "none";
    finding.measured = {words("characters", characters), whole("too_long", too_long, "joints"),
                        whole("collisions", collisions, "joints")};
    finding.message =
        fmt::format("{} by the engine ({}){}{}{}",
                    counted(joints.size(), "joint name is changed", "joint names are changed"),
                    joint_names(asset, s, joints), met.empty() ? "" : ": they hold " + characters,
                    too_long > 0 ? fmt::format("; {} too long", too_long) : "",
                    collisions > 0 ? fmt::format("; {} become equal by it", collisions) : "");
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo flag(std::string_view name, double by_default, std::string_view meaning,
                         std::string_view source) {
  return {name, by_default, 0.0, 1.0, "0 or 1", meaning, source};
}

constexpr ParamInfo params[] = {
    flag("spaces", 1, "1: no spaces",
         "Unreal Engine reference, FixupBoneName: spaces become dashes, at the ends they go; "
         "three.js: they become underscores"),
    flag("dots", 1, "1: no dots",
         "Unreal Engine's FBX and Interchange importers write an underscore for a dot; three.js "
         "takes it out (reserved in animation tracks)"),
    flag(
        "slashes", 1, "1: no slashes",
        "Unity's animation paths part nodes by slashes; Godot refuses a bone name with one; Unreal "
        "Engine and three.js change it"),
    flag("colons", 1, "1: no colons",
         "Unreal Engine cuts off what stands before a colon as a namespace; Godot refuses a bone "
         "name with one; three.js takes it out"),
    flag("brackets", 1, "1: no square brackets",
         "three.js takes them out (reserved in animation tracks)"),
    flag("symbols", 1, "1: no comma, backquote, percent or plus sign",
         "Unreal Engine's FBX and Interchange importers write underscores for them"),
    flag("non_ascii", 0, "1: letters, digits and signs of ASCII only",
         "engines of today keep all of Unicode; FBX files of old code pages do not"),
    {"longest", 1023.0, 1.0, 65535.0, "characters", "length of a name",
     "Unreal Engine's FName holds 1023 characters"}};
constexpr std::string_view not_a_fault_when[] = {
    "the engine in question keeps the name: each profile forbids what its engine changes",
    "names of other scripts, unless non_ascii is set",
    "a mesh, material or clip is named so: joints alone are judged"};

}  // namespace

const Rule skeleton_name_characters = {
    {.id = "skeleton-name-characters",
     .severity = Severity::warning,
     .stage = Stage::budget,
     .scope = ElementKind::skin,
     .summary = "Joint names hold characters that an engine changes or refuses",
     .why =
         "Clips, sockets and scripts find joints by name. A name that the importer changes is not "
         "found any more, and two names may become one.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "A clip moves nothing on some joints, a socket is lost, or bones appear "
                           "under other names.",
                .action = "Name joints with letters, digits, underscores and dashes, alike in the "
                          "mesh's file and in every clip's.",
                .maya = "Windows > General Editors > Namespace Editor: Merge with Root; Modify > "
                        "Search and Replace Names.",
                .max = "Tools > Rename Objects on the selected bones.",
                .blender =
                    "Batch Rename (Ctrl+F2) on the selected bones: Find/Replace; sides may end "
                    "in _L and _R as well as in .L and .R."},
     .source = "Unreal Engine reference (FixupBoneName) and importer; Godot pull request 42577 and "
               "collada-exporter issue 91; three.js issue 21097; Unity scripting reference, "
               "AnimationClip.SetCurve",
     .params = params,
     .on_by_default = false},
    check};

}  // namespace skinlint::rules
