#include "skinning/importer_vertices.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace skinlint {
namespace {

constexpr std::string_view helper_mark = "_$AssimpFbx$_";

bool is_helper(const ImporterView::Node& node) {
  return node.name.find(helper_mark) != std::string::npos;
}

/// Children with helpers replaced by what stands below them.
std::vector<std::int32_t> real_children(const ImporterView& view,
                                        const std::vector<std::int32_t>& children) {
  std::vector<std::int32_t> out;
  std::vector<std::int32_t> stack(children.rbegin(), children.rend());
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    stack.pop_back();
    const ImporterView::Node& node = view.nodes[static_cast<std::size_t>(at)];
    if (is_helper(node)) {
      stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
    } else {
      out.push_back(at);
    }
  }
  return out;
}

/// "hand" and "hand001".
bool made_unique(std::string_view given, std::string_view name) {
  if (given.size() <= name.size() || given.substr(0, name.size()) != name) return false;
  return std::all_of(given.begin() + static_cast<std::ptrdiff_t>(name.size()), given.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

class NodeMatch {
 public:
  NodeMatch(const Asset& asset, const ImporterView& view) : asset_(asset), view_(view) {
    match_.assign(asset.nodes.size(), -1);
  }

  std::vector<std::int32_t> run() {
    if (view_.nodes.empty()) return std::move(match_);
    std::vector<std::int32_t> roots = our_roots();
    // One root: a glTF importer makes it the scene's own. Else a node of its own holds them.
    if (is_gltf(asset_.format) && roots.size() == 1) {
      pair(roots, {0});
    } else {
      pair(roots, real_children(view_, view_.nodes[0].children));
    }
    while (!queue_.empty()) {
      const std::int32_t at = queue_.back();
      queue_.pop_back();
      const std::int32_t theirs = match_[static_cast<std::size_t>(at)];
      pair(asset_.nodes[static_cast<std::size_t>(at)].children,
           real_children(view_, view_.nodes[static_cast<std::size_t>(theirs)].children));
    }
    return std::move(match_);
  }

 private:
  std::vector<std::int32_t> our_roots() const {
    const std::int32_t scene = asset_.default_scene >= 0 ? asset_.default_scene : 0;
    if (static_cast<std::size_t>(scene) < asset_.scenes.size() && is_gltf(asset_.format))
      return asset_.scenes[static_cast<std::size_t>(scene)].roots;
    std::vector<std::int32_t> roots;
    for (std::size_t n = 0; n < asset_.nodes.size(); ++n) {
      if (asset_.nodes[n].parent < 0) roots.push_back(static_cast<std::int32_t>(n));
    }
    return roots;
  }

  const std::string& our_name(std::int32_t node) const {
    return asset_.nodes[static_cast<std::size_t>(node)].name;
  }
  const std::string& their_name(std::int32_t node) const {
    return view_.nodes[static_cast<std::size_t>(node)].name;
  }

  void take(std::int32_t ours, std::int32_t theirs) {
    match_[static_cast<std::size_t>(ours)] = theirs;
    queue_.push_back(ours);
  }

  void pair(const std::vector<std::int32_t>& ours, const std::vector<std::int32_t>& theirs) {
    std::vector<bool> taken(theirs.size(), false);
    std::vector<std::int32_t> left;
    std::map<std::string_view, std::vector<std::size_t>> by_name;
    for (std::size_t k = theirs.size(); k-- > 0;) by_name[their_name(theirs[k])].push_back(k);
    for (const std::int32_t node : ours) {
      const auto it = by_name.find(our_name(node));
      if (it == by_name.end() || it->second.empty()) {
        left.push_back(node);
        continue;
      }
      taken[it->second.back()] = true;
      take(node, theirs[it->second.back()]);
      it->second.pop_back();
    }
    // Few are left: renamed, or without a name.
    std::size_t from = 0;
    for (const std::int32_t node : left) {
      while (from < taken.size() && taken[from]) ++from;
      std::size_t k = from;
      const std::size_t end = std::min(theirs.size(), from + 256);
      while (k < end && (taken[k] || (!our_name(node).empty() &&
                                      !made_unique(their_name(theirs[k]), our_name(node)))))
        ++k;
      if (k == end) continue;
      taken[k] = true;
      take(node, theirs[k]);
    }
  }

  const Asset& asset_;
  const ImporterView& view_;
  std::vector<std::int32_t> match_;
  std::vector<std::int32_t> queue_;
};

/// Our control points in the file's space, and whether the importer's is one of them.
class Places {
 public:
  Places(const Asset& asset, const MeshPart& part) {
    const auto inverse = affine_inverse(asset.canonical_from_file);
    const Mat4 file_from_canonical = inverse ? *inverse : Mat4::Identity();
    points_.resize(part.vertex_count);
    std::vector<double> block(3 * std::size_t{1024});
    for (std::size_t first = 0; first < part.vertex_count; first += 1024) {
      const std::size_t n = std::min<std::size_t>(1024, part.vertex_count - first);
      read_values(part.positions, first, n, block.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3 p(block[3 * i], block[3 * i + 1], block[3 * i + 2]);
        points_[first + i] = transform_point(file_from_canonical, p);
        if (p.allFinite()) reach_ = std::max(reach_, points_[first + i].cwiseAbs().maxCoeff());
      }
    }
  }
  std::size_t size() const { return points_.size(); }
  bool same(std::size_t ours, const ImporterView::Mesh& mesh, std::size_t theirs) const {
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double a = points_[ours][k];
      const double b =
          static_cast<double>(mesh.positions[3 * theirs + static_cast<std::size_t>(k)]);
      if (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) > 2e-6 * reach_) return false;
    }
    return true;
  }

 private:
  std::vector<Vec3> points_;
  double reach_ = 1e-30;
};

/// Where the next polygon of one of the importer's meshes begins.
struct Cursor {
  std::uint32_t mesh = 0;
  std::size_t face = 0, corner = 0;
};

VertexMatch match_polygons(const Asset& asset, const MeshPart& part, const ImporterView& view,
                           const std::vector<std::int32_t>& meshes) {
  VertexMatch out;
  if (!part.positions.readable() || !part.indices.readable()) return out;
  const Places places(asset, part);
  std::vector<Cursor> cursors;
  for (const std::int32_t m : meshes) cursors.push_back({static_cast<std::uint32_t>(m), 0, 0});
  std::vector<char> state(places.size(), 0);  // 1 used, 2 matched

  const auto fits = [&](const Cursor& cursor, const std::vector<std::uint32_t>& polygon) {
    const ImporterView::Mesh& mesh = view.meshes[cursor.mesh];
    if (cursor.face >= mesh.face_sizes.size() || mesh.face_sizes[cursor.face] != polygon.size())
      return false;
    for (std::size_t c = 0; c < polygon.size(); ++c) {
      const std::uint32_t theirs = mesh.face_corners[cursor.corner + c];
      if (theirs >= mesh.vertex_count() || !places.same(polygon[c], mesh, theirs)) return false;
    }
    return true;
  };
  const auto give = [&](const std::vector<std::uint32_t>& polygon) {
    for (Cursor& cursor : cursors) {
      if (!fits(cursor, polygon)) continue;
      for (std::size_t c = 0; c < polygon.size(); ++c) {
        if (state[polygon[c]] == 2) continue;
        state[polygon[c]] = 2;
        out.pairs.push_back(
            {0, polygon[c], cursor.mesh, view.meshes[cursor.mesh].face_corners[cursor.corner + c]});
      }
      cursor.corner += polygon.size();
      ++cursor.face;
      return;
    }
    for (const std::uint32_t v : polygon) state[v] = std::max<char>(state[v], 1);
  };

  std::vector<std::uint32_t> polygon;
  std::vector<double> corners(std::size_t{4096});
  bool whole = true;
  for (std::size_t first = 0; first < part.indices.count; first += corners.size()) {
    const std::size_t n = std::min(corners.size(), part.indices.count - first);
    read_values(part.indices, first, n, corners.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<std::int64_t>(corners[i]);
      const std::int64_t v = value < 0 ? ~value : value;
      if (static_cast<std::size_t>(v) < places.size()) {
        polygon.push_back(static_cast<std::uint32_t>(v));
      } else {
        whole = false;
      }
      if (value >= 0) continue;
      if (whole) give(polygon);
      polygon.clear();
      whole = true;
    }
  }
  out.unmatched = static_cast<std::uint64_t>(std::count(state.begin(), state.end(), 1));
  return out;
}

VertexMatch match_in_order(const Mesh& mesh, const ImporterView& view,
                           const std::vector<std::int32_t>& meshes) {
  VertexMatch out;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const std::size_t count = mesh.parts[p].vertex_count;
    const auto m = p < meshes.size() ? static_cast<std::size_t>(meshes[p]) : view.meshes.size();
    const std::size_t theirs = meshes.size() == mesh.parts.size() && m < view.meshes.size()
                                   ? view.meshes[m].vertex_count()
                                   : 0;
    if (theirs != count) {
      out.unmatched += count;
      continue;
    }
    for (std::size_t v = 0; v < count; ++v) {
      out.pairs.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(v),
                           static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(v)});
    }
  }
  return out;
}

}  // namespace

std::vector<std::int32_t> match_nodes(const Asset& asset, const ImporterView& view) {
  return NodeMatch(asset, view).run();
}

VertexMatch match_vertices(const Asset& asset, const Mesh& mesh, const ImporterView& view,
                           const std::vector<std::int32_t>& meshes) {
  if (is_gltf(asset.format)) return match_in_order(mesh, view, meshes);
  return mesh.parts.empty() ? VertexMatch{}
                            : match_polygons(asset, mesh.parts.front(), view, meshes);
}

}  // namespace skinlint
