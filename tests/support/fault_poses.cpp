// A rest pose that left the bind: posed, saved at a clip's key, mirrored, scaled through, or one
// joint's bind that stayed behind. And a mesh node that was moved.

#include <algorithm>
#include <cmath>

#include "support/faults.h"
#include "support/fbx_writer.h"

namespace skinlint::test::fault_detail {
namespace {

constexpr double visible = 0.02;  // twice the displacement that is a warning

Mat4& local_of(Asset& asset, std::int32_t node) {
  return asset.nodes[static_cast<std::size_t>(node)].parent_from_node;
}

/// Something with weight is not at or below the joint, so that its motion is no motion of the
/// whole.
bool leaves_others(const FaultSite& site, std::size_t slot) {
  const std::vector<bool> below = site.below(slot);
  return std::any_of(site.weighted().begin(), site.weighted().end(),
                     [&](std::size_t other) { return !below[other]; });
}

/// Turns `count` joints in their parents by angles no clip or axis conversion has.
std::optional<Injected> posed(const FaultSite& site, Random& random, std::size_t count) {
  Asset asset = site.asset();
  std::vector<std::int32_t> slots;
  std::vector<std::size_t> left = site.weighted();
  while (slots.size() < count) {
    const std::int32_t slot =
        choose(left, random, [&](std::size_t s) { return leaves_others(site, s); });
    if (slot < 0) break;
    left.erase(std::find(left.begin(), left.end(), static_cast<std::size_t>(slot)));
    slots.push_back(slot);
    const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
    const Mat4 turn = linear_map(turned(random.between(10, 50), random.direction()));
    set_local(asset, static_cast<std::size_t>(node), local_of(asset, node) * turn);
  }
  if (slots.empty() || !(disagreement(site, asset) >= visible)) return std::nullopt;
  // Each turn must show on its own joint's or its children's vertices, or the list may leave it
  // out.
  for (const std::int32_t slot : slots) {
    const JointInfluence& influence = site.influences().joints[static_cast<std::size_t>(slot)];
    if (influence.heavy_box.isEmpty() || !(influence.heavy_box.diagonal().norm() > 0.0))
      return std::nullopt;
  }
  std::sort(slots.begin(), slots.end());
  return Injected{std::move(asset), std::move(slots)};
}

std::optional<Injected> posed_one(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 3) return std::nullopt;
  return posed(site, random, 1);
}
std::optional<Injected> posed_few(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 8) return std::nullopt;
  return posed(site, random,
               2 + random.below(std::max<std::size_t>(1, site.weighted().size() / 6)));
}

void key_rotation(Asset& asset, Clip& clip, std::int32_t node) {
  const Mat4& local = local_of(asset, node);
  Mat3 turn = linear(local);
  turn.colwise().normalize();
  Channel channel;
  channel.node = node;
  channel.path = ChannelPath::rotation;
  channel.times = own_stream(asset, {0.0, 1.0}, ComponentType::f32, 1);
  if (is_gltf(asset.format)) {
    const Quat q(turn);
    channel.values =
        own_stream(asset, {q.x(), q.y(), q.z(), q.w(), 0, 0, 0, 1}, ComponentType::f32, 4);
  } else {
    const Vec3 e = asset.nodes[static_cast<std::size_t>(node)].fbx->rotation;
    channel.values =
        own_stream(asset, {e[0], e[1], e[2], e[0] + 20, e[1], e[2]}, ComponentType::f64, 3);
    clip.first_key.push_back({node, local});
  }
  clip.channels.push_back(std::move(channel));
}

std::optional<Injected> at_clip_key(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 3) return std::nullopt;
  // From a few joints to nearly all.
  std::optional<Injected> out = posed(site, random, 1 + random.below(site.weighted().size() - 1));
  if (!out) return std::nullopt;
  Clip clip;
  clip.name = "injected walk";
  clip.id = 987654;
  clip.duration = 1.0;
  for (const std::int32_t slot : out->slots) {
    const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
    if (!site.gltf() && !out->asset.nodes[static_cast<std::size_t>(node)].fbx) return std::nullopt;
    Mat3 axes = linear(local_of(out->asset, node));
    if (axes.determinant() < 0.0) return std::nullopt;
    key_rotation(out->asset, clip, node);
  }
  out->asset.clips.push_back(std::move(clip));
  return out;
}

/// A joint scaled by -1 along one axis, in the nodes.
std::optional<Injected> mirrored(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 3) return std::nullopt;
  const std::int32_t slot = choose(site.weighted(), random, [&](std::size_t s) {
    return leaves_others(site, s) && site.largest_weight(s) > 0.5;
  });
  if (slot < 0) return std::nullopt;
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  Mat4 flip = Mat4::Identity();
  const auto axis = static_cast<Eigen::Index>(random.below(3));
  flip(axis, axis) = -1.0;
  Asset asset = site.asset();
  set_local(asset, static_cast<std::size_t>(node), local_of(asset, node) * flip);
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  std::vector<std::int32_t> turned_out;  // the joint and what follows it
  const std::vector<bool> below = site.below(static_cast<std::size_t>(slot));
  for (const std::size_t other : site.weighted()) {
    if (below[other]) turned_out.push_back(static_cast<std::int32_t>(other));
  }
  return Injected{std::move(asset), std::move(turned_out)};
}

/// A joint scaled and bound while its children did not take the scale on; the file's nodes do.
std::optional<Injected> scale_inherited(const FaultSite& site, Random& random, double) {
  const Asset& clean = site.asset();
  const std::int32_t slot = choose(site.weighted(), random, [&](std::size_t s) {
    if (!site.has_weighted_child(s) || !leaves_others(site, s)) return false;
    const Node& node = clean.nodes[static_cast<std::size_t>(site.skin().joints[s])];
    return std::all_of(node.children.begin(), node.children.end(), [&](std::int32_t child) {
      return clean.nodes[static_cast<std::size_t>(child)].is_joint;
    });
  });
  if (slot < 0) return std::nullopt;
  const double s = random.below(2) == 0 ? 1.4 : 0.7;
  const std::int32_t node = site.skin().joints[static_cast<std::size_t>(slot)];
  const Mat4 scale = linear_map(s * Mat3::Identity());
  Asset asset = clean;
  set_local(asset, static_cast<std::size_t>(node), local_of(asset, node) * scale);
  const Mat4 bind =
      bind_world(clean, site.binding(), static_cast<std::size_t>(slot), site.consensus());
  set_bind_world(asset, site.binding(), static_cast<std::size_t>(slot), site.consensus(),
                 bind * scale);
  for (const std::int32_t child : clean.nodes[static_cast<std::size_t>(node)].children) {
    const std::vector<bool> below = subtree_of(clean, child);
    // The child stands at the end of the scaled bone and keeps its own size.
    const Mat4 shift =
        translated((s - 1.0) * linear(bind) *
                   translation(clean.nodes[static_cast<std::size_t>(child)].parent_from_node));
    for (std::size_t j = 0; j < below.size(); ++j) {
      if (!below[j]) continue;
      asset.nodes[j].fbx ? void(asset.nodes[j].fbx->inherit_type = InheritType::RSrs) : void();
    }
    for (std::size_t other = 0; other < site.skin().joints.size(); ++other) {
      const std::int32_t n = site.skin().joints[other];
      if (n < 0 || !below[static_cast<std::size_t>(n)]) continue;
      set_bind_world(asset, site.binding(), other, site.consensus(),
                     shift * bind_world(clean, site.binding(), other, site.consensus()));
    }
  }
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {}};
}

/// Of a joint that carries half of the weight and more it cannot be told that it is the one to
/// blame.
bool can_be_stale(const FaultSite& site, std::size_t slot) {
  double total = 0.0;
  for (const std::size_t other : site.weighted())
    total += site.influences().joints[other].positive_weight;
  return site.has_weighted_child(slot) && site.largest_weight(slot) > 0.3 &&
         site.influences().joints[slot].positive_weight < 0.5 * total;
}

/// One joint bound elsewhere while those below agree with the rest pose; moved by `distance` of
/// size at the vertex that follows it most.
std::optional<Injected> stale_by(const FaultSite& site, Random& random, double distance) {
  if (site.weighted().size() < 4) return std::nullopt;
  if (site.facts().bind(site.binding()).max_displacement > 0.05 * site.tau() * site.size())
    return std::nullopt;
  const std::int32_t slot =
      choose(site.weighted(), random, [&](std::size_t s) { return can_be_stale(site, s); });
  if (slot < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(slot);
  Asset asset = site.asset();
  const Mat4 shift =
      translated(distance * site.size() / site.largest_weight(at) * random.direction());
  set_bind_world(asset, site.binding(), at, site.consensus(),
                 shift * bind_world(asset, site.binding(), at, site.consensus()));
  return Injected{std::move(asset), {slot}};
}

std::optional<Injected> stale_note(const FaultSite& site, Random& random, double size) {
  return stale_by(site, random, size * site.tau());
}
std::optional<Injected> stale_warning(const FaultSite& site, Random& random, double size) {
  return stale_by(site, random, size * 0.01);
}

/// The same by a turn, as tools leave it that re-orient a joint after binding.
std::optional<Injected> stale_turn(const FaultSite& site, Random& random, double) {
  if (site.weighted().size() < 4) return std::nullopt;
  const std::int32_t slot =
      choose(site.weighted(), random, [&](std::size_t s) { return can_be_stale(site, s); });
  if (slot < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(slot);
  Asset asset = site.asset();
  set_bind_world(asset, site.binding(), at, site.consensus(),
                 bind_world(asset, site.binding(), at, site.consensus()) *
                     linear_map(turned(random.between(15, 70), random.direction())));
  if (!(disagreement(site, asset) >= visible)) return std::nullopt;
  return Injected{std::move(asset), {slot}};
}

/// FBX: the mesh node moved after binding, its clusters as they were.
std::optional<Injected> mesh_moved_by(const FaultSite& site, double distance, Random& random) {
  const auto node = static_cast<std::size_t>(site.bound().node);
  for (std::int32_t n = site.bound().node; n >= 0;
       n = site.asset().nodes[static_cast<std::size_t>(n)].parent) {
    if (site.facts().animated(n)) return std::nullopt;  // an animated mesh node is no fault
  }
  const std::vector<bool> below = subtree_of(site.asset(), site.bound().node);
  for (std::size_t n = 0; n < below.size(); ++n) {
    if (below[n] && site.asset().nodes[n].is_joint) return std::nullopt;
  }
  // A mesh node that does not stand where it was bound already is not clean in this respect.
  if (site.facts().bind(site.binding()).candidate == Candidate::none) return std::nullopt;
  const std::int32_t parent = site.asset().nodes[node].parent;
  const Mat4 above = parent >= 0 ? site.world(parent) : Mat4(Mat4::Identity());
  const std::optional<Mat4> down = affine_inverse(above);
  if (!down) return std::nullopt;
  Asset asset = site.asset();
  const Mat4 shift = translated(distance * site.size() * random.direction());
  set_local(asset, node, *down * shift * above * asset.nodes[node].parent_from_node);
  return Injected{std::move(asset), {}};
}
std::optional<Injected> mesh_moved(const FaultSite& site, Random& random, double size) {
  return mesh_moved_by(site, size * std::max(1e-4, site.tau()), random);
}

}  // namespace

std::vector<FaultKind> pose_faults() {
  const std::vector<std::string_view> drift = {"bind-rest-differs"};
  const std::vector<std::string_view> companions = {"bind-matrix-mirrored",
                                                    "transform-mirrored",
                                                    "bind-skins-disagree",
                                                    "bind-pose-cluster-mismatch",
                                                    "transform-uniform-scale",
                                                    "transform-inherit-type",
                                                    "transform-non-uniform-scale",
                                                    "clip-rest-is-key",
                                                    "clip-scale",
                                                    "clip-bind-reset",
                                                    "bind-cluster-mesh-spread",
                                                    "bind-mesh-moved",
                                                    "deform-explodes",
                                                    "skeleton-mirror-asymmetry",
                                                    "bind-matrix-sheared",
                                                    "bind-skeleton-misplaced"};
  return {
      {.id = "posed-after-bind/one",
       .rules = drift,
       .least = Severity::note,
       .causes = {"posed-after-bind"},
       .companions = companions,
       .inject = posed_one},
      {.id = "posed-after-bind/few",
       .rules = drift,
       .least = Severity::note,
       .causes = {"posed-after-bind"},
       .companions = companions,
       .inject = posed_few},
      {.id = "saved-at-clip-key",
       .rules = drift,
       .least = Severity::note,
       .causes = {"saved-at-clip-key"},
       .companions = companions,
       .inject = at_clip_key},
      {.id = "mirrored-joint",
       .rules = {"bind-matrix-mirrored", "transform-mirrored", "bind-rest-differs"},
       .causes = {"mirrored-joint"},
       .companions = companions,
       .inject = mirrored},
      {.id = "scale-inherited",
       .rules = drift,
       .causes = {"scale-inherited"},
       .companions = companions,
       .inject = scale_inherited},
      {.id = "one-joint-stale/note",
       .rules = drift,
       .least = Severity::note,
       .causes = {"one-joint-stale"},
       .companions = companions,
       .graded = true,
       .encodable = false,  // a tenth of the limit is float's rounding
       .inject = stale_note},
      {.id = "one-joint-stale/warning",
       .rules = drift,
       .causes = {"one-joint-stale"},
       .companions = companions,
       .graded = true,
       .inject = stale_warning},
      {.id = "one-joint-stale/turn",
       .rules = drift,
       .causes = {"one-joint-stale"},
       .companions = companions,
       .inject = stale_turn},
      {.id = "mesh-moved",
       .forms = FaultKind::Forms::fbx,
       .rules = {"bind-mesh-moved"},
       .least = Severity::note,
       .causes = {"mesh-moved"},
       .companions = companions,
       .graded = true,
       .encodable = false,
       .inject = mesh_moved},
  };
}

}  // namespace skinlint::test::fault_detail
