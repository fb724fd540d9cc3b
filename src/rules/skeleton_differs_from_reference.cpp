#include <fmt/format.h>

#include <cmath>

#include "rules/measures.h"
#include "rules/reference_skeleton.h"
#include "rules/rule_list.h"
#include "skinning/skeleton_difference.h"

namespace skinlint::rules {
namespace {

/// "hips, spine and 3 more".
template <typename List, typename Name>
std::string named(const List& list, const Name& name) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    text += (i == 0 ? "" : ", ") + name(list[i]);
  }
  return list.size() > most ? text + fmt::format(" and {} more", list.size() - most) : text;
}

/// Unit factors show in the distances; a scale left on a root shows in the axes.
double scale_of(const SkeletonDifference::Common& common) {
  return std::abs(common.scale - 1.0) > std::abs(common.axis_scale - 1.0) ? common.scale
                                                                          : common.axis_scale;
}

double angle_of(const SkeletonDifference::Common& common) {
  Mat4 turn = Mat4::Identity();
  turn.topLeftCorner<3, 3>() = common.rotation;
  const TransformParts parts = decompose(turn);
  return parts.valid ? parts.angle_deg : 0.0;
}

std::string describe_common(const SkeletonDifference::Common& common) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (std::abs(common.scale - 1.0) > 1e-4) {
    const auto unit = named_unit_factor(common.scale);
    add(fmt::format("scaled x{:.6g}{}", common.scale,
                    unit ? fmt::format(" ({})", unit->name) : ""));
  } else if (std::abs(common.axis_scale - 1.0) > 1e-4) {
    add(fmt::format("built of joints scaled x{:.6g}", common.axis_scale));
  }
  const bool mirrored = common.rotation.determinant() < 0.0;
  const double angle = angle_of(common);
  if (angle > 0.01 || mirrored) {
    const auto turn = nearest_axis_turn(common.rotation, 0.1);
    add(turn ? std::string(axis_turn_name(*turn))
             : fmt::format("turned {:.4g}°{}", angle, mirrored ? " and mirrored" : ""));
  }
  return text;
}

std::string describe_changes(const char* what,
                             const std::vector<SkeletonDifference::Changed>& changes,
                             const Skeleton& judged) {
  const SkeletonDifference::Changed& worst = changes.front();
  return fmt::format("{} {} differs: {} (worst {:.3g} m, {:.3g}°, x{:.4g})",
                     counted(changes.size(), "joint's", "joints'"), what,
                     named(changes,
                           [&judged](const SkeletonDifference::Changed& c) {
                             return judged.joints[static_cast<std::size_t>(c.joint)].name;
                           }),
                     worst.displacement, worst.angle_deg, worst.scale);
}

void check(const RuleInput& input, Sink& sink) {
  if (input.reference == nullptr) return;
  const Skeleton& reference = *input.reference;
  const Skeleton judged = skeleton_of(input.facts, &reference);
  if (judged.joints.empty()) return;
  SkeletonDifference difference = compare_skeletons(
      reference, judged, {input.param("displacement"), input.param("angle"), input.param("scale")});
  // A file without a skin holds clips: its rest pose is a frame of one.
  if (input.param("rest") < 0.5 || input.asset.bindings.empty()) difference.rest.clear();
  const ElementRef element{ElementKind::file, 0, 0};
  if (!difference.any() || sink.skip(element)) return;

  Finding finding = finding_about(input, element, Severity::warning);
  std::vector<std::string> parts;
  const auto of_reference = [&reference](std::int32_t joint) {
    return reference.joints[static_cast<std::size_t>(joint)].name;
  };
  const auto of_judged = [&judged](std::int32_t joint) {
    return judged.joints[static_cast<std::size_t>(joint)].name;
  };
  const auto add_sample = [&](std::int64_t node, double value, std::string label) {
    if (finding.samples.size() < input.max_samples)
      finding.samples.push_back({node, value, std::move(label)});
  };
  const auto add_related = [&](std::int32_t joint) {
    finding.related.push_back(
        {ElementKind::node, judged.joints[static_cast<std::size_t>(joint)].node, 0});
  };
  if (difference.paired == 0) {
    parts.push_back("no joint has a namesake in the reference");
  } else if (!difference.missing.empty()) {
    parts.push_back(fmt::format("{} missing: {}",
                                counted(difference.missing.size(), "joint is", "joints are"),
                                named(difference.missing, of_reference)));
  }
  for (const std::int32_t joint : difference.missing)
    add_sample(-1, 0.0, of_reference(joint) + " (missing)");
  if (!difference.extra.empty() && difference.paired > 0) {
    parts.push_back(fmt::format("{} not in the reference: {}",
                                counted(difference.extra.size(), "joint is", "joints are"),
                                named(difference.extra, of_judged)));
  }
  for (const std::int32_t joint : difference.extra) {
    add_related(joint);
    add_sample(judged.joints[static_cast<std::size_t>(joint)].node, 0.0,
               of_judged(joint) + " (extra)");
  }
  const auto pair_name = [&](const std::pair<std::int32_t, std::int32_t>& pair) {
    return of_judged(pair.first);
  };
  if (!difference.recased.empty()) {
    parts.push_back(fmt::format("{} written in other letter case: {}",
                                counted(difference.recased.size(), "name is", "names are"),
                                named(difference.recased, pair_name)));
  }
  for (const auto& [joint, namesake] : difference.recased) {
    add_related(joint);
    add_sample(judged.joints[static_cast<std::size_t>(joint)].node, 0.0,
               fmt::format("{} (reference: {})", of_judged(joint), of_reference(namesake)));
  }
  if (!difference.reparented.empty()) {
    parts.push_back(fmt::format("{} another parent: {}",
                                counted(difference.reparented.size(), "joint has", "joints have"),
                                named(difference.reparented, pair_name)));
  }
  for (const auto& pair : difference.reparented) {
    add_related(pair.first);
    add_sample(judged.joints[static_cast<std::size_t>(pair.first)].node, 0.0,
               of_judged(pair.first) + " (parent)");
  }
  if (difference.common_differs) {
    parts.push_back("the whole skeleton is " + describe_common(difference.common));
  }
  if (!difference.bind.empty()) parts.push_back(describe_changes("bind", difference.bind, judged));
  if (!difference.rest.empty())
    parts.push_back(describe_changes("rest transform", difference.rest, judged));
  for (const auto* list : {&difference.bind, &difference.rest}) {
    for (const SkeletonDifference::Changed& changed : *list) {
      add_related(changed.joint);
      add_sample(judged.joints[static_cast<std::size_t>(changed.joint)].node, changed.displacement,
                 of_judged(changed.joint) + (list == &difference.bind ? " (bind)" : " (rest)"));
    }
  }
  finding.sample_of = "joint";
  finding.sample_unit = "m";
  finding.count = difference.missing.size() + difference.extra.size() + difference.recased.size() +
                  difference.reparented.size() + difference.bind.size() + difference.rest.size() +
                  (difference.common_differs ? 1 : 0);
  const auto worst = [](const std::vector<SkeletonDifference::Changed>& list) {
    return list.empty() ? 0.0 : list.front().displacement;
  };
  finding.measured = {whole("missing", difference.missing.size(), "joints"),
                      whole("extra", difference.extra.size(), "joints"),
                      whole("renamed_by_case", difference.recased.size(), "joints"),
                      whole("reparented", difference.reparented.size(), "joints"),
                      whole("bind_differs", difference.bind.size(), "joints"),
                      whole("rest_differs", difference.rest.size(), "joints"),
                      real("worst_bind", worst(difference.bind), "m"),
                      real("worst_rest", worst(difference.rest), "m"),
                      real("scale", scale_of(difference.common)),
                      real("angle", angle_of(difference.common), "deg")};
  for (const std::string& part : parts) {
    finding.message += (finding.message.empty() ? "" : "; ") + part;
  }
  sink.report(std::move(finding));
}

constexpr ParamInfo params[] = {
    {"displacement", 1e-3, 1e-7, 1.0, "of size",
     "how far a joint may stand from its place in the reference, over the reference's size",
     "skeletons exported together agree within 1e-6; one part in a thousand shows in a hand"},
    {"angle", 0.1, 1e-4, 180.0, "deg", "how far a joint may be turned",
     "float32 matrices agree within 0.01"},
    {"scale", 1e-3, 1e-6, 10.0, "", "how far a joint may be scaled",
     "float32 matrices agree within 1e-5"},
    {"rest", 1, 0, 1, "", "1: the rest pose must be the reference's as well; 0: the bind alone",
     "a shared skeleton is shared at rest, too: clips are keyed against it"}};
constexpr std::string_view not_a_fault_when[] = {
    "no --reference is given: silent",
    "the file has no skeleton, such as a prop: silent",
    "a joint is in the file but in none of its skins, such as a glove's: it is not missing",
    "leaf and helper bones that no skin lists are more or fewer",
    "the file has no skin: its rest pose is a frame of a clip and is not compared",
    "the character stands elsewhere as a whole at rest"};

}  // namespace

const Rule skeleton_differs_from_reference = {
    {.id = "skeleton-differs-from-reference",
     .severity = Severity::warning,
     .stage = Stage::semantics,
     .scope = ElementKind::file,
     .summary = "The skeleton is not the one that --reference names",
     .why = "Clips, sockets and retargeting are made for one skeleton. A file whose joints are "
            "named, parented or bound otherwise cannot share it.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "\"Failed to merge bones\" on import, or shared clips twist and stretch "
                           "this character alone.",
                .action = "Bring the reference's skeleton into the scene and bind the mesh to it; "
                          "rename or re-parent the joints named here.",
                .maya = "Reference the shared rig's file; Skin > Edit Smooth Skin > Move Skinned "
                        "Joints, or rebind and Skin > Copy Skin Weights.",
                .max = "Merge the shared skeleton, add Skin again with its bones, and load the "
                       "envelopes by name.",
                .blender = "Append the shared armature, set it in the Armature modifier, and fit "
                           "the vertex groups' names to it."},
     .source = "joints by name: presence, parent, bind (consensus x bind matrix) and rest "
               "transforms against the reference file",
     .params = params},
    check};

}  // namespace skinlint::rules
