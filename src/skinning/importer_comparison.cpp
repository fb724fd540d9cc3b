#include "skinning/importer_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "skinning/importer_vertices.h"

namespace skinlint {
namespace {

using Kind = ImporterDifference::Kind;
using Item = ImporterDifference::Item;

std::size_t index_of(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Keeps the worst few.
void keep(std::vector<Item>& items, Item item, std::size_t most) {
  const auto at = std::upper_bound(items.begin(), items.end(), item,
                                   [](const Item& a, const Item& b) { return a.value > b.value; });
  if (at == items.end() && items.size() >= most) return;
  items.insert(at, item);
  if (items.size() > most) items.pop_back();
}

bool repeats_a_name(const Asset& asset, const Skin& skin) {
  std::set<std::string_view> names;
  for (const std::int32_t joint : skin.joints) {
    if (joint >= 0 && !names.insert(asset.nodes[index_of(joint)].name).second) return true;
  }
  return false;
}

struct SlotWeight {
  std::uint32_t slot = 0;
  double ours = 0.0, theirs = 0.0;
};

class Comparison {
 public:
  explicit Comparison(const ComparisonInput& input)
      : in_(input),
        asset_(input.asset),
        binding_(asset_.bindings[input.binding]),
        mesh_(asset_.meshes[index_of(binding_.mesh)]),
        skin_(asset_.skins[index_of(binding_.skin)]) {
    const auto inverse = affine_inverse(asset_.canonical_from_file);
    if (inverse) file_from_canonical_ = *inverse;
    names_repeat_ = repeats_a_name(asset_, skin_);
    places_ = std::isfinite(in_.size) && in_.size > 0.0;
  }

  ImporterComparison run() {
    const std::int32_t node = in_.node_match[index_of(binding_.node)];
    if (node < 0 || in_.view.nodes[index_of(node)].meshes.empty()) {
      add(Kind::mesh_lost,
          outside_default_scene() ? ImporterGap::default_scene_only : ImporterGap::none, 1, 1);
      return std::move(out_);
    }
    const std::vector<std::int32_t>& meshes = in_.view.nodes[index_of(node)].meshes;
    const VertexMatch match = match_vertices(asset_, mesh_, in_.view, meshes);
    if (match.unmatched > 0)
      add(Kind::not_aligned, ImporterGap::none, match.unmatched,
          match.unmatched + match.pairs.size());
    for (const std::int32_t m : meshes) prepare(static_cast<std::uint32_t>(m));
    compare_vertices(match);
    compare_shapes(meshes);
    if (is_fbx(asset_.format) && skin_.method != SkinningMethod::linear)
      add(Kind::method_lost, ImporterGap::skinning_type, 1, 1);
    return std::move(out_);
  }

 private:
  /// One of the importer's meshes: its bones by our slots, and what they do.
  struct Theirs {
    std::vector<std::int32_t> bone_of_slot;
    std::vector<std::int32_t> slot_of_bone;
    std::vector<std::vector<std::pair<std::uint32_t, float>>> influences;  // vertex: bone, weight
    std::vector<Mat4> world_from_mesh;                                     // by bone, canonical
    std::vector<Mat4> bind_change, place_change;                           // by slot
  };

  ImporterDifference& add(Kind kind, ImporterGap gap, std::uint64_t count, std::uint64_t total) {
    ImporterDifference& d = out_.differences.emplace_back();
    d.kind = kind;
    d.gap = gap == ImporterGap::none && names_repeat_ ? ImporterGap::names_for_identity : gap;
    d.count = count;
    d.total = total;
    return d;
  }

  Mat4 canonical(const Mat4& m) const {
    return asset_.canonical_from_file * m * file_from_canonical_;
  }

  const std::string* joint_name(std::size_t slot) const {
    const std::int32_t node = skin_.joints[slot];
    return node < 0 ? nullptr : &asset_.nodes[index_of(node)].name;
  }

  bool outside_default_scene() const {
    if (!is_gltf(asset_.format) || asset_.scenes.empty()) return false;
    std::int32_t root = binding_.node;
    while (asset_.nodes[index_of(root)].parent >= 0) root = asset_.nodes[index_of(root)].parent;
    const std::int32_t scene = std::max(asset_.default_scene, 0);
    const auto& roots = asset_.scenes[index_of(scene)].roots;
    return std::find(roots.begin(), roots.end(), root) == roots.end();
  }

  bool mesh_has_other_skin() const {
    return std::any_of(asset_.bindings.begin(), asset_.bindings.end(), [&](const Binding& other) {
      return other.mesh == binding_.mesh && other.skin != binding_.skin;
    });
  }

  void prepare(std::uint32_t m) {
    const ImporterView::Mesh& mesh = in_.view.meshes[m];
    Theirs& t = theirs_[m];
    if (!t.slot_of_bone.empty() || !t.influences.empty()) return;
    match_bones(mesh, t);
    t.influences.resize(mesh.vertex_count());
    for (std::size_t b = 0; b < mesh.bones.size(); ++b) {
      const ImporterView::Bone& bone = mesh.bones[b];
      for (const ImporterView::Weight& w : bone.weights) {
        if (w.vertex < t.influences.size())
          t.influences[w.vertex].emplace_back(static_cast<std::uint32_t>(b), w.weight);
      }
      const Mat4 world = bone.node < 0 ? Mat4(Mat4::Identity())
                                       : in_.view.nodes[index_of(bone.node)].world_from_node;
      t.world_from_mesh.push_back(canonical(world * bone.bone_from_mesh));
    }
    t.bind_change.assign(skin_.joints.size(), Mat4::Zero());
    t.place_change.assign(skin_.joints.size(), Mat4::Zero());
    for (std::size_t s = 0; s < skin_.joints.size(); ++s) {
      const std::int32_t b = t.bone_of_slot[s];
      if (b < 0 || skin_.joints[s] < 0) continue;
      const ImporterView::Bone& bone = mesh.bones[index_of(b)];
      const Mat4& world = in_.world_from_node[index_of(skin_.joints[s])];
      // Absent matrices are identities.
      const Mat4 bind = skin_.joint_from_mesh[s].value_or(Mat4::Identity());
      const Mat4 their_bind = canonical(bone.bone_from_mesh);
      // A joint that stands nowhere is joints_placed's, not its matrix's.
      t.bind_change[s] = (is_finite(world) ? world : Mat4(Mat4::Identity())) * (bind - their_bind);
      // A bone without a node stays where it was bound.
      const Mat4 their_world = bone.node < 0
                                   ? Mat4(Mat4::Identity())
                                   : canonical(in_.view.nodes[index_of(bone.node)].world_from_node);
      t.place_change[s] = (world - their_world) * bind;
    }
  }

  void match_bones(const ImporterView::Mesh& mesh, Theirs& t) const {
    t.bone_of_slot.assign(skin_.joints.size(), -1);
    t.slot_of_bone.assign(mesh.bones.size(), -1);
    const auto join = [&](std::size_t slot, std::size_t bone) {
      t.bone_of_slot[slot] = static_cast<std::int32_t>(bone);
      t.slot_of_bone[bone] = static_cast<std::int32_t>(slot);
    };
    if (is_gltf(asset_.format) && mesh.bones.size() == skin_.joints.size()) {
      for (std::size_t s = 0; s < skin_.joints.size(); ++s) {
        const std::string* name = joint_name(s);
        if (name == nullptr || name->empty() || *name == mesh.bones[s].name) join(s, s);
      }
      return;
    }
    std::map<std::string_view, std::vector<std::size_t>> by_name;
    for (std::size_t b = mesh.bones.size(); b-- > 0;) by_name[mesh.bones[b].name].push_back(b);
    for (std::size_t s = 0; s < skin_.joints.size(); ++s) {
      const std::string* name = joint_name(s);
      const auto it = name == nullptr ? by_name.end() : by_name.find(*name);
      if (it == by_name.end() || it->second.empty()) continue;
      join(s, it->second.back());
      it->second.pop_back();
    }
  }

  struct Tally {
    std::uint64_t count = 0;
    double worst = -1.0, ours = 0.0, theirs = 0.0;
    std::vector<Item> items;
  };

  void compare_vertices(const VertexMatch& match) {
    std::map<std::uint32_t, std::vector<const VertexPair*>> by_part;
    for (const VertexPair& pair : match.pairs) by_part[pair.part].push_back(&pair);
    slot_bind_.assign(skin_.joints.size(), 0.0);
    slot_place_.assign(skin_.joints.size(), 0.0);
    slot_lost_.assign(skin_.joints.size(), 0);
    slot_seen_.assign(skin_.joints.size(), false);
    std::size_t offset = 0;
    for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
      const auto it = by_part.find(static_cast<std::uint32_t>(p));
      const std::int32_t table = p < binding_.influences.size() ? binding_.influences[p] : -1;
      if (it != by_part.end() && table >= 0)
        compare_part(mesh_.parts[p], asset_.influences[index_of(table)], it->second, offset);
      offset += mesh_.parts[p].vertex_count;
    }
    report_positions(match.pairs.size());
    report_lost();
    report_weights(match.pairs.size());
    report_matrices();
    if (out_.moved > 0 && out_.differences.empty()) {
      ImporterDifference& d = add(Kind::posed_vertices, ImporterGap::none, out_.moved, out_.posed);
      d.worst = out_.displacement;
      d.items = posed_items_;
    }
  }

  void compare_part(const MeshPart& part, const InfluenceTable& table,
                    const std::vector<const VertexPair*>& pairs, std::size_t offset) {
    if (!part.positions.readable()) return;
    InfluenceReader reader(table);
    const bool integer = table.quantisation_step() > 0.0;
    std::vector<SlotWeight> both;
    std::array<double, 3> place{};
    for (const VertexPair* pair : pairs) {
      if (pair->vertex >= table.vertex_count || pair->vertex >= part.vertex_count) continue;
      read_values(part.positions, pair->vertex, 1, place.data());
      const Vec3 v(place[0], place[1], place[2]);
      const InfluenceBlock block = reader.at(pair->vertex);
      const auto joints = block.joints_of(0);
      const auto weights = block.weights_of(0);
      const Theirs& t = theirs_.at(pair->mesh);
      const auto vertex = static_cast<std::int64_t>(offset + pair->vertex);
      compare_position(*pair, v, vertex);
      both.clear();
      for (std::size_t i = 0; i < joints.size(); ++i) collect(joints[i], weights[i], both);
      for (const auto& [bone, weight] : t.influences[pair->theirs]) {
        const std::int32_t slot = t.slot_of_bone[bone];
        if (slot >= 0)
          entry(static_cast<std::uint32_t>(slot), both).theirs += static_cast<double>(weight);
      }
      compare_weights(t, both, integer, vertex);
      if (!places_ || !v.allFinite()) continue;
      for (const SlotWeight& w : both) {
        if (w.slot >= skin_.joints.size() || !(w.ours > 1e-3)) continue;
        slot_seen_[w.slot] = true;
        worst_of(slot_bind_[w.slot], t.bind_change[w.slot], v);
        worst_of(slot_place_[w.slot], t.place_change[w.slot], v);
      }
      compare_pose(t, *pair, v, joints, weights, vertex);
    }
  }

  static void worst_of(double& worst, const Mat4& change, const Vec3& v) {
    const double moved = transform_point(change, v).norm();
    // What is not finite on one side only is as far off as can be.
    worst = std::max(worst, std::isnan(moved) ? HUGE_VAL : moved);
  }

  static SlotWeight& entry(std::uint32_t slot, std::vector<SlotWeight>& both) {
    for (SlotWeight& w : both) {
      if (w.slot == slot) return w;
    }
    return both.emplace_back(SlotWeight{slot, 0.0, 0.0});
  }
  static void collect(std::uint32_t slot, double weight, std::vector<SlotWeight>& both) {
    if (weight == 0.0) return;
    entry(slot, both).ours += weight;
  }

  void compare_position(const VertexPair& pair, const Vec3& v, std::int64_t vertex) {
    const std::vector<float>& positions = in_.view.meshes[pair.mesh].positions;
    const std::size_t at = 3 * std::size_t{pair.theirs};
    const Vec3 p(static_cast<double>(positions[at]), static_cast<double>(positions[at + 1]),
                 static_cast<double>(positions[at + 2]));
    if (!places_ || !v.allFinite()) return;
    const double off = (transform_point(asset_.canonical_from_file, p) - v).norm();
    if (off <= in_.displacement) return;
    ++moved_before_.count;
    const double far = std::isnan(off) ? HUGE_VAL : off;
    moved_before_.worst = std::max(moved_before_.worst, far);
    keep(moved_before_.items, {vertex, far}, in_.max_items);
  }

  void compare_weights(const Theirs& t, const std::vector<SlotWeight>& both, bool integer,
                       std::int64_t vertex) {
    for (const SlotWeight& w : both) {
      const double off = std::abs(w.ours - w.theirs);
      if (off <= in_.weight || (std::isnan(w.ours) && std::isnan(w.theirs)) || w.ours == w.theirs)
        continue;
      // A slot without a joint has none to lose: skin-broken's.
      if (w.slot < skin_.joints.size() && skin_.joints[w.slot] < 0) continue;
      if (w.slot < skin_.joints.size() && t.bone_of_slot[w.slot] < 0 && w.ours > 0.0) {
        ++slot_lost_[w.slot];
        continue;
      }
      ImporterGap gap = ImporterGap::none;
      if (w.slot >= skin_.joints.size()) {
        gap = ImporterGap::joint_out_of_range;
      } else if (integer) {
        gap = ImporterGap::integer_weights;
      } else if (!std::isfinite(w.ours) && w.theirs == 0.0) {
        gap = ImporterGap::drops_weights_that_are_no_numbers;
      } else if (w.ours < 0.0 && w.theirs == 0.0) {
        gap = ImporterGap::drops_negative_weights;
      }
      Tally& tally = weights_[gap];
      ++tally.count;
      const double far = std::isfinite(off) ? off : HUGE_VAL;
      if (far > tally.worst) {
        tally.worst = far;
        tally.ours = w.ours;
        tally.theirs = w.theirs;
      }
      keep(tally.items, {vertex, w.ours}, in_.max_items);
    }
  }

  void compare_pose(const Theirs& t, const VertexPair& pair, const Vec3& v,
                    std::span<const std::uint32_t> joints, std::span<const double> weights,
                    std::int64_t vertex) {
    const SkinnedVertex posed = skin_vertex(v, joints, weights, in_.skin_matrices);
    if (posed.state != SkinnedVertex::State::moved) return;
    Vec3 theirs = Vec3::Zero();
    double sum = 0.0;
    for (const auto& [bone, weight] : t.influences[pair.theirs]) {
      theirs += static_cast<double>(weight) * transform_point(t.world_from_mesh[bone], v);
      sum += static_cast<double>(weight);
    }
    ++out_.posed;
    const double off = std::abs(sum) > 1e-6 ? (theirs / sum - posed.position).norm() : HUGE_VAL;
    if (off <= in_.displacement) return;
    ++out_.moved;
    if (std::isfinite(off)) out_.displacement = std::max(out_.displacement, off);
    keep(posed_items_, {vertex, std::isfinite(off) ? off : in_.size}, in_.max_items);
  }

  void report_positions(std::uint64_t total) {
    if (moved_before_.count == 0) return;
    const bool integer = std::any_of(mesh_.parts.begin(), mesh_.parts.end(), [](const MeshPart& p) {
      return is_integer(p.positions.type);
    });
    ImporterDifference& d =
        add(Kind::positions, integer ? ImporterGap::integer_positions : ImporterGap::none,
            moved_before_.count, total);
    d.worst = moved_before_.worst;
    d.items = moved_before_.items;
  }

  ImporterGap gap_of_lost(std::size_t slot) const {
    if (slot < skin_.clusters.size()) {
      const ClusterRecord& c = skin_.clusters[slot];
      if (!c.transform_link || c.from_bind_pose) return ImporterGap::no_transform_link;
      if (c.out_of_range > 0 && c.worst_index < 0) return ImporterGap::negative_vertex_index;
      if (c.index_count != c.weight_count) return ImporterGap::cluster_counts;
    }
    return mesh_has_other_skin() ? ImporterGap::one_skin_per_mesh : ImporterGap::none;
  }

  void report_lost() {
    std::map<ImporterGap, Tally> lost;
    const auto used =
        static_cast<std::uint64_t>(std::count(slot_seen_.begin(), slot_seen_.end(), true));
    for (std::size_t s = 0; s < slot_lost_.size(); ++s) {
      if (slot_lost_[s] == 0) continue;
      Tally& tally = lost[gap_of_lost(s)];
      ++tally.count;
      keep(tally.items, {static_cast<std::int64_t>(s), static_cast<double>(slot_lost_[s])},
           in_.max_items);
    }
    for (const auto& [gap, tally] : lost)
      add(Kind::joints_lost, gap, tally.count, std::max(used, tally.count)).items = tally.items;
  }

  void report_weights(std::uint64_t total) {
    for (const ClusterRecord& c : skin_.clusters) {
      if (c.out_of_range_weighted == 0 || c.worst_index < 0) continue;
      Tally& tally = weights_[ImporterGap::vertex_out_of_range];
      tally.count += c.out_of_range_weighted;
    }
    for (const auto& [gap, tally] : weights_) {
      ImporterDifference& d = add(Kind::weights, gap, tally.count, total);
      d.worst = std::max(tally.worst, 0.0);
      d.ours = tally.ours;
      d.theirs = tally.theirs;
      d.items = tally.items;
    }
  }

  ImporterGap gap_of_bind(std::size_t slot) const {
    if (is_gltf(asset_.format) && !skin_.matrix_count) return ImporterGap::no_inverse_bind_matrices;
    if (skin_.matrix_count && slot >= *skin_.matrix_count)
      return ImporterGap::short_inverse_bind_matrices;
    if (skin_.joint_from_mesh[slot] && !is_finite(*skin_.joint_from_mesh[slot]))
      return ImporterGap::transform_not_finite;
    if (!binding_.node_from_geometry.isIdentity(1e-9)) return ImporterGap::geometric_transform;
    return mesh_has_other_skin() ? ImporterGap::one_skin_per_mesh : ImporterGap::none;
  }

  /// By the topmost node on the way to the joint whose place differs.
  ImporterGap gap_of_place(std::size_t slot) const {
    const std::int32_t joint = skin_.joints[slot];
    for (const auto& [m, t] : theirs_) {
      const std::int32_t b = t.bone_of_slot[slot];
      if (b < 0) continue;
      const std::int32_t found = in_.view.meshes[m].bones[index_of(b)].node;
      if (found < 0 && is_gltf(asset_.format)) return ImporterGap::default_scene_only;
      const std::int32_t matched = in_.node_match[index_of(joint)];
      if (matched >= 0 && found >= 0 && found != matched) return ImporterGap::names_for_identity;
    }
    std::int32_t topmost = -1;
    for (std::int32_t n = joint; n >= 0; n = asset_.nodes[index_of(n)].parent) {
      const std::int32_t theirs = in_.node_match[index_of(n)];
      if (theirs < 0) continue;
      const Mat4& ours = in_.world_from_node[index_of(n)];
      const Mat4 other = canonical(in_.view.nodes[index_of(theirs)].world_from_node);
      const double scale = std::max(1e-30, linear(ours).cwiseAbs().maxCoeff());
      const bool same = (translation(ours) - translation(other)).norm() <= in_.displacement &&
                        (linear(ours) - linear(other)).cwiseAbs().maxCoeff() <= 1e-3 * scale;
      if (!same) topmost = n;
    }
    return topmost < 0 ? ImporterGap::none : gap_of_node(topmost);
  }

  ImporterGap gap_of_node(std::int32_t n) const {
    const Node& node = asset_.nodes[index_of(n)];
    if (!is_finite(node.parent_from_node)) return ImporterGap::transform_not_finite;
    if (!node.fbx) return ImporterGap::none;
    const FbxTransform& f = *node.fbx;
    // As Assimp turns inheritance types into plain products, a scaled parent is needed to see it.
    if (f.inherit_type != InheritType::RSrs && node.parent >= 0) {
      const TransformParts parent = decompose(in_.world_from_node[index_of(node.parent)]);
      const double unit = decompose(asset_.canonical_from_file).uniform_scale();
      if (!parent.valid || std::abs(parent.uniform_scale() / unit - 1.0) > 1e-3 ||
          parent.non_uniformity() > 1e-3) {
        const bool pivoted = !f.post_rotation.isZero(0.0);
        return pivoted ? ImporterGap::pivots : ImporterGap::inherit_type;
      }
    }
    if (!f.post_rotation.isZero(0.0) || !f.rotation_pivot.isZero(0.0) ||
        !f.scaling_pivot.isZero(0.0) || !f.rotation_offset.isZero(0.0) ||
        !f.scaling_offset.isZero(0.0)) {
      return ImporterGap::pivots;
    }
    if (!f.geometric_translation.isZero(0.0) || !f.geometric_rotation.isZero(0.0) ||
        !f.geometric_scaling.isApprox(Vec3::Ones(), 0.0)) {
      return ImporterGap::geometric_transform;
    }
    return ImporterGap::none;
  }

  void report_matrices() {
    const auto seen =
        static_cast<std::uint64_t>(std::count(slot_seen_.begin(), slot_seen_.end(), true));
    report_slots(Kind::bind_matrices, slot_bind_, seen, &Comparison::gap_of_bind);
    report_slots(Kind::joints_placed, slot_place_, seen, &Comparison::gap_of_place);
  }

  void report_slots(Kind kind, const std::vector<double>& off, std::uint64_t seen,
                    ImporterGap (Comparison::*gap_of)(std::size_t) const) {
    std::map<ImporterGap, Tally> tallies;
    for (std::size_t s = 0; s < off.size(); ++s) {
      if (!slot_seen_[s] || off[s] <= in_.displacement) continue;
      Tally& tally = tallies[(this->*gap_of)(s)];
      ++tally.count;
      tally.worst = std::max(tally.worst, off[s]);
      keep(tally.items, {static_cast<std::int64_t>(s), off[s]}, in_.max_items);
    }
    for (const auto& [gap, tally] : tallies) {
      ImporterDifference& d = add(kind, gap, tally.count, seen);
      d.worst = tally.worst;
      d.items = tally.items;
    }
  }

  void compare_shapes(const std::vector<std::int32_t>& meshes) {
    std::size_t most = 0;
    for (const std::int32_t m : meshes)
      most = std::max(most, in_.view.meshes[index_of(m)].shapes.size());
    std::size_t shapes = 0;
    bool without_normals = false;
    for (const MorphTarget& target : mesh_.morphs) {
      shapes += is_fbx(asset_.format) ? target.shapes.size() : 1;
      for (const MorphTarget::Shape& shape : target.shapes)
        without_normals = without_normals || shape.normals == MorphTarget::Shape::Normals::none;
    }
    if (most >= shapes) return;
    add(Kind::shapes_lost,
        is_fbx(asset_.format) && without_normals ? ImporterGap::shapes_without_normals
                                                 : ImporterGap::none,
        shapes - most, shapes);
  }

  const ComparisonInput& in_;
  const Asset& asset_;
  const Binding& binding_;
  const Mesh& mesh_;
  const Skin& skin_;
  Mat4 file_from_canonical_ = Mat4::Identity();
  bool places_ = false, names_repeat_ = false;
  ImporterComparison out_;
  std::map<std::uint32_t, Theirs> theirs_;
  Tally moved_before_;
  std::map<ImporterGap, Tally> weights_;
  std::vector<double> slot_bind_, slot_place_;
  std::vector<std::uint64_t> slot_lost_;
  std::vector<bool> slot_seen_;
  std::vector<Item> posed_items_;
};

bool has_cycle(const Asset& asset) {
  return std::any_of(asset.repairs.begin(), asset.repairs.end(),
                     [](const Repair& r) { return r.kind == Repair::Kind::graph_cycle; });
}

}  // namespace

ImporterComparison compare_binding(const ComparisonInput& input) { return Comparison(input).run(); }

ImporterGap gap_of_failure(const Asset& asset, const ImporterView& view,
                           const std::vector<std::int32_t>& depth_of_node) {
  const bool crashed =
      view.outcome == ImporterView::Outcome::crashed || !view.crash_on_release.empty();
  if (is_gltf(asset.format) && crashed) {
    for (const Skin& skin : asset.skins) {
      if (!skin.matrix_count && !skin.joints.empty()) return ImporterGap::no_inverse_bind_matrices;
    }
    for (const Skin& skin : asset.skins) {
      if (skin.matrix_count && *skin.matrix_count < skin.joints.size())
        return ImporterGap::short_inverse_bind_matrices;
    }
    for (const InfluenceTable& table : asset.influences) {
      for (const InfluenceTable::Set& set : table.sets) {
        if (set.weights.declared() && !set.joints.declared())
          return ImporterGap::weights_without_joints;
      }
    }
  }
  if (is_fbx(asset.format) && crashed) {
    for (const Skin& skin : asset.skins) {
      if (repeats_a_name(asset, skin)) return ImporterGap::bones_of_one_name;
      for (const ClusterRecord& c : skin.clusters) {
        if (c.out_of_range > 0) return ImporterGap::vertex_out_of_range;
      }
    }
  }
  const auto deepest = std::max_element(depth_of_node.begin(), depth_of_node.end());
  if (crashed && deepest != depth_of_node.end() && *deepest > 5000) return ImporterGap::deep_nodes;
  if (has_cycle(asset)) return ImporterGap::cyclic_nodes;
  if (view.outcome == ImporterView::Outcome::refused) {
    if (is_fbx(asset.format) && std::atoi(asset.version.c_str()) < 7100)
      return ImporterGap::old_fbx;
    const bool required = std::any_of(asset.unsupported.begin(), asset.unsupported.end(),
                                      [](const Unsupported& u) { return u.required; });
    if (required) return ImporterGap::unknown_extension;
    if (is_gltf(asset.format) && asset.scenes.empty()) return ImporterGap::no_scene;
  }
  return ImporterGap::none;
}

}  // namespace skinlint
