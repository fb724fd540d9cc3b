#include "skinning/pose_comparisons.h"

#include <algorithm>
#include <cmath>

#include "skinning/mesh_evaluator.h"

namespace skinlint {
namespace {

/// Offsets land as S_3 * offset when they are added after skinning and as L * offset by the format.
void compare_morphs(const Asset& asset, std::size_t binding_index, const MeshPose& pose,
                    PoseComparisons& out) {
  const Binding& binding = asset.bindings[binding_index];
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(binding.mesh)];
  if (mesh.morphs.empty()) return;
  const Mat3 bind = linear(pose.bind);
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (binding.influences[p] < 0) continue;
    const InfluenceTable& table = asset.influences[static_cast<std::size_t>(binding.influences[p])];
    if (table.empty() || table.vertex_count != mesh.parts[p].vertex_count) continue;
    std::vector<Mat3> turned(table.vertex_count);
    InfluenceReader reader(table);
    InfluenceBlock block;
    while (reader.next(block)) {
      for (std::size_t i = 0; i < block.count; ++i) {
        turned[block.first_vertex + i] =
            blended_linear(block.joints_of(i), block.weights_of(i), pose.skin) - bind;
        // Vertices that cannot be evaluated have nothing to compare.
        if (turned[block.first_vertex + i] == -bind) turned[block.first_vertex + i].setZero();
      }
    }
    std::vector<Vec3> offsets(table.vertex_count);
    for (std::size_t t = 0; t < mesh.morphs.size(); ++t) {
      std::fill(offsets.begin(), offsets.end(), Vec3::Zero());
      std::vector<double> activations(t + 1, 0.0);
      activations[t] = 1.0;
      add_morphs(mesh, p, activations, 0, offsets);
      for (std::size_t v = 0; v < offsets.size(); ++v) {
        if (offsets[v].isZero(0.0)) continue;
        const double distance = (turned[v] * offsets[v]).norm();
        if (distance > out.morphs_after.largest) out.morph_target = static_cast<std::int32_t>(t);
        out.morphs_after.add(distance, p, v);
      }
    }
  }
}

}  // namespace

void Difference::add(double distance, std::size_t part_index, std::size_t vertex_index) {
  if (!std::isfinite(distance)) return;
  if (distance > 1e-9) ++vertices;
  if (distance <= largest) return;
  largest = distance;
  part = static_cast<std::int32_t>(part_index);
  vertex = static_cast<std::uint32_t>(vertex_index);
}

PoseComparisons compare_evaluations(const Asset& asset, std::size_t binding, const Mat4& bind,
                                    const AssetPose& pose) {
  PoseComparisons out;
  const Mesh& mesh = asset.meshes[static_cast<std::size_t>(asset.bindings[binding].mesh)];
  const MeshPose mine =
      mesh_pose(asset, binding, skin_matrices(asset, binding, pose.world_from_node), bind,
                binding < pose.morphs.size() ? pose.morphs[binding] : std::vector<double>{});
  const std::vector<Eigen::Matrix4f> single =
      float_skin_matrices(asset, binding, pose.world_from_node);
  EvaluateOptions exact, four;
  exact.method = four.method = SkinningMethod::linear;
  four.max_influences = 4;
  const MeshEvaluator evaluator(asset, binding, mine, exact);
  const MeshEvaluator truncated(asset, binding, mine, four);
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const PosedPart reference = evaluator.evaluate(p);
    const std::vector<Eigen::Vector3f> rounded =
        evaluate_float(asset, binding, p, single, mine.morphs);
    const PosedPart cut = truncated.evaluate(p);
    for (std::size_t v = 0; v < reference.positions.size(); ++v) {
      out.float32.add((rounded[v].cast<double>() - reference.positions[v]).norm(), p, v);
      out.four.add((cut.positions[v] - reference.positions[v]).norm(), p, v);
    }
  }
  compare_morphs(asset, binding, mine, out);
  return out;
}

}  // namespace skinlint
