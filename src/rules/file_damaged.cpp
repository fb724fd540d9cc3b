#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

constexpr std::array<std::string_view, 2> not_a_fault_when = {
    "the file leaves out what the format has a default for",
    "FBX connections to objects that the export left out, where no skin hangs on them (a note)"};

struct Damage {
  const Repair* first = nullptr;
  std::uint64_t count = 0;
  bool affects_skinning = false;
};

void check(const RuleInput& input, Sink& sink) {
  using Key = std::pair<ElementRef, Repair::Kind>;
  std::vector<Damage> damages;  // in the order in which the reader met them
  std::map<Key, std::size_t> known;
  for (const Repair& repair : input.asset.repairs) {
    const auto [entry, is_new] = known.try_emplace({repair.element, repair.kind}, damages.size());
    if (is_new) damages.push_back({&repair, 0, false});
    Damage& damage = damages[entry->second];
    damage.count += std::max<std::uint64_t>(repair.count, 1);
    damage.affects_skinning = damage.affects_skinning || repair.affects_skinning;
  }
  for (const Damage& damage : damages) {
    // Exporters leave connections to what a selection or a filter left out; nothing skinned hangs
    // on them.
    const bool left_out = !is_gltf(input.asset.format) && !damage.affects_skinning &&
                          damage.first->kind == Repair::Kind::dangling_reference;
    const Severity harm = left_out ? Severity::note : Severity::warning;
    Finding finding = finding_about(input, damage.first->element,
                                    damage.affects_skinning ? Severity::error : harm);
    finding.count = damage.count;
    finding.locator = damage.first->locator;
    const std::string_view kind = repair_kind_name(damage.first->kind);
    finding.message = std::string(kind);
    if (!damage.first->detail.empty()) finding.message += ": " + damage.first->detail;
    if (damage.count > 1) finding.message += " (" + std::to_string(damage.count) + " times)";
    finding.measured = {words("kind", std::string(kind))};
    sink.report(std::move(finding));
  }
}

}  // namespace

constinit const Rule file_damaged{
    {.id = "file-damaged",
     .severity = Severity::error,
     .stage = Stage::read,
     .scope = ElementKind::file,
     .summary = "Part of the file is damaged and had to be repaired, skipped or replaced",
     .why =
         "Importers repair damage each in their own way, or not at all: the same file then shows "
         "different things in different engines, or crashes one.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Import fails or crashes, or parts are missing or misplaced.",
                .action = "Export the asset again from its source and copy the file completely; if "
                          "the damage comes back, the exporter or a script behind it is at fault.",
                .maya = "File > Optimize Scene Size, then File > Export Selection to a new file.",
                .max = "Select the rig and mesh, File > Export > Export Selected to a new file.",
                .blender =
                    "File > Clean Up > Purge Unused Data, then File > Export to a new file."},
     .source = "glTF 2.0 sections 3.3 to 3.6 (indices, buffer and accessor bounds); FBX binary "
               "records as published by the Blender Foundation, measured on 154 skinned files",
     .params = {}},
    check};

}  // namespace skinlint::rules
