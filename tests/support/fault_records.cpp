// FBX: clusters and bind poses that contradict one another.

#include <algorithm>

#include "support/faults.h"

namespace skinlint::test::fault_detail {
namespace {

std::int32_t any_weighted(const FaultSite& site, Random& random) {
  if (site.weighted().size() < 4) return -1;
  return choose(site.weighted(), random,
                [&](std::size_t slot) { return site.largest_weight(slot) > 0.3; });
}

std::optional<Injected> spread(const FaultSite& site, Random& random, double distance) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(slot);
  const ClusterRecord& cluster = site.skin().clusters[at];
  const std::optional<Mat4> down = affine_inverse(*cluster.transform_link);
  if (!down) return std::nullopt;
  Asset asset = site.asset();
  const Mat4 shift = translated(distance * site.size() * random.direction());
  set_joint_from_mesh(asset, site.binding(), at,
                      *down * shift * *cluster.transform_link * *site.skin().joint_from_mesh[at]);
  return Injected{std::move(asset), {slot}};
}
std::optional<Injected> spread_warning(const FaultSite& site, Random& random, double size) {
  return spread(site, random, 1e-3 * size);
}
std::optional<Injected> spread_error(const FaultSite& site, Random& random, double size) {
  return spread(site, random, 1e-2 * size);
}

/// Entries of the joint's node in all bind poses.
std::vector<BindPose::Entry*> entries_of(Asset& asset, std::int32_t node) {
  std::vector<BindPose::Entry*> out;
  for (BindPose& pose : asset.bind_poses) {
    for (BindPose::Entry& entry : pose.entries) {
      if (entry.node == node) out.push_back(&entry);
    }
  }
  return out;
}

std::optional<Injected> pose_shifted(const FaultSite& site, Random& random, double size) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0 || site.asset().bindings.size() != 1) return std::nullopt;
  Asset asset = site.asset();
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  const std::vector<BindPose::Entry*> entries = entries_of(asset, node);
  if (entries.size() != 1) return std::nullopt;
  const Mat4& link = *site.skin().clusters[static_cast<std::size_t>(slot)].transform_link;
  if ((entries[0]->world_from_node - link).norm() > 1e-6 * link.norm()) return std::nullopt;
  entries[0]->world_from_node = translated(1e-3 * size * site.size() * random.direction()) * link;
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> poses_conflict(const FaultSite& site, Random& random, double size) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0 || site.asset().bindings.size() != 1 || site.asset().bind_poses.empty())
    return std::nullopt;
  Asset asset = site.asset();
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  const std::vector<BindPose::Entry*> entries = entries_of(asset, node);
  if (entries.size() != 1) return std::nullopt;
  BindPose pose;
  pose.name = "another";
  pose.id = 424242;
  pose.declared_count = 1;
  BindPose::Entry entry = *entries[0];
  entry.world_from_node =
      translated(1e-3 * size * site.size() * random.direction()) * entry.world_from_node;
  pose.entries.push_back(entry);
  asset.bind_poses.push_back(std::move(pose));
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> pose_missing(const FaultSite& site, Random&, double) {
  if (site.asset().bind_poses.empty()) return std::nullopt;
  Asset asset = site.asset();
  asset.bind_poses.clear();
  return Injected{std::move(asset), {}};
}

std::optional<Injected> pose_incomplete(const FaultSite& site, Random& random, double) {
  const std::int32_t slot = any_weighted(site, random);
  if (slot < 0) return std::nullopt;
  Asset asset = site.asset();
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  if (entries_of(asset, node).empty()) return std::nullopt;
  for (BindPose& pose : asset.bind_poses) {
    const std::size_t before = pose.entries.size();
    pose.entries.erase(
        std::remove_if(pose.entries.begin(), pose.entries.end(),
                       [node](const BindPose::Entry& entry) { return entry.node == node; }),
        pose.entries.end());
    if (pose.declared_count && pose.entries.size() < before)
      pose.declared_count = static_cast<std::int64_t>(pose.entries.size());
  }
  return Injected{std::move(asset), {slot}};
}

}  // namespace

std::vector<FaultKind> record_faults() {
  const std::vector<std::string_view> companions = {
      "bind-rest-differs",   "bind-cluster-mesh-spread",   "bind-skins-disagree",
      "bind-poses-conflict", "bind-pose-cluster-mismatch", "bind-skeleton-misplaced"};
  constexpr FaultKind::Forms fbx = FaultKind::Forms::fbx;
  return {
      {.id = "bind-cluster-mesh-spread/warning",
       .forms = fbx,
       .rules = {"bind-cluster-mesh-spread"},
       .companions = companions,
       .graded = true,
       .inject = spread_warning},
      {.id = "bind-cluster-mesh-spread/error",
       .forms = fbx,
       .rules = {"bind-cluster-mesh-spread"},
       .least = Severity::error,
       .companions = companions,
       .graded = true,
       .inject = spread_error},
      {.id = "bind-pose-cluster-mismatch",
       .forms = fbx,
       .rules = {"bind-pose-cluster-mismatch"},
       .companions = companions,
       .graded = true,
       .inject = pose_shifted},
      {.id = "bind-poses-conflict",
       .forms = fbx,
       .rules = {"bind-poses-conflict"},
       .companions = companions,
       .graded = true,
       .inject = poses_conflict},
      {.id = "bind-pose-missing",
       .forms = fbx,
       .rules = {"bind-pose-missing"},
       .least = Severity::note,
       .companions = companions,
       .inject = pose_missing},
      {.id = "bind-pose-incomplete",
       .forms = fbx,
       .rules = {"bind-pose-incomplete"},
       .companions = companions,
       .inject = pose_incomplete},
  };
}

}  // namespace skinlint::test::fault_detail
