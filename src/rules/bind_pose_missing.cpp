#include <fmt/format.h>

#include <algorithm>

#include "rules/bind_records.h"
#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (!is_fbx(asset.format)) return;
  const std::vector<std::vector<const Mat4*>> posed = bind_pose_matrices(asset);
  std::vector<std::size_t> without;
  bool unrecorded = false;  // no cluster matrix either
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    const Skin& skin = asset.skins[s];
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    const bool has_bone = std::any_of(skin.joints.begin(), skin.joints.end(),
                                      [](std::int32_t node) { return node >= 0; });
    const bool any = std::any_of(skin.joints.begin(), skin.joints.end(), [&](std::int32_t node) {
      return node >= 0 && !posed[static_cast<std::size_t>(node)].empty();
    });
    if (!has_bone || any || input.facts.bindings_of_skin(s).empty() || sink.skip(element)) continue;
    without.push_back(s);
    const std::vector<bool> weighted = weighted_slots(input, s);
    for (std::size_t slot = 0; slot < skin.clusters.size(); ++slot) {
      if (weighted[slot] && !skin.joint_from_mesh[slot]) unrecorded = true;
    }
  }
  const ElementRef element{ElementKind::file, 0, 0};
  if (without.empty() || sink.skip(element)) return;
  Finding finding = finding_about(input, element,
                                  unrecorded ? Severity::warning : level(input, "clusters_level"));
  finding.count = without.size();
  for (const std::size_t s : without) {
    const ElementRef skin{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (finding.samples.size() >= input.max_samples) break;
    finding.related.push_back(skin);
    finding.samples.push_back({static_cast<std::int64_t>(s), 0.0, asset.path(skin)});
  }
  finding.sample_of = "skin";
  finding.sample_unit = "none";
  finding.measured = {whole("skins_without", without.size()), whole("skins", asset.skins.size()),
                      words("recorded_by", unrecorded ? "nothing" : "clusters")};
  finding.message = fmt::format(
      "{} no bind pose; {}", counted(without.size(), "skin has", "skins have"),
      unrecorded ? "nor do its clusters store the bind: nothing says how the mesh was bound"
                 : "the clusters alone say how the mesh was bound");
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {{"clusters_level", 1, 0, 3, "level",
                                 "how much it matters where the clusters store the bind",
                                 "glTF converters and most engines read the clusters"}};
constexpr std::string_view not_a_fault_when[] = {
    "the clusters store the bind, which is enough for most engines (a note)",
    "the file has no skin"};

}  // namespace

const Rule bind_pose_missing = {
    {.id = "bind-pose-missing",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::file,
     .summary = "An FBX skin has no bind pose",
     .why =
         "Engines that want a bind pose make one up from the first frame or the rest pose, which "
         "need not be the pose in which the mesh was bound.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "\"No bind pose found\" on import; the mesh is deformed in its "
                           "reference pose.",
                .action = "Restore the bind pose in the source scene and export it with the skin.",
                .maya = "Put the skeleton into the bind pose: Skin > Go to Bind Pose; if it is "
                        "gone, bind again. MEL: dagPose -bindPose -save -selection.",
                .max = "Export with Skin as the top modifier; the exporter writes the bind pose "
                       "from it.",
                .blender = "Export armature and mesh together; the exporter writes the bind pose "
                           "from the Rest Position."},
     .source = "FBX objects Pose of type BindPose",
     .params = params},
    check};

}  // namespace skinlint::rules
