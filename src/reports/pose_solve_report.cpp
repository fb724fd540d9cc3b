#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "reports/json_writer.h"
#include "reports/pose.h"
#include "reports/unicode.h"

namespace skinlint {
namespace {

using Layout = JsonWriter::Layout;

/// Binding, part and vertex of an entry of Solution::residual.
struct Place {
  std::size_t binding = 0, part = 0, vertex = 0;
};

Place place_of(const Asset& asset, const SolveReport& report, std::size_t number) {
  Place place;
  for (std::size_t b = 0; b < report.bindings.size(); ++b) {
    const Binding& binding = asset.bindings[report.bindings[b].binding];
    const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      if (number < mesh.parts[p].vertex_count) return {b, p, number};
      number -= mesh.parts[p].vertex_count;
    }
  }
  return place;
}

std::vector<std::size_t> worst_of(const Solution& solution, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < solution.residual.size(); ++v)
    if (std::isfinite(solution.residual[v])) order.push_back(v);
  const std::size_t kept = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return solution.residual[a] != solution.residual[b]
                                 ? solution.residual[a] > solution.residual[b]
                                 : a < b;
                    });
  order.resize(kept);
  return order;
}

const Mesh& mesh_of(const Asset& asset, const SolveBinding& b) {
  return asset.meshes[static_cast<std::size_t>(asset.bindings[b.binding].mesh)];
}

}  // namespace

void write_solve_json(std::ostream& out, const Facts& facts, const SolveReport& report) {
  const Asset& asset = facts.asset();
  const Solution& s = report.solution;
  JsonWriter json(out);
  json.begin_object();
  json.key("schema").string("skinlint-solve/1");
  json.key("path").string(report.path).key("target").string(report.target);
  json.key("reached").boolean(report.reached());
  json.key("tolerance_m").number(report.tolerance);
  json.key("residual_max_m").number(s.largest);
  json.key("residual_rms_m").number(s.root_mean_square);
  json.key("rounds").integer(s.rounds);
  json.key("left_out_vertices").count(s.left_out);
  json.key("poses").begin_array().begin_object();
  json.key("name").string("solved").key("joints").begin_array();
  for (const SolvedJoint& joint : s.joints) {
    json.begin_object(Layout::line).key("joint").string(asset.node_name(joint.node));
    json.key("node").integer(asset.nodes[static_cast<std::size_t>(joint.node)].id);
    json.key("world_from_joint").matrix(joint.world_from_joint);
    json.key("rotation_deg").vector(joint.rotation_deg);
    json.key("translation_m").vector(joint.translation);
    json.key("weight").number(joint.weight).key("determined").boolean(joint.determined);
    json.end_object();
  }
  json.end_array().key("morphs").begin_array();
  for (std::size_t b = 0; b < report.bindings.size(); ++b) {
    const Mesh& mesh = mesh_of(asset, report.bindings[b]);
    for (std::size_t t = 0; t < s.morphs[b].size(); ++t) {
      json.begin_object(Layout::line);
      json.key("mesh_node")
          .string(asset.node_name(asset.bindings[report.bindings[b].binding].node));
      json.key("target").string(mesh.morphs[t].name);
      json.key("activation").number(s.morphs[b][t]).end_object();
    }
  }
  json.end_array().end_object().end_array();
  json.key("residuals").begin_array();
  std::size_t next = 0;
  for (const SolveBinding& b : report.bindings) {
    const Mesh& mesh = mesh_of(asset, b);
    json.begin_object();
    json.key("mesh_node").string(asset.node_name(asset.bindings[b.binding].node));
    json.key("parts").begin_array();
    for (const MeshPart& part : mesh.parts) {
      json.begin_array(Layout::line);
      for (std::size_t v = 0; v < part.vertex_count; ++v) json.number(s.residual[next++]);
      json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  json.finish();
}

void write_solve_text(std::ostream& out, const Facts& facts, const SolveReport& report) {
  const Asset& asset = facts.asset();
  const Solution& s = report.solution;
  std::string text =
      fmt::format("{} -> {}\n", printable(report.path, 1000), printable(report.target, 1000));
  text += report.reached()
              ? fmt::format(
                    "  reached: the target follows from this file; largest residual {:.3g} "
                    "m of {:.3g} m allowed\n",
                    s.largest, report.tolerance)
              : fmt::format(
                    "  not reached: no pose of these joints and morph targets gives this "
                    "target; largest residual {:.3g} m, {:.3g} m allowed\n",
                    s.largest, report.tolerance);
  text += fmt::format("  residual    {:.3g} m root mean square over {} vertices, {} rounds\n",
                      s.root_mean_square, s.residual.size() - s.left_out, s.rounds);
  if (s.left_out != 0)
    text += fmt::format("  left out    {} vertices that cannot be evaluated\n", s.left_out);
  text += "\n  joint                            turned X, Y, Z (degrees)        moved (m)\n";
  for (const SolvedJoint& joint : s.joints) {
    if (joint.rotation_deg.norm() < 1e-4 && joint.translation.norm() < 1e-7 && joint.determined)
      continue;
    const std::string name = printable(asset.node_name(joint.node), 32);
    text += fmt::format("  {}{:{}} {:>9.4f} {:>9.4f} {:>9.4f}   {:>9.6f} {:>9.6f} {:>9.6f}{}\n",
                        name, "", display_width(name) < 30 ? 30 - display_width(name) : 0,
                        joint.rotation_deg.x(), joint.rotation_deg.y(), joint.rotation_deg.z(),
                        joint.translation.x(), joint.translation.y(), joint.translation.z(),
                        joint.determined ? "" : "  not determined by its vertices");
  }
  text += "  (joints that stand as bound under the joint above are left out)\n";
  bool heading = false;
  for (std::size_t b = 0; b < report.bindings.size(); ++b) {
    for (std::size_t t = 0; t < s.morphs[b].size(); ++t) {
      if (std::abs(s.morphs[b][t]) < 1e-6) continue;
      if (!heading) text += "\n  morph target                     activation\n";
      heading = true;
      text += fmt::format("  {:<32} {:>10.6f}\n",
                          printable(mesh_of(asset, report.bindings[b]).morphs[t].name, 32),
                          s.morphs[b][t]);
    }
  }
  if (!report.reached()) {
    text += "\n  farthest vertices\n";
    for (const std::size_t v : worst_of(s, 10)) {
      const Place at = place_of(asset, report, v);
      text += fmt::format(
          "  {} part {} vertex {}: {:.3g} m\n",
          printable(asset.node_name(asset.bindings[report.bindings[at.binding].binding].node), 60),
          at.part, at.vertex, s.residual[v]);
    }
  }
  out << text;
}

}  // namespace skinlint
