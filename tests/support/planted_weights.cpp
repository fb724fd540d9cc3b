#include "support/planted_weights.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "readers/reader.h"
#include "rules/facts.h"
#include "skinning/bound_mesh.h"

namespace skinlint::test {
namespace {

struct Weights {
  std::vector<std::uint32_t> joint;
  std::vector<double> weight;
  double of(std::uint32_t slot) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < joint.size(); ++k)
      if (joint[k] == slot) sum += weight[k];
    return sum;
  }
};

/// Part 0 of binding 0 of a copy, weights free to change.
class Edit {
 public:
  explicit Edit(const Asset& asset) : asset_(asset) {
    table_ = &asset_.influences[static_cast<std::size_t>(asset_.bindings[0].influences[0])];
    InfluenceReader reader(*table_);
    const MeshPart& part =
        asset_.meshes[static_cast<std::size_t>(asset_.bindings[0].mesh)].parts[0];
    for (std::size_t v = 0; v < part.vertex_count; ++v) {
      const InfluenceBlock block = reader.at(v);
      Weights mine;
      for (std::size_t k = 0; k < block.weights_of(0).size(); ++k) {
        if (block.weights_of(0)[k] == 0.0) continue;
        mine.joint.push_back(block.joints_of(0)[k]);
        mine.weight.push_back(block.weights_of(0)[k]);
      }
      weights.push_back(mine);
      Vec3 p;
      read_values(part.positions, v, 1, p.data());
      positions.push_back(p);
      at_[{p.x(), p.y(), p.z()}].push_back(static_cast<std::uint32_t>(v));
    }
  }

  const std::vector<std::uint32_t>& together(std::uint32_t v) const {
    const Vec3& p = positions[v];
    return at_.at({p.x(), p.y(), p.z()});
  }
  /// Whether polygons use it: a loose vertex has no neighbours to tear from.
  std::vector<bool> used() const {
    return used_vertices(asset_.meshes[static_cast<std::size_t>(asset_.bindings[0].mesh)].parts[0]);
  }
  void set(std::uint32_t v, const Weights& to) {
    for (const std::uint32_t same : together(v)) weights[same] = to;
  }

  Asset done() {
    InfluenceTable lists;
    lists.vertex_count = weights.size();
    lists.entries_explicit = table_->entries_explicit;
    lists.first.push_back(0);
    for (const Weights& w : weights) {
      lists.joint.insert(lists.joint.end(), w.joint.begin(), w.joint.end());
      lists.weight.insert(lists.weight.end(), w.weight.begin(), w.weight.end());
      lists.first.push_back(static_cast<std::uint32_t>(lists.joint.size()));
    }
    *table_ = lists;
    return asset_;
  }

  std::vector<Weights> weights;
  std::vector<Vec3> positions;

 private:
  Asset asset_;
  InfluenceTable* table_ = nullptr;
  std::map<std::vector<double>, std::vector<std::uint32_t>> at_;
};

BoundMesh bound(const Asset& asset) {
  const Facts facts(asset);
  return bound_mesh(asset, 0, facts.bind(0).consensus, facts.bind(0).size);
}

/// The used vertex that follows the slot most.
std::uint32_t heaviest(const Edit& edit, std::int32_t slot) {
  const std::vector<bool> used = edit.used();
  std::uint32_t best = 0;
  double most = -1.0;
  for (std::uint32_t v = 0; v < edit.weights.size(); ++v) {
    const double w = edit.weights[v].of(static_cast<std::uint32_t>(slot));
    if (!used[v] || w <= most) continue;
    most = w;
    best = v;
  }
  return best;
}

}  // namespace

std::int32_t slot_named(const Asset& asset, const std::string& name) {
  const Skin& skin = asset.skins[static_cast<std::size_t>(asset.bindings[0].skin)];
  for (std::size_t j = 0; j < skin.joints.size(); ++j)
    if (skin.joints[j] >= 0 && asset.nodes[static_cast<std::size_t>(skin.joints[j])].name == name)
      return static_cast<std::int32_t>(j);
  throw std::logic_error("no joint " + name);
}

Planted bind_one_vertex_far(const Asset& asset, const std::string& from) {
  Edit edit(asset);
  const BoundMesh mesh = bound(asset);
  Planted out;
  const std::uint32_t v = heaviest(edit, slot_named(asset, from));
  double farthest = -1.0;
  for (std::size_t j = 0; j < mesh.bones.size(); ++j) {
    if (!mesh.bones[j].usable) continue;
    const double d = distance_from_bone(mesh.bones[j], mesh.positions[mesh.point_of_vertex[v]]);
    if (d <= farthest) continue;
    farthest = d;
    out.joint = static_cast<std::int32_t>(j);
  }
  edit.set(v, {{static_cast<std::uint32_t>(out.joint)}, {1.0}});
  out.vertices = {v};
  out.asset = edit.done();
  return out;
}

Planted swap_sides(const Asset& asset, const std::string& left, const std::string& right,
                   std::size_t count) {
  Edit edit(asset);
  Planted out;
  const auto from = static_cast<std::uint32_t>(slot_named(asset, left));
  out.joint = slot_named(asset, right);
  const std::uint32_t centre = heaviest(edit, slot_named(asset, left));
  const std::vector<bool> used = edit.used();
  std::vector<std::pair<double, std::uint32_t>> near;
  for (std::uint32_t v = 0; v < edit.weights.size(); ++v) {
    if (!used[v] || edit.together(v).front() != v || edit.weights[v].of(from) < 0.4) continue;
    near.emplace_back((edit.positions[v] - edit.positions[centre]).norm(), v);
  }
  std::sort(near.begin(), near.end());
  for (std::size_t i = 0; i < std::min(count, near.size()); ++i) {
    Weights swapped = edit.weights[near[i].second];
    for (std::uint32_t& joint : swapped.joint)
      if (joint == from) joint = static_cast<std::uint32_t>(out.joint);
    edit.set(near[i].second, swapped);
    out.vertices.push_back(near[i].second);
  }
  out.asset = edit.done();
  return out;
}

Planted harden_joint(const Asset& asset, std::int32_t slot) {
  Edit edit(asset);
  const BoundMesh mesh = bound(asset);
  Planted out;
  out.joint = slot;
  for (std::uint32_t v = 0; v < edit.weights.size(); ++v) {
    Weights& mine = edit.weights[v];
    double below = 0.0, total = 0.0;
    std::vector<bool> hangs;
    for (std::size_t k = 0; k < mine.joint.size(); ++k) {
      const auto& above = mesh.bones[mine.joint[k]].ancestors;
      hangs.push_back(std::find(above.begin(), above.end(), slot) != above.end());
      below += hangs.back() ? mine.weight[k] : 0.0;
      total += mine.weight[k];
    }
    if (below <= 0.0 || below >= total) continue;
    const bool keep = below >= 0.5 * total;
    for (std::size_t k = 0; k < mine.joint.size(); ++k)
      mine.weight[k] = hangs[k] == keep ? mine.weight[k] / (keep ? below : total - below) : 0.0;
    out.vertices.push_back(v);
  }
  out.asset = edit.done();
  return out;
}

Planted leak(const Asset& asset, const std::string& joint, const std::string& region,
             double weight) {
  Edit edit(asset);
  Planted out;
  out.joint = slot_named(asset, joint);
  const auto place = static_cast<std::uint32_t>(slot_named(asset, region));
  for (std::uint32_t v = 0; v < edit.weights.size(); ++v) {
    Weights& mine = edit.weights[v];
    const double share = weight * mine.of(place);
    if (share < 0.01) continue;
    for (double& w : mine.weight) w *= 1.0 - share;
    mine.joint.push_back(static_cast<std::uint32_t>(out.joint));
    mine.weight.push_back(share);
    out.vertices.push_back(v);
  }
  out.asset = edit.done();
  return out;
}

Rig split_seam(Rig rig) {
  RigPart& part = rig.meshes[0].parts[0];
  // Vertices of the column at angle 0: +X. Triangles on the side of +Z keep the first copies.
  std::map<std::uint32_t, std::uint32_t> copies;
  const std::size_t count = part.positions.size();
  for (std::uint32_t v = 0; v < count; ++v) {
    if (std::abs(part.positions[v].z()) > 1e-9 || part.positions[v].x() < 0.0) continue;
    copies[v] = static_cast<std::uint32_t>(part.positions.size());
    part.positions.push_back(part.positions[v]);
    part.normals.push_back(part.normals[v]);
    part.influences.push_back(part.influences[v]);
  }
  for (std::size_t t = 0; t + 2 < part.triangles.size(); t += 3) {
    double side = 0.0;
    for (std::size_t i = 0; i < 3; ++i) side += part.positions[part.triangles[t + i]].z();
    if (side <= 0.0) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto it = copies.find(part.triangles[t + i]);
      if (it != copies.end()) part.triangles[t + i] = it->second;
    }
  }
  return rig;
}

Planted open_seam(const Asset& asset, std::size_t from, std::size_t to) {
  Edit edit(asset);
  Planted out;
  std::size_t pair = 0;
  for (std::uint32_t v = 0; v < edit.weights.size(); ++v) {
    const auto& same = edit.together(v);
    if (same.size() < 2 || same[1] != v) continue;
    if (pair >= from && pair < to) {
      Weights& mine = edit.weights[v];
      // The seam was smoothed on one side only: here the heaviest joint took all.
      const auto top = std::max_element(mine.weight.begin(), mine.weight.end());
      const std::uint32_t joint = mine.joint[static_cast<std::size_t>(top - mine.weight.begin())];
      out.joint = static_cast<std::int32_t>(joint);
      mine = {{joint}, {1.0}};
      out.vertices.push_back(v);
    }
    ++pair;
  }
  out.asset = edit.done();
  return out;
}

Result<Asset> read_corpus_file(const std::string& path) { return read_asset(path, ReadOptions{}); }

}  // namespace skinlint::test
