#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rules/joint_list.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"

namespace skinlint::rules {
namespace {

/// Nodes that are no bones of any kind and stand between two joints of the skin, in node order.
std::set<std::int32_t> gaps(const Asset& asset, const Skin& skin) {
  const std::set<std::int32_t> joints(skin.joints.begin(), skin.joints.end());
  std::set<std::int32_t> between;
  std::map<std::int32_t, bool> leads_to_joint;  // of nodes above some joint, already walked
  for (const std::int32_t joint : joints) {
    if (joint < 0) continue;
    std::vector<std::int32_t> path;
    std::int32_t n = asset.nodes[static_cast<std::size_t>(joint)].parent;
    bool leads = false;
    for (; n >= 0; n = asset.nodes[static_cast<std::size_t>(n)].parent) {
      const auto known = leads_to_joint.find(n);
      if (joints.count(n) != 0 || known != leads_to_joint.end()) {
        leads = joints.count(n) != 0 || known->second;
        break;
      }
      path.push_back(n);
    }
    for (const std::int32_t passed : path) {
      leads_to_joint.emplace(passed, leads);
      const Node& node = asset.nodes[static_cast<std::size_t>(passed)];
      if (leads && !node.is_joint && !is_bone(node)) between.insert(passed);
    }
  }
  return between;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  const double limit = input.param("residue");
  std::set<std::int32_t> told;  // skins of one skeleton share its gaps
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    std::vector<std::int32_t> found;
    for (const std::int32_t node : gaps(asset, asset.skins[s])) {
      if (told.insert(node).second) found.push_back(node);
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (found.empty() || sink.skip(element)) continue;
    double size = 0.0;
    for (const std::size_t b : input.facts.bindings_of_skin(s)) {
      size = std::max(size, input.facts.bind(b).size);
    }
    std::vector<std::int32_t> moved;
    for (const std::int32_t n : found) {
      const Mat4& local = asset.nodes[static_cast<std::size_t>(n)].parent_from_node;
      const double skew = (linear(local) - Mat3::Identity()).cwiseAbs().maxCoeff();
      if (skew > limit || translation(local).norm() > limit * size) moved.push_back(n);
    }
    Finding finding =
        finding_about(input, element, moved.empty() ? Severity::note : Severity::warning);
    finding.count = found.size();
    finding.sample_of = "node";
    finding.sample_unit = "none";
    const std::vector<std::int32_t>& first = moved.empty() ? found : moved;
    for (const std::int32_t n : first) {
      finding.related.push_back({ElementKind::node, n, 0});
      if (finding.samples.size() < input.max_samples) {
        finding.samples.push_back(
            {asset.nodes[static_cast<std::size_t>(n)].id, 0.0, asset.node_name(n)});
      }
    }
    finding.measured = {whole("nodes", found.size(), "nodes"),
                        whole("with_transform", moved.size(), "nodes")};
    finding.message = fmt::format(
        "{} between joints of the skin without being a joint ({}){}",
        counted(found.size(), "node stands", "nodes stand"), asset.node_name(first.front()),
        moved.empty() ? "" : fmt::format("; {} a transform", counted(moved.size(), "has", "have")));
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"residue", 1e-4, 1e-9, 1.0, "",
     "entry of the node's matrix, or shift over the mesh's size, that counts as a transform",
     "empty groups are written as the identity, up to 1e-6"}};
constexpr std::string_view not_a_fault_when[] = {
    "the node between has no transform of its own (a note)",
    "FBX: a bone without weight between joints has no cluster, and is a bone all the same",
    "the node stands above all joints, such as an armature"};

}  // namespace

const Rule skeleton_gap = {
    {.id = "skeleton-gap",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "A node that is no joint stands between joints of a skin",
     .why =
         "Engines that build a skeleton from the joints alone lose the node between, and with it "
         "its transform or what clips key on it.",
     .not_a_fault_when = not_a_fault_when,
     .remedy =
         {.symptom = "A limb is displaced or stiff after import; clips report a missing bone.",
          .action = "Make the node between a joint, or parent the lower joint to the upper one "
                    "and delete it.",
          .maya = "Select the lower joint, then the upper, press P; delete the group, or insert "
                  "a joint in its place with Skeleton > Insert Joints.",
          .max = "Select and Link the lower bone to the upper one; replace point helpers by "
                 "bones (Animation > Bone Tools).",
          .blender = "Turn Deform on for the bone between, or export with Export Deformation "
                     "Bones Only off."},
     .source = "glTF 2.0 section 3.7.3.1 (joints may have other nodes between); FBX: Null or mesh "
               "nodes between LimbNodes",
     .params = params},
    check};

}  // namespace skinlint::rules
