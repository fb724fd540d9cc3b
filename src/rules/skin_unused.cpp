#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/measures.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// Bit for bit what a runtime reads: the same nodes and the same matrices.
bool same_matrices(const Skin& a, const Skin& b) {
  if (a.matrices_readable != b.matrices_readable || !a.matrices_readable) return false;
  if (a.joint_from_mesh.size() != b.joint_from_mesh.size()) return false;
  for (std::size_t slot = 0; slot < a.joint_from_mesh.size(); ++slot) {
    const std::optional<Mat4>& left = a.joint_from_mesh[slot];
    const std::optional<Mat4>& right = b.joint_from_mesh[slot];
    if (left.has_value() != right.has_value()) return false;
    if (left && !(*left == *right)) return false;
  }
  return true;
}

std::string skin_name(const Asset& asset, std::size_t skin) {
  const std::string& name = asset.skins[skin].name;
  return name.empty() ? asset.path({ElementKind::skin, static_cast<std::int32_t>(skin), 0}) : name;
}

void report_unused(const RuleInput& input, Sink& sink, std::size_t s) {
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
  if (sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::note);
  finding.measured = {words("problem", "unused"),
                      whole("joints", input.asset.skins[s].joints.size(), "joints")};
  finding.message = fmt::format("no mesh uses the skin {}", skin_name(input.asset, s));
  sink.report(std::move(finding));
}

void report_equal(const RuleInput& input, Sink& sink, const std::vector<std::size_t>& equal) {
  const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(equal.front()), 0};
  if (sink.skip(element)) return;
  Finding finding = finding_about(input, element, Severity::note);
  finding.count = equal.size();
  for (std::size_t i = 1; i < equal.size(); ++i) {
    finding.related.push_back({ElementKind::skin, static_cast<std::int32_t>(equal[i]), 0});
  }
  finding.measured = {words("problem", "equal"), whole("skins", equal.size(), "skins"),
                      whole("joints", input.asset.skins[equal.front()].joints.size(), "joints")};
  finding.message = fmt::format("{} the same joints and matrices as {}",
                                counted(equal.size() - 1, "skin holds", "skins hold"),
                                skin_name(input.asset, equal.front()));
  sink.report(std::move(finding));
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  // Skins of one joint list; an FBX skin belongs to one geometry and cannot be shared.
  std::map<std::vector<std::int64_t>, std::vector<std::vector<std::size_t>>> classes;
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (input.facts.bindings_of_skin(s).empty()) {
      report_unused(input, sink, s);
      continue;
    }
    if (!is_gltf(asset.format) || asset.skins[s].joints.empty()) continue;
    auto& lists = classes[asset.skins[s].joint_ids];
    bool known = false;
    for (std::vector<std::size_t>& list : lists) {
      if (!same_matrices(asset.skins[list.front()], asset.skins[s])) continue;
      list.push_back(s);
      known = true;
      break;
    }
    if (!known) lists.push_back({s});
  }
  for (const auto& [joints, lists] : classes) {
    for (const std::vector<std::size_t>& equal : lists) {
      if (equal.size() > 1) report_equal(input, sink, equal);
    }
  }
}

constexpr std::string_view not_a_fault_when[] = {
    "FBX: every geometry has a skin of its own, with equal bones or not",
    "skins of the same joints with different inverse bind matrices: meshes bound in other spaces"};

}  // namespace

const Rule skin_unused = {
    {.id = "skin-unused",
     .severity = Severity::note,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "No mesh uses a skin, or several skins are equal",
     .why =
         "Unused skins are left-overs of a mesh that is gone or was exported unbound. Equal skins "
         "cost memory, and engines evaluate each by itself.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "A mesh that should be skinned stands still, or the file is larger than "
                     "it needs to be.",
          .action = "Check that the mesh the skin was made for is in the export; share one skin "
                    "between meshes of one skeleton.",
          .maya = "Edit > Delete All by Type > Non-Deformer History; export the bound mesh with "
                  "its joints.",
          .max = "Export the mesh that carries the Skin modifier; delete copies of it.",
          .blender = "Export mesh and armature together; parts with one armature share a skin "
                     "when none has a transform of its own."},
     .source = "glTF 2.0 section 3.7.3 (nodes refer to skins; meshes may share one)",
     .params = {}},
    check};

}  // namespace skinlint::rules
