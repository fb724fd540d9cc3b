#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rules/joint_list.h"
#include "rules/rule_list.h"

namespace skinlint::rules {
namespace {

/// A weighted joint of a skin with its bind, ready to be compared.
struct BoundJoint {
  std::int32_t node = -1;
  std::int32_t slot = 0;
  Mat4 joint_from_mesh = Mat4::Identity();
  Mat4 mesh_from_joint = Mat4::Identity();
  Vec3 centroid = Vec3::Zero();  // of its vertices, mesh space
};

struct BoundSkin {
  std::size_t skin = 0;
  std::vector<BoundJoint> joints;  // by node
  double mesh_size = 0.0;          // diagonal in mesh space
};

/// The joints that two skins share, as one matrix each that carries mesh B to mesh A.
struct Comparison {
  std::vector<JointAmount> spread;  // slots of B; over the larger mesh
  std::size_t shared = 0;
  Mat4 a_from_b = Mat4::Identity();
};

BoundSkin bound_skin(const RuleInput& input, Sink& sink, std::size_t skin) {
  BoundSkin out;
  out.skin = skin;
  const Skin& source = input.asset.skins[skin];
  std::set<std::int32_t> seen;
  for (const std::size_t b : input.facts.bindings_of_skin(skin)) {
    const InfluenceAnalysis& influences = input.facts.influences(b);
    if (!influences.box.isEmpty()) {
      out.mesh_size = std::max(out.mesh_size, influences.box.diagonal().norm());
    }
    for (std::size_t slot = 0;
         slot < source.joint_from_mesh.size() && slot < influences.joints.size(); ++slot) {
      const std::int32_t node = source.joints[slot];
      if (node < 0 || !influences.joints[slot].weighted() || !source.joint_from_mesh[slot] ||
          seen.count(node) > 0) {
        continue;
      }
      const auto index = static_cast<std::int32_t>(slot);
      const Mat4& matrix = *source.joint_from_mesh[slot];
      const std::optional<Mat4> inverse = affine_inverse(matrix);
      // A last row that is off is bind-matrix-not-affine's: what such a matrix places is nobody's
      // guess.
      if (!inverse || bottom_row_error(matrix) > 1e-6 || sink.skip(joint_ref(skin, index)))
        continue;
      seen.insert(node);
      out.joints.push_back({node, index, matrix, *inverse, influences.joints[slot].centroid()});
    }
  }
  std::sort(out.joints.begin(), out.joints.end(),
            [](const BoundJoint& a, const BoundJoint& b) { return a.node < b.node; });
  return out;
}

/// Elects the a_from_b that the most shared joints agree on (ties to the lower node) and measures
/// every joint against it.
Comparison compare(const BoundSkin& a, const BoundSkin& b, double tolerance) {
  struct Shared {
    Mat4 a_from_b;
    Vec3 centroid;
    std::int32_t slot;
  };
  std::vector<Shared> shared;
  for (auto i = a.joints.begin(), j = b.joints.begin();
       i != a.joints.end() && j != b.joints.end();) {
    if (i->node != j->node) {
      ++(i->node < j->node ? i : j);
      continue;
    }
    shared.push_back({i->mesh_from_joint * j->joint_from_mesh, j->centroid, j->slot});
    ++i;
    ++j;
  }
  Comparison out;
  out.shared = shared.size();
  if (shared.size() < 2) return out;
  // Both sizes in A's mesh space; the larger, so that a button is not judged by its own size.
  const auto size_under = [&](const Mat4& elected) {
    const double scale = std::cbrt(std::abs(linear(elected).determinant()));
    return std::max(a.mesh_size, b.mesh_size * scale);
  };
  const auto spread = [](const Shared& joint, const Mat4& elected, double size) {
    const double moved =
        (transform_point(joint.a_from_b, joint.centroid) - transform_point(elected, joint.centroid))
            .norm();
    return size > 0.0 ? moved / size : 0.0;
  };
  constexpr std::size_t most_candidates = 16;
  const std::size_t step = std::max<std::size_t>(1, shared.size() / most_candidates);
  std::size_t best_votes = 0;
  for (std::size_t k = 0; k < shared.size() && best_votes < shared.size(); k += step) {
    const Mat4& elected = shared[k].a_from_b;
    const double size = size_under(elected);
    const auto votes = static_cast<std::size_t>(std::count_if(
        shared.begin(), shared.end(),
        [&](const Shared& joint) { return spread(joint, elected, size) <= tolerance; }));
    if (votes > best_votes) {
      best_votes = votes;
      out.a_from_b = elected;
    }
  }
  const double size = size_under(out.a_from_b);
  for (const Shared& joint : shared) {
    const double amount = spread(joint, out.a_from_b, size);
    if (amount > tolerance) out.spread.push_back({joint.slot, amount});
  }
  sort_worst_first(out.spread);
  return out;
}

// Every skin is compared with this many before it: a scene of thousands must not cost their square.
constexpr std::size_t most_compared = 128;

std::string skin_name(const Asset& asset, std::size_t skin) {
  return asset.path({ElementKind::skin, static_cast<std::int32_t>(skin), 0});
}

void check(const RuleInput& input, Sink& sink) {
  const Asset& asset = input.asset;
  if (asset.skins.size() < 2) return;
  const double warning = input.param("warning"), error = input.param("error");
  std::vector<BoundSkin> earlier;
  for (std::size_t s = 0; s < asset.skins.size(); ++s) {
    if (input.facts.bindings_of_skin(s).empty() || has_no_matrices(asset, s)) continue;
    BoundSkin skin = bound_skin(input, sink, s);
    if (skin.joints.empty()) continue;
    // A joint that agrees with any earlier skin is not this skin's fault.
    std::set<std::int32_t> cleared;
    std::optional<std::pair<std::size_t, Comparison>> reported;
    std::optional<std::pair<std::size_t, Comparison>> apart;  // constant offset, most joints shared
    bool same_space = false;
    for (std::size_t e = 0; e < earlier.size(); ++e) {
      Comparison c = compare(earlier[e], skin, warning);
      if (c.shared < 2) continue;
      std::set<std::int32_t> off;
      for (const JointAmount& joint : c.spread) off.insert(joint.slot);
      for (const BoundJoint& joint : skin.joints) {
        const bool shared = std::binary_search(
            earlier[e].joints.begin(), earlier[e].joints.end(), joint,
            [](const BoundJoint& a, const BoundJoint& b) { return a.node < b.node; });
        if (shared && off.count(joint.slot) == 0) cleared.insert(joint.slot);
      }
      if (c.spread.empty()) {
        const bool constant = (c.a_from_b - Mat4::Identity()).cwiseAbs().maxCoeff() >
                              1e-4 * std::max(1.0, skin.mesh_size);
        if (!constant) same_space = true;
        if (constant && (!apart || c.shared > apart->second.shared)) apart = {e, std::move(c)};
      } else if (!reported || c.spread.front().amount > reported->second.spread.front().amount) {
        reported = {e, std::move(c)};
      }
    }
    const ElementRef element{ElementKind::skin, static_cast<std::int32_t>(s), 0};
    if (reported) {
      std::vector<JointAmount>& spread = reported->second.spread;
      spread.erase(
          std::remove_if(spread.begin(), spread.end(),
                         [&](const JointAmount& joint) { return cleared.count(joint.slot) > 0; }),
          spread.end());
      if (spread.empty()) reported.reset();
    }
    if ((reported || (apart && !same_space)) && !sink.skip(element)) {
      const auto& [other, comparison] = reported ? *reported : *apart;
      const std::string other_name = skin_name(asset, earlier[other].skin);
      Severity severity = Severity::note;
      if (reported) {
        severity = comparison.spread.front().amount > error ? Severity::error : Severity::warning;
      }
      Finding finding = finding_about(input, element, severity);
      finding.poisons_element = false;
      put_joints(finding, input, s, comparison.spread);
      finding.sample_unit = "of size";
      finding.count = std::max<std::uint64_t>(1, comparison.spread.size());
      finding.measured = {
          real("worst_spread", comparison.spread.empty() ? 0.0 : comparison.spread.front().amount,
               "of size"),
          whole("shared_joints", comparison.shared, "joints"), words("other_skin", other_name)};
      finding.message =
          reported ? fmt::format("{} bound elsewhere than in skin {} ({}): by up to {} of the size",
                                 counted(comparison.spread.size(), "joint is", "joints are"),
                                 other_name, joint_names(asset, s, comparison.spread),
                                 percent(100.0 * comparison.spread.front().amount))
                   : fmt::format(
                         "the mesh is stored in another space than that of skin {}; all {} "
                         "shared joints agree on the difference",
                         other_name, comparison.shared);
      sink.report(std::move(finding));
    }
    if (earlier.size() < most_compared) earlier.push_back(std::move(skin));
  }
}

constexpr ParamInfo params[] = {
    {"warning", 1e-3, 1e-6, 1.0, "of size", "spread of a shared joint's bind to warn at",
     "skins exported together agree within 1e-5"},
    {"error", 1e-2, 1e-6, 10.0, "of size", "spread of a shared joint's bind that is an error",
     "one percent opens a visible gap between body and clothes"}};
constexpr std::string_view not_a_fault_when[] = {
    "the meshes are stored in different spaces: one constant matrix apart (a note)",
    "the skins share fewer than two joints with weight"};

}  // namespace

const Rule bind_skins_disagree = {
    {.id = "bind-skins-disagree",
     .severity = Severity::error,
     .stage = Stage::semantics,
     .scope = ElementKind::skin,
     .summary = "Two skins bind the same joint in different places",
     .why = "Meshes on one skeleton move together only when they were bound in the same pose; "
            "otherwise clothes and body part where the binds differ.",
     .not_a_fault_when = not_a_fault_when,
     .remedy = {.symptom = "Clothes, hair or a head gape from the body or sink into it near one "
                           "joint.",
                .action = "Put the skeleton into one bind pose and bind all meshes again in it.",
                .maya = "Select all meshes: Skin > Unbind Skin (keep history), Skin > Go to Bind "
                        "Pose, Skin > Bind Skin.",
                .max =
                    "Go to the bind frame; on each Skin modifier switch Always Deform off and on.",
                .blender = "Armature data > Rest Position, then export all meshes in one file with "
                           "the same armature."},
     .source = "mesh_from_joint of skin A x joint_from_mesh of skin B must be one matrix",
     .params = params},
    check};

}  // namespace skinlint::rules
