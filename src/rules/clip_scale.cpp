#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rules/clip_keys.h"
#include "rules/measures.h"
#include "rules/rule_list.h"
#include "rules/skeleton_nodes.h"
#include "rules/worst_samples.h"

namespace skinlint::rules {
namespace {

enum Fault : std::uint8_t { zero, negative, uneven, constant, faults };

struct Tally {
  explicit Tally(std::size_t max_samples) : samples(max_samples) {}
  std::uint64_t channels[faults] = {};
  WorstSamples samples;
  std::vector<ElementRef> nodes;
  double worst_uneven = 0.0;  // largest over smallest scale, minus one
  double constant_scale = 1.0;
  std::string names[faults];  // the first node of each kind
};

double unevenness(const Vec3& scale) {
  const Vec3 size = scale.cwiseAbs();
  return size.minCoeff() > 0.0 ? size.maxCoeff() / size.minCoeff() - 1.0 : HUGE_VAL;
}

bool has_same_scale(const Vec3& a, const Vec3& b, double limit) {
  return (a - b).cwiseAbs().maxCoeff() <= limit * std::max(1e-12, b.cwiseAbs().maxCoeff());
}

class ScaleKeys {
 public:
  explicit ScaleKeys(const RuleInput& input)
      : input_(input), moves_(nodes_moving_vertices(input)) {}

  bool moves_vertices(std::int32_t node) const { return moves_[static_cast<std::size_t>(node)]; }

  /// Judges one channel; a key is reported under one kind, a channel under as many as its keys
  /// show.
  void judge(const Channel& channel, Tally& tally) const {
    const Node& node = input_.asset.nodes[static_cast<std::size_t>(channel.node)];
    const Vec3 rest = rest_scale(node);
    const bool shears = hands_down_scale(node);
    const double zero_limit = input_.param("zero"), one = input_.param("one");
    const double uneven_limit = input_.param("uneven");
    bool found[faults] = {};
    Vec3 first = Vec3::Zero();
    bool is_constant = true, any = false;
    const std::string& name = input_.asset.node_name(channel.node);
    for_each_key(channel, [&](std::size_t key, const Vec4& value) {
      const Vec3 scale = value.head<3>();
      if (!scale.allFinite()) return true;  // transform-non-finite's
      if (!any) first = scale;
      any = true;
      is_constant = is_constant && has_same_scale(scale, first, one);
      const auto sample = [&](Fault fault, double badness, double shown) {
        found[fault] = true;
        tally.samples.add(badness, static_cast<std::int64_t>(key), shown, name);
      };
      if (scale.cwiseAbs().minCoeff() < zero_limit) {
        // Flat at rest as well: transform-zero-scale's.
        if (rest.cwiseAbs().minCoeff() < zero_limit) return true;
        sample(zero, 2e6, scale.cwiseAbs().minCoeff());
      } else if (has_new_sign(scale, rest)) {
        sample(negative, 3e6, scale.minCoeff());
      } else if (shears && unevenness(scale) > uneven_limit &&
                 !has_same_scale(scale, rest, uneven_limit)) {
        tally.worst_uneven = std::max(tally.worst_uneven, unevenness(scale));
        sample(uneven, std::min(unevenness(scale), 1e6), unevenness(scale) + 1.0);
      }
      return true;
    });
    if (any && is_constant && !found[zero] && !found[negative] && !found[uneven] &&
        !has_same_scale(first, Vec3::Ones(), one) && !has_same_scale(first, rest, one)) {
      found[constant] = true;
      tally.constant_scale = std::cbrt(std::abs(first.prod()));
      tally.samples.add(0.0, 0, tally.constant_scale, name);
    }
    bool named = false;
    for (int fault = 0; fault < faults; ++fault) {
      if (!found[fault]) continue;
      if (tally.channels[fault]++ == 0) tally.names[fault] = name;
      if (!named) tally.nodes.push_back({ElementKind::node, channel.node, 0});
      named = true;
    }
  }

 private:
  /// Mirrored in the clip and not at rest. A scale of zero at rest has no sign to keep.
  static bool has_new_sign(const Vec3& scale, const Vec3& rest) {
    for (int axis = 0; axis < 3; ++axis) {
      if (scale[axis] < 0.0 && rest[axis] >= 0.0) return true;
    }
    return scale.prod() > 0.0 && rest.prod() < 0.0;
  }

  /// Some child moves vertices and is sheared by this node's uneven scale.
  bool hands_down_scale(const Node& node) const {
    return std::any_of(node.children.begin(), node.children.end(), [this](std::int32_t child) {
      const Node& below = input_.asset.nodes[static_cast<std::size_t>(child)];
      return moves_[static_cast<std::size_t>(child)] &&
             (!below.fbx || below.fbx->inherit_type == InheritType::RSrs);
    });
  }

  const RuleInput& input_;
  std::vector<bool> moves_;
};

bool has_scale_channel(const Asset& asset) {
  return std::any_of(asset.clips.begin(), asset.clips.end(), [](const Clip& clip) {
    return std::any_of(clip.channels.begin(), clip.channels.end(), [](const Channel& channel) {
      return channel.path == ChannelPath::scale && is_readable_transform(channel);
    });
  });
}

std::string describe(const Tally& tally) {
  std::string text;
  const auto add = [&](Fault fault, std::string_view what) {
    if (tally.channels[fault] == 0) return;
    text += text.empty() ? "" : "; ";
    text += tally.names[fault];
    if (tally.channels[fault] > 1) text += fmt::format(" and {} more", tally.channels[fault] - 1);
    text += fmt::format(" {}", what);
  };
  add(negative, "mirrored by a negative key");
  add(zero, "scaled to nothing");
  add(uneven, fmt::format("scaled unevenly above other joints (x{:.3g} between axes)",
                          tally.worst_uneven + 1.0));
  add(constant, fmt::format("scaled x{:.4g} throughout, unlike at rest", tally.constant_scale));
  return text;
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.bindings.empty() || !has_scale_channel(asset)) return;
  const ScaleKeys keys(input);
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    Tally tally(input.max_samples);
    for (const Channel& channel : asset.clips[c].channels) {
      if (channel.path != ChannelPath::scale || !is_readable_transform(channel)) continue;
      if (keys.moves_vertices(channel.node)) keys.judge(channel, tally);
    }
    if (tally.nodes.empty()) continue;
    const ElementRef element{ElementKind::clip, static_cast<std::int32_t>(c), 0};
    if (sink.skip(element)) continue;
    const Severity severity = tally.channels[negative] > 0 ? Severity::error
                              : tally.channels[zero] + tally.channels[uneven] > 0
                                  ? Severity::warning
                                  : Severity::note;
    Finding finding = finding_about(input, element, severity);
    finding.poisons_element = false;
    finding.count = tally.nodes.size();
    finding.related = std::move(tally.nodes);
    finding.measured = {whole("zero", tally.channels[zero], "channels"),
                        whole("negative", tally.channels[negative], "channels"),
                        whole("uneven", tally.channels[uneven], "channels"),
                        whole("constant", tally.channels[constant], "channels"),
                        real("worst_uneven", tally.worst_uneven)};
    finding.samples = tally.samples.take();
    finding.sample_of = "key";
    finding.message = describe(tally);
    sink.report(std::move(finding));
  }
}

constexpr ParamInfo params[] = {
    {"zero", default_flat_scale, 0.0, 1.0, "", "scale of a key that counts as nothing",
     "as transform-zero-scale: its inverse no longer fits a float"},
    {"uneven", 1e-3, 1e-6, 10.0, "", "largest over smallest scale of a key, minus one",
     "as transform-non-uniform-scale: below it shear does not show"},
    {"one", 1e-3, 1e-6, 1.0, "", "difference of scales that is no rounding",
     "baked keys of unscaled joints stay within 1e-4 of 1"}};
constexpr std::string_view not_a_fault_when[] = {
    "the rest pose has the same scale: the channel only repeats it",
    "a joint without joints below is squashed and stretched",
    "FBX: the joints below inherit scale in another way: transform-inherit-type's",
    "the tangents of cubic keys are negative or zero: they are no scales",
    "the node moves no skinned vertices: props and hidden meshes"};

}  // namespace

const Rule clip_scale = {
    {.id = "clip-scale",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::clip,
     .summary = "A clip scales joints by nothing, by a negative number, unevenly, or needlessly",
     .why =
         "Joints hand their scale down: an uneven one shears what is below, a negative one turns "
         "it inside out, and a zero has no inverse. Many engines drop scale keys or keep only "
         "even ones.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "While the clip plays, limbs shear, turn inside out or vanish; in other "
                           "engines the character has another size.",
                .action = "Delete the scale keys of joints that need none; animate squash on "
                          "joints without children; mirror poses by rotation.",
                .maya =
                    "Graph Editor: select Scale X/Y/Z, Delete; turn Segment Scale Compensate on "
                    "for squash rigs and say so in the engine's import.",
                .max = "Motion panel > Parameters > PRS: delete the scale keys; avoid Squash in "
                       "Bone Tools for exported bones.",
                .blender =
                    "Dope Sheet: select the Scale channels, Delete; glTF export > Animation > "
                    "Optimize Animation Size removes constant ones."},
     .source = "glTF 2.0 section 3.11 (scale channels); FBX Lcl Scaling curves, joined per key",
     .params = params},
    check};

}  // namespace skinlint::rules
