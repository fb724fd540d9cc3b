#include "skinning/skeleton_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/letters.h"

namespace skinlint {
namespace {

const Mat4& bind_or_rest(const Skeleton::Joint& joint) {
  return joint.bind ? *joint.bind : joint.rest;
}

/// judged joint -> reference joint, -1 where unpaired.
std::vector<std::int32_t> pair_joints(const Skeleton& reference, const Skeleton& judged,
                                      SkeletonDifference& out) {
  std::vector<std::int32_t> reference_of(judged.joints.size(), -1);
  std::vector<bool> taken(reference.joints.size(), false);
  const auto pair_by = [&](const auto& key, bool recased) {
    std::multimap<std::string, std::int32_t> free;
    for (std::size_t r = 0; r < reference.joints.size(); ++r) {
      if (!taken[r]) free.emplace(key(reference.joints[r].name), static_cast<std::int32_t>(r));
    }
    for (std::size_t j = 0; j < judged.joints.size(); ++j) {
      if (reference_of[j] >= 0) continue;
      const auto found = free.find(key(judged.joints[j].name));
      if (found == free.end()) continue;
      reference_of[j] = found->second;
      taken[static_cast<std::size_t>(found->second)] = true;
      if (recased) out.recased.emplace_back(static_cast<std::int32_t>(j), found->second);
      free.erase(found);
    }
  };
  pair_by([](const std::string& name) { return name; }, false);
  pair_by([](const std::string& name) { return lower_case(name); }, true);
  return reference_of;
}

/// The nearest joint above that has a partner.
std::int32_t paired_parent(const Skeleton& skeleton, std::int32_t joint,
                           const std::vector<bool>& paired) {
  std::int32_t at = skeleton.joints[static_cast<std::size_t>(joint)].parent;
  while (at >= 0 && !paired[static_cast<std::size_t>(at)]) {
    at = skeleton.joints[static_cast<std::size_t>(at)].parent;
  }
  return at;
}

using FramePair = std::pair<Mat4, Mat4>;  // reference, judged

double median(std::vector<double> values) {
  if (values.empty()) return 1.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double axis_length(const Mat4& frame) { return std::cbrt(std::abs(linear(frame).determinant())); }

/// The one change that most joints agree on: distances by their median, the turn and place by a
/// vote in which up to 64 joints stand for election.
std::optional<SkeletonDifference::Common> agreed(const std::vector<FramePair>& pairs, double size,
                                                 double tolerance) {
  std::vector<double> lengths, axes;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double from = axis_length(pairs[i].first), to = axis_length(pairs[i].second);
    if (from > 0.0 && to > 0.0) axes.push_back(to / from);
    if (i == 0) continue;
    const double was = (translation(pairs[i].first) - translation(pairs[i - 1].first)).norm();
    const double is = (translation(pairs[i].second) - translation(pairs[i - 1].second)).norm();
    if (was > 1e-3 * size) lengths.push_back(is / was);
  }
  SkeletonDifference::Common scales;
  scales.scale = median(lengths);
  scales.axis_scale = median(axes);
  if (!(scales.scale > 0.0) || !(scales.axis_scale > 0.0)) return std::nullopt;

  constexpr std::size_t most_candidates = 64;
  std::optional<SkeletonDifference::Common> best;
  std::size_t best_votes = 0;
  const std::size_t step = std::max<std::size_t>(1, pairs.size() / most_candidates);
  for (std::size_t c = 0; c < pairs.size(); c += step) {
    const auto& [reference, judged] = pairs[c];
    const TransformParts from = decompose(reference), to = decompose(judged);
    if (!from.valid || !to.valid) continue;
    SkeletonDifference::Common common = scales;
    common.rotation = linear(judged) * linear(reference).inverse();
    common.rotation /= std::cbrt(std::abs(common.rotation.determinant()));
    common.translation =
        translation(judged) - common.scale * (common.rotation * translation(reference));
    std::size_t votes = 0;
    for (const FramePair& pair : pairs) {
      const Mat4 expected = common.apply(pair.first);
      const double apart = (translation(expected) - translation(pair.second)).norm();
      const double turned = (linear(expected) - linear(pair.second)).norm() /
                            std::max(axis_length(pair.second), 1e-300);
      if (apart <= tolerance * common.scale && turned <= 0.01) ++votes;
    }
    if (votes > best_votes) {
      best_votes = votes;
      best = common;
    }
  }
  if (2 * best_votes <= pairs.size()) return std::nullopt;
  return best;
}

Mat4 with_linear(const Mat3& m) {
  Mat4 out = Mat4::Identity();
  out.topLeftCorner<3, 3>() = m;
  return out;
}

struct Placement {
  const Skeleton::Joint* joint = nullptr;
  const Skeleton::Joint* parent = nullptr;  // null: the top
};

/// The joint's own change: its transform against its parent's. `common` is taken out of the
/// reference before.
std::optional<SkeletonDifference::Changed> own_change(const Placement& reference,
                                                      const Placement& judged,
                                                      const SkeletonDifference::Common& common,
                                                      bool at_bind, const SkeletonLimits& limits,
                                                      double size) {
  const auto local = [at_bind](const Placement& at, const auto& moved) -> std::optional<Mat4> {
    const auto world = [&](const Skeleton::Joint* joint) -> Mat4 {
      return joint == nullptr ? Mat4(Mat4::Identity())
                              : moved(at_bind ? *joint->bind : joint->rest);
    };
    const std::optional<Mat4> parent_from_world = affine_inverse(world(at.parent));
    if (!parent_from_world) return std::nullopt;
    return Mat4(*parent_from_world * world(at.joint));
  };
  const auto expected = local(reference, [&common](const Mat4& m) { return common.apply(m); });
  const auto found = local(judged, [](const Mat4& m) { return m; });
  if (!expected || !found || !expected->allFinite() || !found->allFinite()) return std::nullopt;
  const std::optional<Mat4> inverse = affine_inverse(*expected);
  if (!inverse) return std::nullopt;
  const TransformParts parts = decompose(*inverse * *found);
  if (!parts.valid) return std::nullopt;
  // In the reference's metres: from the parent's axes, and before the common scale.
  double metres = 1.0 / common.scale;
  if (judged.parent != nullptr) {
    metres *= axis_length(at_bind ? *judged.parent->bind : judged.parent->rest);
  }
  SkeletonDifference::Changed changed;
  changed.displacement = (translation(*found) - translation(*expected)).norm() * metres;
  changed.angle_deg = parts.mirrored ? 180.0 : parts.angle_deg;
  changed.scale = parts.uniform_scale();
  if (!(changed.displacement > limits.displacement * size) &&
      !(changed.angle_deg > limits.angle_deg) && !(std::abs(changed.scale - 1.0) > limits.scale)) {
    return std::nullopt;
  }
  return changed;
}

}  // namespace

Mat4 SkeletonDifference::Common::apply(const Mat4& world_from_joint) const {
  Mat4 out = world_from_joint;
  out.topLeftCorner<3, 3>() = axis_scale * (rotation * linear(world_from_joint));
  out.topRightCorner<3, 1>() =
      scale * (rotation * skinlint::translation(world_from_joint)) + translation;
  return out;
}

double Skeleton::size() const {
  Box box;
  for (const Joint& joint : joints) {
    const Vec3 at = translation(bind_or_rest(joint));
    if (at.allFinite()) box.extend(at);
  }
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

SkeletonDifference compare_skeletons(const Skeleton& reference, const Skeleton& judged,
                                     const SkeletonLimits& limits) {
  SkeletonDifference out;
  const std::vector<std::int32_t> reference_of = pair_joints(reference, judged, out);
  std::vector<bool> reference_paired(reference.joints.size(), false);
  std::vector<bool> judged_paired(judged.joints.size(), false);
  for (std::size_t j = 0; j < reference_of.size(); ++j) {
    if (reference_of[j] < 0) {
      if (judged.joints[j].deforms) out.extra.push_back(static_cast<std::int32_t>(j));
      continue;
    }
    ++out.paired;
    judged_paired[j] = true;
    reference_paired[static_cast<std::size_t>(reference_of[j])] = true;
  }
  for (std::size_t r = 0; r < reference.joints.size(); ++r) {
    if (!reference_paired[r] && reference.joints[r].deforms)
      out.missing.push_back(static_cast<std::int32_t>(r));
  }

  const double size = reference.size();
  const auto both_bound = [&](std::size_t j) {
    return reference_of[j] >= 0 && judged.joints[j].bind &&
           reference.joints[static_cast<std::size_t>(reference_of[j])].bind;
  };
  std::vector<std::pair<Mat4, Mat4>> bound, rested;
  for (std::size_t j = 0; j < reference_of.size(); ++j) {
    if (reference_of[j] < 0) continue;
    const Skeleton::Joint& of_reference =
        reference.joints[static_cast<std::size_t>(reference_of[j])];
    rested.emplace_back(of_reference.rest, judged.joints[j].rest);
    if (both_bound(j)) bound.emplace_back(*of_reference.bind, *judged.joints[j].bind);
  }
  const double tolerance = limits.displacement * size;
  // A rest pose moved as a whole is where the character stands, not another skeleton.
  const SkeletonDifference::Common rest_common =
      agreed(rested, size, tolerance).value_or(SkeletonDifference::Common());
  out.common = bound.empty()
                   ? rest_common
                   : agreed(bound, size, tolerance).value_or(SkeletonDifference::Common());
  const bool mirrored = out.common.rotation.determinant() < 0.0;
  const double angle = mirrored ? 180.0 : decompose(with_linear(out.common.rotation)).angle_deg;
  out.common_differs = angle > limits.angle_deg ||
                       std::abs(out.common.scale - 1.0) > limits.scale ||
                       std::abs(out.common.axis_scale - 1.0) > limits.scale;

  for (std::size_t j = 0; j < reference_of.size(); ++j) {
    const std::int32_t r = reference_of[j];
    if (r < 0) continue;
    const auto joint = static_cast<std::int32_t>(j);
    const std::int32_t judged_parent = paired_parent(judged, joint, judged_paired);
    const std::int32_t reference_parent = paired_parent(reference, r, reference_paired);
    const std::int32_t expected =
        judged_parent < 0 ? -1 : reference_of[static_cast<std::size_t>(judged_parent)];
    if (expected != reference_parent) {
      out.reparented.emplace_back(joint, r);
      continue;  // its own transform is against another parent
    }
    const auto at = [](const Skeleton& skeleton, std::int32_t index) {
      return index < 0 ? nullptr : &skeleton.joints[static_cast<std::size_t>(index)];
    };
    const Placement from{at(reference, r), at(reference, reference_parent)};
    const Placement to{at(judged, joint), at(judged, judged_parent)};
    const auto add = [&](bool at_bind, const SkeletonDifference::Common& whole,
                         std::vector<SkeletonDifference::Changed>& list) {
      auto changed = own_change(from, to, whole, at_bind, limits, size);
      if (!changed) return;
      changed->joint = joint;
      list.push_back(*changed);
    };
    const bool parents_bound =
        judged_parent < 0 || both_bound(static_cast<std::size_t>(judged_parent));
    if (both_bound(j) && parents_bound) add(true, out.common, out.bind);
    add(false, rest_common, out.rest);
  }
  for (auto* list : {&out.bind, &out.rest}) {
    std::stable_sort(list->begin(), list->end(),
                     [](const auto& a, const auto& b) { return a.displacement > b.displacement; });
  }
  return out;
}

}  // namespace skinlint
