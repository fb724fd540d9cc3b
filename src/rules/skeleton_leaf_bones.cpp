#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "hand_end", "HeadTop_End", "LeftToeEnd", "Bip01 HeadNub": what exporters and biped rigs call the
/// tip of a chain. A word that merely ends so, such as "bend" or "backend", is none.
bool names_a_tip(std::string_view name) {
  // Copies of a name are numbered: "hand_end.001", "hand_end_12".
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) {
    name.remove_suffix(1);
  }
  while (!name.empty() && (name.back() == '.' || name.back() == '_')) name.remove_suffix(1);
  for (const std::string_view end :
       {"_end", ".end", "-end", " end", "_End", "End", "_END", "Nub", "_nub", "_NUB"}) {
    if (ends_with(name, end) && name.size() > end.size()) return true;
  }
  return name == "end" || name == "End";
}

/// Per node: some mesh gives it weight.
std::vector<bool> weighted_nodes(const RuleInput& input) {
  std::vector<bool> weighted(input.asset.nodes.size(), false);
  for (std::size_t s = 0; s < input.asset.skins.size(); ++s) {
    const std::vector<bool> slots = weighted_slots(input, s);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const std::int32_t node = input.asset.skins[s].joints[slot];
      if (slots[slot] && node >= 0) weighted[static_cast<std::size_t>(node)] = true;
    }
  }
  return weighted;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.bindings.empty()) return;  // no mesh to be without weight in
  const std::vector<bool> weighted = weighted_nodes(input);
  std::vector<std::int32_t> leaves;
  std::uint64_t listed = 0;  // of them, joints of a skin
  std::vector<bool> below_joint(asset.nodes.size(), false);
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    const Node& node = asset.nodes[n];
    if (node.parent >= 0) {
      const auto parent = static_cast<std::size_t>(node.parent);
      below_joint[n] = below_joint[parent] || asset.nodes[parent].is_joint;
    }
    const bool bone = node.is_joint || is_bone(node) || !is_fbx(asset.format);
    if (!below_joint[n] || !bone || !node.children.empty() || node.mesh >= 0 || weighted[n] ||
        !names_a_tip(node.name)) {
      continue;
    }
    leaves.push_back(static_cast<std::int32_t>(n));
    if (node.is_joint) ++listed;
  }
  const ElementRef element{ElementKind::file, 0, 0};
  if (leaves.empty() || sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::note);
  finding.count = leaves.size();
  finding.sample_of = "node";
  finding.sample_unit = "none";
  for (const std::int32_t n : leaves) {
    if (finding.samples.size() >= input.max_samples) break;
    finding.related.push_back({ElementKind::node, n, 0});
    finding.samples.push_back(
        {asset.nodes[static_cast<std::size_t>(n)].id, 0.0, asset.node_name(n)});
  }
  finding.measured = {whole("leaf_bones", leaves.size(), "bones"),
                      whole("joints", listed, "joints")};
  finding.message = fmt::format("{} only the tip of a chain ({}){}",
                                counted(leaves.size(), "bone marks", "bones mark"),
                                asset.node_name(leaves.front()),
                                listed > 0 ? fmt::format("; {} of them in a skin", listed) : "");
  sink.report(std::move(finding));
}

constexpr std::string_view not_a_fault_when[] = {
    "always, for deformation: it is one note, whatever their number",
    "the bone carries weight, has children, or has another name: silent"};

}  // namespace

const Rule skeleton_leaf_bones = {
    {.id = "skeleton-leaf-bones",
     .severity = Severity::note,
     .stage = Stage::budget,
     .scope = ElementKind::file,
     .summary = "Bones that only mark the tip of a chain came along from the source scene",
     .why = "They move nothing, cost a matrix each where the skin lists them, and make skeletons "
            "differ that should be shared.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "None on screen; retargeting or a shared skeleton reports extra bones.",
                .action =
                    "Leave the tips out of the export, for the mesh and for every clip alike.",
                .maya =
                    "Delete the end joints of a copy of the skeleton before export, or keep them "
                    "out of the exported selection.",
                .max = "FBX export: leave the Nub and end bones out of the selection.",
                .blender = "FBX export > Armature > Add Leaf Bones off."},
     .source = "Blender's FBX exporter (Add Leaf Bones, names ending in _end); 3ds Max biped (Nub)",
     .params = {}},
    check};

}  // namespace skinlint::rules
